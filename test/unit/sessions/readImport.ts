/** A recorded session as it is after its import, each message as one line. */

import { expect } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { Message, Usage } from '../../../src/core/context/message.ts';
import { importRecorded } from '../../../src/core/sessions/importRecorded.ts';
import { type RecordedFormat, recognise } from '../../../src/core/sessions/recognise.ts';
import { type ImportReport, newImportReport } from '../../../src/core/sessions/recorded.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { pairingFault } from '../journal/reference.ts';

interface Imported {
  readonly format: RecordedFormat | null;
  readonly system: readonly string[];
  /** All that was said and put in, also what a compaction took out of the context. */
  readonly messages: readonly string[];
  readonly context: readonly string[];
  readonly usage: readonly Usage[];
  readonly report: ImportReport;
}

/** One line a message: `user: text`, `assistant(thought): text +call(arguments)`, `tool!: text`. */
function show(message: Message): string {
  switch (message.role) {
    case 'user':
      return `${message.kind}: ${message.text}`;
    case 'assistant': {
      const calls = message.toolCalls?.map(({ name, arguments: args }) => ` +${name}(${args})`) ?? [];
      const said = `${message.text}${message.interrupted ? ' …' : ''}${calls.join('')}`;
      return `assistant${message.reasoning ? `(${message.reasoning.text})` : ''}: ${said}`;
    }
    case 'tool':
      return `tool${message.isError ? '!' : ''}: ${message.text}`;
  }
}

export async function readImport(text: string): Promise<Imported> {
  const known = recognise(text);
  const format = known && known.format !== 'palimpsest' ? known.format : null;
  const report = newImportReport();
  const { journal } = await memoryJournal();
  async function* lines() {
    yield* text.split('\n');
  }
  const usage: Usage[] = [];
  if (format) await importRecorded(format, lines(), report, async () => journal);
  for (const entry of journal.ofType('usage')) usage.push(entry.usage);
  expect(pairingFault(lowerContext(journal.context))).toBe(null);
  const system = journal.context.header?.items.map((item) => item.text) ?? [];
  const messages = [...journal.context.slots()].map(({ message }) => show(message));
  const context = journal.context.conversation.map(({ message }) => show(message));
  return { format, system, messages, context, usage, report };
}

export const jsonl = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join('\n');
