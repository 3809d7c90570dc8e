/**
 * Finds the tests that name a row. Their names hold its id and a colon: `K5: keeps the newest 5 groups`. An example of a
 * source document names its rows beside what it says.
 */

import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';

export interface NamingTest {
  /** Relative to the repository. */
  readonly file: string;
  readonly name: string;
}

const NAME = /(?:\b(?:it|test|describe)(?:\.\w+)*\([^'"`]*?|\)\(\s*)(['"`])((?:(?!\1).)*\b[KMCNPB]\d{1,2}:.*?)\1/gs;

/** Runs all examples. */
const EXAMPLES_TEST = 'test/unit/examples.test.ts';

export async function findNamingTests(rows: readonly string[]): Promise<ReadonlyMap<string, readonly NamingTest[]>> {
  const found = new Map<string, NamingTest[]>(rows.map((row) => [row, []]));
  for await (const file of glob('test/**/*.ts', { cwd: ROOT })) {
    const source = await readFile(join(ROOT, file), 'utf8');
    for (const [, , name = ''] of source.matchAll(NAME)) {
      for (const [, row = ''] of name.matchAll(/\b([KMCNPB]\d{1,2}):/g)) found.get(row)?.push({ file, name });
    }
  }
  for await (const file of glob('test/examples/*.json', { cwd: ROOT })) {
    const { examples } = JSON.parse(await readFile(join(ROOT, file), 'utf8'));
    for (const { row: rows, says } of examples as { readonly row: string; readonly says: string }[]) {
      for (const row of rows.split(' ')) found.get(row)?.push({ file: EXAMPLES_TEST, name: `${row}: ${says}` });
    }
  }
  return found;
}
