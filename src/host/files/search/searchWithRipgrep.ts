/** Lines that match, as ripgrep reports them. Only files that no ignore file names, unless their path is given. */

import { join, sep } from 'node:path';
import { objectOf, parseObject } from '../../../core/json.ts';
import type { Files, SearchMatch } from '../../../core/ports.ts';
import { globOptions, runRipgrep, type SearchStart, type Seen } from './runRipgrep.ts';
import { VisibleFiles } from './visibleFiles.ts';

export interface FoundLine extends SearchMatch {
  readonly real: string;
}

export type SearchQuery = Parameters<Files['search']>[0];

export async function* searchWithRipgrep(
  binary: string,
  start: SearchStart,
  query: SearchQuery,
  signal: AbortSignal,
  seen: Seen,
): AsyncGenerator<FoundLine> {
  const { pattern, regex, glob } = query;
  const options = [
    ...['--json', '--smart-case', '--max-filesize=10M'],
    ...(regex ? [] : ['--fixed-strings']),
    ...globOptions(glob),
    `--regexp=${pattern}`,
  ];
  const visible = new VisibleFiles(binary, start, signal);
  for await (const line of runRipgrep(binary, start, { options, separator: '\n' }, signal, seen)) {
    const match = readMatch(line);
    if (!match) continue;
    if (glob !== undefined && !(await visible.has(match.path))) continue;
    const path = match.path.split(sep).join('/').replace(/^\.\//u, '');
    yield { path: start.prefix + path, line: match.line, text: match.text, real: join(start.root, match.path) };
  }
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
