/**
 * Notes in the journal about a turn: the files that it changed, with the time and money that it took, and its end, where
 * the person has to act. A note that cannot be stored stops nothing.
 */

import type { Agent } from '../../core/agent/agent.ts';
import type { NoModel, TurnOutcome } from '../../core/agent/turnOutcome.ts';
import { countChanges, describeChanges } from '../../core/checkpoints/review.ts';
import type { Clock } from '../../core/clock.ts';
import { spentSince } from '../../core/cost/spending.ts';
import { type ModelError, messageOf } from '../../core/errors.ts';
import type { NoteAction, NoteEntry, TurnChanges } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { makeNote } from '../../core/journal/makeNote.ts';
import type { Log } from '../../core/log.ts';
import type { Words } from '../../core/words.ts';

type Taken = Pick<TurnChanges, 'ms' | 'costs'>;

export class TurnNotes {
  readonly #agent: Pick<Agent, 'journal' | 'files'>;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(agent: Pick<Agent, 'journal' | 'files'>, clock: Clock, log: Log) {
    this.#agent = agent;
    this.#clock = clock;
    this.#log = log;
  }

  /** The returned function tells what has been taken since: time, and the money of requests. */
  measure(): () => Taken {
    const { journal } = this.#agent;
    const [start, spending] = [this.#clock.now(), journal.spending];
    return () => ({ ms: this.#clock.now() - start, costs: spentSince(spending, journal.spending) });
  }

  /**
   * Counts what differs in files at the end of a turn, whose entries are those from `begun` on. A turn that touched none
   * reads none. `putBack`: files were put back first, which belong to no turn.
   */
  async addChanges(begun: number, taken: Taken, putBack = false): Promise<void> {
    const { journal, files } = this.#agent;
    const since = (putBack ? firstRestore(journal, begun) : null) ?? begun - 1;
    try {
      const changes = files && (await countChanges(since, files.restorePorts));
      if (changes)
        await journal.append(makeNote('info', describeChanges(changes), { changes: { ...changes, ...taken } }));
    } catch (thrown) {
      this.#log('error', `The changes of a turn could not be counted: ${messageOf(thrown)}`);
    }
  }

  /** Nothing where the agent is done, or goes on elsewhere. */
  async addEnd(outcome: Exclude<TurnOutcome, { kind: 'stopped' }> | NoModel): Promise<void> {
    switch (outcome.kind) {
      case 'noModel':
        return this.add('error', outcome.problem, [outcome.action, 'chooseModel']);
      case 'failed': {
        const { error } = outcome;
        const { retryAfterMs } = error.facts;
        const retryAt = retryAfterMs ? this.#clock.now() + retryAfterMs : undefined;
        return this.add('error', error.words, waysOut(error), retryAt);
      }
      case 'paused':
        return this.add('warning', outcome.reason, ['retry']);
      case 'done':
      case 'newSession':
        return;
    }
  }

  /** `ways` out, the best first. */
  async add(
    level: NoteEntry['level'],
    notice: Words,
    ways: readonly NoteAction[] = [],
    retryAt?: number,
  ): Promise<void> {
    const [action, ...others] = new Set(ways);
    try {
      await this.#agent.journal.append(makeNote(level, notice, { action, also: others, retryAt }));
    } catch (thrown) {
      // Writing the journal failed: the note is in memory and on screen, and the log has the details.
      this.#log('error', `A note could not be stored: ${messageOf(thrown)}`);
    }
  }
}

function firstRestore(journal: Journal, from: number): number | null {
  for (const { seq, cause } of journal.ofType('files')) if (seq >= from && cause === 'restore') return seq;
  return null;
}

/** Remedies for a failed request, the best first: the advised one, and a retry. */
export function waysOut({ kind, facts }: Pick<ModelError, 'kind' | 'facts'>): readonly [NoteAction, ...NoteAction[]] {
  switch (kind) {
    case 'auth':
      return facts.byExtension ? ['retry', 'chooseModel'] : ['setKey', 'retry', 'chooseModel'];
    case 'billing':
      return ['chooseModel', 'retry'];
    case 'notFound':
      return facts.byExtension ? ['chooseModel', 'retry'] : ['chooseModel', 'openSettings', 'retry'];
    case 'badRequest':
      return facts.byExtension ? ['chooseModel', 'retry'] : ['openSettings', 'chooseModel', 'retry'];
    case 'overflow':
      return ['newSession', 'compact', 'chooseModel', 'retry'];
    case 'rateLimit':
      // A single request above the whole quota never fits.
      return facts.retryable === false ? ['retry', 'compact', 'chooseModel'] : ['retry', 'chooseModel'];
    case 'network':
      return facts.byProxy ? ['openProxySettings', 'retry', 'chooseModel'] : ['retry', 'chooseModel'];
    case 'interrupted':
    case 'aborted':
      return ['retry'];
  }
}
