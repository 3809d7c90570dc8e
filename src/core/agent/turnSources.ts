/**
 * Reads the sources at the beginning of a turn: files, servers, other programs. None of them may prevent a turn: one
 * that fails is left out and reported once, and Stop ends the wait for one that hangs.
 */

import { wordsOf } from '../errors.ts';
import type { ReportSkipped } from '../instructions/sourceFile.ts';
import type { Log } from '../log.ts';
import { untilAborted } from '../sleep.ts';
import { inEnglish, verbatim, type Words, words } from '../words.ts';

export class TurnSources {
  readonly #log: Log;
  readonly #told = new Set<string>();
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
      if (!signal.aborted) this.#tell(name, wordsOf(thrown));
      return otherwise();
    }
  }

  /** It exists but cannot be used. */
  readonly reportSkipped: ReportSkipped = (origin, reason) => this.#tell(verbatim(origin), reason);

  report(...said: readonly Words[]): void {
    this.#untold.push(...said);
  }

  /** News for the person, each reported once. */
  takeNotices(): readonly Words[] {
    const said = this.#untold;
    this.#untold = [];
    return said;
  }

  #tell(name: Words, reason: Words): void {
    const said = words('{0} cannot be read, so this turn goes on without it: {1}', name, reason);
    const text = inEnglish(said);
    this.#log('warn', text);
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#untold.push(said);
  }
}
