/** The languages that are weighed by their words, and by which signs a sentence is told to be of one. */

import { ARABIC } from './arabic.ts';
import { CZECH } from './czech.ts';
import { DUTCH } from './dutch.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { HINDI } from './hindi.ts';
import { INDONESIAN } from './indonesian.ts';
import { ITALIAN } from './italian.ts';
import { JAPANESE } from './japanese.ts';
import { KOREAN } from './korean.ts';
import type { OrderLanguage } from './language.ts';
import { POLISH } from './polish.ts';
import { PORTUGUESE } from './portuguese.ts';
import { RUSSIAN } from './russian.ts';
import { SPANISH } from './spanish.ts';
import { SWEDISH } from './swedish.ts';
import { TURKISH } from './turkish.ts';
import { UKRAINIAN } from './ukrainian.ts';
import { VIETNAMESE } from './vietnamese.ts';

export const LATIN: readonly OrderLanguage[] = [
  ENGLISH,
  GERMAN,
  FRENCH,
  SPANISH,
  PORTUGUESE,
  ITALIAN,
  DUTCH,
  SWEDISH,
  POLISH,
  CZECH,
  TURKISH,
  VIETNAMESE,
  INDONESIAN,
];

/** Languages whose script tells them, or nearly so. */
export const BY_SCRIPT: readonly (readonly [RegExp, readonly OrderLanguage[]])[] = [
  [/\p{Script=Hangul}/u, [KOREAN]],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, [JAPANESE]],
  [/[іїєґ]/iu, [UKRAINIAN]],
  [/[ыэъё]/iu, [RUSSIAN]],
  [/\p{Script=Cyrillic}/u, [RUSSIAN, UKRAINIAN]],
  [/\p{Script=Arabic}/u, [ARABIC]],
  [/\p{Script=Devanagari}/u, [HINDI]],
];

export const HAN = /\p{Script=Han}/u;
