/**
 * Runs ripgrep: an absolute path, arguments as a list, no shell, no configuration file. The caller may stop reading at
 * any time, and the process ends with it. `seen` is told when something could not be read.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, relative, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf, ToolError } from '../../core/errors.ts';
import { objectOf, parseObject } from '../../core/json.ts';
import type { Files, SearchMatch } from '../../core/ports.ts';
import { stripControls } from '../../core/tools/text/stripControls.ts';

export interface SearchStart {
  /** Real path of the workspace folder. */
  readonly root: string;
  /** Real path of the file or folder to search, inside the root. */
  readonly target: string;
  /** Goes before each path that is shown. */
  readonly prefix: string;
}

export interface FoundLine extends SearchMatch {
  readonly real: string;
}

export type SearchQuery = Parameters<Files['search']>[0];

const MOST_ERROR_TEXT = 500;

export async function* searchWithRipgrep(
  binary: string,
  { root, target, prefix }: SearchStart,
  query: SearchQuery,
  signal: AbortSignal,
  seen: { unread: boolean },
): AsyncGenerator<FoundLine> {
  signal.throwIfAborted();
  const child = start(binary, argumentsFor(query, `.${sep}${relative(root, target)}`), root);
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(0, MOST_ERROR_TEXT);
  });
  const closed = once(child, 'close');
  // Awaited below. If the search is left early, its rejection must not go unhandled.
  closed.catch(() => undefined);
  let found = 0;
  try {
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
      const match = readMatch(line);
      if (!match) continue;
      found += 1;
      const path = match.path.split(sep).join('/').replace(/^\.\//u, '');
      yield { path: prefix + path, line: match.line, text: match.text, real: join(root, match.path) };
    }
    const [code] = await closed.catch((thrown: unknown) => {
      throw new ToolError(`The search could not start (${messageOf(thrown)}).`, { cause: thrown });
    });
    signal.throwIfAborted();
    // 1 means that nothing was found. 2 without a word means that something could not be read.
    const failure = stripControls(errors).trim();
    if (code === 2 && failure === '') seen.unread = true;
    else if (code !== 0 && code !== 1 && found === 0) {
      throw new ToolError(`The search failed: ${failure || `ripgrep ended with ${code}`}`);
    }
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function start(binary: string, list: readonly string[], cwd: string) {
  const env = process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot };
  try {
    return spawn(binary, list, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  } catch (thrown) {
    // What the system does not take as arguments is refused at once: too long, or with a NUL character.
    throw new ToolError(`The search could not start (${messageOf(thrown).slice(0, MOST_ERROR_TEXT)}).`, {
      cause: thrown,
    });
  }
}

function argumentsFor({ pattern, regex, glob }: SearchQuery, target: string): string[] {
  return [
    ...['--json', '--no-config', '--no-messages', '--no-follow', '--hidden', '--smart-case', '--max-filesize=10M'],
    ...(regex ? [] : ['--fixed-strings']),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    // The last glob wins, so none from the model can bring version control back.
    '--glob=!.git',
    `--regexp=${pattern}`,
    '--',
    target,
  ];
}

interface RipgrepText {
  readonly text?: unknown;
  readonly bytes?: unknown;
}

/** Null for lines that do not report a match, and for one that was cut off when the search ended. */
function readMatch(line: string): { path: string; line: number; text: string } | null {
  const event = parseObject(line);
  if (event?.type !== 'match') return null;
  const { path, line_number: number, lines } = objectOf(event.data);
  if (typeof number !== 'number') return null;
  return { path: readText(objectOf(path)), line: number, text: readText(objectOf(lines)).replace(/\r?\n$/u, '') };
}

/** Text that is not UTF-8 comes as base64. */
function readText(value: RipgrepText): string {
  if (typeof value.text === 'string') return value.text;
  return typeof value.bytes === 'string' ? Buffer.from(value.bytes, 'base64').toString('utf8') : '';
}
