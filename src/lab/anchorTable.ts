/**
 * All anchors of a session by number, and the search for them in a text. A text is read once, however many anchors
 * there are: names are found by cutting out words, lines by a rolling hash over their first twenty characters.
 */

import { MIN_LINE } from './readAnchors.ts';
import type { AnchorKind, AnchorName } from './words.ts';
import { findFileNames, findRuns, findWords } from './words.ts';

const FILTER_BITS = 18;
const BASE = 0x01000193;

export class AnchorTable {
  readonly names: AnchorName[] = [];
  readonly #ids = new Map<string, number>();
  readonly #paths = new Map<string, number>();
  readonly #words = new Map<string, number>();
  /** Line anchors by the hash of their first characters. */
  readonly #lines = new Map<number, number[]>();
  readonly #filter = new Uint8Array(1 << FILTER_BITS);
  #stamps = new Int32Array(0);
  #stamp = 0;

  /** The anchor's number; the same for the same kind and text. */
  add(anchor: AnchorName): number {
    const key = `${anchor.kind} ${anchor.text}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.names.length;
    this.names.push(anchor);
    this.#ids.set(key, id);
    switch (anchor.kind) {
      case 'path':
        this.#paths.set(anchor.text, id);
        break;
      case 'identifier':
        this.#words.set(anchor.text, id);
        break;
      case 'line': {
        const hash = hashStart(anchor.text);
        this.#filter[filterSlot(hash)] = 1;
        const same = this.#lines.get(hash);
        if (same) same.push(id);
        else this.#lines.set(hash, [id]);
        break;
      }
    }
    return id;
  }

  name(id: number): AnchorName {
    const name = this.names[id];
    if (!name) throw new Error(`No anchor ${id}`);
    return name;
  }

  kind(id: number): AnchorKind {
    return this.name(id).kind;
  }

  text(id: number): string {
    return this.name(id).text;
  }

  /** Numbers of the anchors in the text, without duplicates. */
  find(text: string): number[] {
    const found: number[] = [];
    if (this.#stamps.length < this.names.length) this.#stamps = new Int32Array(this.names.length);
    const stamp = ++this.#stamp;
    const take = (id: number | undefined) => {
      if (id === undefined || this.#stamps[id] === stamp) return;
      this.#stamps[id] = stamp;
      found.push(id);
    };
    for (const word of findWords(text)) take(this.#words.get(word));
    for (const segments of findRuns(text)) {
      for (let i = 1; i < segments.length; i++) take(this.#paths.get(`${segments[i - 1]}/${segments[i]}`));
    }
    for (const name of findFileNames(text)) take(this.#paths.get(name));
    this.#findLines(text, take);
    return found;
  }

  #findLines(text: string, take: (id: number) => void): void {
    if (this.#lines.size === 0 || text.length < MIN_LINE) return;
    let hash = hashStart(text);
    for (let at = 0; ; at++) {
      if (this.#filter[filterSlot(hash)] === 1) {
        for (const id of this.#lines.get(hash) ?? []) if (text.startsWith(this.text(id), at)) take(id);
      }
      const next = at + MIN_LINE;
      if (next >= text.length) return;
      const without = (hash - Math.imul(text.charCodeAt(at), LEADING)) | 0;
      hash = (Math.imul(without, BASE) + text.charCodeAt(next)) | 0;
    }
  }
}

/** Weight of the window's first character. */
const LEADING = Array.from({ length: MIN_LINE - 1 }).reduce<number>((power) => Math.imul(power, BASE), 1);

function hashStart(text: string): number {
  let hash = 0;
  for (let i = 0; i < MIN_LINE; i++) hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0;
  return hash;
}

function filterSlot(hash: number): number {
  return (hash ^ (hash >>> 13)) & ((1 << FILTER_BITS) - 1);
}
