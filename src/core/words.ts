/**
 * What a person is told, before it is in their language: English sentences with places for values. The core and the
 * providers choose the sentences, whoever shows them translates; a text for the model is never made this way.
 */

export interface Sentence {
  /** With `{0}`, `{1}` … where the values go; it is also the key of its translations. */
  readonly text: string;
  readonly values: readonly (string | number)[];
}

export type Words = readonly Sentence[];

/** One sentence. Its text must be a literal: that is how a test finds it and looks for its translation. */
export function words(text: string, ...values: readonly (string | number)[]): Words {
  return [{ text, values }];
}

/** Somebody else's text, such as a strategy's: it is shown as it is. */
export function verbatim(text: string): Words {
  return [{ text: '{0}', values: [text] }];
}

export function inEnglish(said: Words): string {
  return joinSentences(said.map(({ text, values }) => fillIn(text, values)));
}

/** Chinese sentences end with a wide mark, behind which no space stands. */
export function joinSentences(sentences: readonly string[]): string {
  return sentences.reduce((all, next) => (all === '' || /[。！？；]$/u.test(all) ? all + next : `${all} ${next}`), '');
}

function fillIn(text: string, values: Sentence['values']): string {
  return text.replace(/\{(\d+)\}/g, (place, index) => String(values[Number(index)] ?? place));
}
