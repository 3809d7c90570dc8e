/**
 * Which of the places that were found hold sessions of their own: an empty file holds none, and a session that is found again,
 * by the id that its program gave it or by its content, is counted once.
 */

import { createHash } from 'node:crypto';
import { identityOf } from '../../../core/sessions/identity.ts';
import { recognise } from '../../../core/sessions/recognise.ts';
import { readBeginning } from './recordedParts.ts';
import { openText, type RecordedPlace } from './recordedText.ts';

interface Found extends RecordedPlace {
  /** In bytes. */
  readonly size: number;
}

export interface Distinct<One> {
  /** In the order in which they were found. Of two copies, the larger goes on further. */
  readonly sessions: readonly One[];
  /** Number of copies left out. */
  readonly copies: number;
  /** There are more than were wanted. */
  readonly more: boolean;
}

const MOST_READ = 4_000_000_000;

/** `most`: sessions that are wanted; the rest is not looked at. A file that cannot be read stays, so that its fault is told. */
export async function distinctSessions<One extends Found>(
  found: readonly One[],
  signal: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<Distinct<One>> {
  const taken: One[] = [];
  const places = new Map<string, number>();
  const contents = new Contents(signal);
  let copies = 0;
  let more = false;
  for (const each of found) {
    signal.throwIfAborted();
    const key = await identify(each, contents, signal);
    if (key === null) continue;
    const at = places.get(key);
    const other = at === undefined ? undefined : taken[at];
    if (at !== undefined && other) {
      copies++;
      if (each.size > other.size) taken[at] = each;
      continue;
    }
    more = taken.length >= most;
    if (more) break;
    places.set(key, taken.length);
    taken.push(each);
  }
  return { sessions: taken, copies, more };
}

/** Null for a place without anything in it. */
async function identify(place: Found, contents: Contents, signal: AbortSignal): Promise<string | null> {
  // A session of a database has an id of its own, the same as in an exported file.
  if (place.part?.startsWith('ses')) return `openCode:${place.part}`;
  const beginning = await readBeginning(place, signal).catch(() => null);
  signal.throwIfAborted();
  if (!beginning) return `unread:${place.path}`;
  const { text, isWhole } = beginning;
  if (text.trim() === '') return isWhole ? null : `unread:${place.path}`;
  const recognised = recognise(text);
  return (recognised && identityOf(recognised, text)) ?? contents.identify(place, text, isWhole);
}

/** Tells sessions without an id apart by their content; all of it is read only where two begin alike. */
class Contents {
  readonly #signal: AbortSignal;
  /** By the beginning, the first place that began so, whose whole content is not yet known. */
  readonly #first = new Map<string, { readonly place: RecordedPlace; readonly key: string }>();
  readonly #whole = new Map<string, string>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async identify(place: RecordedPlace, beginning: string, isWhole: boolean): Promise<string> {
    const head = createHash('sha256').update(beginning).digest('hex');
    const key = `${head}:${isWhole ? '' : `${place.path}:${place.part ?? ''}`}`;
    if (isWhole) return key;
    const first = this.#first.get(head);
    if (!first) {
      this.#first.set(head, { place, key });
      return key;
    }
    if (!this.#whole.has(head)) {
      this.#whole.set(head, '');
      this.#whole.set(`${head}:${await this.#digest(first.place)}`, first.key);
    }
    const whole = `${head}:${await this.#digest(place)}`;
    const same = this.#whole.get(whole);
    if (same === undefined) this.#whole.set(whole, key);
    return same ?? key;
  }

  /** A place that cannot be read to its end is like no other. */
  async #digest(place: RecordedPlace): Promise<string> {
    try {
      const hash = createHash('sha256');
      const { text } = await openText(place, MOST_READ, this.#signal);
      for await (const piece of text) hash.update(piece as Buffer);
      return hash.digest('hex');
    } catch {
      return `${place.path}:${place.part ?? ''}`;
    }
  }
}
