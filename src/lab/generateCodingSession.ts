/**
 * Generates coding sessions in which what was read is needed again, as in real ones: files have names and lines of
 * their own, and work drifts from file to file and comes back. The same seed and size give the same messages.
 */

import { seededRandom } from '../core/seededRandom.ts';
import type { RecordedMessage } from './session.ts';

export interface CodingSessionOptions {
  readonly seed: number;
  /** At least this many messages; the last block is always whole. */
  readonly messages: number;
}

interface SourceFile {
  readonly path: string;
  readonly lines: string[];
  readonly names: readonly string[];
}

const FILES = 24;
/** How likely the next step stays with the file of the step before, and how likely it returns to any older one. */
const STAY = 0.6;
const RETURN = 0.25;

export function generateCodingSession({ seed, messages: least }: CodingSessionOptions): RecordedMessage[] {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const files = Array.from({ length: FILES }, () => makeFile(pick, below));
  const messages: RecordedMessage[] = [{ role: 'system', content: 'You are a coding agent.' }];
  const read: SourceFile[] = [];
  let file = pick(files);
  let calls = 0;
  const use = (name: string, args: Readonly<Record<string, unknown>>, content: string) => {
    const id = `call_${++calls}`;
    const call = { id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } };
    messages.push({ role: 'assistant', content: random() < 0.4 ? `Next: ${file.path}.` : '', tool_calls: [call] });
    messages.push({ role: 'tool', content, tool_call_id: id });
  };
  const step = () => {
    if (random() > STAY) file = read.length > 0 && random() < RETURN / (1 - STAY) ? pick(read) : pick(files);
    const { path, lines, names } = file;
    const at = below(lines.length - 3);
    if (!read.includes(file)) {
      read.push(file);
      use('read_file', { path }, lines.map((line, i) => `${i + 1}\t${line}`).join('\n'));
    } else if (random() < 0.5) {
      const old = lines.slice(at, at + 2);
      const changed = [...old, `  log(${pick(names)}, ${below(1000)});`];
      lines.splice(at, 2, ...changed);
      use(
        'edit_file',
        { path, old_string: old.join('\n'), new_string: changed.join('\n') },
        `Replaced 1 passage in ${path}.`,
      );
    } else if (random() < 0.6) {
      const name = pick(names);
      const hits = files.flatMap((one) =>
        one.lines.filter((line) => line.includes(name)).map((line) => `${one.path}:${line}`),
      );
      use('search_text', { pattern: name }, hits.join('\n'));
    } else {
      const checks = Array.from({ length: 20 + below(120) }, (_, i) => `ok ${i} ${pick(names)} ${below(90)} ms`);
      use('run_command', { command: `npm test -- ${path}` }, checks.join('\n'));
    }
  };
  while (messages.length < least) {
    messages.push({ role: 'user', content: `Please look after ${pick(file.names)} in ${file.path}.` });
    for (let steps = 3 + below(12); steps > 0; steps--) step();
    messages.push({ role: 'assistant', content: `Done with ${file.path}.` });
  }
  return messages;
}

function makeFile(pick: <T>(items: readonly T[]) => T, below: (count: number) => number): SourceFile {
  const word = () => pick(WORDS);
  const title = () => word().replace(/^./, (letter) => letter.toUpperCase());
  const names = Array.from({ length: 12 }, () => `${word()}${title()}${title()}${below(100)}`);
  const lines = Array.from({ length: 40 + below(160) }, () => pick(SHAPES).replaceAll('NAME', () => pick(names)));
  return { path: `src/${word()}/${word()}${title()}${below(100)}.ts`, lines, names };
}

const WORDS = [
  'parse',
  'store',
  'retry',
  'cache',
  'limit',
  'index',
  'queue',
  'token',
  'merge',
  'watch',
  'frame',
  'split',
] as const;
const SHAPES = [
  'export function NAME(count: number): NAME {',
  '  const NAME = await NAME(key, NAME);',
  '  if (NAME === null) throw new TypeError(NAME);',
  '  return Math.min(NAME, 30_000);',
  '  // NAME is set before NAME, never after',
  '}',
] as const;
