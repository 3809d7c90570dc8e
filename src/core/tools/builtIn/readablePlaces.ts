/** Places that language extensions name, as far as tools may read their files. Shared by tools and mentions. */

import { ToolError } from '../../errors.ts';
import type { FileFacts, Files } from '../../workspace/files.ts';
import type { CodePlace, Language } from '../../workspace/language.ts';
import { showInOneLine } from '../text/showHidden.ts';
import type { ToolPorts } from '../tool.ts';

/** Maximum results of one call that are examined; language extensions may return any number. */
const MOST_LOOKED_AT = 5000;

export function languageOf({ language }: ToolPorts): Language {
  if (!language) throw new ToolError('This program has no language features. Use search_text.');
  return language;
}

export async function fileToAsk(path: string, files: Files): Promise<FileFacts> {
  const facts = await files.resolve(path);
  const visible = showInOneLine(facts.shown);
  if (!facts.exists) throw new ToolError(`${visible} does not exist. list_files shows what does.`);
  if (facts.type !== 'file') throw new ToolError(`${visible} is not a file.`);
  return facts;
}

interface ReadablePlaces<T> {
  readonly places: readonly T[];
  /** Number of results in files that tools do not read. */
  readonly left: number;
  /** Number of results that were not examined. */
  readonly beyond: number;
}

/** The places in files that tools may read: language extensions follow links anywhere. */
export async function readablePlaces<T extends CodePlace>(
  places: readonly T[],
  files: Files,
  signal: AbortSignal,
): Promise<ReadablePlaces<T>> {
  const seen = places.slice(0, MOST_LOOKED_AT);
  const readable = new Map<string, boolean>();
  for (const { path } of seen) {
    signal.throwIfAborted();
    if (!readable.has(path)) readable.set(path, await isReadable(path, files));
  }
  const kept = seen.filter(({ path }) => readable.get(path));
  return { places: kept, left: seen.length - kept.length, beyond: places.length - seen.length };
}

async function isReadable(path: string, files: Files): Promise<boolean> {
  try {
    return (await files.resolve(path)).exists;
  } catch (thrown) {
    if (thrown instanceof ToolError) return false;
    throw thrown;
  }
}

export function showPlace({ path, line, column }: CodePlace): string {
  return `${showInOneLine(path)}:${line}:${column}`;
}

/** On one line, and at most `most` characters long. */
export function showShort(text: string, most: number): string {
  const line = showInOneLine(text.slice(0, most).trim());
  return text.length <= most ? line : `${line} … (${text.length} characters)`;
}

/** Sentences about omitted results; empty when everything is shown. */
export function explainOmissions(counts: {
  readonly more: number;
  readonly outside: number;
  readonly how: string;
}): string[] {
  const { more, outside, how } = counts;
  return [
    ...(more > 0 ? [`${more} more are not shown; ${how}.`] : []),
    ...(outside > 0 ? [`${outside} more lie outside of the workspace folder, or where tools do not read.`] : []),
  ];
}
