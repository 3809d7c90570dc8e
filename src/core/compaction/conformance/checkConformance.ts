/**
 * The conformance kit: runs any strategy over generated and recorded histories, in chains of compactions, and says which
 * rule it breaks. It uses the compactor's own reader and validator, so what passes here is accepted there.
 */

import type { CompactionStrategy, StrategyFactory, StrategyPorts, SummaryModel } from '../../../api/index.ts';
import type { Message } from '../../context/message.ts';
import { Projection } from '../../context/projection.ts';
import type { EntryDraft, TreeEntry } from '../../journal/entry.ts';
import { countTokens, estimateMessage } from '../../tokens/estimate.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { HistoryView } from '../history.ts';
import { makePlan } from '../plan.ts';
import { runStrategy, type Timers } from '../runStrategy.ts';
import { openRun } from '../strategyContext.ts';
import { generateHistory, seededRandom } from './generateHistory.ts';

export interface ConformanceOptions {
  /** Generated histories; each is compacted five times. 200 when left out. */
  readonly cases?: number;
  readonly seed?: number;
  /** Recorded conversations to run besides. */
  readonly histories?: readonly (readonly Message[])[];
  /** Values of the strategy's own settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the summary model answers. */
  readonly answer?: string;
  readonly deadlineMs?: number;
  readonly timers: Timers;
}

export interface BrokenRule {
  readonly rule: string;
  /** `generated 17, compaction 3` or `recorded 0, compaction 1`. */
  readonly where: string;
}

export interface ConformanceReport {
  readonly compactions: number;
  readonly unchanged: number;
  /** Tokens left, of all that was compacted: 0–1. */
  readonly left: number;
  readonly broken: readonly BrokenRule[];
}

const CHAIN = 5;
const WINDOW = 8_000;
const NEVER = new AbortController().signal;

/** `factory` as it would be registered. Never throws for what the strategy does. */
export async function checkConformance(
  factory: StrategyFactory<keyof StrategyPorts> | StrategyFactory,
  options: ConformanceOptions,
): Promise<ConformanceReport> {
  const { cases = 200, seed = 1, histories = [] } = options;
  const tally = { compactions: 0, unchanged: 0, before: 0, after: 0, broken: [] as BrokenRule[] };
  const run = async (messages: readonly Message[], more: readonly Message[][], name: string) => {
    const session = new Session(factory as StrategyFactory<keyof StrategyPorts>, messages, options);
    for (let i = 0; i < CHAIN; i++) {
      const outcome = await session.compact();
      if (typeof outcome === 'string') tally.broken.push({ rule: outcome, where: `${name}, compaction ${i + 1}` });
      else if (outcome === null) tally.unchanged++;
      else {
        tally.compactions++;
        tally.before += outcome.before;
        tally.after += outcome.after;
      }
      session.add(more[i] ?? []);
    }
  };
  for (let i = 0; i < cases; i++) {
    const random = seededRandom(seed * 1_000_003 + i);
    const messages = generateHistory(random, 1 + Math.floor(random() * 6), `c${i}`);
    const more = Array.from({ length: CHAIN }, (_, n) => generateHistory(random, 1, `c${i}.${n}`));
    await run(messages, more, `generated ${i}`);
  }
  for (const [i, messages] of histories.entries()) await run(messages, [], `recorded ${i}`);
  const { compactions, unchanged, before, after, broken } = tally;
  return { compactions, unchanged, left: before > 0 ? after / before : 1, broken };
}

/** One session of the strategy under test: state kept between calls meets an undo, as it would in the product. */
class Session {
  readonly #context = new Projection();
  readonly #history = new HistoryView();
  readonly #strategy: CompactionStrategy | string;
  readonly #options: ConformanceOptions;
  readonly #llm: SummaryModel;
  #seq = 0;

  constructor(
    factory: StrategyFactory<keyof StrategyPorts>,
    messages: readonly Message[],
    options: ConformanceOptions,
  ) {
    this.#options = options;
    this.#llm = {
      maxInputTokens: 6_000,
      complete: async () => ({ text: options.answer ?? 'Notes of what was done.', truncated: false }),
    };
    this.#strategy = this.#create(factory);
    this.add(messages);
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) this.#apply({ type: 'message', message, tokens: estimateMessage(message) });
  }

  /** Null for nothing to do, the broken rule in words, or the tokens before and after. */
  async compact(): Promise<{ before: number; after: number } | null | string> {
    if (typeof this.#strategy === 'string') return this.#strategy;
    const items = this.#context.conversation;
    const history = this.#history.of(items);
    const total = sumTokens(items);
    const controller = new AbortController();
    const run = openRun(
      {
        history,
        tokenCount: total,
        window: WINDOW,
        reserved: 0,
        target: Math.floor(Math.min(WINDOW, total) / 2),
        attempt: 1,
        trigger: 'manual',
      },
      { llm: this.#llm, nonce: 'kit0', now: 0, signal: controller.signal, report: () => undefined },
    );
    const { timers, deadlineMs = 10_000 } = this.#options;
    const outcome = await runStrategy(this.#strategy, run, history, this.#history.guarded, {
      deadlineMs,
      timers,
      controller,
      signal: NEVER,
      gone: NEVER,
    });
    if (outcome.kind === 'unchanged' || outcome.kind === 'aborted') return null;
    if (outcome.kind === 'failed') return outcome.reason;
    const original = (id: string) => this.#context.slot(id)?.message as Message;
    const { plan, tokens } = makePlan(history, outcome.candidate, { items, total, original });
    if (tokens.after >= tokens.before) return 'its result is not smaller';
    const base = this.#context.head ?? 0;
    const figures = { tokensBefore: tokens.before, tokensAfter: tokens.after, durationMs: 0, attempt: 1 };
    this.#apply({ type: 'compaction', base, plan, strategy: 'kit', trigger: 'manual', ...figures });
    return tokens;
  }

  #create(factory: StrategyFactory<keyof StrategyPorts>): CompactionStrategy | string {
    const ports: StrategyPorts = {
      llm: this.#llm,
      countTokens,
      log: () => undefined,
      settings: () => Object.freeze({ ...this.#options.settings }),
    };
    try {
      const given = Object.fromEntries(factory.needs.map((name) => [name, ports[name]]));
      const strategy = factory.create(given as unknown as StrategyPorts);
      return typeof strategy?.compact === 'function'
        ? strategy
        : 'its factory returned no strategy with a compact function';
    } catch (thrown) {
      return `its factory failed: ${thrown instanceof Error ? thrown.message : thrown}`;
    }
  }

  #apply(draft: EntryDraft): void {
    const seq = this.#seq++;
    this.#context.apply({ ...draft, seq, time: new Date(seq).toISOString(), parent: this.#context.head } as TreeEntry);
  }
}
