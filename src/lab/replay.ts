/**
 * Replays a session under strategies, one after the other: before each recorded assistant message the strategy provides
 * the request, and the agent's recorded action shows what it needed. The same input yields the same score.
 */

import { describeHiddenText, EDIT_TOKENS, type HiddenMessage } from '../core/agent/parts/hiddenText.ts';
import { StrategyRegistry } from '../core/compaction/hosting/registry.ts';
import { messageOf } from '../core/errors.ts';
import type { AnchorName } from './anchors.ts';
import { BASELINES } from './baselines/baselines.ts';
import type { Contender } from './contender.ts';
import { CostMeter } from './costMeter.ts';
import { findBreach } from './findBreach.ts';
import { type LiveOptions, makeLiveContender } from './live/liveContender.ts';
import { costOfRequest } from './payback.ts';
import { lastBefore, type PreparedSession, type StepFacts } from './prepareSession.ts';
import { Presence } from './presence.ts';
import { type ModelCharge, messageOfPart, type Part } from './request.ts';
import { isHopeless } from './runAccount.ts';
import { CHARACTERS_PER_TOKEN } from './session.ts';
import { type SessionScore, Tally } from './sessionScore.ts';

export interface ReplayOptions {
  readonly signal: AbortSignal;
  /** Only steps before the first recorded compaction, after which the recording depends on its summary. */
  readonly beforeFirstCompaction?: boolean;
  /** Called with every request, in order. */
  readonly onRequest?: (step: number, parts: readonly Part[], charge?: ModelCharge) => void;
  /** Called with a long-range need of a step that the request lacked. */
  readonly onMissing?: (step: number, anchor: AnchorName) => void;
  /** Awaited before each step, so that a long replay yields and can be stopped. */
  readonly pause?: () => Promise<void>;
}

/** Maximum tokens of a message read again, and tokens for requesting it. */
const REREAD_MOST = 4000;
const REREAD_CALL = 150;

const PLAIN = { model: { name: '', answered: 0, refused: 0 }, runs: null };

/**
 * Rejects when the signal is aborted or the contender throws. Ends early when the strategy has failed so often that nothing
 * will be its own.
 */
export async function replay(
  prepared: PreparedSession,
  contender: Contender,
  options: ReplayOptions,
): Promise<SessionScore> {
  const { session, steps } = prepared;
  const end = options.beforeFirstCompaction ? session.compactions[0]?.after : undefined;
  const counter = new StepCounter(prepared, options.onMissing);
  try {
    for (const facts of steps) {
      if (end !== undefined && facts.step >= end) break;
      await options.pause?.();
      options.signal.throwIfAborted();
      const { parts, charge } = await contender.request(facts.step, options.signal);
      options.onRequest?.(facts.step, parts, charge);
      counter.count(facts, parts, charge);
      const account = contender.account?.();
      if (account && isHopeless(account.runs)) break;
    }
    return { ...counter.score(), ...(contender.account?.() ?? PLAIN) };
  } finally {
    contender.dispose?.();
  }
}

/** One more request: the returned text is new, the request before it is cached. */
const requestCost = (returned: number, size: number): number => costOfRequest(size + returned + REREAD_CALL, size);

class StepCounter {
  readonly #prepared: PreparedSession;
  readonly #onMissing: ReplayOptions['onMissing'];
  readonly #presence: Presence;
  readonly #meter: CostMeter;
  readonly #shares = {
    all: new Tally(),
    longRange: new Tally(),
    verbatim: new Tally(),
    wholeLine: new Tally(),
    toolOnly: new Tally(),
    reachable: new Tally(),
    path: new Tally(),
    identifier: new Tally(),
    line: new Tally(),
    pair: new Tally(),
    edits: new Tally(),
    repairedEdits: new Tally(),
    tail: new Tally(),
    user: new Tally(),
    files: new Tally(),
  };
  #steps = 0;
  #invalid = 0;
  #missingLines = 0;
  #rereads = 0;
  #firstRereads = 0;
  #rereadCost = 0;
  /** Messages read again since the newest rewrite. */
  #read = new Set<number>();
  #unrepaired = 0;
  #repairCost = 0;

  constructor(prepared: PreparedSession, onMissing: ReplayOptions['onMissing']) {
    this.#prepared = prepared;
    this.#onMissing = onMissing;
    this.#presence = new Presence(prepared);
    this.#meter = new CostMeter(prepared);
  }

  count(facts: StepFacts, parts: readonly Part[], charge: ModelCharge | undefined): void {
    this.#steps++;
    const size = this.#meter.add(facts.step, parts, charge);
    this.#presence.load(parts);
    const { session } = this.#prepared;
    if (findBreach(parts.map((part) => messageOfPart(session, part)))) this.#invalid++;
    const repaired = this.#repair(facts, size);
    this.#countAnchors(facts, size, repaired);
    this.#countEdits(facts, repaired);
    for (const pair of facts.pairs) this.#shares.pair.count(this.#presence.hasPair(pair));
    for (const file of facts.edited) this.#shares.files.count(this.#presence.has(file));
    for (const index of this.#prepared.users) {
      if (index >= facts.step) break;
      this.#shares.user.add(session.messages[index]?.content.length ?? 0, this.#presence.userCharacters(index));
    }
  }

  #countAnchors(facts: StepFacts, size: number, repaired: ReadonlySet<number>): void {
    const { table } = this.#prepared;
    const presence = this.#presence;
    const missing: number[] = [];
    for (const id of facts.grounded) {
      const has = presence.has(id);
      this.#shares.all.count(has);
      if (!has && table.kind(id) === 'line') missing.push(id);
    }
    this.#countRereads(facts.step, size, missing, repaired);
    for (const id of facts.longRange) {
      const has = presence.has(id);
      this.#shares.longRange.count(has);
      if (this.#meter.isTail) this.#shares.tail.count(has);
      if (!has) this.#onMissing?.(facts.step, table.name(id));
      this.#shares[table.kind(id)].count(has);
      this.#shares.verbatim.count(presence.hasVerbatim(id));
      this.#shares.wholeLine.count(has && presence.hasWhole(id));
      this.#shares.reachable.count(presence.canReach(id));
      if (facts.toolOnly.has(id)) this.#shares.toolOnly.count(has);
    }
  }

  /** A message that is read again brings back every line of it that this step lacks. */
  #countRereads(step: number, size: number, missing: readonly number[], repaired: ReadonlySet<number>): void {
    if (this.#meter.rewrittenAt === step) this.#read = new Set();
    const sources = (lines: readonly number[]) =>
      new Set(lines.map((id) => lastBefore(this.#prepared.mentions[id] ?? [], step)));
    this.#missingLines += missing.length;
    for (const message of sources(missing)) {
      this.#rereads++;
      this.#rereadCost += this.#costOfReading(message, size);
      if (!this.#read.has(message)) this.#firstRereads++;
      this.#read.add(message);
    }
    for (const message of sources(missing.filter((id) => !repaired.has(id)))) {
      this.#unrepaired++;
      this.#repairCost += this.#costOfReading(message, size);
    }
  }

  #countEdits({ edits, step }: StepFacts, repaired: ReadonlySet<number>): void {
    const { rewrittenAt } = this.#meter;
    if (rewrittenAt === null) return;
    const { mentions } = this.#prepared;
    const isBehind = (id: number) => lastBefore(mentions[id] ?? [], step) < rewrittenAt;
    for (const lines of edits) {
      if (!lines.some(isBehind)) continue;
      this.#shares.edits.count(lines.every((id) => this.#presence.has(id)));
      this.#shares.repairedEdits.count(lines.every((id) => this.#presence.has(id) || repaired.has(id)));
    }
  }

  /**
   * The missing lines that refusals of this step's edits bring back, as the agent words them but for the lines of the
   * file itself, which no recording has. Each refusal is a request more.
   */
  #repair({ edits, step }: StepFacts, size: number): ReadonlySet<number> {
    const { table } = this.#prepared;
    const brought = new Set<number>();
    for (const lines of edits) {
      const missing = lines.filter((id) => !this.#presence.has(id));
      if (missing.length === 0) continue;
      const texts = lines.map((id) => table.text(id));
      const hint = describeHiddenText(texts, this.#hiddenBefore(step), EDIT_TOKENS);
      this.#repairCost += requestCost(Math.ceil(hint.length / CHARACTERS_PER_TOKEN), size);
      const found = new Set(table.find(hint));
      for (const id of missing) if (found.has(id)) brought.add(id);
    }
    return brought;
  }

  /** The newest first. */
  *#hiddenBefore(step: number): Generator<HiddenMessage> {
    const { session, texts } = this.#prepared;
    for (let at = step - 1; at >= 0; at--) {
      if (this.#presence.showsWhole(at)) continue;
      yield { name: `m${at} (${session.messages[at]?.role ?? ''})`, text: texts[at] ?? '' };
    }
  }

  #costOfReading(message: number, size: number): number {
    return requestCost(Math.min(this.#prepared.tokens[message] ?? 0, REREAD_MOST), size);
  }

  score(): Omit<SessionScore, 'model' | 'runs'> {
    const { input, cached, fullInput, cost, fullCost, peak, rewrites, tailCost, tailFullCost, paid, gaps, coldSteps } =
      this.#meter;
    return {
      session: this.#prepared.session.name,
      steps: this.#steps,
      input,
      cached,
      fullInput,
      cost,
      fullCost,
      isTimed: this.#prepared.times.isRecorded,
      coldSteps,
      peak,
      rewrites,
      invalid: this.#invalid,
      ...this.#shares,
      missingLines: this.#missingLines,
      rereads: this.#rereads,
      firstRereads: this.#firstRereads,
      rereadCost: this.#rereadCost,
      unrepaired: this.#unrepaired,
      repairCost: this.#repairCost,
      tailCost,
      tailFullCost,
      paid,
      gaps: { ...gaps },
    };
  }
}

/** `strategy`: its id, or the name of the variant. */
export type LabScore = SessionScore & { readonly strategy: string };

/** A strategy with settings for one row of the figures, so that several settings of it can be compared. */
export interface Variant {
  /** Its name in the figures. */
  readonly name: string;
  /** Its id. */
  readonly strategy: string;
  /** Replaces the `settings` of the run. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Values of a contributed strategy's own section, by their names in it. */
  readonly section?: Readonly<Record<string, unknown>>;
}

/** `window` in tokens of the lab; the fixed part for system prompt and tools is added. */
export interface RunOptions extends LiveOptions, Omit<ReplayOptions, 'onRequest'> {
  /** An id means the strategy with the settings of the run. */
  readonly strategies: readonly (string | Variant)[];
  readonly beforeFirstCompaction: boolean;
  readonly onRequest?: (strategy: string, step: number, parts: readonly Part[], charge?: ModelCharge) => void;
  /** Called before each strategy. */
  readonly onStrategy?: (strategy: string) => void;
  /** Called where a strategy cannot be replayed to the end, which gives no score; the others go on. Without it: rejects. */
  readonly onBroken?: (broken: BrokenReplay) => void;
}

/** A strategy that a session could not be replayed under, and why. */
export interface BrokenReplay {
  readonly session: string;
  readonly strategy: string;
  readonly reason: string;
}

/** Yields each score as soon as it is ready. Rejects when the signal is aborted, and for an unknown id or an invalid setting. */
export async function* runSession(prepared: PreparedSession, options: RunOptions): AsyncGenerator<LabScore> {
  const { onRequest, onStrategy, onBroken, signal, strategies, ...all } = options;
  for (const asked of strategies) {
    const { name: strategy, ...set } =
      typeof asked === 'string' ? { name: asked, strategy: asked, settings: options.settings } : asked;
    onStrategy?.(strategy);
    const contender = await makeContender(set.strategy, prepared, { ...options, ...set });
    let score: SessionScore;
    try {
      score = await replay(prepared, contender, {
        ...all,
        signal,
        ...(onRequest ? { onRequest: (step, parts, charge) => onRequest(strategy, step, parts, charge) } : {}),
      });
    } catch (thrown) {
      if (signal.aborted || !onBroken) throw thrown;
      onBroken({ session: prepared.session.name, strategy, reason: messageOf(thrown) });
      continue;
    }
    yield { strategy, ...score };
  }
}

/** Ids in the order of the lab's table, then the product's own. */
export function knownStrategies(registry: StrategyRegistry = new StrategyRegistry()): string[] {
  return [...BASELINES.keys(), ...registry.list().map((entry) => entry.id)];
}

export async function makeContender(id: string, prepared: PreparedSession, options: LiveOptions): Promise<Contender> {
  const baseline = BASELINES.get(id);
  if (baseline) return baseline(prepared, options.window);
  if (options.registry.get(id)) return makeLiveContender(id, prepared, options);
  throw new Error(`There is no strategy ${id}; known are ${knownStrategies(options.registry).join(', ')}.`);
}
