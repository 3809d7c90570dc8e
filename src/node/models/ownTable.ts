/**
 * The person's own table of prices and windows, a JSON file: for models that the product's table does not know, or knows as
 * they were. A row that cannot be used, or a table that cannot be read, is left out and named; the product's own then counts.
 */

import * as z from 'zod';
import { UserFacingError, wordsOf } from '../../core/errors.ts';
import { sourceText } from '../../core/instructions/sourceFile.ts';
import { parseJson } from '../../core/json.ts';
import type { Price } from '../../core/money.ts';
import { inEnglish, type Words, words } from '../../core/words.ts';
import { knownName } from '../../providers/knownModels.ts';
import { readBounded } from '../files/checkedFiles.ts';
import { hasCode } from '../files/fileErrors.ts';
import { priceSchema, readPrice, tokens } from './price.ts';

const tableSchema = z.strictObject({
  $schema: z.string().optional(),
  asOf: z.iso.date().describe('The day on which you read these prices, as `2026-11-22`.').optional(),
  /** By `MODEL@ENDPOINT`, as the settings name models. */
  models: z.record(z.string(), z.unknown()),
});

const rowSchema = z.strictObject({
  window: tokens.optional().describe('Context window in tokens.'),
  price: priceSchema.optional(),
});

/** The known facts about one model. */
interface OwnRow {
  /** Tokens. */
  readonly window?: number;
  readonly price?: Price;
}

/** Bytes. */
const LARGEST = 1024 * 1024;

export class OwnTable {
  readonly path: string;
  readonly #report: (path: string, reason: Words) => void;
  #rows: ReadonlyMap<string, OwnRow> = new Map();
  #reported = '';

  /** `report` is called once for each reason why the file, or rows of it, are left out. */
  constructor(path: string, report: (path: string, reason: Words) => void) {
    this.path = path;
    this.#report = report;
  }

  of(model: string, endpoint: string): OwnRow | null {
    const row = (name: string) => this.#rows.get(`${name}@${endpoint}`);
    return row(model) ?? row(knownName(model)) ?? null;
  }

  /** Reads the file again. Never fails. */
  async renew(): Promise<void> {
    try {
      const { rows, faults } = readTable(sourceText(await readBounded(this.path, LARGEST), LARGEST));
      this.#rows = rows;
      this.#reportOnce(faults);
    } catch (thrown) {
      this.#rows = new Map();
      if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return;
      this.#reportOnce(thrown instanceof Error ? wordsOf(thrown) : words('It cannot be read.'));
    }
  }

  #reportOnce(reason: Words): void {
    const said = inEnglish(reason);
    if (said !== '' && said !== this.#reported) this.#report(this.path, reason);
    this.#reported = said;
  }
}

/** `faults`: of rows that are left out; empty without any. */
function readTable(text: string): { readonly rows: ReadonlyMap<string, OwnRow>; readonly faults: Words } {
  const json = parseJson(text);
  if (json === undefined) throw new UserFacingError(words('It is not JSON.'));
  const { data, error } = tableSchema.safeParse(json);
  const [issue] = error?.issues ?? [];
  if (issue) throw new UserFacingError(describeFault(issue, []));
  const asOf = data?.asOf;
  const rows = new Map<string, OwnRow>();
  const faults: Words[] = [];
  for (const [name, given] of Object.entries(data?.models ?? {})) {
    const row = rowSchema.safeParse(given);
    if (row.success) {
      const { window, price } = row.data;
      rows.set(name, {
        ...(window !== undefined && { window }),
        ...(price && { price: { ...readPrice(price), source: 'ownTable', ...(asOf !== undefined && { asOf }) } }),
      });
    } else if (row.error.issues[0]) faults.push(describeFault(row.error.issues[0], ['models', name]));
  }
  const others = faults.length > 0 && rows.size > 0 ? words('The other rows are used.') : [];
  return { rows, faults: [...faults.flat(), ...others] };
}

const describeFault = ({ path, message }: z.core.$ZodIssue, above: readonly string[]): Words =>
  words('{0}: {1}', [...above, ...path].join('.') || '{}', message);

/** The text of a new file, with one model as it is known now. `today`: `YYYY-MM-DD`. */
export function newTable(name: string, { window, price }: OwnRow, today: string): string {
  const { source, asOf, ...rates } = price ?? { source: undefined };
  const row = { ...(window ? { window } : {}), ...(price ? { price: rates } : {}) };
  return `${JSON.stringify({ asOf: today, models: { [name]: row } }, null, 2)}\n`;
}
