/**
 * Selects what is kept: repeatedly the line or message with the highest worth per token, until the next one falls below
 * the minimum or the room is used up. A name that the context already holds adds nothing.
 */

import type { LineReason } from '../../../../api/index.ts';
import type { Line, NameUse, SessionIndex, Source } from './sessionIndex.ts';

export interface Message {
  readonly source: Source;
  readonly tokens: number;
  /** Its cost when another member of its group stays and it goes: the stub of a result. */
  readonly least: number;
}

/** An answer with the results of its calls. A result stays only with its answer; the others then become stubs. */
export interface Group {
  readonly answer: Message;
  readonly results: readonly Message[];
}

interface Chosen {
  readonly lines: readonly Line[];
  readonly messages: ReadonlySet<Source>;
}

/** Minimum worth of notes and messages, and the room available. */
export interface Measure {
  readonly least: number;
  readonly room: number;
}

type Offer = Line | Whole;

interface Whole {
  readonly group: Group;
  readonly message: Message;
}

/** Average characters of a token. */
export const CHARACTERS = 4;

const LINE_END = 1;

/** Cost of the header that the first line of a place requires. */
const HEADER = 8;

/** Cost of weighing a line, relative to reading a token. */
const LOOK = 0.5;
const WEIGH = 4;

const isWhole = (offer: Offer): offer is Whole => 'group' in offer;

const lineTokens = (line: Line) => line.length / CHARACTERS + LINE_END;

/** Lines of one file share a header, others that of their message. */
export const placeOf = (source: Source): string => source.path || source.id;

export class Cover {
  readonly #index: SessionIndex;
  readonly #asItWas: number;
  readonly #worth: Float64Array;
  /** By name: 0 where nothing holds it, 1 where notes do, 2 where an original message does. */
  readonly #held: Uint8Array;
  readonly #keys = new Set<number>();
  readonly #places = new Set<string>();
  /** Lines next to a kept one. */
  readonly #beside = new Set<Line>();
  readonly #messages = new Set<Source>();

  /** `asItWas`: what a name is worth in an original message, where notes hold it already. */
  constructor(index: SessionIndex, asItWas: number) {
    this.#index = index;
    this.#asItWas = asItWas;
    this.#worth = Float64Array.from(index.names, (use) => worthOfName(use, index));
    this.#held = new Uint8Array(index.names.length);
  }

  /** Records a message that the context shows in full. */
  hold({ lines }: Source): void {
    for (const line of lines) {
      this.#keys.add(line.key);
      for (const name of line.names) this.#held[name] = 2;
    }
  }

  /** Records a line in the notes. */
  holdLine({ key, names }: Pick<Line, 'key' | 'names'>): void {
    this.#keys.add(key);
    for (const name of names) if (this.#held[name] === 0) this.#held[name] = 1;
  }

  holds(name: string): boolean {
    return (this.#held[this.#index.nameId(name) ?? -1] ?? 0) > 0;
  }

  async choose(
    sources: readonly Source[],
    groups: readonly Group[],
    { least, room }: Measure,
    pace: Pace,
  ): Promise<Chosen> {
    const byPlace = new Map<string, Line[]>();
    const heap = new Heap<Offer>();
    const offer = (each: Offer) => {
      const density = this.#gain(each) / this.#cost(each);
      if (density >= least) heap.push(each, density);
    };
    await this.#findWorthwhile(sources, least, pace, (line) => {
      offer(line);
      const place = placeOf(line.source);
      const others = byPlace.get(place);
      if (others) others.push(line);
      else byPlace.set(place, [line]);
    });
    for (const group of groups) {
      for (const message of [group.answer, ...group.results]) {
        if (message.source.superseded) continue;
        offer({ group, message });
        const pause = pace.spend(WEIGH * message.source.lines.length);
        if (pause) await pause;
      }
    }
    const chosen: Line[] = [];
    let left = room;
    for (let next = heap.pop(); next; next = heap.pop()) {
      const { item } = next;
      const pause = pace.spend(isWhole(item) ? WEIGH * item.message.source.lines.length : WEIGH);
      if (pause) await pause;
      if (isWhole(item) ? this.#messages.has(item.message.source) : this.#keys.has(item.key)) continue;
      const cost = this.#cost(item);
      const density = this.#gain(item) / cost;
      if (density < least) continue;
      // Later selections may have reduced its worth.
      if (density < heap.best) heap.push(item, density);
      else if (cost <= left) {
        left -= cost;
        if (isWhole(item)) {
          this.#take(item);
        } else {
          chosen.push(item);
          this.holdLine(item);
          for (const near of this.#neighbours(item)) {
            this.#beside.add(near);
            offer(near);
          }
          const place = placeOf(item.source);
          if (this.#places.has(place)) continue;
          this.#places.add(place);
          // With the header paid for, other lines under it have become cheaper.
          for (const other of byPlace.get(place) ?? []) offer(other);
        }
      }
    }
    return { lines: chosen.filter(({ source }) => !this.#messages.has(source)), messages: this.#messages };
  }

  /**
   * Calls `take` for lines that may reach the minimum worth, now or once others share their header: a line's gain never
   * grows. A session has many more, so little is done for each of them.
   */
  async #findWorthwhile(
    sources: readonly Source[],
    least: number,
    pace: Pace,
    take: (line: Line) => void,
  ): Promise<void> {
    // Content that a later read returned again goes before anything else.
    const current = sources.filter(({ superseded }) => !superseded);
    // Of lines with the same text the newest counts.
    const newest = new Int32Array(this.#index.texts);
    let nth = 0;
    for (const { lines } of current) {
      for (const { key } of lines) newest[key] = nth++;
      const pause = pace.spend(LOOK * lines.length);
      if (pause) await pause;
    }
    nth = 0;
    for (const source of current) {
      const most = mostOfLines(source, this.#index);
      for (const line of source.lines) {
        const isNewest = newest[line.key] === nth++;
        const pause = pace.spend(LOOK);
        if (pause) await pause;
        const { key, names } = line;
        let gain = 0;
        for (const name of names) if (this.#held[name] === 0) gain += this.#worth[name] as number;
        if (names.length < MANY_NAMES && gain + most < least * lineTokens(line)) continue;
        // Lines that the file no longer contains go too.
        if (!isNewest || this.#keys.has(key) || this.#index.removed.has(key)) continue;
        const weighed = pace.spend(WEIGH);
        if (weighed) await weighed;
        if (gain + worthOfLine(line, this.#index) >= least * lineTokens(line)) take(line);
      }
    }
  }

  /** The lines directly before and after, where they are not kept and the file may still contain them. */
  #neighbours({ source, place, at }: Line): Line[] {
    return [source.lines[at - 1], source.lines[at + 1]].flatMap((near) =>
      near?.place === place && !this.#keys.has(near.key) && !this.#index.removed.has(near.key) ? [near] : [],
    );
  }

  #take({ group, message }: Whole): void {
    for (const each of [group.answer, message]) {
      this.#messages.add(each.source);
      this.hold(each.source);
    }
  }

  #cost(offer: Offer): number {
    if (!isWhole(offer)) return lineTokens(offer) + (this.#places.has(placeOf(offer.source)) ? 0 : HEADER);
    const { group, message } = offer;
    if (this.#messages.has(group.answer.source)) return Math.max(1, message.tokens - message.least);
    const stubs = group.results.reduce((sum, each) => sum + each.least, 0);
    const own = message === group.answer ? 0 : message.tokens - message.least;
    return group.answer.tokens + stubs + own;
  }

  #gain(offer: Offer): number {
    if (!isWhole(offer)) {
      let gain = worthOfLine(offer, this.#index) * (this.#beside.has(offer) ? BESIDE : 1);
      for (const name of offer.names) if (this.#held[name] === 0) gain += this.#worth[name] as number;
      return gain;
    }
    const { group, message } = offer;
    const own = this.#gainOf(message.source);
    // If both are added, common content counts twice, which hardly matters.
    return message === group.answer || this.#messages.has(group.answer.source)
      ? own
      : own + this.#gainOf(group.answer.source);
  }

  #gainOf({ lines }: Source): number {
    let gain = 0;
    const seen = new Set<number>();
    for (const line of lines) {
      if (!this.#keys.has(line.key)) gain += worthOfLine(line, this.#index);
      for (const name of line.names) {
        const held = this.#held[name] as number;
        if (held === 2 || seen.has(name)) continue;
        seen.add(name);
        gain += ((held === 0 ? 1 : 0) + this.#asItWas) * (this.#worth[name] as number);
      }
    }
    return gain;
  }
}

/** A binary heap, the item of the highest rank on top. */
class Heap<T> {
  readonly #items: { readonly item: T; readonly rank: number }[] = [];

  /** Rank of the top item; below every rank when empty. */
  get best(): number {
    return this.#items[0]?.rank ?? Number.NEGATIVE_INFINITY;
  }

  push(item: T, rank: number): void {
    const items = this.#items;
    const added = { item, rank };
    let at = items.push(added) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const above = items[up];
      if (!above || above.rank >= rank) break;
      items[at] = above;
      at = up;
    }
    items[at] = added;
  }

  pop(): { readonly item: T; readonly rank: number } | null {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (!top || !last) return null;
    if (items.length === 0) return top;
    let at = 0;
    for (;;) {
      const left = items[2 * at + 1];
      const right = items[2 * at + 2];
      const below = left && right && right.rank > left.rank ? right : left;
      if (!below || below.rank <= last.rank) break;
      items[at] = below;
      at = 2 * at + (below === left ? 1 : 2);
    }
    items[at] = last;
    return top;
  }
}

/**
 * Estimates how likely later work is to need a name or a line again: 1 is certain. Hand-made from patterns common to
 * recorded sessions of several agents, using only features of any session; nothing here depends on a project or a tool.
 */
const logistic = (x: number) => 1 / (1 + Math.exp(-x));

/** Tokens after which work has usually moved on to something else. */
const LONG_AGO = 150_000;

/**
 * Old content loses worth faster than by its age alone: its amount grows with every step, and together it would take
 * the room of the present work.
 */
const leftBehind = (ago: number) => 2 * Math.max(0, Math.log2(ago / LONG_AGO));

/** A commit ends an episode: its effect is in the repository, and what led to it is rarely needed again. */
const COMMITTED = { name: 0.35, line: 0.5 };

/** Factor of a line next to a kept one: an edit repeats several lines of a place. */
const BESIDE = 1.25;

/** A name that calls used tends to return; one that appeared once in a long result rarely does. */
export function worthOfName(use: NameUse, { tokens, touched, committed }: SessionIndex): number {
  const age = Math.log2(Math.max(1, tokens - use.last) / 4_000);
  let x = -4.2 - 0.3 * age + 0.2 * Math.log2(use.mentions) + 0.5 * Math.log2(1 + use.calls);
  x -= leftBehind(tokens - use.last);
  if (use.last < committed) x -= COMMITTED.name;
  if (use.calls > 0) x += 0.3;
  if (use.isPath) x += use.calls > 0 ? 0.4 : -0.3;
  if (use.said) x += 0.8;
  if (use.asked) x += 0.6;
  if (touched.has(use.name)) x += 0.3;
  return logistic(x);
}

/** Shorter lines are too generic to be repeated verbatim. */
const SHORTEST_LINE = 20;

/** A line of a file that was read or written is repeated when it is edited, as long as the file contains it. */
function worthOfLine(
  { source, place, key, length, names, passing }: Line,
  { tokens, touched, removed, committed }: SessionIndex,
): number {
  if (length < SHORTEST_LINE || passing) return 0;
  const age = Math.log2(Math.max(500, tokens - source.end) / 16_000);
  let x = -4.2 - 0.38 * age - 0.5 * Math.log2(length / 40) + 0.3 * Math.log2(1 + names.length);
  if (place === 'written') x += 0.3;
  else if (place === 'repeated') x += 0.2;
  else if (place === 'result') x += source.file ? -0.3 : -1.2;
  else x -= 2.5;
  x -= leftBehind(tokens - source.end);
  if (removed.has(key)) x -= 0.8;
  if (source.end < committed) x -= COMMITTED.line;
  if (source.file && touched.has(source.file)) x += 0.3;
  return logistic(x);
}

/** Number of names in a line above which `mostOfLines` does not bound it. */
const MANY_NAMES = 32;

/** Upper bound for any single line of the message: the shortest, written, with all names of the message. */
function mostOfLines({ end, file }: Source, { tokens, touched }: SessionIndex): number {
  const age = Math.log2(Math.max(500, tokens - end) / 16_000);
  const x = -4.2 - 0.38 * age - 0.5 * Math.log2(SHORTEST_LINE / 40) + 0.3 * Math.log2(MANY_NAMES) + 0.3;
  return logistic(x - leftBehind(tokens - end) + (touched.has(file) ? 0.3 : 0));
}

/** Why a line was selected: the reason of its most valuable name, or of the line itself. */
export function reasonFor(line: Line, index: SessionIndex): LineReason {
  let best: NameUse | null = null;
  let most = worthOfLine(line, index);
  for (const id of line.names) {
    const use = index.names[id];
    const worth = use ? worthOfName(use, index) : 0;
    if (use && worth > most) [best, most] = [use, worth];
  }
  if (best) return { why: reasonForName(best), name: best.name };
  const { file } = line.source;
  if (line.place === 'written') return { why: 'written', name: file };
  if (index.changed.has(file)) return { why: 'changed', name: file };
  return index.touched.has(file) ? { why: 'touched', name: file } : { why: 'recent', name: '' };
}

function reasonForName({ asked, calls, said, mentions }: NameUse): LineReason['why'] {
  if (asked) return 'asked';
  if (calls > 0) return 'called';
  if (said) return 'said';
  return mentions > 1 ? 'often' : 'recent';
}

// Yields to other tasks after a fixed amount of work, however fast the machine is: a frame of the editor must not wait
// for a compaction.

/** About the work of a slow machine in a few milliseconds, in tokens of text. */
const AT_ONCE = 8_000;

export class Pace {
  readonly #pause: () => Promise<void>;
  #left = AT_ONCE;

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Work about equal to reading so many tokens. Await the result. */
  spend(tokens: number): Promise<void> | undefined {
    this.#left -= tokens;
    if (this.#left > 0) return undefined;
    this.#left = AT_ONCE;
    return this.#pause();
  }
}
