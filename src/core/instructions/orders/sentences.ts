/**
 * Splits what a person wrote into sentences that are their own: fenced code, quoted lines, comments of programs and words
 * of others are left out. Time is linear in the length of the text.
 */

import { ELSEWHERE, NAMED } from '../../context/authorship.ts';

/** Characters examined of one message: this many from its beginning, and as many from its end. */
const LOOKED_AT = 8_000;
const FENCE = /```|^\s*~~~/g;
const QUOTED_LINE = /^\s*>/;

/** A comment of a program over several lines, pasted without a fence. */
const COMMENTS: readonly { readonly begins: RegExp; readonly ends: string }[] = [
  { begins: /^\s*\/\*(?!.*\*\/)/, ends: '*/' },
  { begins: /^\s*<!--(?!.*-->)/, ends: '-->' },
];

/** Comments of programs, pasted without a fence. */
const CODE_LINE = /^\s*(\/\/|\/\*|\*\/|<!--|--\s|#!|#include\b|@)|[;{}]\s*$/;
const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)、])\s*/;

const RULES =
  'rules|constraints|conventions|guidelines|standing orders|规则|约定|约束|规范|守则|规矩|規則|規範|規矩|(?:grund|spiel)?regeln|vorgaben|règles|regles|consignes|reglas|normas|regras|regole|правила|ルール|決まり|규칙|zasady|reguły|kurallar|قواعد|القواعد|नियम|regels|quy tắc|aturan|pravidla|regler';
const LONGEST_HEADING = 120;
/** Alone on its line, or with a few words before it and a colon after it. */
const RULES_HEADING = new RegExp(
  `^\\s*(?:#{1,6}\\s*)?(?:\\*\\*)?(?:(?:(?:the|my|our|house|coding|project|some|a few|general|ground)\\s+){0,3}(?:${RULES})(?:\\*\\*)?\\s*[:：]?|(?:[^\\s,.]+[,.]?\\s+){0,4}(?:${RULES})(?:\\s+(?:for|für|pour|para|per|для|voor)(?:\\s+\\S+){1,3}?)?(?:\\*\\*)?\\s*[:：]|(?:.*[.!。！]\\s*)?[^\\s,，。.!！]{0,12}(?:规则|约定|规范|规矩|規則|規範|規矩|ルール|決まり)[^\\s,，。.]{0,6}[:：])\\s*$`,
  'iu',
);

/** Quoted text is somebody else's. A single quote counts only around a phrase, not as an apostrophe. */
const QUOTED =
  /"[^"\n]{0,400}"|“[^”\n]{0,400}”|‘[^’\n]{0,400}’|`[^`\n]{0,400}`|「[^」\n]{0,400}」|『[^』\n]{0,400}』|(?<![\p{L}\p{N}])'[^'\n]{1,400}'(?![\p{L}\p{N}])/gu;

export interface OwnSentence {
  /** Verbatim. */
  readonly text: string;
  /** With `“”` in place of each quotation. */
  readonly bare: string;
  /** It is an item of a list below a heading such as *Rules*; the whole item is one sentence. */
  readonly ofRules: boolean;
}

/** In order. `text` may have the marks of `personsWords`. */
export function sentencesIn(text: string): readonly OwnSentence[] {
  const found: OwnSentence[] = [];
  let fenced = false;
  let underRules = false;
  let commentEnds: string | null = null;
  for (const line of linesOf(text)) {
    if (commentEnds !== null) {
      if (line.includes(commentEnds)) commentEnds = null;
      continue;
    }
    const fences = line.match(FENCE)?.length ?? 0;
    if (fences % 2 === 1) fenced = !fenced;
    if (fences > 0 || fenced || QUOTED_LINE.test(line)) continue;
    commentEnds = COMMENTS.find(({ begins }) => begins.test(line))?.ends ?? null;
    if (commentEnds !== null) continue;
    if (line.length <= LONGEST_HEADING && RULES_HEADING.test(line)) {
      underRules = true;
      continue;
    }
    const bullet = BULLET.test(line);
    underRules &&= bullet;
    if (!bullet && CODE_LINE.test(line)) continue;
    const content = line.replace(BULLET, '').trim();
    const sentences = underRules && content ? [content] : sentencesOf(content);
    for (const sentence of sentences) {
      // A sentence that goes on in somebody else's words is not the person's.
      if (sentence.includes(ELSEWHERE)) continue;
      const bare = sentence.replace(NAMED, '“”').replace(QUOTED, '“”');
      found.push({ text: sentence.replace(NAMED, '$1'), bare, ofRules: underRules });
    }
  }
  return found;
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

/** A dot ends a sentence only before a space, so that file names and versions stay whole. */
function sentencesOf(line: string): string[] {
  return line
    .split(/(?<=[.!?]["”')]?)(?:\s+(?=\S)|(?=\uFFFC))|(?<=[。！？；!?।؟۔])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}
