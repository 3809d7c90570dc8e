/**
 * The content that a request still holds. Unmodified messages use the session's index of mentions, rewritten and
 * inserted ones their own facts; nothing is searched twice.
 */

import { LINE_NUMBER } from '../core/tools/text/findText.ts';
import { type AnchorName, findOccurrences, type Occurrence } from './anchors.ts';
import { lastBefore, type Pair, type PreparedSession, searchedText } from './prepareSession.ts';
import type { Literal, Part } from './request.ts';

/** A rewritten group below this many characters counts as together. */
const TRIMMED_GROUP = 6000;

export class Presence {
  readonly #prepared: PreparedSession;
  readonly #facts = new WeakMap<Literal, LiteralFacts>();
  readonly #rawNear = new Map<string, boolean>();
  readonly #raw: Uint8Array;
  readonly #reached: Uint8Array;
  /** Rewritten messages of the request by index. */
  readonly #rewritten = new Map<number, LiteralFacts>();
  /** Rewritten and inserted messages that contain any anchor or user words. */
  #literals: LiteralFacts[] = [];
  #inserted: LiteralFacts[] = [];

  constructor(prepared: PreparedSession) {
    this.#prepared = prepared;
    this.#raw = new Uint8Array(prepared.session.messages.length);
    this.#reached = new Uint8Array(prepared.session.messages.length);
  }

  /** Switches to another request. */
  load(parts: readonly Part[]): void {
    this.#raw.fill(0);
    this.#reached.fill(0);
    this.#rewritten.clear();
    this.#literals = [];
    this.#inserted = [];
    for (const part of parts) {
      if (typeof part === 'number') {
        this.#raw[part] = 1;
        continue;
      }
      const facts = this.#factsOf(part);
      if (facts.anchors.size > 0) this.#literals.push(facts);
      if (part.index === null) this.#inserted.push(facts);
      else this.#rewritten.set(part.index, facts);
      for (const index of part.leadsTo) this.#reached[index] = 1;
    }
  }

  /** The message is in the request unmodified. */
  showsWhole(index: number): boolean {
    return this.#raw[index] === 1;
  }

  has(anchor: number): boolean {
    return this.hasVerbatim(anchor) || this.#literals.some((facts) => facts.anchors.has(anchor));
  }

  /** In an unmodified message. */
  hasVerbatim(anchor: number): boolean {
    return this.#anyMention(anchor, this.#raw);
  }

  /** In an unmodified message, or in a whole original line or 60 contiguous original characters of another. */
  hasWhole(anchor: number): boolean {
    return (
      this.hasVerbatim(anchor) || this.#literals.some((facts) => facts.anchors.has(anchor) && facts.hasWhole(anchor))
    );
  }

  /** In a hidden message that a handle leads to. */
  canReach(anchor: number): boolean {
    return this.#anyMention(anchor, this.#reached);
  }

  /** True when a path and a symbol that shared a group are still together. */
  hasPair(pair: Pair): boolean {
    return (
      pair.groups.some((group) => this.#groupHolds(group, pair)) ||
      this.#literals.some(
        (facts) =>
          facts.anchors.has(pair.path) && facts.anchors.has(pair.symbol) && facts.hasNear(pair.path, pair.symbol),
      )
    );
  }

  /** Characters of a user's message that are still verbatim. */
  userCharacters(index: number): number {
    if (this.#raw[index] === 1) return this.#prepared.session.messages[index]?.content.length ?? 0;
    let kept = this.#rewritten.get(index)?.userCharacters(index) ?? 0;
    for (const facts of this.#inserted) kept = Math.max(kept, facts.userCharacters(index));
    return kept;
  }

  #factsOf(literal: Literal): LiteralFacts {
    let facts = this.#facts.get(literal);
    if (!facts) {
      facts = new LiteralFacts(this.#prepared, literal);
      this.#facts.set(literal, facts);
    }
    return facts;
  }

  #anyMention(anchor: number, among: Uint8Array): boolean {
    for (const at of this.#prepared.mentions[anchor] ?? []) if (among[at] === 1) return true;
    return false;
  }

  #groupHolds(group: number, pair: Pair): boolean {
    const { groupStarts, texts } = this.#prepared;
    const start = groupStarts[group] ?? 0;
    const end = groupStarts[group + 1] ?? start;
    let whole = true;
    let characters = 0;
    let path = false;
    let symbol = false;
    for (let at = start; at < end; at++) {
      if (this.#raw[at] === 1) {
        characters += texts[at]?.length ?? 0;
        path ||= this.#mentions(pair.path, at);
        symbol ||= this.#mentions(pair.symbol, at);
        if (this.#mentions(pair.path, at) && this.#mentions(pair.symbol, at) && this.#rawIsNear(at, pair)) return true;
        continue;
      }
      whole = false;
      const facts = this.#rewritten.get(at);
      characters += facts?.text.length ?? 0;
      path ||= facts?.anchors.has(pair.path) ?? false;
      symbol ||= facts?.anchors.has(pair.symbol) ?? false;
    }
    return path && symbol && (whole || characters < TRIMMED_GROUP);
  }

  #rawIsNear(at: number, pair: Pair): boolean {
    const key = `${at} ${pair.path} ${pair.symbol}`;
    let near = this.#rawNear.get(key);
    if (near === undefined) {
      const { table, texts } = this.#prepared;
      near = areNear(texts[at] ?? '', table.name(pair.path), table.name(pair.symbol));
      this.#rawNear.set(key, near);
    }
    return near;
  }

  #mentions(anchor: number, at: number): boolean {
    return lastBefore(this.#prepared.mentions[anchor] ?? [], at + 1) === at;
  }
}

/** This many contiguous original characters count as the original (`wholeLine`). */
const CONTIGUOUS = 60;

/** A path and a symbol at most this far apart are together. */
const NEAR = 1500;

/** A cut message counts if it has at least this much of a line. */
const MIN_PIECE = 20;

class LiteralFacts {
  readonly text: string;
  readonly anchors: ReadonlySet<number>;
  readonly #prepared: PreparedSession;
  readonly #whole = new Map<number, boolean>();
  readonly #near = new Map<string, boolean>();
  readonly #users = new Map<number, number>();

  constructor(prepared: PreparedSession, literal: Literal) {
    this.#prepared = prepared;
    this.text = searchedText(literal.message);
    this.anchors = new Set(prepared.table.find(this.text));
  }

  /** True when the anchor is in a whole original line, or among 60 contiguous original characters. */
  hasWhole(anchor: number): boolean {
    const known = this.#whole.get(anchor);
    if (known !== undefined) return known;
    const { table, mentions, texts } = this.#prepared;
    const name = table.name(anchor);
    const here = findOccurrences(this.text, name);
    // A name alone on its line is an entry of a list, without information about its surroundings; a line is sufficient
    // alone.
    const alone = name.kind === 'line';
    const whole = (mentions[anchor] ?? []).some((at) => {
      const original = texts[at] ?? '';
      return findOccurrences(original, name).some((there) =>
        here.some((spot) => isWhole(this.text, spot, original, there, alone)),
      );
    });
    this.#whole.set(anchor, whole);
    return whole;
  }

  hasNear(path: number, symbol: number): boolean {
    const key = `${path} ${symbol}`;
    let near = this.#near.get(key);
    if (near === undefined) {
      const { table } = this.#prepared;
      near = areNear(this.text, table.name(path), table.name(symbol));
      this.#near.set(key, near);
    }
    return near;
  }

  /** Characters of the user's message `index` that remain line by line, cut lines by their beginning and end. */
  userCharacters(index: number): number {
    let kept = this.#users.get(index);
    if (kept === undefined) {
      kept = keptCharacters(this.text, this.#prepared.session.messages[index]?.content ?? '');
      this.#users.set(index, kept);
    }
    return kept;
  }
}

function areNear(text: string, one: AnchorName, other: AnchorName): boolean {
  const others = findOccurrences(text, other);
  let next = 0;
  return findOccurrences(text, one).some(({ start }) => {
    while (next < others.length && (others[next]?.start ?? 0) < start - NEAR) next++;
    const near = others[next];
    return near !== undefined && near.start <= start + NEAR;
  });
}

function isWhole(kept: string, here: Occurrence, original: string, there: Occurrence, alone: boolean): boolean {
  const line = lineAround(kept, here.start);
  if ((alone || /\s/.test(line)) && line === lineAround(original, there.start)) return true;
  if (kept.slice(here.start, here.end) !== original.slice(there.start, there.end)) return false;
  let before = 0;
  while (before < here.start && kept[here.start - before - 1] === original[there.start - before - 1]) before++;
  let after = 0;
  while (here.end + after < kept.length && kept[here.end + after] === original[there.end + after]) after++;
  return before + here.end - here.start + after >= CONTIGUOUS;
}

/** The trimmed line around a position, without a tool's line number or diff mark. */
function lineAround(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return text
    .slice(start, end < 0 ? text.length : end)
    .replace(LINE_NUMBER, '')
    .trim();
}

function keptCharacters(text: string, message: string): number {
  if (text.includes(message)) return message.length;
  let kept = 0;
  for (const line of message.split('\n')) {
    if (line.trim() === '' || text.includes(line)) kept += line.length + 1;
    else {
      const head = longest(line.length, (size) => text.includes(line.slice(0, size)));
      const tail = longest(line.length - head, (size) => text.includes(line.slice(line.length - size)));
      kept += (head >= MIN_PIECE ? head : 0) + (tail >= MIN_PIECE ? tail : 0);
    }
  }
  return Math.min(kept, message.length);
}

/** The largest size up to `most` for which `holds` is true; it must be monotonic. */
function longest(most: number, holds: (size: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
