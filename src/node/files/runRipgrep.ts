/**
 * Runs ripgrep: an absolute path, arguments as a list, no shell, no configuration file. The caller may stop reading at
 * any time, and the process ends with it. `seen` records that something could not be read.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { messageOf, ToolError } from '../../core/errors.ts';
import { LineSplitter, type SplitLine } from '../../core/tools/text/lineSplitter.ts';
import { stripControls } from '../../core/tools/text/stripControls.ts';

export interface SearchStart {
  /** Real path of the workspace folder. */
  readonly root: string;
  /** Real path of the file or folder to search, inside the root. */
  readonly target: string;
  /** Prefix of each shown path. */
  readonly prefix: string;
  /** ripgrep's name for the encoding of files without a byte order mark; null for UTF-8. */
  readonly encoding: string | null;
  /** Ignored files, too. */
  readonly ignored?: true;
}

interface RipgrepRun {
  readonly options: readonly string[];
  /** Terminator of each piece of its output. */
  readonly separator: '\n' | '\0';
}

export interface Seen {
  unread: boolean;
  /** A piece was too long, and is left out. */
  tooLong?: boolean;
  /** Files that were searched. */
  searched?: number;
}

/** Characters of one piece. A match comes with its whole line, and a place for each time that it is in it. */
const LONGEST_PIECE = 64_000_000;

const MOST_ERROR_TEXT = 500;

/** The files to search, whatever is searched for. */
const FILES = ['--no-config', '--no-messages', '--no-follow', '--hidden'];

/** The pieces of its output, without their terminators. */
export async function* runRipgrep(
  binary: string,
  { root, target, ignored }: SearchStart,
  { options, separator }: RipgrepRun,
  signal: AbortSignal,
  seen: Seen,
): AsyncGenerator<string> {
  signal.throwIfAborted();
  const child = start(
    binary,
    [...FILES, ...(ignored ? ['--no-ignore'] : []), ...options, '--', `.${sep}${relative(root, target)}`],
    root,
  );
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(0, MOST_ERROR_TEXT);
  });
  const closed = once(child, 'close');
  // Awaited below. If the search is left early, its rejection must be handled.
  closed.catch(() => undefined);
  let found = 0;
  try {
    for await (const piece of split(child.stdout, separator, seen)) {
      found += 1;
      yield piece;
    }
    const [code] = await closed.catch((thrown: unknown) => {
      throw new ToolError(`The search could not start (${messageOf(thrown)}).`, { cause: thrown });
    });
    signal.throwIfAborted();
    // 1 means no match. 2 without a message means that something could not be read.
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

/** Version control is never searched. The last glob wins, so the model's globs cannot include it. */
export function globOptions(glob: string | undefined): readonly string[] {
  return [...(glob === undefined ? [] : [`--glob=${glob}`]), '--glob=!.git'];
}

async function* split(stream: Readable, separator: string, seen: Seen): AsyncGenerator<string> {
  const splitter = new LineSplitter(LONGEST_PIECE, separator);
  const whole = (piece: SplitLine) => piece.length <= LONGEST_PIECE;
  for await (const chunk of stream.setEncoding('utf8')) {
    for (const piece of splitter.push(chunk as string)) {
      if (whole(piece)) yield piece.text;
      else seen.tooLong = true;
    }
  }
  const last = splitter.end();
  if (last && whole(last)) yield last.text;
}

function start(binary: string, list: readonly string[], cwd: string) {
  const env = process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot };
  try {
    return spawn(binary, list, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  } catch (thrown) {
    // The system rejects some arguments at once: too long, or with a NUL character.
    throw new ToolError(`The search could not start (${messageOf(thrown).slice(0, MOST_ERROR_TEXT)}).`, {
      cause: thrown,
    });
  }
}
