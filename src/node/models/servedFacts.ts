/**
 * Facts that endpoints reported about their models, kept in the extension's global state for all workspaces and
 * sessions. Stored facts are not trusted. A server whose window has grown was restarted.
 */

import type { Clock, Timers } from '../../core/clock.ts';
import { isObject } from '../../core/json.ts';
import { readPrice } from '../../core/money.ts';
import type { LearnedWindows, WindowMemory } from '../../core/tokens/learnedWindows.ts';
import { isOwn, parseEndpoint } from '../../providers/endpoint.ts';
import type { EndpointAccess } from '../../providers/endpointFetch.ts';
import { askFacts, type FactsBook, known, type ModelFacts, readTokens, SERVERS } from '../../providers/modelFacts.ts';
import { systemTimers } from '../../providers/timers.ts';

interface Said {
  readonly facts: ModelFacts;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A local server may be restarted at any time; hosted ones change their models occasionally. */
const FRESH_MS = { local: 15_000, hosted: 24 * 3_600_000 };
/** How long a message waits for an answer that may come too late for it. */
const WAIT_MS = 1_500;
const MOST = 200;

export class ServedFacts {
  readonly #memory: WindowMemory;
  readonly #windows: Pick<LearnedWindows, 'forget'>;
  readonly #clock: Clock;
  readonly #timers: Timers;
  /** When each model was asked about in this window, answered or not. */
  readonly #asked = new Map<string, number>();

  constructor(memory: WindowMemory, windows: Pick<LearnedWindows, 'forget'>, clock: Clock, timers = systemTimers) {
    this.#memory = memory;
    this.#windows = windows;
    this.#clock = clock;
    this.#timers = timers;
  }

  /** The newest facts, of this window or earlier; null when unknown. */
  of(baseUrl: string, model: string): ModelFacts | null {
    return this.#read().get(keyOf(baseUrl, model))?.facts ?? null;
  }

  book(access: EndpointAccess): FactsBook {
    return {
      of: (model) => this.of(access.baseUrl, model),
      ask: (model, signal) => this.#ask(access, model, signal),
    };
  }

  /** Asks again if the answer may have changed. Does not wait long, and never fails. */
  async refresh(access: EndpointAccess, model: string): Promise<void> {
    const key = keyOf(access.baseUrl, model);
    const own = isOwn(parseEndpoint(access.baseUrl));
    const asked = this.#asked.get(key) ?? (own ? 0 : (this.#read().get(key)?.at ?? 0));
    if (this.#clock.now() - asked < (own ? FRESH_MS.local : FRESH_MS.hosted)) return;
    const ends = new AbortController();
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#timers.after(WAIT_MS, resolve);
    });
    await Promise.race([this.#ask(access, model, ends.signal), late]);
    cancel();
  }

  async #ask(access: EndpointAccess, model: string, signal: AbortSignal): Promise<ModelFacts | null> {
    const key = keyOf(access.baseUrl, model);
    this.#asked.set(key, this.#clock.now());
    const facts = await askFacts(access, model, signal);
    if (!facts) return null;
    const all = this.#read();
    const before = all.get(key)?.facts.window ?? 0;
    // Its earlier refusals and cuts are irrelevant to the new window.
    if (before > 0 && (facts.window ?? 0) > before) this.#windows.forget(parseEndpoint(access.baseUrl).origin, model);
    all.delete(key);
    all.set(key, { facts, at: this.#clock.now() });
    this.#memory.write(Object.fromEntries([...all].slice(-MOST)));
    return facts;
  }

  /** Oldest first. */
  #read(): Map<string, Said> {
    const value = this.#memory.read();
    const now = this.#clock.now();
    const text = Object.entries(isObject(value) ? value : {}).flatMap(([key, each]): [string, Said][] => {
      const { facts, at } = isObject(each) ? each : {};
      return isObject(facts) && typeof facts.model === 'string' && typeof at === 'number' && at <= now
        ? [[key, { facts: readFacts(facts.model, facts), at }]]
        : [];
    });
    return new Map(text.toSorted(([, a], [, b]) => a.at - b.at));
  }
}

const keyOf = (baseUrl: string, model: string) => `${baseUrl} ${model}`;

function readFacts(model: string, entry: Readonly<Record<string, unknown>>): ModelFacts {
  const flag = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
  return {
    model,
    ...known({
      server: SERVERS.find((kind) => kind === entry.server),
      window: readTokens(entry.window),
      largestWindow: readTokens(entry.largestWindow),
      maxOutputTokens: readTokens(entry.maxOutputTokens),
      price: readPrice(entry.price) ?? undefined,
      images: flag(entry.images),
      tools: flag(entry.tools),
      reasoning: flag(entry.reasoning),
    }),
  };
}
