/** One session of the strategy under test, on the product's own host, reader and rules, so that it gets what it gets there. */

import type { CompactionContext, CompactionStrategy, ContextMessage } from '../../../api/index.ts';
import type { Message } from '../../context/message.ts';
import { Projection } from '../../context/projection.ts';
import type { EntryDraft, TreeEntry } from '../../journal/entry.ts';
import type { Timers } from '../../ports.ts';
import type { Random } from '../../seededRandom.ts';
import { estimateMessage } from '../../tokens/estimate.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';
import { toPlan } from '../commit/commit.ts';
import { type Decision, Draft } from '../draft/draft.ts';
import { type History, HistoryView } from '../draft/history.ts';
import { makeStub } from '../draft/stub.ts';
import { runStrategy } from '../run/runStrategy.ts';
import type { AnyFactory, StrategyEntry } from '../run/strategyEntry.ts';
import { MODEL_NOT_NEEDED, StrategyHost } from '../run/strategyHost.ts';
import { readMemory, type StrategyMemory } from '../run/strategyMemory.ts';
import { refusingSummariser } from '../run/summarise.ts';
import { type Boundary, boundariesIn, MODEL_BOUNDARIES, type Situation } from './boundaries.ts';
import { BUILT_IN_TOOLS } from './generateHistory.ts';
import type { KitModel } from './kitModel.ts';
import type { Seen } from './report.ts';

export interface SessionPorts {
  readonly timers: Timers;
  /** Milliseconds from any fixed moment. */
  readonly now: () => number;
  readonly deadlineMs: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly model: KitModel;
  readonly met: (boundary: Boundary) => void;
  /** Called after each call of the strategy, with its milliseconds. */
  readonly took: (ms: number) => void;
}

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
  /** The product would reject it, and no harm is done: a summary of very little is longer than its source. */
  | { readonly kind: 'notSmaller'; readonly why: string }
  | BrokenCall;

export interface BrokenCall {
  readonly kind: 'broken';
  readonly rule: Words;
  readonly attempt: number;
  readonly seen: Seen;
  /** Holds what the strategy threw, if it did. */
  readonly threw: { readonly thrown: unknown } | null;
}

const ID = 'kit';
const STAMP = { nonce: 'kit0', now: 0 };
const NEVER = new AbortController().signal;
/** Tokens of system prompt and tools. */
const HEADER = 400;

export class Session {
  readonly #context = new Projection();
  readonly #history = new HistoryView();
  readonly #host = new StrategyHost(() => undefined);
  readonly #entry: StrategyEntry;
  readonly #ports: SessionPorts;
  readonly #path: TreeEntry[] = [];
  #createThrew: { readonly thrown: unknown } | null = null;
  #seq = 0;

  constructor(factory: AnyFactory, messages: readonly Message[], ports: SessionPorts) {
    this.#ports = ports;
    this.#entry = { id: ID, label: 'Kit', description: '', publisher: 'kit', factory: this.#watchCreate(factory) };
    this.add(messages);
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) this.#apply({ type: 'message', message, tokens: estimateMessage(message) });
  }

  /** What the strategy kept between calls meets an older history, as it does in the product. */
  undo(): void {
    const target = this.#context.activeCompactions.at(-1);
    if (!target) return;
    this.#apply({ type: 'compactionUndone', target: target.seq });
    this.#ports.met('afterUndo');
  }

  pin(count: number, random: Random): void {
    const items = this.#context.conversation;
    const ids = Array.from({ length: count }, () => items[Math.floor(random() * items.length)]?.id ?? '');
    if (items.length > 0 && count > 0) this.#apply({ type: 'pinned', ids });
  }

  /** Hides results as the product itself does it, before a strategy is asked or when a tool no longer wants them. */
  hide(count: number, random: Random): void {
    const history = this.#read();
    const results = history.messages.flatMap((message, i) =>
      message.role === 'tool' && !message.protected && !message.hidden ? [i] : [],
    );
    const chosen = Array.from({ length: count }, () => results[Math.floor(random() * results.length)] ?? -1);
    const decisions = [...new Set(chosen)].flatMap((i): [number, Decision][] => {
      const message = history.messages[i];
      return message ? [[i, { kind: 'hide', stub: makeStub(message, 'hidden', STAMP) }]] : [];
    });
    if (decisions.length > 0) this.#record(Draft.of(history).decide(decisions), 1, 'ephemeral');
  }

  /** Why the strategy cannot be made, or null. */
  create(): BrokenCall | null {
    const hosted = this.#host.use(this.#entry);
    if (hosted.kind === 'ready') return null;
    return { kind: 'broken', rule: hosted.reason, attempt: 1, seen: NOTHING_SEEN, threw: this.#createThrew };
  }

  /** Once more with half the target when the first result is valid and too large. */
  async compact(situation: Situation): Promise<Compaction> {
    const target = targetOf(situation, sumTokens(this.#context.conversation));
    const first = await this.#attempt(1, target, situation);
    if ('kind' in first) return first;
    if (first.tokens <= target) return this.#commit(first, 1, false);
    const second = await this.#attempt(2, Math.floor(target / 2), situation);
    if ('kind' in second && second.kind === 'broken') return second;
    const [draft, attempt] = !('kind' in second) && second.tokens < first.tokens ? [second, 2] : [first, 1];
    return this.#commit(draft, attempt, draft.tokens > target && situation.target !== 'impossible');
  }

  async #attempt(attempt: number, target: number, situation: Situation): Promise<Compaction | Draft> {
    const { timers, deadlineMs, settings, model, now, took } = this.#ports;
    const unmade = this.create();
    const hosted = this.#host.use(this.#entry);
    if (unmade || hosted.kind === 'broken') return unmade ?? { kind: 'unchanged' };
    const history = this.#read();
    model.mode = situation.model;
    const summariser = hosted.usesModel ? model.open(situation.window, timers) : refusingSummariser(MODEL_NOT_NEEDED);
    const asked = model.calls;
    const seen: { -readonly [K in keyof Seen]: Seen[K] } = { history: history.messages, returned: undefined };
    let threw: BrokenCall['threw'] = null;
    let begun = now();
    const strategy: CompactionStrategy = {
      compact: async (context) => {
        this.#observe(context, situation);
        begun = now();
        try {
          const returned = await hosted.strategy.compact(context);
          seen.returned = returned;
          return returned;
        } catch (thrown) {
          threw = { thrown };
          throw thrown;
        }
      },
    };
    const { trigger, instructions, window, reserve, protectedTools } = situation;
    const nothing = () => undefined;
    const memory = this.#memory(history);
    const call = { trigger, instructions, window, reserve, protectedTools, memory, llm: summariser, report: nothing };
    const lease = { ...call, sectionOf: () => ({}), strategy, deadlineMs, timers, reached: nothing, gone: NEVER };
    this.#host.open(summariser, settings);
    const aim = {
      attempt,
      target,
      threshold: Math.max(target, history.tokens - 1),
      tokenCount: history.tokens + HEADER,
    };
    const outcome = await runStrategy(lease, Draft.of(history), aim, STAMP, NEVER);
    this.#host.close();
    const ms = now() - begun;
    took(ms);
    model.settle(summariser);
    if (model.calls > asked) this.#ports.met(MODEL_BOUNDARIES[situation.model]);
    const broken = (rule: Words): Compaction => ({ kind: 'broken', rule, attempt, seen, threw });
    if (outcome.kind === 'unchanged' || outcome.kind === 'aborted')
      return ms > deadlineMs ? broken(late(deadlineMs)) : { kind: 'unchanged' };
    const failure = outcome.kind === 'failed' ? outcome : outcome.failure;
    const unanswered = failure?.by === 'model' && situation.model !== 'answers' && hosted.usesModel;
    if (failure && !unanswered) return broken(failure.reason);
    if (ms > deadlineMs) return broken(late(deadlineMs));
    if (outcome.kind === 'failed') return { kind: 'unchanged' };
    const { draft } = outcome;
    return draft.tokens < history.tokens ? draft : { kind: 'notSmaller', why: describeGrowth(draft) };
  }

  #observe(context: CompactionContext, situation: Situation): void {
    const isPinned = ({ id }: ContextMessage) => this.#context.isPinned(id);
    for (const boundary of boundariesIn(context, situation, isPinned, BUILT_IN_TOOLS)) this.#ports.met(boundary);
  }

  /** The session is over. */
  dispose(): void {
    this.#host.letGo();
  }

  #memory(history: History): StrategyMemory {
    const newest = () => [...this.#path].reverse();
    const from = { context: this.#context, history, nonce: STAMP.nonce, sessionId: ID, importedTo: -1, newest };
    return readMemory(from, ID);
  }

  #read(): History {
    return this.#history.of(this.#context.conversation, (id) => this.#context.slot(id)?.message as Message);
  }

  #commit(draft: Draft, attempt: number, overTarget: boolean): Compaction {
    this.#record(draft, attempt);
    return { kind: 'compacted', before: draft.history.tokens, after: draft.tokens, overTarget, repairs: draft.repairs };
  }

  #record(draft: Draft, attempt: number, strategy = ID): void {
    const figures = { tokensBefore: draft.history.tokens, tokensAfter: draft.tokens, durationMs: 0, attempt };
    const base = this.#context.head ?? 0;
    const kept = draft.details === undefined ? {} : { details: { by: ID, value: draft.details } };
    this.#apply({
      type: 'compaction',
      base,
      plan: toPlan(draft),
      strategy,
      trigger: 'manual',
      ...figures,
      ...kept,
    });
  }

  /** The same factory, with what its `create` throws kept. */
  #watchCreate(factory: AnyFactory): AnyFactory {
    const { needs, create } = factory;
    if (typeof create !== 'function') return factory;
    const watched: AnyFactory['create'] = (ports) => {
      try {
        return create.call(factory, ports);
      } catch (thrown) {
        this.#createThrew = { thrown };
        throw thrown;
      }
    };
    return { needs, create: watched };
  }

  #apply(draft: EntryDraft): void {
    const seq = this.#seq++;
    const time = new Date(seq).toISOString();
    const entry = { ...draft, seq, time, parent: this.#context.head } as TreeEntry;
    this.#path.push(entry);
    this.#context.apply(entry);
  }
}

const NOTHING_SEEN: Seen = { history: [], returned: undefined };
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

/** While a strategy works without giving way no timer runs, so the deadline itself cannot tell. */
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
