/**
 * A candidate: the outcome of a strategy or of a ladder step, aligned with the history it came from. What stays is kept as
 * runs of indices, so a long history costs what changes; order and identity hold by construction.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { countTokens } from '../../tokens/estimate.ts';
import type { Stub } from './stub.ts';

export interface Change {
  /** New text; absent when it stays. */
  readonly text?: string;
  /** New arguments of all calls, in their order; absent when they stay. */
  readonly arguments?: readonly string[];
  /** The new text is this stub, made by `hide`. */
  readonly stub?: Stub;
  /** Where the whole body lies in a blob. */
  readonly offload?: { readonly blob: string; readonly tokens: number };
}

/** Messages `from` to before `to` of the history, as they are. */
export interface KeptRun {
  readonly kind: 'keep';
  readonly from: number;
  readonly to: number;
}

export interface ChangedSlot {
  readonly kind: 'change';
  readonly index: number;
  readonly message: ContextMessage;
  readonly by: Change;
}

export type Slot = KeptRun | ChangedSlot | { readonly kind: 'insert'; readonly text: string };

/** Indices rise from slot to slot. What no slot names is dropped. */
export type Candidate = readonly Slot[];

export const keepAll = (history: readonly ContextMessage[]): Candidate => [
  { kind: 'keep', from: 0, to: history.length },
];

const saved = new WeakMap<Change, number>();

/** Uncalibrated tokens that a change takes from its message; counted once, because every step of the ladder asks again. */
export function savedTokens(message: ContextMessage, by: Change): number {
  let tokens = saved.get(by);
  if (tokens === undefined) {
    tokens = by.text === undefined ? 0 : countTokens(message.text) - countTokens(by.text);
    if (message.role === 'assistant' && by.arguments) {
      for (const call of message.toolCalls) tokens += countTokens(call.arguments);
      for (const json of by.arguments) tokens -= countTokens(json);
    }
    saved.set(by, tokens);
  }
  return tokens;
}

/** Builds a candidate front to back; indices must rise. Neighbours are joined into runs. */
export class CandidateBuilder {
  readonly #slots: Slot[] = [];
  #from = 0;
  #to = 0;

  keep(index: number): void {
    if (index !== this.#to || this.#from === this.#to) {
      this.#close();
      this.#from = index;
    }
    this.#to = index + 1;
  }

  push(slot: Slot): void {
    if (slot.kind === 'keep') {
      if (slot.from !== this.#to || this.#from === this.#to) {
        this.#close();
        this.#from = slot.from;
      }
      this.#to = slot.to;
      return;
    }
    this.#close();
    this.#slots.push(slot);
  }

  build(): Candidate {
    this.#close();
    return this.#slots;
  }

  #close(): void {
    if (this.#from < this.#to) this.#slots.push({ kind: 'keep', from: this.#from, to: this.#to });
    this.#from = 0;
    this.#to = 0;
  }
}

/** Index of the first and behind the last message of a slot; null for an insert. */
export function rangeOf(slot: Slot): readonly [from: number, to: number] | null {
  switch (slot.kind) {
    case 'keep':
      return [slot.from, slot.to];
    case 'change':
      return [slot.index, slot.index + 1];
    case 'insert':
      return null;
  }
}

/** Indices of what no slot names, in order. */
export function* droppedIndices(candidate: Candidate, length: number): Generator<number> {
  let at = 0;
  for (const slot of candidate) {
    const range = rangeOf(slot);
    if (!range) continue;
    for (; at < range[0]; at++) yield at;
    at = range[1];
  }
  for (; at < length; at++) yield at;
}
