/**
 * Splits what a model thought from what it answered, where a server left both in one text or in the parts of one
 * content. Nothing is lost: each character but the marks is in one of the two. Time is linear in the length of the text.
 */

import type { Reasoning } from '../context/message.ts';
import { asRecord, asText, type Json, listOf } from '../json.ts';
import { findCode, isWithin } from './codeRanges.ts';

export interface SplitText {
  readonly answer: string;
  /** Empty without thinking. */
  readonly thinking: string;
}

/** As the `field` of `Reasoning`: the thinking was in the text of the answer itself. */
export const IN_TEXT = 'content';

const NAMES = '(?:[a-z]\\w*:)?(?:think|thinking|thoughts?|reasoning|scratchpad)';
const ATTRIBUTES = '(?:\\s+[\\w-]+\\s*=\\s*(?:"[^"]*"|\'[^\']*\'|[^\\s"\'<>]+))*';
const ASSISTANT = '(?:<\\|start\\|>assistant)?';

/**
 * How families of models mark where their thinking begins and ends, as the reasoning parsers of vLLM, SGLang and llama.cpp
 * read them. A model that begins with it often leaves out the first mark, which its template wrote. What is a sentence, or
 * has no sign in it, counts only at the beginning of the text, and ends only what it began.
 */
const MARKS = {
  empty: [`<${NAMES}${ATTRIBUTES}\\s*/>`],
  begin: [
    `<${NAMES}${ATTRIBUTES}\\s*>`,
    '<\\|begin_of_thought\\|>',
    '<\\|START_THINKING\\|>',
    '<\\|inner_prefix\\|>',
    '\\[THINK\\]',
    '\\[unused16\\]',
    '◁think▷',
    '<unused94>(?:thought\\b)?',
    '<\\|channel>(?:thought|thinking|analysis)\\b',
    `${ASSISTANT}<\\|channel\\|>(?:analysis|commentary)<\\|message\\|>`,
  ],
  end: [
    `</${NAMES}\\s*>`,
    '<\\|end_of_thought\\|>',
    '<\\|END_THINKING\\|>',
    '<\\|inner_suffix\\|>',
    '\\[/THINK\\]',
    '\\[unused17\\]',
    '◁/think▷',
    '<unused95>',
    '<channel\\|>',
    `(?:<\\|end\\|>\\s*)?${ASSISTANT}<\\|channel\\|>final<\\|message\\|>`,
    // Then a call follows.
    `<\\|end\\|>(?=\\s*${ASSISTANT}(?:<\\|channel\\|>commentary)? to=)`,
  ],
  beginText: ["^\\s*here(?: is|’s|'s) my thought process:", '^\\s*analysis(?=[A-Z][a-z ])'],
  endText: ["here(?: is|’s|'s) my response:", 'assistantfinal'],
};

const patternOf = (...kinds: readonly (keyof typeof MARKS)[]) =>
  kinds.map((kind) => `(?<${kind}>${MARKS[kind].join('|')})`).join('|');

const MARK = new RegExp(patternOf('empty', 'begin', 'end', 'beginText', 'endText'), 'gi');

export interface Mark {
  readonly kind: 'empty' | 'begin' | 'end';
  /** It has no sign in it. */
  readonly words: boolean;
  readonly start: number;
  /** Exclusive; in UTF-16 units. */
  readonly end: number;
}

/** The first mark from `from` on, code or not; null without one. */
export function findMark(text: string, from: number): Mark | null {
  MARK.lastIndex = from;
  const match = MARK.exec(text);
  // `matchAll` begins there.
  MARK.lastIndex = 0;
  return match && markOf(match);
}

function markOf({ index: start, groups = {}, 0: all }: RegExpExecArray): Mark {
  const kind = groups.empty ? 'empty' : (groups.begin ?? groups.beginText) ? 'begin' : 'end';
  return { kind, words: (groups.beginText ?? groups.endText) !== undefined, start, end: start + all.length };
}

/**
 * A mark in code is quoted, and one in the middle of a sentence is mentioned: neither begins nor ends anything. Thinking
 * is what stands first, whole or only with its end; further on, what begins a line.
 */
export function splitThinking(text: string): SplitText {
  if (text.search(MARK) < 0) return { answer: text, thinking: '' };
  const { marks, quoted } = findMarks(text);
  const answer: string[] = [];
  const thinking: string[] = [];
  let at = 0;
  let isBlank = true;
  const take = (into: string[], until: number, next: number) => {
    const piece = text.slice(at, until);
    if (into === answer && piece.trim() !== '') isBlank = false;
    into.push(piece);
    at = next;
  };
  const lastEnd = marks.findLastIndex(({ kind }) => kind === 'end');
  let found = false;
  for (let i = 0; i < marks.length; i++) {
    const mark = marks[i] as Mark;
    const isFirst = isBlank && text.slice(at, mark.start).trim() === '';
    if (mark.kind === 'empty') {
      if (!isFirst) continue;
      take(answer, mark.start, mark.end);
      found = true;
    } else if (mark.kind === 'end') {
      const last = findUnopenedEnd(text, marks, i, at === 0);
      if (last < 0) {
        // Nor does any of those that follow it at once.
        while (marks[i + 1]?.kind === 'end') i++;
        continue;
      }
      i = last;
      take(thinking, (marks[i] as Mark).start, (marks[i] as Mark).end);
      found = true;
    } else {
      const closing = i < lastEnd ? matchingEnd(text, marks, i) : undefined;
      const end = marks[closing ?? (isFirst && i < lastEnd ? lastEnd : -1)];
      // A fence that the thinking opened may reach into the answer.
      const inFence =
        end || !isFirst ? undefined : quoted.find((each) => isAtEdge(text, each) && each.start > mark.end);
      if (isFirst || isSetApart(text, mark, end)) {
        take(answer, mark.start, mark.end);
        const until = end ?? inFence ?? (isFirst ? findCall(text, mark.end) : undefined);
        take(thinking, until?.start ?? text.length, until?.end ?? text.length);
        found = true;
        if (!until) break;
      }
      if (end) i = marks.indexOf(end);
    }
  }
  if (!found) return { answer: text, thinking: '' };
  answer.push(text.slice(at));
  return { answer: withoutWrapping(answer.join('').trimStart()), thinking: thinking.join('\n').trim() };
}

interface Thought {
  readonly text: string;
  readonly reasoning?: Reasoning;
}

/**
 * The same answer without thinking in its text. What came in a field of its own stays as it is: it goes back unchanged, and
 * a server that has one often says the same in the text.
 */
export function withThinkingApart<A extends Thought>(given: A): A {
  const { answer: text, thinking } = splitThinking(given.text);
  if (text === given.text) return given;
  const { reasoning = { field: IN_TEXT, text: '' } } = given;
  if (thinking === '' || reasoning.field !== IN_TEXT) return { ...given, text };
  return { ...given, text, reasoning: { ...reasoning, text: reasoning.text + thinking } };
}

/** `quoted`: ends in code, which count only where nothing else ends what is begun. */
function findMarks(text: string): { readonly marks: readonly Mark[]; readonly quoted: readonly Mark[] } {
  const code = findCode(text);
  const marks: Mark[] = [];
  const quoted: Mark[] = [];
  for (const match of text.matchAll(MARK)) {
    const mark = markOf(match);
    if (mark.words && mark.kind === 'end' && !marks[0]?.words) continue;
    if (!isWithin(code, mark.start)) marks.push(mark);
    else if (mark.kind === 'end') quoted.push(mark);
  }
  return { marks, quoted };
}

/**
 * The end that belongs to the beginning at `from`, with thinking inside of thinking and without what is only mentioned.
 * Undefined where they do not match up.
 */
function matchingEnd(text: string, marks: readonly Mark[], from: number): number | undefined {
  let depth = 0;
  let mentioned: number | undefined;
  for (let i = from; i < marks.length; i++) {
    const mark = marks[i] as Mark;
    if (mark.kind === 'empty') continue;
    if (i > from && isMentioned(text, mark)) {
      if (mark.kind === 'end') mentioned ??= i;
    } else if (mark.kind === 'begin') depth++;
    else if (--depth === 0) return i;
  }
  return depth === 1 ? mentioned : undefined;
}

/**
 * Index of the end, from `from` on, of thinking that has no beginning: the last one at the edge of a line with an answer
 * behind it. −1 where the marks are only mentioned. `first`: nothing precedes it.
 */
function findUnopenedEnd(text: string, marks: readonly Mark[], from: number, first: boolean): number {
  let last = -1;
  let filled = -1;
  let named = -1;
  const length = text.trimEnd().length;
  for (let i = from; i < marks.length && marks[i]?.kind === 'end'; i++) {
    const mark = marks[i] as Mark;
    if (named < 0 && !isMentioned(text, mark)) named = i;
    if (!isAtEdge(text, mark)) continue;
    last = i;
    if (mark.end < length) filled = i;
  }
  if (filled >= 0) return filled;
  return first && named >= 0 ? named : last;
}

const FAR = 200;
const before = (text: string, at: number) => text.slice(Math.max(0, at - FAR), at);

/** Nothing else is before it, or behind it, in its line. */
const isAtEdge = (text: string, { start, end }: Mark) =>
  /^[ \t]*(\n|$)/.test(text.slice(end, end + FAR)) || /(^|\n)[ \t]*$/.test(before(text, start));

/** Qwen and Kimi go on to a call without an end of their thinking, as SGLang's reasoning parser knows. */
const CALL = /(?<=\n[ \t]{0,20})(?=<tool_call>|<\|tool_calls_section_begin\|>)/;

function findCall(text: string, from: number): { readonly start: number; readonly end: number } | undefined {
  const at = text.slice(from).search(CALL);
  return at < 0 ? undefined : { start: from + at, end: from + at };
}

/** It begins a line, or a sentence whose line ends with it; unclosed, it is no word of a sentence. */
function isSetApart(text: string, mark: Mark, end: Mark | undefined): boolean {
  const beginsLine = /(^|\n)[ \t]*$/.test(before(text, mark.start));
  if (!end) return beginsLine && !/^[ \t]/.test(text.slice(mark.end, mark.end + 1));
  if (isMentioned(text, end)) return false;
  const closesLine = /^[ \t]*(\n|$)/.test(text.slice(end.end, end.end + FAR));
  return beginsLine || (closesLine && /[.!?…。！？][ \t]*$/.test(before(text, mark.start)));
}

/** It stands between the words of a sentence, or in quotation marks. */
export function isMentioned(text: string, { start, end }: Mark): boolean {
  const next = text.charAt(end);
  if (/["'“‘«「『(]/.test(text.charAt(start - 1)) && /["'”’»」』)]/.test(next)) return true;
  return /[^\s.!?:…。！？：][ \t]+$/.test(before(text, start)) && /[ \t.,;:!?)"'”’，。；：]/.test(next);
}

/** Tags around the whole of an answer that follows thinking: of Hunyuan, Ernie, Command and OpenThinker. */
const OPENS = /^(?:<(?:answer|response|output)>|<\|(?:START_RESPONSE|begin_of_solution)\|>)/;
const CLOSES = /(?:<\/(?:answer|response|output)>|<\|(?:END_RESPONSE|end_of_solution)\|>)$/;
/** How gpt-oss ends what it says. */
const ENDING = /<\|(?:return|end)\|>$/;

function withoutWrapping(answer: string): string {
  const trimmed = answer.trimEnd();
  if (ENDING.test(trimmed)) return trimmed.replace(ENDING, '').trimEnd();
  return OPENS.test(trimmed) && CLOSES.test(trimmed) ? trimmed.replace(OPENS, '').replace(CLOSES, '').trim() : answer;
}

const THINKING_PART = /thinking|reasoning|thought/i;

/** A content in parts, as some servers send it: the text of the parts that are marked as thinking, and of the others. */
export function splitContent(content: unknown): SplitText {
  const texts = { answer: '', thinking: '' };
  for (const each of partsOf(content)) {
    const part = asRecord(each);
    if (part === null) texts.answer += asText(each);
    else if (THINKING_PART.test(asText(part.type)) || part.thought === true) texts.thinking += textOfThinking(part);
    else texts.answer += textOfPart(part);
  }
  return texts;
}

/** A content is a list of parts, or only one of them, or a text. */
export function partsOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return content === undefined || content === null ? [] : [content];
}

/** Some servers put the text a level deeper, or name it as they name the content. */
function textOfPart({ type, text, content }: Json): string {
  const own = asText(text) || asText(asRecord(text)?.value);
  return own || (/^(?:output_)?text$/.test(asText(type)) ? asText(content) : '');
}

/** The text of a field for thinking: a text, or a list of parts, or one. */
export function textOfThinking(value: unknown): string {
  const text = asText(value);
  if (text !== '') return text;
  if (Array.isArray(value)) return value.map(textInPart).join('');
  return textInPart(value);
}

/** The text has the name of its kind, or is a list of parts again. */
function textInPart(each: unknown): string {
  const part = asRecord(each);
  if (part === null) return asText(each);
  for (const value of [part.thinking, part.reasoning, part.text, part.content, part.summary]) {
    const text =
      asText(value) ||
      listOf(value)
        .map((inner) => asText(asRecord(inner)?.text))
        .join('');
    if (text !== '') return text;
  }
  return '';
}
