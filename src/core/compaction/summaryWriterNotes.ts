/** Notes when summaries are not written as the settings say, by another model or shorter: once a session for each reason. */

import { makeNote } from '../journal/makeNote.ts';
import { inEnglish, type Words, words } from '../words.ts';
import type { CompactorPorts } from './compactorPorts.ts';
import type { Summariser } from './run/summariser.ts';
import { SUMMARY } from './sections/generalSettings.ts';

export class SummaryWriterNotes {
  readonly #noted = new Set<string>();

  /** Call after a run that asked a model. */
  async note(ports: CompactorPorts, llm: Summariser): Promise<void> {
    if (llm.usage === null) return;
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
function describeOther({ summaryProblem }: CompactorPorts, { model }: Summariser): Words | null {
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
function describeShorter({ settings }: CompactorPorts, { model, maxOutputTokens }: Summariser): Words | null {
  const { outputTokenMax } = settings().summary;
  if (outputTokenMax === SUMMARY.fields.outputTokenMax.default || maxOutputTokens >= outputTokenMax) return null;
  return words(
    'A summary by {0} has at most {1} tokens, and not the {2} of palimpsest.compaction.summary.outputTokenMax: its own limit, or a quarter of its window, is smaller.',
    model ?? '',
    maxOutputTokens,
    outputTokenMax,
  );
}
