/**
 * Replays one session under one strategy: before each recorded assistant message the strategy provides the request, and
 * the agent's recorded action shows what it needed. The same input yields the same score.
 */

import { EDIT_TOKENS, type HiddenMessage, tellHiddenText } from '../core/agent/repairCall.ts';
import { lastBefore, type PreparedSession, type StepFacts } from './prepareSession.ts';
import { Presence } from './presence.ts';
import { type Contender, findBreach, type ModelCharge, messageOfPart, type Part } from './request.ts';
import { CHARACTERS_PER_TOKEN } from './session.ts';
import { CACHED_WEIGHT, CostMeter, type SessionScore, Tally, UNCACHED_WEIGHT } from './sessionScore.ts';
import type { AnchorName } from './words.ts';

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
const REFETCH_MOST = 4000;
const REFETCH_CALL = 150;

const NO_MODEL = { model: { name: '', answered: 0, refused: 0 }, failures: 0 };

/** Rejects when the signal is aborted or the strategy throws. */
export async function replay(
  prepared: PreparedSession,
  contender: Contender,
  options: ReplayOptions,
): Promise<SessionScore> {
  const { session, steps } = prepared;
  const end = options.beforeFirstCompaction ? session.compactions[0]?.after : undefined;
  const counter = new StepCounter(prepared, options.onMissing);
  for (const facts of steps) {
    if (end !== undefined && facts.step >= end) break;
    await options.pause?.();
    options.signal.throwIfAborted();
    const { parts, charge } = await contender.request(facts.step, options.signal);
    options.onRequest?.(facts.step, parts, charge);
    counter.count(facts, parts, charge);
  }
  return { ...counter.score(), ...(contender.account?.() ?? NO_MODEL) };
}

/** One more request: the returned text is new, the request before it is cached. */
const requestCost = (returned: number, size: number): number =>
  UNCACHED_WEIGHT * (returned + REFETCH_CALL) + CACHED_WEIGHT * size;

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
  #refetches = 0;
  #refetchCost = 0;
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
    for (const id of facts.grounded) {
      const has = presence.has(id);
      this.#shares.all.count(has);
      if (has || table.kind(id) !== 'line') continue;
      const cost = this.#costOfReading(id, facts.step, size);
      this.#refetches++;
      this.#refetchCost += cost;
      if (repaired.has(id)) continue;
      this.#unrepaired++;
      this.#repairCost += cost;
    }
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
      const told = tellHiddenText(texts, this.#hiddenBefore(step), EDIT_TOKENS);
      this.#repairCost += requestCost(Math.ceil(told.length / CHARACTERS_PER_TOKEN), size);
      const found = new Set(table.find(told));
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

  /** The agent would have to read the line's message again. */
  #costOfReading(anchor: number, step: number, size: number): number {
    const { mentions, tokens } = this.#prepared;
    const message = tokens[lastBefore(mentions[anchor] ?? [], step)] ?? 0;
    return requestCost(Math.min(message, REFETCH_MOST), size);
  }

  score(): Omit<SessionScore, 'model' | 'failures'> {
    const { input, cached, fullInput, cost, fullCost, peak, rewrites, tailCost, tailFullCost } = this.#meter;
    const shares = this.#shares;
    return {
      session: this.#prepared.session.name,
      steps: this.#steps,
      input,
      cached,
      fullInput,
      cost,
      fullCost,
      peak,
      rewrites,
      invalid: this.#invalid,
      all: shares.all.share(),
      longRange: shares.longRange.share(),
      verbatim: shares.verbatim.share(),
      wholeLine: shares.wholeLine.share(),
      toolOnly: shares.toolOnly.share(),
      reachable: shares.reachable.share(),
      path: shares.path.share(),
      identifier: shares.identifier.share(),
      line: shares.line.share(),
      pair: shares.pair.share(),
      user: shares.user.share(),
      files: shares.files.share(),
      refetches: this.#refetches,
      refetchCost: this.#refetchCost,
      edits: shares.edits.share(),
      unrepaired: this.#unrepaired,
      repairCost: this.#repairCost,
      repairedEdits: shares.repairedEdits.share(),
      tailCost,
      tailFullCost,
      tail: shares.tail.share(),
    };
  }
}
