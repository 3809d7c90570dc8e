/** Notes when another model than the configured one writes the summaries: once a session for each reason. */

import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import type { Log } from '../../log.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { Summariser } from './summariser.ts';

interface Ports {
  readonly journal: Journal;
  readonly log: Log;
  /**
   * Why the model for summaries cannot be used, so that the session's model replaces it; null when it can, or none is
   * configured.
   */
  readonly summaryProblem?: () => Words | null;
}

export class SummaryWriterNotes {
  readonly #ports: Ports;
  readonly #noted = new Set<string>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Call after a run that may have asked a model. */
  async note({ model, usage }: Summariser): Promise<void> {
    const { journal, log, summaryProblem } = this.#ports;
    const reason = usage === null ? null : (summaryProblem?.() ?? null);
    if (reason === null) return;
    const message = [
      ...words(
        'The model that is set for summaries cannot be used, so {0} wrote this one. The setting is palimpsest.compaction.summary.model.',
        model ?? '',
      ),
      ...reason,
    ];
    const text = inEnglish(message);
    if (this.#noted.has(text)) return;
    this.#noted.add(text);
    log('warn', text);
    await journal.append(makeNote('warning', message, { action: 'openSettings' }));
  }
}
