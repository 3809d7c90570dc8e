/** The pairing rules of a request: calls are answered at once, each result comes once, ids are unique. */

import type { RecordedMessage } from './session.ts';

/** Describes the first violation, or null. */
export function findBreach(messages: readonly RecordedMessage[]): string | null {
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) return `message ${i} answers no open call`;
      continue;
    }
    if (open.size > 0) return `message ${i} comes before all calls are answered`;
    for (const { id } of message.tool_calls ?? []) {
      if (seen.has(id)) return `message ${i} uses the call id ${id} again`;
      seen.add(id);
    }
    open = new Set(message.tool_calls?.map((call) => call.id));
  }
  return open.size > 0 ? 'the last calls are not answered' : null;
}
