/** The committed list of rows: what each asks for, and changes of the product that a test naming it must notice. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';

export interface Mutation {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface Row {
  readonly row: string;
  readonly text: string;
  /** Not built yet: listed, and no test is asked for. */
  readonly planned?: boolean;
  readonly mutations?: readonly Mutation[];
}

export async function readRows(): Promise<readonly Row[]> {
  return JSON.parse(await readFile(join(ROOT, 'test/rows.json'), 'utf8'));
}
