/**
 * Generates recorded sessions in the normal form (one chat-completions message a line) for tests without recordings.
 * The same seed and size give the same bytes. Every result comes right after its call.
 */

import { type Random, seededRandom } from '../../../src/core/seededRandom.ts';

interface GeneratedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly is_error?: boolean;
}

export interface GenerateOptions {
  readonly seed?: number;
  /** At least this many messages; the last block is always whole. */
  readonly messages?: number;
  /** Length in characters of a large tool result. */
  readonly largeResult?: number;
}

/** The session as the text of a file. */
export function generateSession(options: GenerateOptions = {}): string {
  return `${[...generateMessages(options)].map((message) => JSON.stringify(message)).join('\n')}\n`;
}

function* generateMessages(options: GenerateOptions = {}): Generator<GeneratedMessage> {
  const { seed = 1, messages = 60, largeResult = 12_000 } = options;
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const text = (sentences: number) => Array.from({ length: sentences }, () => pick(SENTENCES)).join(' ');
  let calls = 0;
  let sent = 1;
  yield { role: 'system', content: 'You are a coding agent. Work in the open folder and say what you do.' };
  while (sent < messages) {
    yield { role: 'user', content: `${pick(TASKS)} ${text(1)}` };
    sent++;
    if (random() < 0.15) {
      yield { role: 'user', content: `<system-reminder>\n${pick(SENTENCES)}\n</system-reminder>` };
      sent++;
    }
    const steps = 2 + Math.floor(random() * 6);
    for (let step = 0; step < steps; step++) {
      const tools = Array.from({ length: random() < 0.25 ? 2 + Math.floor(random() * 3) : 1 }, () =>
        toolUse(pick, random, ++calls, largeResult),
      );
      yield {
        role: 'assistant',
        content: random() < 0.5 ? text(1) : '',
        ...(random() < 0.4 ? { reasoning: text(2) } : {}),
        tool_calls: tools.map(({ id, name, input }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        })),
      };
      for (const { id, result, failed } of tools) {
        yield { role: 'tool', tool_call_id: id, content: result, ...(failed ? { is_error: true } : {}) };
      }
      sent += 1 + tools.length;
    }
    yield { role: 'assistant', content: text(2), ...(random() < 0.3 ? { reasoning: text(1) } : {}) };
    sent++;
  }
}

interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly failed: boolean;
}

function toolUse(pick: <T>(items: readonly T[]) => T, random: Random, number: number, largeResult: number): ToolUse {
  const id = `call_${number.toString(36).padStart(6, '0')}`;
  const path = pick(PATHS);
  const code = (length: number) => {
    const lines: string[] = [];
    for (let size = 0, n = 1; size < length; n++) {
      const line = `${n}\t${pick(CODE).replace('NAME', `${pick(NAMES)}${n}`)}`;
      lines.push(line);
      size += line.length + 1;
    }
    return lines.join('\n');
  };
  const size = random() < 0.15 ? largeResult : 80 + Math.floor(random() * 1_500);
  const kind = random();
  if (kind < 0.45) return { id, name: 'read_file', input: { path }, result: code(size), failed: false };
  if (kind < 0.65) {
    const name = pick(NAMES);
    const result = `${path}:12: ${pick(CODE).replace('NAME', name)}`;
    return { id, name: 'search_text', input: { pattern: name }, result, failed: false };
  }
  if (kind < 0.8) {
    const find = pick(CODE).replace('NAME', pick(NAMES));
    const failed = random() < 0.2;
    const result = failed ? `Error: the text to replace was not found in ${path}.` : `Replaced 1 passage in ${path}.`;
    return { id, name: 'edit_file', input: { path, find, replace: `${find} // ${pick(SENTENCES)}` }, result, failed };
  }
  const failed = random() < 0.3;
  const output = failed ? `FAIL ${path}\n${code(size)}\n1 failed` : `ok ${path}\n${code(size)}`;
  return { id, name: 'run_command', input: { command: `npm test -- ${path}` }, result: output, failed };
}

const TASKS = [
  'Fix the failing retry test.',
  'Rename the cache module and its tests.',
  '给解析器添加对空行的支持。',
  'Why does the import of naïve.csv fail? 🙂',
  'Add a limit to the number of open connections.',
  'テストが遅い理由を調べてください。',
] as const;
const SENTENCES = [
  'The loop ends one step too early.',
  'Both tests pass now.',
  '配置文件在启动时只读取一次。',
  'I look at the caller before I change the signature.',
  'Der Schlüssel fehlt in der Übersicht.',
  'The emoji 👩‍👩‍👧‍👦 is one grapheme and eleven code units.',
  'That path is covered by the second case.',
] as const;
const PATHS = [
  'src/retry.ts',
  'src/cache/store.ts',
  'test/retry.test.ts',
  'src/parse/行.ts',
  'docs/übersicht.md',
] as const;
const NAMES = ['retryLimit', 'openStore', 'parseLine', 'maxConnections', 'backoff'] as const;
const CODE = [
  'export function NAME(count: number): number {',
  '  const NAME = await store.get(key);',
  '  if (NAME === null) throw new TypeError(key);',
  '  return Math.min(NAME, 30_000);',
  '}',
  '  // NAME: 注意空行',
] as const;
