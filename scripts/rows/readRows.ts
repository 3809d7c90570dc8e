/** The committed list of rows: what each asks for, where it comes from, and the defaults that it documents. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';

export interface Row {
  /** A letter for the source, and a number. */
  readonly row: string;
  readonly text: string;
  /** How a person reaches it: what they do, with the names of settings, commands, tools and the API between backticks. */
  readonly user?: string;
  /** True: not built yet, so no path and no test is asked for. A text: what of it is not built yet. */
  readonly planned?: true | string;
  /** By key below `palimpsest.`: what the table of settings must say. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** By key: what proves a default in its place, where the nearest other value changes nothing that can be seen. */
  readonly instead?: Readonly<Record<string, unknown>>;
}

/** Where rows come from, by their letter. */
export const SOURCES: Readonly<Record<string, string>> = {
  K: "KLIP-13, Kimi CLI's proposal for replaceable strategies",
  M: "The study of Kimi CLI's context and checkpoints",
  C: "The study of comate's ContextIR and selective compaction",
  N: "Neovate's truncation, pruning and compaction",
  P: 'The compactor in the style of Pi Agent',
  B: 'Palimpsest',
};

export async function readRows(): Promise<readonly Row[]> {
  return JSON.parse(await readFile(join(ROOT, 'test/rows.json'), 'utf8'));
}
