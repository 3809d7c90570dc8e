/**
 * Reads the sources at the beginning of a turn: files, servers, other programs. None of them may prevent a turn: one
 * that fails is left out and reported once, and Stop ends the wait for one that hangs.
 */

import { wordsOf } from '../../errors.ts';
import type { ReportSkipped } from '../../instructions/sourceFile.ts';
import type { Log } from '../../log.ts';
import { untilAborted } from '../../sleep.ts';
import { inEnglish, verbatim, type Words, words } from '../../words.ts';

export class TurnSources {
  readonly #log: Log;
  readonly #reported = new Set<string>();
  #untold: Words[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** `otherwise` when it cannot be read or the turn is stopped. */
  async read<T>(name: Words, read: () => Promise<T>, otherwise: () => T, signal: AbortSignal): Promise<T> {
    if (signal.aborted) return otherwise();
    try {
      return await untilAborted(read(), signal);
    } catch (thrown) {
      if (!signal.aborted) this.#report(name, wordsOf(thrown));
      return otherwise();
    }
  }

  /** It exists but cannot be used. */
  readonly reportSkipped: ReportSkipped = (origin, reason) => this.#report(verbatim(origin), reason);

  report(...notices: readonly Words[]): void {
    this.#untold.push(...notices);
  }

  /** News for the person, each reported once. */
  takeNotices(): readonly Words[] {
    const notices = this.#untold;
    this.#untold = [];
    return notices;
  }

  #report(name: Words, reason: Words): void {
    const notice = words('{0} cannot be read, so this turn goes on without it: {1}', name, reason);
    const text = inEnglish(notice);
    this.#log('warn', text);
    if (this.#reported.has(text)) return;
    this.#reported.add(text);
    this.#untold.push(notice);
  }
}
