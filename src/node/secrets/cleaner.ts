/**
 * The one cleaner of texts that leave this machine or are shown to others: exports, the diagnostics, a scrubbed page. It
 * hides the secrets that the product knows, the forms that `hideForms.ts` lists, and what a kept list of vendors' rules
 * finds. Invariant: nothing in a text can switch a rule off, and cleaning reads no file and no network.
 */

import { writtenForms } from '../../core/journal/redactText.ts';
import {
  blankColours,
  HIDDEN,
  type Hidden,
  hideForms,
  isSecretField,
  replaceParts,
} from '../../core/secrets/hideForms.ts';
import type { CleanValue } from '../../core/sessions/exportSession.ts';

export interface Cleaner {
  clean(text: string): string;
  /** All texts in a value of data; names of fields stay. */
  cleanValue: CleanValue;
}

/** A text, as a rule of the library is given one. */
interface Source {
  readonly content: string;
  readonly contentType: 'text';
  readonly ext: string;
  readonly filePath: undefined;
}

interface Report {
  readonly range: readonly [start: number, end: number];
}

/** The part of the library's rules that is used: what a rule asks of a file on disk is not there. */
interface Rule {
  readonly meta: { readonly id: string };
  create(
    context: {
      readonly sharedOptions: object;
      createTranslator(): () => { readonly message: string; readonly messageId: string; readonly data: object };
      report(found: Report): void;
      ignore(): void;
    },
    options: object,
  ): { file?(source: Source): unknown };
}

const isRule = (each: unknown): each is Rule =>
  typeof each === 'object' && each !== null && 'create' in each && 'meta' in each;

/** Comments in a text would tell the other rules what to overlook. */
const SWITCHES = '@secretlint/secretlint-rule-filter-comments';

/** A shorter one is a word, such as the key `ollama` of a local server. */
const SHORTEST = 4;

/** `known`: secrets of any form, such as the keys of endpoints. */
export async function createCleaner(known: readonly string[] = []): Promise<Cleaner> {
  const library: { readonly rules: readonly unknown[] } = await import('@secretlint/secretlint-rule-preset-recommend');
  const rules = library.rules.filter(isRule).filter(({ meta }) => meta.id !== SWITCHES);
  const secrets = writtenForms(known.filter((secret) => secret.length >= SHORTEST)).toSorted(
    (a, b) => b.length - a.length,
  );
  const clean = (text: string): string => {
    const rest = secrets.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
    const without = hideForms(rest);
    return replaceParts(without, findByRules(without, rules));
  };
  const cleanAny = (value: unknown): unknown => {
    if (typeof value === 'string') return clean(value);
    if (Array.isArray(value)) return value.map(cleanAny);
    if (typeof value !== 'object' || value === null) return value;
    // A header or a variable may be a pair of fields.
    const named = 'name' in value ? value.name : 'key' in value ? value.key : null;
    const isSecret = (name: string, text: string) =>
      isSecretField(name, text) || (name === 'value' && typeof named === 'string' && isSecretField(named, text));
    const fields = Object.entries(value).map(([name, each]) => [
      name,
      typeof each === 'string' && isSecret(name, each) ? HIDDEN : cleanAny(each),
    ]);
    return Object.fromEntries(fields);
  };
  // Cleaning preserves the shape of a value: texts stay texts.
  return { clean, cleanValue: <Value>(value: Value) => cleanAny(value) as Value };
}

/** Also behind an escaped line break, which a rule would read as a letter of the word. */
function findByRules(text: string, rules: readonly Rule[]): readonly Hidden[] {
  const found: Hidden[] = [];
  const content = blankColours(text).replace(/(?<!\\)\\{1,15}[nrtbf]/g, (escaped) => ' '.repeat(escaped.length));
  const report = ({ range: [start, end] }: Report) => {
    // A rule may take the rest of the line.
    const length = content.slice(start, end).search(content.startsWith('-----', start) ? /$/ : /[\s"'`<>\\]|$/);
    found.push({ start, end: start + length, by: HIDDEN });
  };
  const context = {
    sharedOptions: {},
    createTranslator: () => () => ({ message: '', messageId: '', data: {} }),
    report,
    ignore: () => undefined,
  };
  for (const rule of rules)
    rule.create(context, {}).file?.({ content, contentType: 'text', ext: '', filePath: undefined });
  return found;
}
