/**
 * Splits Markdown into blocks and tells the closed ones from the open tail: a block is closed when another one follows.
 * Pure; nothing of the text is lost.
 */

import { type MarkedToken, marked, type Token } from 'marked';

export interface Blocks {
  readonly closed: readonly Token[];
  /** The last block, which more text may still change; null for an empty text. */
  readonly open: Token | null;
  /** Text of the open block and what follows it. */
  readonly tail: string;
  /** Link definitions apply to blocks before them: who cached those must render the whole text again. */
  readonly defines: boolean;
}

export function splitBlocks(text: string): Blocks {
  const tokens: readonly Token[] = marked.lexer(text);
  const last = tokens.findLastIndex((token) => token.type !== 'space');
  const before = tokens.slice(0, Math.max(last, 0));
  // Cut by length: the parser tidies white space in `raw`, and the space after `1.` decides what the next letter is.
  const closedLength = before.reduce((length, token) => length + token.raw.length, 0);
  return {
    closed: before.filter((token) => token.type !== 'space'),
    open: tokens[last] ?? null,
    tail: text.slice(closedLength),
    defines: tokens.some((token) => token.type === 'def'),
  };
}

export interface OpenFence {
  readonly marker: string;
  readonly language: string;
  /** What stands in the fence so far. */
  readonly code: string;
}

const FENCE = /^(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n`]*\n/;

/** The fence that a tail consists of while it is not closed yet, or null. */
export function findOpenFence(tail: string): OpenFence | null {
  const [head, marker, language] = FENCE.exec(tail) ?? [];
  if (head === undefined || marker === undefined) return null;
  const code = tail.slice(head.length);
  return code.split('\n').some((line) => closesFence(line, marker)) ? null : { marker, language: language ?? '', code };
}

export function closesFence(line: string, marker: string): boolean {
  const trimmed = line.replace(/^ {0,3}/, '').trimEnd();
  return trimmed.length >= marker.length && trimmed.replaceAll(marker.charAt(0), '') === '';
}

export function isCode(token: Token): token is Extract<MarkedToken, { type: 'code' }> {
  return token.type === 'code';
}
