/**
 * Behaviours that are broken on purpose (`test/breaks.json`): with any one of them in the source, a test that names the row
 * must fail.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import type { Break } from './breakSource.ts';
import { runTests } from './runTests.ts';

export async function readBreaks(): Promise<readonly Break[]> {
  return JSON.parse(await readFile(join(ROOT, 'test/breaks.json'), 'utf8'));
}

/** In words: the text that a break replaces does not stand in its file once. */
export async function checkBreak({ row, file, replace }: Break): Promise<readonly string[]> {
  const found = (await readFile(join(ROOT, file), 'utf8')).split(replace).length - 1;
  return found === 1
    ? []
    : [`test/breaks.json, ${row}: ${JSON.stringify(replace)} stands ${found} times in ${file}, not once`];
}

/** In words: no test in `files` that names the row fails with this. */
export async function proveBreak(broken: Break, files: readonly string[]): Promise<readonly string[]> {
  const { failed, passed } = await runTests(broken.row, files, { PALIMPSEST_BREAK: JSON.stringify(broken) });
  if (failed > 0) return [];
  return [`${broken.row}: ${passed} tests name it and pass with ${JSON.stringify(broken.by)} in ${broken.file}`];
}
