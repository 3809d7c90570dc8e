/** Matching lines, as ripgrep reports them. Ignored files are searched only when their path is given. */

import { join } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { listOf, objectOf, parseObject } from '../../core/json.ts';
import type { Files, SearchMatch } from '../../core/workspace/files.ts';
import { globOptions, runRipgrep, type SearchStart, type Seen } from './runRipgrep.ts';
import { shownPath, VisibleFiles } from './visibleFiles.ts';

export interface FoundLine extends SearchMatch {
  readonly real: string;
  /** Where the matches begin in the line, in UTF-8 bytes. */
  readonly starts: readonly number[];
}

export type SearchQuery = Parameters<Files['search']>[0];

/** Larger files are searched only where they are named. */
export const MOST_BYTES = '--max-filesize=10M';

export async function* searchWithRipgrep(
  binary: string,
  start: SearchStart,
  query: SearchQuery,
  signal: AbortSignal,
  seen: Seen,
): AsyncGenerator<FoundLine> {
  const { pattern, regex, glob } = query;
  const options = [
    '--json',
    '--smart-case',
    // Searched past a NUL, so that no match is passed over in silence.
    '--binary',
    MOST_BYTES,
    // Lines end with LF, CR LF or CR, unless the pattern itself names a CR, which this does not permit.
    ...(NAMES_CR.test(pattern) ? [] : ['--crlf']),
    ...(regex ? [] : ['--fixed-strings']),
    ...(start.encoding === null ? [] : [`--encoding=${start.encoding}`]),
    ...globOptions(glob),
    `--regexp=${pattern}`,
  ];
  const visible = new VisibleFiles(binary, start, signal);
  for await (const line of explained(runRipgrep(binary, start, { options, separator: '\n' }, signal, seen))) {
    const event = parseObject(line);
    if (event?.type === 'summary') {
      const { searches } = objectOf(objectOf(event.data).stats);
      if (typeof searches === 'number') seen.searched = (seen.searched ?? 0) + searches;
    }
    const match = readMatch(event);
    if (!match) continue;
    if (glob !== undefined && !(await visible.has(match.path))) continue;
    yield { ...match, path: shownPath(start, match.path), real: join(start.root, match.path) };
  }
}

const NAMES_CR = /\r|\\(?:r|x0d|x\{0*d\}|u000d|u\{0*d\})/iu;

/** ripgrep's own words would send the model for an option that it has not. */
async function* explained(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (thrown) {
    if (!(thrown instanceof ToolError) || !thrown.message.includes('the literal "\\n" is not allowed')) throw thrown;
    throw new ToolError(
      'The pattern has a line break, and lines are searched one by one. Search for what one of the lines holds; read_file with an offset then shows those around it.',
      { cause: thrown },
    );
  }
}

interface RipgrepText {
  readonly text?: unknown;
  readonly bytes?: unknown;
}

/** Null for lines other than matches, and for one that was cut off when the search ended. */
function readMatch(event: ReturnType<typeof parseObject>): Omit<FoundLine, 'real'> | null {
  if (event?.type !== 'match') return null;
  const { path, line_number: number, lines, submatches } = objectOf(event.data);
  if (typeof number !== 'number') return null;
  const starts = listOf(submatches).flatMap((each) => {
    const { start } = objectOf(each);
    return typeof start === 'number' ? [start] : [];
  });
  const text = readText(objectOf(lines)).replace(/\r?\n$|\r$/u, '');
  return { path: readText(objectOf(path)), line: number, text, starts };
}

/** Text that is not UTF-8 comes as base64. */
function readText(value: RipgrepText): string {
  if (typeof value.text === 'string') return value.text;
  return typeof value.bytes === 'string' ? Buffer.from(value.bytes, 'base64').toString('utf8') : '';
}
