/**
 * Finds the part of a file that a code block of an answer replaces: the whole file, a passage, or nothing. Pure. A
 * block that omits code, or that fits no single place, never removes code that it does not mention.
 */

import { openSearch, type Replacement, replaceText } from '../tools/text/findText.ts';
import { showInOneLine } from '../tools/text/showHidden.ts';
import { type Words, words } from '../words.ts';
import { ambiguous, Effort, isWholeFile, placePiece, TooMuchToCompare } from './placePiece.ts';

export type Fit =
  /** `lines`: first and last changed line of the present file, from 1; null for the whole file. */
  | { readonly kind: 'fits'; readonly text: string; readonly lines: readonly [number, number] | null }
  | { readonly kind: 'same' }
  /** `whole`: the file's content if the block were the whole file; null where that is not possible. */
  | { readonly kind: 'unfit'; readonly reason: Words; readonly whole: string | null };

/** Characters of the file and the block together. Comparing longer texts would cause a noticeable delay. */
const LONGEST_COMPARED = 2_000_000;

export function fitBlock(file: string, block: string, language: string): Fit {
  if (file.length + block.length > LONGEST_COMPARED) return TOO_LONG;
  try {
    return compare(file, block, language);
  } catch (thrown) {
    if (thrown instanceof TooMuchToCompare) return TOO_LONG;
    throw thrown;
  }
}

const TOO_LONG: Fit = { kind: 'unfit', reason: words('File and block are too long to be compared.'), whole: null };

function compare(file: string, block: string, language: string): Fit {
  const effort = new Effort();
  const lineEnd = file.includes('\r\n') ? '\r\n' : '\n';
  const whole = withLineEnd(block, lineEnd);
  if (isPatch(block, language)) return fitPatch(file, block, lineEnd, effort);
  if (file.trim() === '') return fits(file, whole, null);
  const lines = readLines(file);
  const texts = lines.map(({ text }) => text);
  const pieces = splitAtElisions(block.split(/\r?\n/), new Set(texts.map((text) => text.trim())));
  const replacements: Replacement[] = [];
  const touched: number[] = [];
  let from = 0;
  for (const piece of pieces) {
    const placed = placePiece(texts, piece, from, pieces.length === 1, effort);
    if (placed.kind === 'context' && pieces.length > 1) continue;
    if (placed.kind === 'context')
      return { kind: 'unfit', reason: words('The block says too little for a place to be found.'), whole: null };
    if (placed.kind === 'unfit') {
      if (pieces.length > 1) return { kind: 'unfit', reason: placed.reason, whole: null };
      if (isWholeFile(texts, piece, effort)) return fits(file, whole, null);
      return { kind: 'unfit', reason: placed.reason, whole };
    }
    const [first, last] = [lines[placed.first], lines[placed.last]];
    if (!first || !last) continue;
    replacements.push({ from: first.from, to: last.to, text: placed.lines.join('\n') });
    if (placed.lines.join('\n') !== texts.slice(placed.first, placed.last + 1).join('\n'))
      touched.push(placed.first + 1, placed.last + 1);
    from = placed.last + 1;
  }
  return fits(file, replaced(file, replacements, lineEnd), [least(touched), most(touched)]);
}

function fitPatch(file: string, block: string, lineEnd: '\n' | '\r\n', effort: Effort): Fit {
  const find = openSearch(file);
  const replacements: Replacement[] = [];
  for (const { before, after } of readPatch(block)) {
    if (before === '' && file.trim() === '') return fits(file, withLineEnd(after, lineEnd), null);
    const said = showInOneLine((before.split('\n').find((line) => line.trim() !== '') ?? '').trim());
    effort.cells(file.length + before.length);
    // A removed line takes its line break along.
    const sought = after === '' && file.includes(`${before}\n`) ? `${before}\n` : before;
    const found = before === '' ? ({ kind: 'notFound' } as const) : find(sought, false);
    if (found.kind === 'notFound') {
      const reason = words('The diff changes lines that are not in the file, from “{0}” on.', said);
      return { kind: 'unfit', reason, whole: null };
    }
    if (found.kind === 'ambiguous') {
      return { kind: 'unfit', reason: ambiguous(said, found.lines), whole: null };
    }
    replacements.push(...found.places.map((place) => ({ ...place, text: after })));
  }
  const first = lineAt(file, least(replacements.map(({ from }) => from)));
  const last = lineAt(file, most(replacements.map(({ from, to }) => Math.max(from, to - 1))));
  return fits(file, replaced(file, replacements, lineEnd), [first, last]);
}

function fits(before: string, text: string | null, lines: readonly [number, number] | null): Fit {
  if (text === null)
    return { kind: 'unfit', reason: words('Two parts of the block change the same lines.'), whole: null };
  return text === before ? { kind: 'same' } : { kind: 'fits', text, lines };
}

function replaced(file: string, replacements: readonly Replacement[], lineEnd: '\n' | '\r\n'): string | null {
  const made = replaceText(file, replacements, { lineEnd, mostCharacters: 2 * LONGEST_COMPARED });
  return made.kind === 'replaced' ? made.text : null;
}

function withLineEnd(text: string, lineEnd: '\n' | '\r\n'): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1).join(lineEnd) + lineEnd;
}

// `Math.min(...all)` fails on long lists, because arguments are limited.
const least = (all: readonly number[]) => all.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);

const most = (all: readonly number[]) => all.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

/** The lines without their breaks, and the range of each in the text, line break excluded. */
function readLines(text: string): { readonly text: string; readonly from: number; readonly to: number }[] {
  let from = 0;
  return text.split('\n').map((raw) => {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const found = { text: line, from, to: from + line.length };
    from += raw.length + 1;
    return found;
  });
}

interface Hunk {
  readonly before: string;
  readonly after: string;
}

const HEADER = /^(?:diff |index |--- |\+\+\+ |new file |deleted file |similarity |rename |\\ )/;

export function isPatch(block: string, language: string): boolean {
  if (!/^(?:diff|patch)$/i.test(language) && !/^@@ .*@@/m.test(block)) return false;
  return /^[+-]/m.test(block);
}

/**
 * A block that is a diff: for each hunk, the text to replace and its replacement. Line numbers are not used, because
 * models guess them.
 */
export function readPatch(block: string): Hunk[] {
  const hunks: { before: string[]; after: string[] }[] = [];
  let hunk: { before: string[]; after: string[] } | null = null;
  const lines = block.split(/\r?\n/);
  for (const line of lines.slice(0, lines.findLastIndex((each) => each !== '') + 1)) {
    if (line.startsWith('@@')) {
      hunk = null;
      continue;
    }
    if (HEADER.test(line) && (hunk === null || /^(?:diff |index |\\ )/.test(line))) continue;
    if (hunk === null) {
      hunk = { before: [], after: [] };
      hunks.push(hunk);
    }
    const text = line.slice(1);
    if (line.startsWith('-')) hunk.before.push(text);
    else if (line.startsWith('+')) hunk.after.push(text);
    else for (const side of [hunk.before, hunk.after]) side.push(line.startsWith(' ') ? text : line);
  }
  return hunks.map(({ before, after }) => ({ before: before.join('\n'), after: after.join('\n') }));
}

/**
 * Lines that mark omitted code (`// … existing code …`). A block of an answer is split there; in a file that is
 * written, such a line would replace the code.
 */
const MARK = String.raw`(?:\/\/+|#+|--|;+|%|\{?\s*\/\*+|<!--)`;
const DOTS = new RegExp(String.raw`^(?:${MARK}\s*)?(?:\.{3,}|…)\s*(?:\*\/\s*\}?|-->)?$`);

const MARKED_DOTS = new RegExp(
  String.raw`^${MARK}\s*(?:[([{]\s*)?(?:\.{3}|…)|^${MARK}.*(?:\.{3}|…)\s*[)\]}]?\s*(?:\*\/\s*\}?|-->)?$`,
);

const SAID = new RegExp(
  String.raw`^${MARK}.*(?:\b(?:existing|unchanged|remaining|previous|other|rest of(?: the)?)\s+(?:code|file|function|class|methods?|imports?|implementation|body)\b|\b(?:unchanged|stays the same|remains the same)\b|其余|保持不变|省略|原有代码)`,
  'i',
);

/**
 * Longest line that is examined, in characters. The patterns may backtrack over all of it, and start after the indent.
 */
const LONGEST = 200;
const PLACEHOLDER = new RegExp(String.raw`^(${MARK})?\s*(.*?)\s*(?:\*\/\s*\}?|-->)?$`, 's');

const THING =
  '(?:code|files?|functions?|class(?:es)?|methods?|imports?|exports?|implementations?|body|contents?|logic|components?|modules?|scripts?|documents?|sections?|fields?|propert(?:y|ies)|props|tests?|cases|styles|rules|config(?:uration)?|settings|handlers?|routes?|lines|columns?|rows|parameters|options|definitions?|declarations?|variables|constants|types|interface|items|entries|stuff)';

const REST = String.raw`(?:rest|remainder)(?:\s+of\s+(?:(?:the|your|this|my|our)\s+)?(?:[\w.]+\s+){0,2}?${THING})?`;
const KEPT = String.raw`(?:existing|unchanged|remaining|previous|original|other|same)\s+(?:\w+\s+){0,2}?${THING}`;
const LEAD = String.raw`(?:(?:keep|include|insert|leave|add|and|then|all|the|your|our|of)\s+){0,3}`;

const STATE =
  '(?:unchanged|unmodified|untouched|intact|omitted|the same|same as (?:before|above)|as (?:is|before)|(?:goes? )?here)';

const LINK = String.raw`[\s,:–-]+(?:(?:is|are|was|were|has|have|been|remains?|stays?|left|kept|will|be)\s+){0,3}`;
const AFTER = String.raw`(?:\s+(?:for (?:brevity|clarity)|as (?:is|before)|here))?[.!]?`;

/** With dots, naming code is enough; a comment without dots has to say that the code stays or is omitted. */
const NAMES_CODE = new RegExp(
  `^${LEAD}(?:(?:${REST}|${KEPT})(?:${LINK}${STATE})?|(?:code |lines )?(?:unchanged|omitted|snipped|truncated)|no changes?|same as (?:before|above))${AFTER}$`,
  'i',
);

const LEFT_AS_IT_IS = new RegExp(
  String.raw`^${LEAD}(?:(?:${REST}|${KEPT})${LINK}${STATE}|(?:rest|remainder)\s+of\s+(?:(?:the|your|this)\s+)?${THING}|(?:existing|unchanged) code)${AFTER}$`,
  'i',
);

const CHINESE_CODE = /^(?:(?:此处)?省略|(?:其余|其他|剩余|原有|现有|已有).{0,12})$/;
const CHINESE_LEFT = /^(?:其余|其他|剩余|原有|现有|已有).{0,12}(?:不变|省略|相同|略)$|^此处省略.{0,12}$/;

/** `known` are the trimmed lines of the file: a marker among them omits nothing. Pieces without text are left out. */
export function splitAtElisions(lines: readonly string[], known: ReadonlySet<string>): string[][] {
  const pieces: string[][] = [[]];
  for (const line of lines) {
    if (leavesOut(line) && !known.has(line.trim())) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  const filled = pieces.filter((piece) => piece.some((line) => line.trim() !== ''));
  // A single piece next to a marker is not the whole file: nothing may be assumed to be omitted.
  return pieces.length > 1 && filled.length === 1 ? [...filled, []] : filled;
}

/**
 * True when the line can only stand for omitted code. False for a comment that ends in dots or mentions other code. In
 * prose, where code comments are examples, only the document's own comments count.
 */
export function isPlaceholder(line: string, inProse = false): boolean {
  if (line.length > LONGEST || (inProse && !/^\s*(?:<!--|[([]?(?:\.{3}|…))/.test(line))) return false;
  const [, mark = '', said = ''] = PLACEHOLDER.exec(line.trim()) ?? [];
  const hasDots = /\.{3}|…/.test(line);
  const text = said.replace(/^[\s.…([{（]+|[\s.…)\]}）]+$/g, '');
  if (text === '') return mark !== '' && /^[([{（]?\s*(?:\.{3}|…)\s*[)\]}）]?$/.test(said);
  if (hasDots ? NAMES_CODE.test(text) : mark !== '' && LEFT_AS_IT_IS.test(text)) return true;
  return (mark !== '' || hasDots) && (hasDots ? CHINESE_CODE : CHINESE_LEFT).test(text);
}

function leavesOut(line: string): boolean {
  const said = line.trim();
  return line.length <= LONGEST && (DOTS.test(said) || MARKED_DOTS.test(said) || SAID.test(said));
}
