/**
 * Finds standing orders, what a person demands for good, in what they wrote to the agent. No model is asked. A question, a
 * request for this once, a report and anything quoted is none. Time is linear in the length of the text.
 */

import { isChineseOrder } from './chineseOrders.ts';
import { isEnglishOrder } from './englishOrders.ts';

/** Characters. A longer sentence is pasted text rather than somebody's demand. */
const LONGEST_ORDER = 400;
/** Characters of one message that are looked at, from its beginning and as many from its end. */
const LOOKED_AT = 8_000;

const FENCE = /```|^\s*~~~/g;
const QUOTED_LINE = /^\s*>/;
/** Comments of programs, pasted without a fence. */
const CODE_LINE = /^\s*(\/\/|\/\*|\*\/|<!--|--\s|#!|#include\b|@)|[;{}]\s*$/;
const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)、])\s*/;
const RULES_HEADING =
  /^\s*(?:#{1,6}\s*)?(?:\*\*)?(?:(?:the|my|our|house|coding|project|some|a few|general|ground)\s+){0,3}(?:rules|constraints|conventions|guidelines|standing orders|规则|约定|约束|规范|守则)(?:\*\*)?\s*[:：]?\s*$/i;
/** What stands between marks was said by somebody else. A single quote counts only around a phrase, not as an apostrophe. */
const QUOTED =
  /"[^"\n]{0,400}"|“[^”\n]{0,400}”|‘[^’\n]{0,400}’|`[^`\n]{0,400}`|「[^」\n]{0,400}」|『[^』\n]{0,400}』|(?<![\p{L}\p{N}])'[^'\n]{1,400}'(?![\p{L}\p{N}])/gu;
const HAN = /\p{Script=Han}/u;

/** The sentences, word for word and each once, in their order. */
export function findOrders(text: string): readonly string[] {
  const found = new Set<string>();
  let fenced = false;
  let underRules = false;
  for (const line of linesOf(text)) {
    const fences = line.match(FENCE)?.length ?? 0;
    if (fences % 2 === 1) fenced = !fenced;
    if (fences > 0 || fenced || QUOTED_LINE.test(line)) continue;
    if (RULES_HEADING.test(line)) underRules = true;
    else {
      const bullet = BULLET.test(line);
      underRules &&= bullet;
      if (!bullet && CODE_LINE.test(line)) continue;
      const said = line.replace(BULLET, '').trim();
      if (underRules && said && said.length <= LONGEST_ORDER) found.add(said);
      else for (const sentence of sentencesOf(said)) if (isOrder(sentence)) found.add(sentence);
    }
  }
  return [...found];
}

function isOrder(sentence: string): boolean {
  if (sentence.length < 4 || sentence.length > LONGEST_ORDER) return false;
  if (/[?？][\s"”』」)）]*$/.test(sentence)) return false;
  const own = sentence.replace(QUOTED, '“”');
  return HAN.test(own) ? isChineseOrder(own) : isEnglishOrder(own);
}

function linesOf(text: string): string[] {
  if (text.length <= 2 * LOOKED_AT) return text.split(/\r\n|\r|\n/);
  return [
    ...text.slice(0, LOOKED_AT).split(/\r\n|\r|\n/),
    ...text
      .slice(-LOOKED_AT)
      .split(/\r\n|\r|\n/)
      .slice(1),
  ];
}

/** A dot ends a sentence before a space, so that file names and versions stay whole. */
function sentencesOf(line: string): string[] {
  return line
    .split(/(?<=[.!?]["”')]?)\s+(?=\S)|(?<=[。！？；!?])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}
