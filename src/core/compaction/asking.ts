/**
 * Asking a person before a compaction: what each answer would come to, a preview on request, and the answer. A summary
 * that was made for the preview is used when the person agrees, so it is asked for once.
 */

import type { ConsentAnswer, ConsentFigures, ConsentOutlook, ExpectedResult } from '../ports.ts';
import { words } from '../words.ts';
import { originOf } from './commit/commit.ts';
import { describePreview, expectOf, type PreviewOutcome } from './commit/preview.ts';
import type { CompactorPorts } from './compactor.ts';
import { Draft } from './draft/draft.ts';
import { dropOldest } from './draft/ladder.ts';
import { none } from './events.ts';
import type { PreparedRun } from './prepareRun.ts';
import { type Proposal, type ProposalOutcome, proposeOwn } from './propose.ts';
import type { StrategyEntry } from './run/strategyEntry.ts';

export interface Answered {
  readonly answer: ConsentAnswer;
  /** What was previewed before the answer, and the run that it came from; null when nobody looked. */
  readonly previewed: Proposed | null;
}

/** An outcome, and the run that it came from: of a summary that was prepared, the costs are those of that one. */
export interface Proposed {
  readonly run: PreparedRun;
  readonly outcome: ProposalOutcome;
}

type Propose = (entry: StrategyEntry, run: PreparedRun, signal: AbortSignal) => Promise<Proposed>;

interface Question {
  readonly entry: StrategyEntry;
  readonly run: PreparedRun;
  readonly signal: AbortSignal;
  /** What its figures count now, and for each token of the reading. */
  readonly tokens: number;
  readonly scale: number;
  previewing: Promise<Proposed> | null;
  previewMs: number;
  /** What the person made of the preview; null as long as it stands as it was proposed. */
  amended: Proposal | null;
}

export class Asking {
  readonly #ports: CompactorPorts;
  readonly #propose: Propose;
  #open: Question | null = null;
  /** The person chose to drop the oldest: the same is not asked again until the model has answered. */
  #dropping = false;

  constructor(ports: CompactorPorts, propose: Propose) {
    this.#ports = ports;
    this.#propose = propose;
  }

  /** The model has answered, or another turn begins: the next compaction is another matter. */
  forget(): void {
    this.#dropping = false;
  }

  /** `scale`: what `figures` count for one token of the reading. */
  async ask(
    entry: StrategyEntry,
    run: PreparedRun,
    figures: ConsentFigures,
    scale: number,
    signal: AbortSignal,
  ): Promise<Answered> {
    if (this.#dropping) return { answer: 'dropOldest', previewed: null };
    const { tokens } = figures;
    const question: Question = { entry, run, signal, tokens, scale, previewing: null, previewMs: 0, amended: null };
    this.#open = question;
    try {
      const outlook = await this.#expect(question);
      const answer = await this.#ports.consent({ ...figures, strategy: entry.id, outlook }, signal);
      this.#dropping = answer === 'dropOldest';
      return { answer, previewed: answer === 'compact' ? await this.#previewed(question) : null };
    } catch (thrown) {
      // A stop ends the question too, and no answer is no consent.
      if (signal.aborted) return { answer: 'notNow', previewed: null };
      throw thrown;
    } finally {
      this.#open = null;
    }
  }

  async preview(): Promise<PreviewOutcome> {
    const question = this.#open;
    if (!question) return none(words('That question is no longer open.'));
    question.previewing ??= this.#make(question);
    // A person who looks again sees what was proposed.
    question.amended = null;
    const { run, outcome } = await question.previewing;
    return describePreview(outcome, originOf(run, this.#ports.clock), run);
  }

  /** A person changed what was previewed: agreeing now means that. False when the question is no longer open. */
  amend(from: Proposal, proposal: Proposal): boolean {
    const question = this.#open;
    if (!question?.previewing || from.draft.history !== question.run.history) return false;
    question.amended = proposal;
    return true;
  }

  /** What agreeing to `proposal` would come to, in the unit of the open question. */
  expect(proposal: Proposal): ExpectedResult {
    return expectIn(proposal, this.#open);
  }

  async #make(question: Question): Promise<Proposed> {
    const { clock, onProgress } = this.#ports;
    const begun = clock.now();
    const made = await this.#propose(question.entry, question.run, question.signal);
    question.previewMs = clock.now() - begun;
    onProgress(null);
    return made;
  }

  /** How long the person looked at it is no part of the compaction. */
  async #previewed(question: Question): Promise<Answered['previewed']> {
    if (!question.previewing) return null;
    const { run, outcome: made } = await question.previewing;
    const { amended } = question;
    const outcome = made.kind === 'proposal' && amended ? { ...made, proposal: amended } : made;
    const begun = this.#ports.clock.now() - question.previewMs;
    return { outcome, run: { ...run, order: { ...run.order, begun } } };
  }

  /** Where no model is needed, what compacting would do is known before the person answers. */
  async #expect(question: Question): Promise<ConsentOutlook> {
    const { entry, run, signal } = question;
    const asksNobody = entry.publisher === null && !entry.factory.needs.includes('llm');
    const outcome = asksNobody ? (await this.#propose(entry, run, signal)).outcome : null;
    this.#ports.onProgress(null);
    const draft = dropOldest(Draft.of(run.history), run.budget.limits.target, run.stamp.nonce);
    const dropped = await proposeOwn(run, draft);
    return {
      compact: outcome?.kind === 'proposal' ? expectIn(outcome.proposal, question) : null,
      dropOldest: dropped && expectIn(dropped, question),
    };
  }
}

/** The figures of a question belong together: what is left is counted as what is there. */
function expectIn(proposal: Proposal, question: Question | null): ExpectedResult {
  const expected = expectOf(proposal);
  if (!question) return expected;
  const freed = (proposal.tokensBefore - proposal.tokensAfter) * question.scale;
  return { ...expected, tokens: Math.max(0, Math.round(question.tokens - freed)) };
}
