/** Search without ripgrep: plain text, file by file in order of names, leaving out what `.gitignore` and size exclude. */

import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { explainFileError, hasCode } from './fileErrors.ts';
import { type IgnoreRule, isIgnored, parseIgnoreRules } from './ignoreRules.ts';
import { matchGlob } from './matchGlob.ts';
import type { FoundLine, SearchQuery, SearchStart } from './searchFiles.ts';

/** Bytes. */
const LARGEST_FILE = 2 * 1024 * 1024;

export async function* searchByWalk(
  { root, target, prefix }: SearchStart,
  { pattern, glob }: SearchQuery,
  signal: AbortSignal,
): AsyncGenerator<FoundLine> {
  const ignoresCase = pattern === pattern.toLowerCase();
  const excluded = glob?.startsWith('!') ?? false;
  const wanted = excluded ? glob?.slice(1) : glob;
  for await (const real of walk(root, target, signal)) {
    const path = relative(root, real).split(sep).join('/');
    if (wanted !== undefined && matchGlob(wanted, path) === excluded) continue;
    const lines = await readLines(real);
    for (const [index, text] of lines.entries()) {
      if (!(ignoresCase ? text.toLowerCase() : text).includes(pattern)) continue;
      yield { path: prefix + path, line: index + 1, text, real };
    }
  }
}

interface Ignoring {
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
}

async function* walk(root: string, target: string, signal: AbortSignal): AsyncGenerator<string> {
  if ((await stat(target)).isFile()) {
    yield target;
    return;
  }
  yield* walkFolder(target, await rulesAbove(root, target), signal);
}

async function* walkFolder(folder: string, above: readonly Ignoring[], signal: AbortSignal): AsyncGenerator<string> {
  signal.throwIfAborted();
  const rules = [...above, await rulesOf(folder)];
  const entries = await readdir(folder, { withFileTypes: true }).catch((thrown: unknown) => {
    // One folder that may not be read does not end a search of all the others.
    if (hasCode(thrown, 'EACCES', 'EPERM', 'ENOENT')) return [];
    throw explainFileError(folder, 'cannot be searched', thrown);
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name === '.git' || isLeftOut(rules, path, entry.isDirectory())) continue;
    if (entry.isDirectory()) yield* walkFolder(path, rules, signal);
    else if (entry.isFile()) yield path;
  }
}

function isLeftOut(all: readonly Ignoring[], path: string, isFolder: boolean): boolean {
  return all.some(({ folder, rules }) => isIgnored(rules, relative(folder, path).split(sep).join('/'), isFolder));
}

async function rulesAbove(root: string, target: string): Promise<Ignoring[]> {
  if (target === root) return [];
  const parent = dirname(target);
  return [...(await rulesAbove(root, parent)), await rulesOf(parent)];
}

async function rulesOf(folder: string): Promise<Ignoring> {
  return { folder, rules: parseIgnoreRules((await readLines(join(folder, '.gitignore'))).join('\n')) };
}

/** Empty for what is binary, large, unreadable or gone. */
async function readLines(path: string): Promise<string[]> {
  try {
    const facts = await stat(path);
    if (!facts.isFile() || facts.size > LARGEST_FILE) return [];
    const bytes = await readFile(path);
    return bytes.includes(0) ? [] : bytes.toString('utf8').split(/\r?\n/u);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ELOOP')) return [];
    throw thrown;
  }
}
