/**
 * The conformance kit: runs any strategy over generated and recorded histories, in chains of compactions, and says which
 * rule it breaks. It uses the compactor's own host, reader and validator, so what passes here is accepted there.
 */

import type { SummaryModel } from '../../../api/index.ts';
import type { Message } from '../../context/message.ts';
import { Projection } from '../../context/projection.ts';
import { ModelError } from '../../errors.ts';
import type { EntryDraft, TreeEntry } from '../../journal/entry.ts';
import type { Timers } from '../../ports.ts';
import { seededRandom } from '../../seededRandom.ts';
import { estimateMessage } from '../../tokens/estimate.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { inEnglish } from '../../words.ts';
import { Draft } from '../draft/draft.ts';
import { type History, HistoryView } from '../draft/history.ts';
import { toPlan } from '../draft/toPlan.ts';
import { readMemory, type StrategyMemory } from '../memory/strategyMemory.ts';
import { runStrategy } from '../run/runStrategy.ts';
import type { AnyFactory, StrategyEntry } from '../run/strategyEntry.ts';
import { MODEL_NOT_NEEDED, StrategyHost } from '../run/strategyHost.ts';
import { checkRequest, refusingSummariser } from '../run/summarise.ts';
import { generateHistory } from './generateHistory.ts';

export interface ConformanceOptions {
  /** Generated histories; each is compacted five times. 200 when left out. */
  readonly cases?: number;
  readonly seed?: number;
  /** Recorded conversations to run as well. */
  readonly histories?: readonly (readonly Message[])[];
  /** Values of the strategy's own settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the summary model answers. */
  readonly answer?: string;
  readonly deadlineMs?: number;
  readonly timers: Timers;
}

interface BrokenRule {
  readonly rule: string;
  /** `generated 17, compaction 3` or `recorded 0, compaction 1`. */
  readonly where: string;
}

export interface ConformanceReport {
  readonly compactions: number;
  readonly unchanged: number;
  /** Results that would be rejected because they are not smaller than what they replace. */
  readonly notSmaller: number;
  /** Share of the compacted tokens that is left: 0–1. */
  readonly left: number;
  readonly broken: readonly BrokenRule[];
}

const CHAIN = 5;
/** Indices in a chain: before the first of these the previous compaction is undone, during the second no model answers. */
const UNDONE_BEFORE = 3;
const WITHOUT_MODEL = 4;
const WINDOW = 8_000;
const STAMP = { nonce: 'kit0', now: 0 };
const NEVER = new AbortController().signal;

/** `factory` as it would be registered. Never throws for what the strategy does. */
export async function checkConformance(factory: AnyFactory, options: ConformanceOptions): Promise<ConformanceReport> {
  const { cases = 200, seed = 1, histories = [] } = options;
  const tally = { compactions: 0, unchanged: 0, notSmaller: 0, before: 0, after: 0, broken: [] as BrokenRule[] };
  const run = async (messages: readonly Message[], more: readonly Message[][], name: string) => {
    const session = new Session(factory, messages, options);
    for (let i = 0; i < CHAIN; i++) {
      if (i === UNDONE_BEFORE) session.undo();
      session.reachModel(i !== WITHOUT_MODEL);
      const outcome = await session.compact();
      switch (outcome.kind) {
        case 'compacted':
          tally.compactions++;
          tally.before += outcome.before;
          tally.after += outcome.after;
          break;
        case 'broken':
          tally.broken.push({ rule: outcome.rule, where: `${name}, compaction ${i + 1}` });
          break;
        case 'unchanged':
        case 'notSmaller':
          tally[outcome.kind]++;
      }
      session.add(more[i] ?? []);
    }
    session.dispose();
  };
  for (let i = 0; i < cases; i++) {
    const random = seededRandom(seed * 1_000_003 + i);
    const messages = generateHistory(random, 1 + Math.floor(random() * 6), `c${i}`);
    const more = Array.from({ length: CHAIN }, (_, n) => generateHistory(random, 1, `c${i}.${n}`));
    await run(messages, more, `generated ${i}`);
  }
  for (const [i, messages] of histories.entries()) await run(messages, [], `recorded ${i}`);
  const { compactions, unchanged, notSmaller, before, after, broken } = tally;
  if (compactions === 0 && notSmaller > 0) broken.push({ rule: 'no result of it is smaller', where: 'everywhere' });
  return { compactions, unchanged, notSmaller, left: before > 0 ? after / before : 1, broken };
}

type Compaction =
  | { readonly kind: 'compacted'; readonly before: number; readonly after: number }
  /** Nothing to do, or its model could not be reached. */
  | { readonly kind: 'unchanged' }
  /** The product would reject it, and no harm is done: a summary of very little is longer than its source. */
  | { readonly kind: 'notSmaller' }
  | { readonly kind: 'broken'; readonly rule: string };

/** One session of the strategy under test, on the product's own host, so that it gets what it gets there. */
class Session {
  readonly #context = new Projection();
  readonly #history = new HistoryView();
  readonly #host = new StrategyHost(() => undefined);
  readonly #entry: StrategyEntry;
  readonly #options: ConformanceOptions;
  readonly #path: TreeEntry[] = [];
  #modelAnswers = true;
  #seq = 0;

  constructor(factory: AnyFactory, messages: readonly Message[], options: ConformanceOptions) {
    this.#options = options;
    this.#entry = { id: 'kit', label: 'Kit', description: '', publisher: 'kit', factory };
    this.add(messages);
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) this.#apply({ type: 'message', message, tokens: estimateMessage(message) });
  }

  /** What the strategy kept between calls meets an older history, as it does in the product. */
  undo(): void {
    const target = this.#context.activeCompactions.at(-1);
    if (target) this.#apply({ type: 'compactionUndone', target: target.seq });
  }

  reachModel(answers: boolean): void {
    this.#modelAnswers = answers;
  }

  /** Once more with half the target when the first result is valid and too large. */
  async compact(): Promise<Compaction> {
    const target = Math.floor(Math.min(WINDOW, sumTokens(this.#context.conversation)) / 2);
    const first = await this.#attempt(1, target);
    if ('kind' in first) return first;
    if (first.tokens <= target) return this.#commit(first, 1);
    const second = await this.#attempt(2, Math.floor(target / 2));
    if ('kind' in second) return second.kind === 'broken' ? second : this.#commit(first, 1);
    return second.tokens < first.tokens ? this.#commit(second, 2) : this.#commit(first, 1);
  }

  async #attempt(attempt: number, target: number): Promise<Compaction | Draft> {
    const hosted = this.#host.use(this.#entry);
    if (hosted.kind === 'broken') return { kind: 'broken', rule: inEnglish(hosted.reason) };
    const original = (id: string) => this.#context.slot(id)?.message as Message;
    const history = this.#history.of(this.#context.conversation, original);
    const llm = hosted.usesModel ? this.#model() : refusingSummariser(MODEL_NOT_NEEDED);
    const { timers, deadlineMs = 10_000, settings = {} } = this.#options;
    const call = {
      trigger: 'manual',
      window: WINDOW,
      reserve: 0,
      protectedTools: [],
      memory: this.#memory(history),
      sectionOf: () => ({}),
      llm,
      report: () => undefined,
      reached: () => undefined,
    };
    const lease = { ...call, strategy: hosted.strategy, deadlineMs, timers, gone: NEVER };
    this.#host.open(llm, settings);
    const aim = { attempt, target, threshold: target, tokenCount: history.tokens };
    const outcome = await runStrategy(lease, Draft.of(history), aim, STAMP, NEVER);
    this.#host.close();
    if (outcome.kind === 'unchanged' || outcome.kind === 'aborted') return { kind: 'unchanged' };
    const failure = outcome.kind === 'failed' ? outcome : outcome.failure;
    const unreached = failure?.by === 'model' && !this.#modelAnswers;
    if (failure && !unreached) return { kind: 'broken', rule: inEnglish(failure.reason) };
    if (outcome.kind === 'failed') return { kind: 'unchanged' };
    return outcome.draft.tokens < history.tokens ? outcome.draft : { kind: 'notSmaller' };
  }

  #commit(draft: Draft, attempt: number): Compaction {
    const [before, after] = [draft.history.tokens, draft.tokens];
    const figures = { tokensBefore: before, tokensAfter: after, durationMs: 0, attempt };
    const base = this.#context.head ?? 0;
    const kept = draft.details === undefined ? {} : { details: { by: 'kit', value: draft.details } };
    const named = { strategy: 'kit', trigger: 'manual', ...figures, ...kept };
    this.#apply({ type: 'compaction', base, plan: toPlan(draft), ...named });
    return { kind: 'compacted', before, after };
  }

  #memory(history: History): StrategyMemory {
    const newest = () => [...this.#path].reverse();
    const from = { context: this.#context, history, nonce: STAMP.nonce, sessionId: 'kit', importedTo: -1, newest };
    return readMemory(from, this.#entry.id);
  }

  /** The session is over. */
  dispose(): void {
    this.#host.letGo();
  }

  #model(): SummaryModel {
    return {
      maxInputTokens: 6_000,
      complete: async (request) => {
        checkRequest(request);
        if (!this.#modelAnswers) throw new ModelError('network', 'The model cannot be reached.');
        return { text: this.#options.answer ?? 'Notes of what was done.', truncated: false };
      },
    };
  }

  #apply(draft: EntryDraft): void {
    const seq = this.#seq++;
    const time = new Date(seq).toISOString();
    const entry = { ...draft, seq, time, parent: this.#context.head } as TreeEntry;
    this.#path.push(entry);
    this.#context.apply(entry);
  }
}
