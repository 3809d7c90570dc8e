/**
 * A session of the strategy under test, on the product's own host, reader and rules, so that it receives the same as in
 * the product.
 */

import type { CompactionContext, CompactionStrategy, ContextMessage } from '../../../api/index.ts';
import type { Message } from '../../context/message.ts';
import { Projection } from '../../context/projection.ts';
import type { EntryDraft, TreeEntry } from '../../journal/entry.ts';
import type { Random } from '../../seededRandom.ts';
import { estimateMessage } from '../../tokens/estimate.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';
import { toPlan } from '../commit/commit.ts';
import { type Decision, Draft } from '../draft/draft.ts';
import { type History, HistoryView } from '../draft/history.ts';
import { makeStub, type Stamp } from '../draft/stub.ts';
import type { AnyFactory, StrategyEntry } from '../run/strategyEntry.ts';
import { StrategyHost } from '../run/strategyHost.ts';
import { readMemory, type StrategyMemory } from '../run/strategyMemory.ts';
import { boundariesIn, MODEL_BOUNDARIES, type Situation } from './boundaries.ts';
import type { Check } from './checkConformance.ts';
import { BUILT_IN_TOOLS } from './generateHistory.ts';
import type { Seen } from './report.ts';

export type Compaction =
  | {
      readonly kind: 'compacted';
      readonly before: number;
      readonly after: number;
      readonly overTarget: boolean;
      readonly repairs: readonly Words[];
    }
  /** Nothing to do, or its model did not answer. */
  | { readonly kind: 'unchanged' }
  /** The product would reject it, which is harmless: a summary of very little is longer than its source. */
  | { readonly kind: 'notSmaller'; readonly why: string }
  | BrokenCall;

export interface BrokenCall {
  readonly kind: 'broken';
  readonly rule: Words;
  readonly attempt: number;
  readonly seen: Seen;
  /** Holds the strategy's error, if any. */
  readonly threw: { readonly thrown: unknown } | null;
}

/** The return value of one call of a strategy, and its error, if any. */
interface Called {
  returned?: unknown;
  threw: { readonly thrown: unknown } | null;
}

/** Wraps a factory to observe its strategy. */
export class Watch {
  readonly factory: AnyFactory;
  /** The newest call of the strategy, or of `create` when that threw. */
  newest: Called = { threw: null };

  /** `called` is called right before the strategy. */
  constructor(factory: AnyFactory, called: (context: CompactionContext) => void = () => undefined) {
    const create = (ports: Parameters<AnyFactory['create']>[0]) => {
      try {
        return this.#watch(factory.create(ports), called);
      } catch (thrown) {
        this.newest = { threw: { thrown } };
        throw thrown;
      }
    };
    this.factory = Object.create(factory, {
      create: { get: () => (typeof factory.create === 'function' ? create : factory.create) },
    });
  }

  #watch(strategy: CompactionStrategy, called: (context: CompactionContext) => void): CompactionStrategy {
    if (typeof strategy?.compact !== 'function') return strategy;
    const { shouldCompact } = strategy;
    return {
      ...(shouldCompact === undefined ? {} : { shouldCompact }),
      compact: async (context) => {
        const call: Called = { threw: null };
        this.newest = call;
        called(context);
        try {
          const returned = await strategy.compact(context);
          call.returned = returned;
          return returned;
        } catch (thrown) {
          call.threw = { thrown };
          throw thrown;
        }
      },
      dispose: () => (typeof strategy.dispose === 'function' ? strategy.dispose() : undefined),
    };
  }
}

/** Never aborted. */
export const NEVER = new AbortController().signal;
/** Tokens of system prompt and tools. */
export const HEADER = 400;

/** A conversation under the id of its strategy, stored as the journal stores it. */
export class Conversation {
  readonly context = new Projection();
  readonly stamp: Stamp;
  readonly #id: string;
  readonly #view = new HistoryView();
  readonly #path: TreeEntry[] = [];

  constructor(id: string, nonce: string, messages: readonly Message[]) {
    this.#id = id;
    this.stamp = { nonce, now: 0 };
    this.add(messages);
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) this.apply({ type: 'message', message, tokens: estimateMessage(message) });
  }

  apply(draft: EntryDraft): void {
    const seq = this.#path.length;
    const time = new Date(seq).toISOString();
    const entry = { ...draft, seq, time, parent: this.context.head } as TreeEntry;
    this.#path.push(entry);
    this.context.apply(entry);
  }

  read(): History {
    return this.#view.of(this.context.conversation, (id) => this.context.slot(id)?.message as Message);
  }

  recall(history: History): StrategyMemory {
    const { context, stamp } = this;
    const newest = () => this.#path.toReversed();
    const from = { context, history, nonce: stamp.nonce, sessionId: this.#id, importedTo: -1, newest };
    return readMemory(from, this.#id);
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

const ID = 'kit';

export class Session {
  readonly #conversation: Conversation;
  readonly #host = new StrategyHost(() => undefined);
  readonly #entry: StrategyEntry;
  readonly #watch: Watch;
  readonly #check: Check;
  #situation: Situation | null = null;
  /** When the newest call began. */
  #begun = 0;

  constructor(factory: AnyFactory, messages: readonly Message[], check: Check) {
    this.#check = check;
    this.#watch = new Watch(factory, (context) => this.#observe(context));
    this.#entry = { id: ID, label: 'Kit', description: '', publisher: 'kit', factory: this.#watch.factory };
    this.#conversation = new Conversation(ID, 'kit0', messages);
  }

  add(messages: readonly Message[]): void {
    this.#conversation.add(messages);
  }

  /** State that the strategy kept between calls meets an older history, as in the product. */
  undo(): void {
    const target = this.#conversation.context.activeCompactions.at(-1);
    if (!target) return;
    this.#conversation.apply({ type: 'compactionUndone', target: target.seq });
    this.#check.met.afterUndo++;
  }

  pin(count: number, random: Random): void {
    const items = this.#conversation.context.conversation;
    const ids = Array.from({ length: count }, () => items[Math.floor(random() * items.length)]?.id ?? '');
    if (items.length > 0 && count > 0) this.#conversation.apply({ type: 'pinned', ids });
  }

  /** Hides results as the product does, before a strategy is asked or when a tool no longer wants them. */
  hide(count: number, random: Random): void {
    const history = this.#conversation.read();
    const results = history.messages.flatMap((message, i) =>
      message.role === 'tool' && !message.protected && !message.hidden ? [i] : [],
    );
    const chosen = Array.from({ length: count }, () => results[Math.floor(random() * results.length)] ?? -1);
    const decisions = [...new Set(chosen)].flatMap((i): [number, Decision][] => {
      const message = history.messages[i];
      return message ? [[i, { kind: 'hide', stub: makeStub(message, 'hidden', this.#conversation.stamp) }]] : [];
    });
    if (decisions.length > 0) this.#conversation.commit(Draft.of(history).decide(decisions), 1, 'ephemeral');
  }

  /** Why the strategy cannot be created, or null. */
  create(): BrokenCall | null {
    const hosted = this.#host.use(this.#entry);
    if (hosted.kind === 'ready') return null;
    const { threw } = this.#watch.newest;
    return { kind: 'broken', rule: hosted.reason, attempt: 1, seen: { history: [], returned: undefined }, threw };
  }

  /** Repeats the call with half the target when the first result is valid but too large. */
  async compact(situation: Situation): Promise<Compaction> {
    this.#situation = situation;
    const target = targetOf(situation, sumTokens(this.#conversation.context.conversation));
    const first = await this.#attempt(1, target, situation);
    if ('kind' in first) return first;
    if (first.tokens <= target) return this.#commit(first, 1, false);
    const second = await this.#attempt(2, Math.floor(target / 2), situation);
    if ('kind' in second && second.kind === 'broken') return second;
    const [draft, attempt] = !('kind' in second) && second.tokens < first.tokens ? [second, 2] : [first, 1];
    return this.#commit(draft, attempt, draft.tokens > target && situation.target !== 'impossible');
  }

  async #attempt(attempt: number, target: number, situation: Situation): Promise<Compaction | Draft> {
    const { machine, deadlineMs, settings, model, met } = this.#check;
    const unmade = this.create();
    if (unmade) return unmade;
    const { stamp } = this.#conversation;
    const history = this.#conversation.read();
    model.mode = situation.model;
    const { trigger, instructions, window, reserve, protectedTools } = situation;
    const llm = model.open(window, machine.timers);
    const asked = model.calls;
    const call = {
      trigger,
      instructions,
      window,
      reserve,
      protectedTools,
      memory: this.#conversation.recall(history),
      section: settings,
      sectionOf: () => ({}),
      llm,
      stamp,
      timers: machine.timers,
      deadlineMs,
    };
    const aim = {
      attempt,
      target,
      threshold: Math.max(target, history.tokens - 1),
      tokenCount: history.tokens + HEADER,
    };
    this.#begun = machine.now();
    const outcome = await this.#host.run(this.#entry, call, (run) => run.attempt(Draft.of(history), aim, NEVER));
    const ms = machine.now() - this.#begun;
    this.#check.took(ms);
    model.settle(llm);
    if (model.calls > asked) met[MODEL_BOUNDARIES[situation.model]]++;
    const { returned, threw } = this.#watch.newest;
    const seen = { history: history.messages, returned };
    const broken = (rule: Words): Compaction => ({ kind: 'broken', rule, attempt, seen, threw });
    if (outcome.kind === 'unchanged' || outcome.kind === 'aborted')
      return ms > deadlineMs ? broken(late(deadlineMs)) : { kind: 'unchanged' };
    const failure = outcome.kind === 'failed' ? outcome : outcome.failure;
    // A strategy without a model has none to blame.
    const unanswered =
      failure?.by === 'model' && situation.model !== 'answers' && this.#entry.factory.needs.includes('llm');
    if (failure && !unanswered) return broken(failure.reason);
    if (ms > deadlineMs) return broken(late(deadlineMs));
    if (outcome.kind === 'failed') return { kind: 'unchanged' };
    const { draft } = outcome;
    return draft.tokens < history.tokens ? draft : { kind: 'notSmaller', why: describeGrowth(draft) };
  }

  #observe(context: CompactionContext): void {
    const isPinned = ({ id }: ContextMessage) => this.#conversation.context.isPinned(id);
    const situation = this.#situation as Situation;
    for (const boundary of boundariesIn(context, situation, isPinned, BUILT_IN_TOOLS)) this.#check.met[boundary]++;
    this.#begun = this.#check.machine.now();
  }

  /** Ends the session. */
  dispose(): void {
    this.#host.release();
  }

  #commit(draft: Draft, attempt: number, overTarget: boolean): Compaction {
    this.#conversation.commit(draft, attempt);
    return { kind: 'compacted', before: draft.history.tokens, after: draft.tokens, overTarget, repairs: draft.repairs };
  }
}

const WINDOW = 8_000;

function targetOf({ target }: Situation, tokens: number): number {
  switch (target) {
    case 'half':
      return Math.floor(Math.min(WINDOW, tokens) / 2);
    case 'quarter':
      return Math.floor(tokens / 4);
    case 'almostReached':
      return tokens - 1;
    case 'impossible':
      return 1;
  }
}

/** While a strategy blocks the thread no timer runs, so the deadline itself cannot detect it. */
const late = (deadlineMs: number): Words => words('it did not answer within {0} seconds', deadlineMs / 1_000);

/** Why a draft is not smaller than its history. */
function describeGrowth(draft: Draft): string {
  const { history, inserts } = draft;
  const before = (index: number) => history.messages[index]?.tokens ?? 0;
  const dropped = draft.dropped();
  const changed = draft.changes().map(([index]) => index);
  const gone = dropped.reduce((sum, index) => sum + before(index), 0);
  const grown = changed.reduce((sum, index) => sum + draft.tokensAt(index) - before(index), 0);
  const added = draft.tokens - history.tokens + gone - grown;
  return [
    `${history.tokens} tokens before and ${draft.tokens} after`,
    `dropped messages had ${gone} (${dropped.length})`,
    `changed ones grew by ${grown} (${changed.length})`,
    `new summaries have ${added} (${inserts.length})`,
  ].join(', ');
}
