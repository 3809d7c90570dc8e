/**
 * The context windows that providers named when they refused a request, by endpoint and model. `WindowMemory` stores
 * them beyond the session; stored values are not trusted, and a value is forgotten when a longer request succeeds.
 */

import type { Clock } from '../clock.ts';
import { ModelError } from '../errors.ts';
import type { ModelChoice } from '../model/modelChoice.ts';
import { words } from '../words.ts';

/** Storage: one value, read and written whole. */
export interface WindowMemory {
  read(): unknown;
  write(value: unknown): void;
}

interface Learned {
  readonly window: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /**
   * The window configured by the person at that time, in tokens; 0 for none. Absent in values from an earlier version.
   */
  readonly set?: number;
}

/** A smaller number was misread, and would make every request impossible. */
const SMALLEST = 512;
const LARGEST = 1_000_000_000;

/** Providers change their windows, so a value is valid for a month. */
const LASTS_MS = 30 * 24 * 3_600_000;
const MOST = 200;

export class LearnedWindows {
  readonly #memory: WindowMemory;
  readonly #clock: Clock;

  constructor(memory: WindowMemory, clock: Clock) {
    this.#memory = memory;
    this.#clock = clock;
  }

  /** In tokens; 0 when none was learnt in the last month, or when the person has configured another window since. */
  of(choice: ModelChoice): number {
    const learned = this.#read().get(keyOf(choice.client.endpoint, choice.model));
    const set = setBy(choice);
    return learned && (set === 0 || set === learned.set) ? learned.window : 0;
  }

  /** Impossible windows are ignored. */
  learn(choice: ModelChoice, window: number): void {
    if (!isWindow(window)) return;
    const all = this.#read();
    const key = keyOf(choice.client.endpoint, choice.model);
    all.delete(key);
    all.set(key, { window, at: this.#clock.now(), set: setBy(choice) });
    this.#write(all);
  }

  /** A request of `tokens` was accepted: a smaller window was wrong, or is out of date. */
  disprove(endpoint: string, model: string, tokens: number): void {
    const all = this.#read();
    const key = keyOf(endpoint, model);
    if (tokens <= (all.get(key)?.window ?? tokens)) return;
    all.delete(key);
    this.#write(all);
  }

  /** Removes a learnt window that no longer holds. */
  forget(endpoint: string, model: string): void {
    const all = this.#read();
    if (all.delete(keyOf(endpoint, model))) this.#write(all);
  }

  /** Oldest first. */
  #read(): Map<string, Learned> {
    const value = this.#memory.read();
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map();
    const now = this.#clock.now();
    const fresh = Object.entries(value).filter((each): each is [string, Learned] => isLearned(each[1], now));
    return new Map(fresh.toSorted(([, a], [, b]) => a.at - b.at));
  }

  #write(all: ReadonlyMap<string, Learned>): void {
    this.#memory.write(Object.fromEntries([...all].slice(-MOST)));
  }
}

/** The smaller of the configured window and the learnt one; 0 when unknown. */
export function windowOf(choice: ModelChoice, windows: LearnedWindows): number {
  const learned = windows.of(choice);
  return learned > 0 && choice.window > 0 ? Math.min(learned, choice.window) : learned || choice.window;
}

/** For hosts without storage beyond the session. */
export function forgetfulMemory(): WindowMemory {
  let kept: unknown;
  return {
    read: () => kept,
    write: (value) => {
      kept = value;
    },
  };
}

/** A server's report, a table or a default is not the person's choice. */
const setBy = ({ window, windowFrom }: ModelChoice): number =>
  windowFrom === 'server' || windowFrom === 'table' || windowFrom === 'default' ? 0 : window;

/** Neither an origin nor a scheme contains a space. */
const keyOf = (endpoint: string, model: string) => `${endpoint} ${model}`;

const isWindow = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= SMALLEST && (value as number) <= LARGEST;

function isLearned(value: unknown, now: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { window, at } = value as Partial<Learned>;
  return isWindow(window) && typeof at === 'number' && at <= now && now - at < LASTS_MS;
}

/** Estimates are rough, and a server may reserve room for the answer. */
const NEAR = 0.7;

/** Tokens assumed where the window is unknown: every current model accepts as many. */
const ASSUMED_WINDOW = 32_000;

/**
 * The refusal itself, unless it is an overflow inferred from the status alone and the request of `tokens` was far from
 * filling `room` (0: unknown): then the request was refused for an unknown reason.
 */
export function settleGuess(error: ModelError, tokens: number, room: number): ModelError {
  if (error.kind !== 'overflow' || !error.facts.guessed || tokens >= NEAR * (room || ASSUMED_WINDOW)) return error;
  const { status = 0, reported } = error.facts;
  const refused = room
    ? words(
        'The provider refused the request (status {0}). It has about {1} of {2} tokens, so it is probably not too long.',
        status,
        tokens,
        room,
      )
    : words(
        'The provider refused the request (status {0}). It has about {1} tokens, so it is probably not too long.',
        status,
        tokens,
      );
  const why = reported
    ? words('It said: “{0}”', reported)
    : words('It gave no reason. Look at its log or status page, or choose another model.');
  return new ModelError('badRequest', [...refused, ...why], { ...error.facts, cause: error });
}
