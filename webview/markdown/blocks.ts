/**
 * Splits Markdown into closed blocks and the open tail: a block is closed when another one follows. Pure; no text is
 * lost.
 */

import type { MarkedToken, Token, Tokens } from 'marked';
import { parseMarkdown } from './parseMarkdown.ts';

interface Blocks {
  readonly closed: readonly Token[];
  /** The last block, which more text may still change; null for an empty text. */
  readonly open: Token | null;
  /** Text of the open block and what follows it. */
  readonly tail: string;
  /** Link definitions affect earlier blocks: a caller that cached those must render the whole text again. */
  readonly defines: boolean;
  /** Its cost, see `Parsed`. */
  readonly steps: number;
}

export function splitBlocks(text: string): Blocks {
  const { tokens, steps } = parseMarkdown(text);
  const last = tokens.findLastIndex((token) => token.type !== 'space');
  const before = tokens.slice(0, Math.max(last, 0));
  // Cut by length: the parser normalises white space in `raw`, and the space after `1.` decides the meaning of the next
  // letter.
  const closedLength = before.reduce((length, token) => length + token.raw.length, 0);
  return {
    closed: before.filter((token) => token.type !== 'space'),
    open: tokens[last] ?? null,
    tail: text.slice(closedLength),
    defines: tokens.some((token) => token.type === 'def'),
    steps,
  };
}

interface SettledItems {
  /** The list's first items, as a separate list. */
  readonly items: Tokens.List;
  /** The remaining items, and their text. */
  readonly rest: Tokens.List;
  readonly tail: string;
}

/**
 * The items of an open list that more text cannot change, or null. The last two can change: an unfinished mark (`-`,
 * then `-b`) may turn out to be text of the previous item.
 */
export function settleItems(open: Token, tail: string): SettledItems | null {
  if (!isList(open) || open.items.length < 3) return null;
  const raw = open.items
    .slice(0, -2)
    .map((item) => item.raw)
    .join('');
  // Cutting by length requires that the parser kept the text unchanged.
  if (!tail.startsWith(raw)) return null;
  return {
    items: { ...open, raw, items: open.items.slice(0, -2) },
    rest: { ...open, raw: open.raw.slice(raw.length), items: open.items.slice(-2) },
    tail: tail.slice(raw.length),
  };
}

/** True when `next` continues the items of `list` without changing them. */
export function fitsList(list: Tokens.List, next: Token): boolean {
  return isList(next) && markOf(next) === markOf(list) && (list.loose || !next.loose);
}

/** The items of a loose list are paragraphs, even if the ones read last are not. */
export function asContinued(list: Tokens.List, next: Token): Token {
  if (!isList(next) || !list.loose || next.loose) return next;
  const items = next.items.map((item) => ({
    ...item,
    loose: true,
    tokens: item.tokens.map((token) => (token.type === 'text' ? { ...token, type: 'paragraph' } : token)),
  }));
  return { ...next, loose: true, items };
}

/** The mark of an unordered item, or the delimiter after an ordered one's number. */
function markOf({ raw }: Tokens.List): string {
  return /^\s*(?:\d+)?([-*+.)])/.exec(raw)?.[1] ?? '';
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

interface OpenFence {
  readonly marker: string;
  readonly language: string;
  /** Everything after the fence marks. */
  readonly info: string;
  /** The text in the fence so far. */
  readonly code: string;
}

/** Neither a longer run of marks nor the language may be tried in parts: a line of thousands of tildes would freeze. */
const FENCE = /^(`{3,}(?!`)|~{3,}(?!~))[ \t]*([^\s`]*)/;

/** The fence of a tail that is not closed yet, or null. */
export function findOpenFence(tail: string): OpenFence | null {
  const end = tail.indexOf('\n');
  const head = tail.slice(0, Math.max(end, 0));
  const [found, marker, language] = FENCE.exec(head) ?? [];
  if (found === undefined || marker === undefined || head.includes('`', found.length)) return null;
  const code = tail.slice(end + 1);
  if (code.split('\n').some((line) => closesFence(line, marker))) return null;
  return { marker, language: language ?? '', info: head.slice(marker.length).trim(), code };
}

export function closesFence(line: string, marker: string): boolean {
  const trimmed = line.replace(/^ {0,3}/, '').trimEnd();
  return trimmed.length >= marker.length && trimmed.replaceAll(marker.charAt(0), '') === '';
}

export function isCode(token: Token): token is Extract<MarkedToken, { type: 'code' }> {
  return token.type === 'code';
}
