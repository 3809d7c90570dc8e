/** Notes when another model than the configured one writes the summaries: once a session for each reason. */

import { makeNote } from '../journal/makeNote.ts';
import { inEnglish, words } from '../words.ts';
import type { CompactorPorts } from './compactorPorts.ts';
import type { Summariser } from './run/summariser.ts';

/** Reports when another model than the configured one writes the summaries: once a session for each reason. */
export class SummaryWriterNotes {
  readonly #noted = new Set<string>();

  /** Call after a run that asked a model. */
  async note({ journal, log, summaryProblem }: CompactorPorts, { model, usage }: Summariser): Promise<void> {
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
