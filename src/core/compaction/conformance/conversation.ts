/** A conversation under the id of its strategy, stored as the journal stores it. */

import type { Message } from '../../context/message.ts';
import { Projection } from '../../context/projection.ts';
import type { EntryDraft, Plan, TreeEntry } from '../../journal/entry.ts';
import { estimateMessage } from '../../tokens/estimate.ts';
import type { Draft } from '../draft/draft.ts';
import { type History, HistoryView } from '../draft/history.ts';
import type { Stamp } from '../draft/stub.ts';
import { toPlan } from '../draft/toPlan.ts';
import { readMemory, type StrategyMemory } from '../hosting/strategyMemory.ts';

export class Conversation {
  context = new Projection();
  readonly stamp: Stamp;
  readonly sessionId: string;
  readonly #id: string;
  readonly #view = new HistoryView();
  #path: TreeEntry[] = [];
  /** The next entry's; an entry that a revert left keeps its own. */
  #seq = 0;

  constructor(id: string, nonce: string, messages: readonly Message[], sessionId = id) {
    this.#id = id;
    this.sessionId = sessionId;
    this.stamp = { nonce, now: 0 };
    this.add(messages);
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) this.apply({ type: 'message', message, tokens: estimateMessage(message) });
  }

  apply(draft: EntryDraft): void {
    const seq = this.#seq++;
    const time = new Date(seq).toISOString();
    const entry = { ...draft, seq, time, parent: this.context.head } as TreeEntry;
    this.#path.push(entry);
    this.context.apply(entry);
  }

  /** Makes an entry of this path, or the beginning, the head again. */
  revert(target: number | null): void {
    this.#path = this.#path.slice(0, this.#path.findIndex(({ seq }) => seq === target) + 1);
    this.context = Projection.of(this.#path, this.#seq++);
  }

  read(): History {
    return this.#view.of(this.context.conversation, (id) => this.context.slot(id)?.message as Message);
  }

  recall(history: History): StrategyMemory {
    const { context, stamp } = this;
    const newest = () => this.#path.toReversed();
    const from = { context, history, nonce: stamp.nonce, sessionId: this.sessionId, importedTo: -1, newest };
    return readMemory(from, this.#id);
  }

  /** A compaction by the product itself. */
  applyPlan(plan: Plan, trigger: string): void {
    const sizes = { tokensBefore: 0, tokensAfter: 0, durationMs: 0, attempt: 1 };
    this.apply({ type: 'compaction', base: this.context.head ?? 0, plan, strategy: trigger, trigger, ...sizes });
  }

  commit(draft: Draft, attempt: number, strategy = this.#id): void {
    this.apply({
      type: 'compaction',
      base: this.context.head ?? 0,
      plan: toPlan(draft),
      strategy,
      trigger: 'manual',
      tokensBefore: draft.history.tokens,
      tokensAfter: draft.tokens,
      durationMs: 0,
      attempt,
      ...(draft.details === undefined ? {} : { details: { by: this.#id, value: draft.details } }),
    });
  }
}
