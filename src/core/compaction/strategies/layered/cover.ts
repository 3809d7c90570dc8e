/**
 * Selects what is kept: repeatedly the line or message with the highest worth per token, until the next one falls below
 * the minimum or the room is used up. A name that the context already holds adds nothing.
 */

import { Heap } from './heap.ts';
import type { Pace } from './pace.ts';
import type { Line, SessionIndex, Source } from './sessionIndex.ts';
import { BESIDE, MANY_NAMES, mostOfLines, returnsToLines, returnsToNames, worthOfLine, worthOfName } from './worth.ts';

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

/** A line that the header of its place says already costs nothing beside it. */
const lineTokens = (line: Line) => (isInHeader(line) ? 0 : line.length / CHARACTERS + LINE_END);

/** Lines of one file share a header, others that of their call. */
export const placeOf = ({ path, id, request }: Source): string => path || `${id} ${request}`;

/** True for the path by which a header names its file. */
export const isInHeader = ({ text, source }: Line): boolean => text === source.path;

export class Cover {
  readonly #index: SessionIndex;
  readonly #asItWas: number;
  readonly #returns: number;
  readonly #worth: Float64Array;
  /** By name: 0 where nothing holds it, 1 where notes do, 2 where an original message does. */
  readonly #kept: Uint8Array;
  readonly #keys = new Set<number>();
  /** By shape: number of lines selected. */
  readonly #shapes: Uint32Array;
  readonly #places = new Set<string>();
  /** Lines next to a kept one. */
  readonly #beside = new Set<Line>();
  readonly #messages = new Set<Source>();

  /** `asItWas`: what a name is worth in an original message, where notes hold it already. */
  constructor(index: SessionIndex, asItWas: number) {
    this.#index = index;
    this.#asItWas = asItWas;
    this.#returns = returnsToLines(index);
    const names = returnsToNames(index);
    this.#worth = Float64Array.from(index.names, (use) => worthOfName(use, index, names));
    this.#kept = new Uint8Array(index.names.length);
    this.#shapes = new Uint32Array(index.shapes);
  }

  /** Records a message that the context shows in full. */
  keep({ lines }: Source): void {
    for (const line of lines) {
      this.#keys.add(line.key);
      for (const name of line.names) this.#kept[name] = 2;
    }
  }

  /** Records a line in the notes. */
  keepLine({ key, names }: Pick<Line, 'key' | 'names'>): void {
    this.#keys.add(key);
    for (const name of names) if (this.#kept[name] === 0) this.#kept[name] = 1;
  }

  isKept(name: string): boolean {
    return (this.#kept[this.#index.nameId(name) ?? -1] ?? 0) > 0;
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
          this.keepLine(item);
          this.#shapes[item.shape] = (this.#shapes[item.shape] as number) + 1;
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
    const whole = new Set([...this.#messages].map(({ id }) => id));
    return { lines: chosen.filter(({ source }) => !whole.has(source.id)), messages: this.#messages };
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
      const most = mostOfLines(source, this.#index, this.#returns);
      for (const line of source.lines) {
        const isNewest = newest[line.key] === nth++;
        const pause = pace.spend(LOOK);
        if (pause) await pause;
        const { key, names } = line;
        let gain = 0;
        for (const name of names) if (this.#kept[name] === 0) gain += this.#worth[name] as number;
        if (names.length < MANY_NAMES && gain + most < least * lineTokens(line)) continue;
        // Lines that the file no longer contains go too.
        if (!isNewest || this.#keys.has(key) || this.#index.isStale(line)) continue;
        const weighed = pace.spend(WEIGH);
        if (weighed) await weighed;
        if (gain + this.#worthOf(line) >= least * lineTokens(line)) take(line);
      }
    }
  }

  /** The lines directly before and after, where they are not kept and the file may still contain them. */
  #neighbours({ source, place, at }: Line): Line[] {
    return [source.lines[at - 1], source.lines[at + 1]].flatMap((near) =>
      near?.place === place && !this.#keys.has(near.key) && !this.#index.isStale(near) ? [near] : [],
    );
  }

  #take({ group, message }: Whole): void {
    for (const each of [group.answer, message]) {
      this.#messages.add(each.source);
      this.keep(each.source);
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

  #worthOf(line: Line): number {
    return worthOfLine(line, this.#index, this.#returns);
  }

  #gain(offer: Offer): number {
    if (!isWhole(offer)) {
      let gain = this.#worthOf(offer) * (this.#beside.has(offer) ? BESIDE : 1);
      for (const name of offer.names) if (this.#kept[name] === 0) gain += this.#worth[name] as number;
      // Of lines that differ in their digits alone, few stand for all.
      return gain / (1 + (this.#shapes[offer.shape] as number));
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
      if (!this.#keys.has(line.key) && !this.#index.isStale(line)) gain += this.#worthOf(line);
      for (const name of line.names) {
        const kept = this.#kept[name] as number;
        if (kept === 2 || seen.has(name)) continue;
        seen.add(name);
        gain += ((kept === 0 ? 1 : 0) + this.#asItWas) * (this.#worth[name] as number);
      }
    }
    return gain;
  }
}
