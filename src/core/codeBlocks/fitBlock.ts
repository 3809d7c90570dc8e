/**
 * Finds the part of a file that a code block of an answer replaces: the whole file, a passage, or nothing. Pure. A
 * block that omits code, or that fits no single place, never removes code that it does not mention.
 */

import { openSearch, type Replacement, replaceText } from '../tools/text/findText.ts';
import { showInOneLine } from '../tools/text/showHidden.ts';
import { type Words, words } from '../words.ts';
import { splitAtElisions } from './elisions.ts';
import { ambiguous, Effort, isWholeFile, placePiece, TooMuchToCompare } from './placePiece.ts';
import { isPatch, readPatch } from './readPatch.ts';

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
    const firstLine = showInOneLine((before.split('\n').find((line) => line.trim() !== '') ?? '').trim());
    effort.cells(file.length + before.length);
    // A removed line takes its line break along.
    const sought = after === '' && file.includes(`${before}\n`) ? `${before}\n` : before;
    const found = before === '' ? ({ kind: 'notFound' } as const) : find(sought, false);
    if (found.kind === 'notFound') {
      const reason = words('The diff changes lines that are not in the file, from “{0}” on.', firstLine);
      return { kind: 'unfit', reason, whole: null };
    }
    if (found.kind === 'ambiguous') {
      return { kind: 'unfit', reason: ambiguous(firstLine, found.lines), whole: null };
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
