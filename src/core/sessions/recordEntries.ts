/**
 * Turns messages recorded by any program into entries of a journal. Whatever the recording lacks, the result is a valid
 * history: ids are unique, every call is followed by its one result, and text is well-formed. What the program compacted
 * is compacted here as well, so that the context is what it would have sent.
 */

import type { Message } from '../context/message.ts';
import { type EntryDraft, messageId } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { countTokens, estimateMessage } from '../tokens/estimate.ts';
import { neutralise } from '../tools/text/neutralise.ts';
import { inEnglish, words } from '../words.ts';
import { CallIds, OpenCalls } from './openCalls.ts';
import {
  type ImportReport,
  messageOf,
  type Recorded,
  type RecordedCompaction,
  type RecordedMessage,
} from './recorded.ts';
import { appendRecordedCompaction } from './recordedCompaction.ts';

export const MISSING_RESULT = '[The result of this tool call was not recorded.]';

const UNREADABLE = words(
  'The recorded session was compacted here. What took the place of the history is not in the file in a form that can be read, so the whole history stays in the context.',
);

/** `open` gives the journal to append to, and is asked before each entry: a recording without a message needs none. */
export async function recordEntries(
  messages: AsyncIterable<Recorded>,
  report: ImportReport,
  open: () => Promise<Journal>,
): Promise<void> {
  const ids = new CallIds('-');
  const system: string[] = [];
  /** The item that each message became; null for one in the header. */
  const items = new WeakMap<RecordedMessage, string | null>();
  let calls = new OpenCalls([]);
  let started = false;
  /** Waits until every call has its result. */
  let compactions: RecordedCompaction[] = [];
  /** False while the context here is not the one that the program counted. */
  let counts = true;
  const append = async (draft: EntryDraft) => (await open()).append(draft);
  const add = async (message: Message, recorded?: RecordedMessage) => {
    report.messages++;
    const { seq } = await append({ type: 'message', message, tokens: estimateMessage(message) });
    if (recorded) items.set(recorded, messageId(seq));
  };
  const close = async () => {
    for (const { id, name } of calls.left) {
      report.missingResults++;
      await add({ role: 'tool', toolCallId: id, toolName: name, text: MISSING_RESULT, isError: true });
    }
    calls = new OpenCalls([]);
    const due = compactions;
    compactions = [];
    for (const compaction of due) await compact(compaction);
  };
  const compact = async ({ context, trigger = 'recorded' }: RecordedCompaction) => {
    counts = context !== null;
    if (!context) {
      await append({ type: 'note', level: 'warning', text: inEnglish(UNREADABLE), words: UNREADABLE });
      return;
    }
    const journal = await open();
    if (journal.context.conversation.length > 0) {
      await appendRecordedCompaction(journal, { context, trigger, items });
      return;
    }
    // The recording begins with it: nothing was lost to a summary that stands in its history's place.
    for (const each of context) {
      const message = items.has(each) ? null : messageOf(each);
      if (message) await add(message, each);
    }
  };
  for await (const recorded of messages) {
    if (recorded.role === 'system' && !started) {
      system.push(recorded.text.toWellFormed());
      items.set(recorded, null);
      continue;
    }
    if (!started && system.length > 0) await append(headerOf(system));
    started = true;
    if (recorded.role === 'compaction') {
      compactions.push(recorded);
      continue;
    }
    if (recorded.role !== 'tool') await close();
    switch (recorded.role) {
      case 'system':
      case 'user':
        await add(messageOf(recorded), recorded);
        break;
      case 'assistant': {
        const made = (recorded.toolCalls ?? []).map((call) => {
          const id = ids.take(call.id.toWellFormed() || 'call');
          if (id !== call.id) report.renamedCalls++;
          const args = call.arguments.toWellFormed();
          return { recordedId: call.id, call: { id, name: call.name.toWellFormed() || 'unknown', arguments: args } };
        });
        const { text, reasoning, usage, model = 'imported' } = recorded;
        const message: Message = {
          role: 'assistant',
          text: text.toWellFormed(),
          ...(reasoning ? { reasoning: { field: 'reasoning', text: reasoning.toWellFormed() } } : {}),
          ...(made.length > 0 ? { toolCalls: made.map(({ call }) => call) } : {}),
          ...(recorded.interrupted ? { interrupted: true } : {}),
        };
        await add(message, recorded);
        if (usage && counts) await append({ type: 'usage', model, usage });
        // An interrupted answer's calls were never run: lowering leaves them out, and so has nothing to close.
        calls = new OpenCalls(recorded.interrupted ? [] : made);
        break;
      }
      case 'tool': {
        const answered = calls.answer(recorded.toolCallId);
        if (!answered) {
          report.strayResults++;
          break;
        }
        await add({
          role: 'tool',
          toolCallId: answered.id,
          toolName: answered.name,
          text: neutralise(recorded.text).toWellFormed(),
          ...(recorded.isError ? { isError: true } : {}),
        });
        break;
      }
    }
  }
  if (!started && system.length > 0) await append(headerOf(system));
  await close();
}

function headerOf(system: readonly string[]): EntryDraft {
  const items = system.map((text) => ({
    kind: 'systemPrompt' as const,
    origin: 'imported',
    text,
    tokens: countTokens(text),
    cacheHint: true,
  }));
  return { type: 'header', items, tools: [], tokens: items.reduce((sum, item) => sum + item.tokens, 0) };
}
