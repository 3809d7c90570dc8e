/**
 * What one request still holds. Unmodified messages answer from the session's index of mentions, rewritten and inserted
 * ones from their own facts; nothing is searched twice.
 */

import { lastBefore, type Pair, type PreparedSession } from '../prepareSession.ts';
import type { Literal, Part } from '../request.ts';
import { areNear, LiteralFacts } from './literalFacts.ts';

/** A group in which something was rewritten counts as together below this many characters. */
const TRIMMED_GROUP = 6000;

export class Presence {
  readonly #prepared: PreparedSession;
  readonly #facts = new WeakMap<Literal, LiteralFacts>();
  readonly #rawNear = new Map<string, boolean>();
  readonly #raw: Uint8Array;
  readonly #reached: Uint8Array;
  /** Rewritten messages of the request by index. */
  readonly #rewritten = new Map<number, LiteralFacts>();
  /** Rewritten and inserted messages that carry any anchor or user words. */
  #literals: LiteralFacts[] = [];
  #inserted: LiteralFacts[] = [];

  constructor(prepared: PreparedSession) {
    this.#prepared = prepared;
    this.#raw = new Uint8Array(prepared.session.messages.length);
    this.#reached = new Uint8Array(prepared.session.messages.length);
  }

  /** Turns to another request. */
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

  /** A path and a symbol that shared a group are still together. */
  hasPair(pair: Pair): boolean {
    return (
      pair.groups.some((group) => this.#groupHolds(group, pair)) ||
      this.#literals.some(
        (facts) =>
          facts.anchors.has(pair.path) && facts.anchors.has(pair.symbol) && facts.hasNear(pair.path, pair.symbol),
      )
    );
  }

  /** Characters of a user's message still verbatim. */
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
