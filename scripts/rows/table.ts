/**
 * `test/rows.json`, one line an entry: what the product promises (features, items of the panel, complaints), how a person
 * reaches it, the defaults that it documents; ways to break it, which its tests must notice; and sentences of the
 * documentation that name a default. Tests carry the rows that they hold in place as tags.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';

/**
 * A feature is a letter for its source and a number: K for KLIP-13, Kimi CLI's proposal for replaceable strategies; M for
 * the study of Kimi CLI's context and checkpoints; C for comate's ContextIR and selective compaction; N for Neovate's
 * truncation, pruning and compaction; P for the compactor in the style of Pi Agent; B for what is Palimpsest's own.
 * `item:7` is an item of the panel, `complaint:3` one of what people complain about most.
 */
export interface Row {
  readonly row: string;
  readonly text: string;
  /** Of a feature: how a person reaches it, with the names of settings, commands, tools and the API between backticks. */
  readonly user?: string;
  /** By key below `palimpsest.`: what the table of settings must say. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** By key: what proves a default in its place, where the nearest other value changes nothing that can be seen. */
  readonly instead?: Readonly<Record<string, unknown>>;
}

/** In `file`, the one place where `replace` stands gets `by`. */
export interface Break {
  /** The row whose tests must notice. */
  readonly breaks: string;
  readonly file: string;
  readonly replace: string;
  readonly by: string;
}

/** `{key}` in it stands for the default of that setting, as people write numbers. */
export interface Sentence {
  readonly says: string;
  readonly in: string;
}

export interface Table {
  readonly rows: readonly Row[];
  readonly breaks: readonly Break[];
  readonly sentences: readonly Sentence[];
}

export function readTable(): Table {
  const entries: readonly (Row | Break | Sentence)[] = JSON.parse(readFileSync(join(ROOT, 'test/rows.json'), 'utf8'));
  return {
    rows: entries.filter((entry) => 'row' in entry),
    breaks: entries.filter((entry) => 'breaks' in entry),
    sentences: entries.filter((entry) => 'says' in entry),
  };
}

export const isFeature = ({ row }: Row): boolean => /^[A-Z]\d+$/.test(row);
