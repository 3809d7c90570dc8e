/** Notes when summaries are not written as the settings say, by another model or shorter: once a session for each reason. */

import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import type { Log } from '../../log.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import { SUMMARY } from '../sections/generalSettings.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { Summariser } from './summariser.ts';

interface Ports {
  readonly journal: Journal;
  readonly log: Log;
  /** The settings in force. */
  readonly settings: () => Pick<CompactionSettings, 'summary'>;
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
  async note(llm: Summariser): Promise<void> {
    if (llm.usage === null) return;
    const ports = this.#ports;
    const { journal, log } = ports;
    for (const message of [describeOther(ports, llm), describeShorter(ports, llm)]) {
      const text = message && inEnglish(message);
      if (!text || this.#noted.has(text)) continue;
      this.#noted.add(text);
      log('warn', text);
      await journal.append(makeNote('warning', message, { action: 'openSettings' }));
    }
  }
}

/** Null when the configured model wrote. */
function describeOther({ summaryProblem }: Ports, { model }: Summariser): Words | null {
  const reason = summaryProblem?.() ?? null;
  return (
    reason && [
      ...words(
        'The model that is set for summaries cannot be used, so {0} wrote this one. The setting is palimpsest.compaction.summary.model.',
        model ?? '',
      ),
      ...reason,
    ]
  );
}

/** Null where summaries may be as long as a person has set, and where nobody has set anything. */
function describeShorter({ settings }: Ports, { model, maxOutputTokens }: Summariser): Words | null {
  const { outputTokenMax } = settings().summary;
  if (outputTokenMax === SUMMARY.fields.outputTokenMax.default || maxOutputTokens >= outputTokenMax) return null;
  return words(
    'A summary by {0} has at most {1} tokens, and not the {2} of palimpsest.compaction.summary.outputTokenMax: its own limit, or a quarter of its window, is smaller.',
    model ?? '',
    maxOutputTokens,
    outputTokenMax,
  );
}
