/**
 * The person's own table of prices and windows, a JSON file: for models that the product's table does not know, or knows as
 * they were. A table that cannot be read is left out and named; the product's own then counts.
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
  models: z
    .record(
      z.string(),
      z.strictObject({
        window: tokens.optional().describe('Context window in tokens.'),
        price: priceSchema.optional(),
      }),
    )
    .describe('By `MODEL@ENDPOINT`, as the settings name models.'),
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

  /** `report` is called once for each reason why the file is left out. */
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
      this.#rows = readTable(sourceText(await readBounded(this.path, LARGEST), LARGEST));
      this.#reported = '';
    } catch (thrown) {
      this.#rows = new Map();
      if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return;
      const reason = thrown instanceof Error ? wordsOf(thrown) : words('It cannot be read.');
      if (inEnglish(reason) === this.#reported) return;
      this.#reported = inEnglish(reason);
      this.#report(this.path, reason);
    }
  }
}

function readTable(text: string): ReadonlyMap<string, OwnRow> {
  const json = parseJson(text);
  if (json === undefined) throw new UserFacingError(words('It is not JSON.'));
  const { data, error } = tableSchema.safeParse(json);
  const [issue] = error?.issues ?? [];
  if (issue) throw new UserFacingError(words('{0}: {1}', issue.path.join('.') || '{}', issue.message));
  const asOf = data?.asOf;
  return new Map(
    Object.entries(data?.models ?? {}).map(([name, { window, price }]): [string, OwnRow] => [
      name,
      {
        ...(window !== undefined && { window }),
        ...(price && { price: { ...readPrice(price), source: 'ownTable', ...(asOf !== undefined && { asOf }) } }),
      },
    ]),
  );
}

/** The text of a new file, with one model as it is known now. `today`: `YYYY-MM-DD`. */
export function newTable(name: string, { window, price }: OwnRow, today: string): string {
  const { source, asOf, ...rates } = price ?? { source: undefined };
  const row = { ...(window ? { window } : {}), ...(price ? { price: rates } : {}) };
  return `${JSON.stringify({ asOf: today, models: { [name]: row } }, null, 2)}\n`;
}
