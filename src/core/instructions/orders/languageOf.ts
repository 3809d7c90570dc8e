/** Tells in which languages a sentence may be written: by its script, else by its frequent words and its letters. */

import { BY_SCRIPT, HAN, LATIN } from './languages/all.ts';
import { CHINESE } from './languages/chinese.ts';
import { ENGLISH } from './languages/english.ts';
import { fold, type OrderLanguage } from './languages/language.ts';

/** A letter of its own weighs more than one word that others share. */
const LETTERS = 1.5;
/** Weight of a word of the message around the sentence: it decides only where the sentence does not. */
const AROUND = 0.001;
/** In characters. */
const LOOKED_AT = 4_000;

/** Tells the languages of the sentences of one message. */
export function languageTeller(message: string): (sentence: string) => readonly OrderLanguage[] {
  let around: readonly number[] | null = null;
  return (sentence) => {
    const script = BY_SCRIPT.find(([signs]) => signs.test(sentence));
    if (script) return script[1];
    const isChinese = HAN.test(sentence);
    // An English sentence may name something in Chinese.
    if (isChinese && !/[a-z]+ [a-z]+ [a-z]+/i.test(sentence)) return [CHINESE];
    around ??= countsIn(message.slice(0, LOOKED_AT));
    const counts = countsIn(sentence).map((count, nth) => count + AROUND * Math.min(around?.[nth] ?? 0, 100));
    const most = Math.max(...counts);
    const likely = most === 0 ? [ENGLISH] : LATIN.filter((_, nth) => counts[nth] === most);
    return isChinese ? [CHINESE, ...likely] : likely;
  };
}

function countsIn(text: string): number[] {
  const lower = text.normalize('NFC').toLowerCase();
  const counts: number[] = LATIN.map(({ letters }) => (letters.test(lower) ? LETTERS : 0));
  for (const [word] of fold(text).matchAll(WORD))
    for (const nth of OF_WORD.get(word) ?? []) counts[nth] = (counts[nth] ?? 0) + 1;
  return counts;
}

const WORD = /[\p{L}\p{M}\p{N}_]+(?:'[\p{L}\p{M}]+)?/gu;

/** The places in `LATIN` of the languages that have a word. */
const OF_WORD = new Map<string, number[]>();
for (const [nth, { frequent }] of LATIN.entries())
  for (const word of new Set(frequent)) OF_WORD.set(word, [...(OF_WORD.get(word) ?? []), nth]);
