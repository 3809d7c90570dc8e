/**
 * A person's own session for the lab: what was said on the path to the head, as it was said, before any compaction.
 */

import type { Message } from '../core/context/message.ts';
import type { CompactionEntry, TreeEntry } from '../core/journal/entry.ts';
import type { RecordedCompaction, RecordedMessage, RecordedSession } from './session.ts';

/** `path` is root first; only the first header is replayed, because a later one is no message. */
export function sessionOfJournal(name: string, path: Iterable<TreeEntry>): RecordedSession {
  const messages: RecordedMessage[] = [];
  const compactions: RecordedCompaction[] = [];
  let headed = false;
  for (const entry of path) {
    switch (entry.type) {
      case 'header':
        if (!headed) messages.unshift(...entry.items.map(({ text }) => ({ role: 'system' as const, content: text })));
        headed = true;
        break;
      case 'message':
        messages.push(toRecorded(entry.message));
        break;
      case 'compaction':
        compactions.push({ after: messages.length, summary: summaryOf(entry) });
        break;
      default:
        break;
    }
  }
  return { name, messages, compactions };
}

function toRecorded(message: Message): RecordedMessage {
  const content = message.text;
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.kind === 'reminder' ? `<system-reminder>\n${content}` : content };
    case 'assistant': {
      const calls = message.interrupted ? [] : (message.toolCalls ?? []);
      if (calls.length === 0) return { role: 'assistant', content };
      const toolCalls = calls.map(({ id, name, arguments: json }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: json },
      }));
      return { role: 'assistant', content, tool_calls: toolCalls };
    }
    case 'tool': {
      const failed = message.isError ? { is_error: true } : {};
      return { role: 'tool', content, tool_call_id: message.toolCallId, ...failed };
    }
  }
}

/** The text that was put in place of what went; empty when nothing was. */
function summaryOf({ plan }: CompactionEntry): string {
  const texts = plan.flatMap((op) => (op.op === 'insert' ? [op.message.text] : []));
  return texts.join('\n\n');
}
