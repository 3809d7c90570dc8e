/**
 * Splits what a model thought from what it answered, where a server left both in one text or in the parts of one
 * content. Nothing is lost: each character but the marks is in one of the two.
 */

import { asRecord, asText, listOf } from '../json.ts';
import { findCode, isWithin, withoutOuterFence } from './codeRanges.ts';

export interface SplitText {
  readonly answer: string;
  readonly thinking: string;
}

const NAMES = '(?:[a-z]\\w*:)?(?:think|thinking|thoughts?|reasoning|scratchpad)';
const ATTRIBUTES = '(?:\\s+[\\w-]+\\s*=\\s*(?:"[^"]*"|\'[^\']*\'|[^\\s"\'<>]+))*';

/** How models mark where their thinking begins and ends; a model that begins with it often leaves out the first mark. */
const MARKS = {
  empty: [`<${NAMES}${ATTRIBUTES}\\s*/>`],
  begin: [
    `<${NAMES}${ATTRIBUTES}\\s*>`,
    '<\\|begin_of_thought\\|>',
    '<\\|START_THINKING\\|>',
    '\\[THINK\\]',
    '◁think▷',
    '<unused94>(?:thought\\b)?',
    '(?:<\\|start\\|>assistant)?<\\|channel\\|>(?:analysis|commentary)<\\|message\\|>',
  ],
  end: [
    `</${NAMES}\\s*>`,
    '<\\|end_of_thought\\|>',
    '<\\|END_THINKING\\|>',
    '\\[/THINK\\]',
    '◁/think▷',
    '<unused95>',
    '(?:<\\|end\\|>\\s*)?(?:<\\|start\\|>assistant)?<\\|channel\\|>final<\\|message\\|>',
  ],
};

const MARK = new RegExp(
  Object.entries(MARKS)
    .map(([kind, forms]) => `(?<${kind}>${forms.join('|')})`)
    .join('|'),
  'gi',
);

interface Mark {
  readonly kind: keyof typeof MARKS;
  readonly start: number;
  readonly end: number;
}

/** A mark inside of code is quoted, and neither begins nor ends anything. */
export function splitThinking(given: string): SplitText {
  if (given.search(MARK) < 0) return { answer: given, thinking: '' };
  const text = withoutOuterFence(given);
  const marks = findMarks(text);
  const answer: string[] = [];
  const thinking: string[] = [];
  const lastEnd = marks.findLastIndex(({ kind }) => kind === 'end');
  let at = 0;
  const take = (into: string[], until: number, next: number) => {
    into.push(text.slice(at, until));
    at = next;
  };
  for (let i = 0; i < marks.length; i++) {
    const mark = marks[i] as Mark;
    if (mark.kind === 'empty') {
      take(answer, mark.start, mark.end);
    } else if (mark.kind === 'end') {
      const last = findUnopenedEnd(text, marks, i, at === 0);
      if (last < 0) continue;
      i = last;
      take(thinking, (marks[i] as Mark).start, (marks[i] as Mark).end);
    } else if (i < lastEnd) {
      take(answer, mark.start, mark.end);
      i = matchingEnd(marks, i) ?? lastEnd;
      take(thinking, (marks[i] as Mark).start, (marks[i] as Mark).end);
    } else if (beginsSentence(text, mark.start)) {
      // Cut off, or never closed.
      take(answer, mark.start, mark.end);
      take(thinking, text.length, text.length);
      break;
    }
  }
  answer.push(text.slice(at));
  return { answer: answer.join(''), thinking: thinking.join('\n').trim() };
}

function findMarks(text: string): readonly Mark[] {
  const code = findCode(text);
  return [...text.matchAll(MARK)].flatMap((match) => {
    const { index: start, groups = {}, 0: all } = match;
    if (isWithin(code, start)) return [];
    const kind = groups.empty ? 'empty' : groups.begin ? 'begin' : 'end';
    return [{ kind, start, end: start + all.length }] as const;
  });
}

/** The end that belongs to the beginning at `from`, with thinking inside of thinking. Undefined where they do not match up. */
function matchingEnd(marks: readonly Mark[], from: number): number | undefined {
  let depth = 0;
  for (let i = from; i < marks.length; i++) {
    const kind = marks[i]?.kind;
    if (kind === 'begin') depth++;
    else if (kind === 'end' && --depth === 0) return i;
  }
  return undefined;
}

/**
 * Index of the end, from `from` on, of thinking that has no beginning: the last one at the edge of a line with an answer
 * behind it. −1 where the marks are only mentioned. `first`: nothing precedes it.
 */
function findUnopenedEnd(text: string, marks: readonly Mark[], from: number, first: boolean): number {
  let last = -1;
  let filled = -1;
  const length = text.trimEnd().length;
  for (let i = from; i < marks.length && marks[i]?.kind === 'end'; i++) {
    const { start, end } = marks[i] as Mark;
    const isAtEdge =
      /^[ \t]*(\n|$)/.test(text.slice(end, end + 200)) ||
      /(^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - 200), start));
    if (!isAtEdge) continue;
    last = i;
    if (end < length) filled = i;
  }
  if (filled >= 0) return filled;
  return first ? from : last;
}

/** In the middle of a sentence the mark is only mentioned. */
const beginsSentence = (text: string, at: number) =>
  /(^|[\n.!?:…。！？：])[ \t]*$/.test(text.slice(Math.max(0, at - 200), at));

const THINKING_PART = /thinking|reasoning|thought/i;

/** A content in parts, as some servers send it: the text of the parts that are marked as thinking, and of the others. */
export function splitContent(content: unknown): SplitText {
  if (!Array.isArray(content)) return { answer: asText(content), thinking: '' };
  const texts = { answer: '', thinking: '' };
  for (const each of content) {
    const part = asRecord(each);
    if (part === null) texts.answer += asText(each);
    else if (THINKING_PART.test(asText(part.type)) || part.thought === true) texts.thinking += textOfThinking(part);
    else texts.answer += asText(part.text);
  }
  return texts;
}

/** The text has the name of its kind, or is a list of parts again. */
function textOfThinking(part: Readonly<Record<string, unknown>>): string {
  for (const value of [part.thinking, part.reasoning, part.text, part.content, part.summary]) {
    const text =
      asText(value) ||
      listOf(value)
        .map((each) => asText(asRecord(each)?.text))
        .join('');
    if (text !== '') return text;
  }
  return '';
}
