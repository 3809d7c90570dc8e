/** Says when summaries are not written by the model that was set for them: once a session for each reason. */

import { noteOf } from '../../journal/noteOf.ts';
import { inEnglish, words } from '../../words.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import type { Summariser } from '../run/summarise.ts';

export class SummaryWriterNotes {
  readonly #told = new Set<string>();

  /** After a run in which a model was asked. */
  async tell({ journal, log, summaryProblem }: CompactorPorts, { model, usage }: Summariser): Promise<void> {
    const reason = usage() === null ? null : (summaryProblem?.() ?? null);
    if (reason === null) return;
    const said = [
      ...words(
        'The model that is set for summaries cannot be used, so {0} wrote this one. The setting is palimpsest.compaction.summary.model.',
        model ?? '',
      ),
      ...reason,
    ];
    const text = inEnglish(said);
    if (this.#told.has(text)) return;
    this.#told.add(text);
    log('warn', text);
    await journal.append(noteOf('warning', said, { action: 'openSettings' }));
  }
}
