/** Calls of recorded answers: each gets an id of its own, and waits for its result. */

import type { ToolCall } from '../context/message.ts';

/** Some programs count the calls of each answer from 0. */
export class CallIds {
  readonly #used = new Set<string>();
  /** For an id that was wanted before, the number that is tried next. */
  readonly #next = new Map<string, number>();
  readonly #separator: string;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** The wanted one if it is free, else the same with a number behind it. */
  take(wanted: string): string {
    let id = wanted;
    let number = this.#next.get(wanted) ?? 2;
    while (this.#used.has(id)) id = `${wanted}${this.#separator}${number++}`;
    this.#next.set(wanted, number);
    this.#used.add(id);
    return id;
  }
}

interface Open {
  readonly recordedId: string;
  readonly call: ToolCall;
}

/** The calls of one answer. */
export class OpenCalls {
  readonly #open: Set<Open>;
  readonly #byId = new Map<string, Open[]>();

  constructor(calls: readonly Open[]) {
    this.#open = new Set(calls);
    for (const each of calls.toReversed()) {
      const same = this.#byId.get(each.recordedId);
      if (same) same.push(each);
      else this.#byId.set(each.recordedId, [each]);
    }
  }

  /** The call that this result answers, the first of those with one id; null when none waits for it. */
  answer(recordedId: unknown): ToolCall | null {
    const found = typeof recordedId === 'string' ? this.#byId.get(recordedId)?.pop() : undefined;
    if (!found) return null;
    this.#open.delete(found);
    return found.call;
  }

  /** Those without a result, in the order of the answer. */
  get left(): ToolCall[] {
    return [...this.#open].map(({ call }) => call);
  }
}
