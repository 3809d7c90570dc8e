/**
 * What a person is told, before it is in their language: English sentences with places for values. Core and providers
 * choose the sentences, and the one who shows them translates. A text for the model is never made this way.
 */

export interface Sentence {
  /** With `{0}`, `{1}` … where the values go; it is also the key of its translations. */
  readonly text: string;
  readonly values: readonly (string | number | Words)[];
}

export type Words = readonly Sentence[];

/** Gives the sentence in a person's language, with its values filled in. */
export type Translate = (text: string, ...values: (string | number)[]) => string;

/** One sentence. Its text must be a literal: that is how a test finds it and looks for its translation. */
export function words(text: string, ...values: Sentence['values']): Words {
  return [{ text, values }];
}

/** Somebody else's text, such as a strategy's: it is shown as it is. */
export function verbatim(text: string): Words {
  return text === '' ? [] : [{ text: '{0}', values: [text] }];
}

export function tell(said: Words, translate: Translate): string {
  const show = (value: Sentence['values'][number]) =>
    typeof value === 'object' ? tell(value, translate) : typeof value === 'number' ? groupDigits(value) : value;
  const sentences = said.map(({ text, values }) => translate(text, ...values.map(show)));
  return sentences.reduce(joinSentences, '');
}

export function inEnglish(said: Words): string {
  return tell(said, fillIn);
}

/** Words that were stored beside their English, or what an older version stored instead of them. */
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

/** `14,686`: English and Chinese group alike. */
function groupDigits(value: number): string {
  return value.toLocaleString('en-US');
}

/** No space follows the wide mark that ends a Chinese sentence, nor stands one beside a line break. */
function joinSentences(told: string, next: string): string {
  return told === '' || /[。！？；\n]$/u.test(told) || next.startsWith('\n') ? told + next : `${told} ${next}`;
}

function fillIn(text: string, ...values: (string | number)[]): string {
  return text.replace(/\{(\d+)\}/g, (place, index) => String(values[Number(index)] ?? place));
}
