/**
 * Texts for a person before translation: English sentences with placeholders for values. Core and providers choose the
 * sentences; the code that displays them translates. Texts for the model are never made this way.
 */

import { groupDigits } from './figures.ts';

export interface Sentence {
  /** With placeholders `{0}`, `{1}` …; also the key of its translations. */
  readonly text: string;
  readonly values: readonly (string | number | Words)[];
}

export type Words = readonly Sentence[];

/** Returns the sentence in a person's language, with its values filled in. */
export type Translate = (text: string, ...values: (string | number)[]) => string;

/** One sentence. Its text must be a literal, so that a test finds it and looks for its translation. */
export function words(text: string, ...values: Sentence['values']): Words {
  return [{ text, values }];
}

/** Foreign text, such as a strategy's: shown as it is. */
export function verbatim(text: string): Words {
  return text === '' ? [] : [{ text: '{0}', values: [text] }];
}

export function inLanguage(message: Words, translate: Translate): string {
  const show = (value: Sentence['values'][number]) =>
    typeof value === 'object' ? inLanguage(value, translate) : typeof value === 'number' ? groupDigits(value) : value;
  const sentences = message.map(({ text, values }) => translate(text, ...values.map(show)));
  return joinSentences(sentences);
}

/** Sentences of one language as one text; empty ones are left out. */
export function joinSentences(sentences: readonly string[]): string {
  return sentences.filter(Boolean).reduce(joinTwo, '');
}

/** The first of several names, with `…` for more than `most`. */
export function listSome(names: readonly (string | number)[], most: number): string {
  return [...names.slice(0, most), ...(names.length > most ? ['…'] : [])].join(', ');
}

export function inEnglish(message: Words): string {
  return inLanguage(message, fillIn);
}

/** Words stored next to their English, or the form that an older version stored. */
export function readWords(stored: unknown, english: string): Words {
  return isWords(stored) ? stored : verbatim(english);
}

export function isWords(value: unknown): value is Words {
  return Array.isArray(value) && value.every(isSentence);
}

function isSentence(value: unknown): value is Sentence {
  const { text, values } = (value ?? {}) as { readonly text?: unknown; readonly values?: unknown };
  return typeof text === 'string' && Array.isArray(values) && values.every(isValue);
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || isWords(value);
}

/** No space follows the full-width mark that ends a Chinese sentence, or adjoins a line break. */
function joinTwo(joined: string, next: string): string {
  return joined === '' || /[。！？；\n]$/u.test(joined) || next.startsWith('\n') ? joined + next : `${joined} ${next}`;
}

function fillIn(text: string, ...values: (string | number)[]): string {
  return text.replace(/\{(\d+)\}/g, (place, index) => String(values[Number(index)] ?? place));
}
