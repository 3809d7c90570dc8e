/**
 * Shows a person a compaction before it is made, and takes their answer: previews by hand, and the question before
 * an automatic one with the expected result of each answer. A summary made for the question's preview is used when the
 * person agrees, so it is requested once.
 */

import type { Clock } from '../../clock.ts';
import type { Journal } from '../../journal/journal.ts';
import { words } from '../../words.ts';
import type { Ahead } from '../ahead/ahead.ts';
import { Draft } from '../draft/draft.ts';
import { dropOldest } from '../draft/dropOldest.ts';
import type { StrategyRegistry } from '../hosting/registry.ts';
import { fatesOf } from '../proposal/fates.ts';
import type { Proposal, ProposalOutcome } from '../proposal/proposal.ts';
import { Origin } from '../run/commit.ts';
import { proposeOwn } from '../run/finish.ts';
import type { CompactionLock } from '../run/lock.ts';
import type { PreparedRun, Proposed, RunOrder } from '../run/preparedRun.ts';
import type { Runs } from '../run/runs.ts';
import { type CompactionSettings, forModel } from '../settings/compactionSettings.ts';
import type { CompactionProgress } from '../signals/compactionSignal.ts';
import type { ConsentAnswer, ConsentFigures, ConsentQuestion, ExpectedResult } from '../signals/consent.ts';
import { none } from '../signals/outcome.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import type { Gauge } from '../trigger/gauge.ts';
import { describePreview, type EstimateOutcome, type Preview, type PreviewOutcome } from './preview.ts';

interface Answered {
  readonly answer: ConsentAnswer;
  /** The previewed outcome with its run; null when nobody looked. */
  readonly previewed: Proposed | null;
}

interface Question {
  readonly entry: StrategyEntry;
  readonly run: PreparedRun;
  readonly signal: AbortSignal;
  /** The present count in the question's unit, and that unit per token of the reading. */
  readonly tokens: number;
  readonly scale: number;
  previewing: Promise<Proposed> | null;
  previewMs: number;
  /** The proposal as changed by the person; null while unchanged. */
  amended: Proposal | null;
}

interface PreviewRequest {
  /** Strategy id; default: the configured one. */
  readonly strategy?: string;
  /** Settings to try; default: those in force. */
  readonly settings?: CompactionSettings;
  readonly instructions?: string | undefined;
}

interface Ports {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly registry: StrategyRegistry;
  /** The settings in force. */
  readonly settings: () => CompactionSettings;
  readonly consent: (question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentAnswer>;
  readonly onProgress: (progress: CompactionProgress) => void;
}

export class Consent {
  readonly #ports: Ports;
  readonly #gauge: Gauge;
  readonly #lock: CompactionLock;
  readonly #runs: Runs;
  readonly #ahead: Ahead;
  #open: Question | null = null;
  /** The person chose to drop the oldest messages: the question is not repeated until the model has answered. */
  #dropping = false;

  constructor(ports: Ports, gauge: Gauge, lock: CompactionLock, runs: Runs, ahead: Ahead) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#lock = lock;
    this.#runs = runs;
    this.#ahead = ahead;
  }

  /** Previews a compaction: changes nothing and needs no consent, but a summary has its normal cost. */
  preview(request: PreviewRequest, signal: AbortSignal): Promise<PreviewOutcome> {
    return this.#try(request, {}, describePreview, signal);
  }

  /** Runs a compaction without its model: changes nothing, and costs nothing. */
  estimate(request: PreviewRequest, signal: AbortSignal): Promise<EstimateOutcome> {
    // However long its summary is, nobody has to agree to it.
    return this.#try(request, { dry: true, agreed: true }, describeEstimate, signal);
  }

  #try<T>(
    request: PreviewRequest,
    how: Pick<RunOrder, 'dry' | 'agreed'>,
    describe: (outcome: ProposalOutcome, origin: Origin, run: PreparedRun) => T,
    signal: AbortSignal,
  ): Promise<T | ReturnType<typeof none>> {
    const { clock, registry, settings: inForce } = this.#ports;
    const begun = clock.now();
    return this.#lock.hold(async (): Promise<T | ReturnType<typeof none>> => {
      const id = request.strategy ?? inForce().strategy;
      const resolved = await registry.resolve(id, true, signal);
      if (resolved.kind !== 'found') return none(resolved.reason);
      const settings = request.settings ? forModel(request.settings, this.#gauge.model) : inForce();
      const { entry } = resolved;
      const { instructions } = request;
      const order = { trigger: 'manual', instructions, strategy: entry.id, settings, begun, ...how } as const;
      const run = this.#runs.prepare(order, signal);
      if (!run) return none(words('There is nothing to compact.'));
      const outcome = await this.#runs.propose(entry, run, { report: this.#report }, signal);
      return describe(outcome, new Origin(run, clock), run);
    });
  }

  /** True while the conversation has the shape that the preview was made from. */
  isCurrent({ origin }: Preview): boolean {
    return origin.isIn(this.#ports.journal);
  }

  /** Called when the model has answered or another turn begins: the next compaction is asked about anew. */
  forget(): void {
    this.#dropping = false;
  }

  /** `scale`: units of `figures` per token of the reading. `made`: what agreeing applies, where that is known already. */
  async ask(
    entry: StrategyEntry,
    run: PreparedRun,
    figures: ConsentFigures,
    scale: number,
    signal: AbortSignal,
    made: Proposed | null = null,
  ): Promise<Answered> {
    if (this.#dropping) return { answer: 'dropOldest', previewed: null };
    const { tokens } = figures;
    const previewing = made && Promise.resolve(made);
    const question: Question = { entry, run, signal, tokens, scale, previewing, previewMs: 0, amended: null };
    this.#open = question;
    try {
      const outlook = await this.#expect(question);
      const answer = await this.#ports.consent({ ...figures, strategy: entry.id, outlook }, signal);
      this.#dropping = answer === 'dropOldest';
      return { answer, previewed: answer === 'compact' ? await this.#previewed(question) : null };
    } catch (thrown) {
      // A stop also closes the question, and no answer is not consent.
      if (signal.aborted) return { answer: 'notNow', previewed: null };
      throw thrown;
    } finally {
      this.#open = null;
    }
  }

  /** Previews the compaction that the open question is about. */
  async previewAsked(): Promise<PreviewOutcome> {
    const question = this.#open;
    if (!question) return none(words('That question is no longer open.'));
    question.previewing ??= this.#make(question);
    // A person who opens the preview again sees the original proposal.
    question.amended = null;
    const { run, outcome } = await question.previewing;
    return describePreview(outcome, new Origin(run, this.#ports.clock), run);
  }

  /**
   * Replaces the compaction that the person is being asked about by their version, to which agreeing then applies. False
   * when the question is no longer open.
   */
  amendAsked(shown: Preview, changed: Preview): boolean {
    const question = this.#open;
    if (!question?.previewing || shown.proposal.draft.history !== question.run.history) return false;
    question.amended = changed.proposal;
    return true;
  }

  /** The result of agreeing to `proposal`, in the unit of the open question. */
  expectAsked(proposal: Proposal): ExpectedResult {
    return expectIn(proposal, this.#open);
  }

  readonly #report = (text: string, fraction: number | null = null) => this.#ports.onProgress({ text, fraction });

  async #make(question: Question): Promise<Proposed> {
    const { clock, onProgress } = this.#ports;
    const begun = clock.now();
    const made = await this.#propose(question.entry, question.run, question.signal);
    question.previewMs = clock.now() - begun;
    onProgress(null);
    return made;
  }

  async #propose(entry: StrategyEntry, run: PreparedRun, signal: AbortSignal): Promise<Proposed> {
    const ahead = await this.#ahead.check(entry, run, false, signal);
    const made = await this.#ahead.made(entry, run, ahead, signal);
    return made ?? { run, outcome: await this.#runs.propose(entry, run, { report: this.#report }, signal) };
  }

  /** The time a person spends looking does not count towards the compaction. */
  async #previewed(question: Question): Promise<Answered['previewed']> {
    if (!question.previewing) return null;
    const { run, outcome: made } = await question.previewing;
    const { amended } = question;
    const outcome = made.kind === 'proposal' && amended ? { ...made, proposal: amended } : made;
    const begun = this.#ports.clock.now() - question.previewMs;
    return { outcome, run: { ...run, order: { ...run.order, begun } } };
  }

  /** Where no model is needed, the result of compacting is known before the person answers. */
  async #expect(question: Question): Promise<ConsentQuestion['outlook']> {
    const { entry, run, signal } = question;
    const asksNobody = entry.publisher === null && !entry.factory.needs.includes('llm');
    const made = question.previewing ?? (asksNobody ? this.#propose(entry, run, signal) : null);
    const outcome = made && (await made).outcome;
    this.#ports.onProgress(null);
    const draft = dropOldest(Draft.of(run.history), run.budget.limits.target, run.stamp);
    const dropped = await proposeOwn(run, draft);
    return {
      compact: outcome?.kind === 'proposal' ? expectIn(outcome.proposal, question) : null,
      dropOldest: dropped && expectIn(dropped, question),
    };
  }
}

/** `outcome` is of a run without its model, which counted what it would have been asked. */
function describeEstimate(outcome: ProposalOutcome, origin: Origin, run: PreparedRun): EstimateOutcome {
  const made = describePreview(outcome, origin, run);
  const { usage } = run.llm;
  if (usage === null) return made;
  if (made.kind !== 'preview' || (outcome.kind === 'proposal' && outcome.failure)) return { kind: 'unknown' };
  const { strategy, tokensBefore, tokensAfter, items, firstChanged, fates, requests, costs } = made;
  return { kind: 'estimate', strategy, tokensBefore, tokensAfter, items, firstChanged, fates, requests, costs, usage };
}

/** All figures of a question use one unit: the remaining tokens are counted like the present ones. */
function expectIn(proposal: Proposal, question: Question | null): ExpectedResult {
  const expected = { tokens: proposal.tokensAfter, fates: fatesOf(proposal) };
  if (!question) return expected;
  const freed = (proposal.tokensBefore - proposal.tokensAfter) * question.scale;
  return { ...expected, tokens: Math.max(0, Math.round(question.tokens - freed)) };
}
