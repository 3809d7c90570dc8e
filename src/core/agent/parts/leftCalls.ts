/**
 * Calls that never began because the window or the session was closed. They stay open, with a note that names them, so
 * that *Continue* can put their questions again; whatever else goes on gives them their result first. Nothing here runs a
 * call.
 */

import { ABANDONED_CALL } from '../../context/lower.ts';
import type { ToolCall, ToolMessage } from '../../context/message.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { listOf, objectOf } from '../../json.ts';
import { describeNotRun, isStopCause, type StopCause } from '../../stop.ts';
import { estimateMessage } from '../../tokens/estimate.ts';
import { type Words, words } from '../../words.ts';

export interface LeftCall {
  readonly call: ToolCall;
  readonly by: StopCause;
  /** The person was being asked about it. */
  readonly wasAsked: boolean;
}

/** Nobody decided to stop: the turn can go on where it was. */
export const mayRunLater = (by: StopCause): boolean => by === 'window' || by === 'session';

/** Call when every other call of the answer has its result. */
export async function noteLeft(journal: Journal, left: readonly LeftCall[]): Promise<void> {
  const [first] = left;
  if (!first) return;
  const calls = left.map(({ call }) => call.id);
  await journal.append(makeNote('info', describeLeft(first), { action: 'retry', left: { by: first.by, calls } }));
}

function describeLeft({ by, wasAsked }: LeftCall): Words {
  if (wasAsked)
    return by === 'window'
      ? words('The window was closed before you had answered. Continue asks you again.')
      : words('The session was closed before you had answered. Continue asks you again.');
  return by === 'window'
    ? words('The window was closed before all calls had run. Continue goes on with them, and asks you as usual.')
    : words('The session was closed before all calls had run. Continue goes on with them, and asks you as usual.');
}

interface Left {
  readonly by: StopCause;
  readonly calls: readonly ToolCall[];
}

/** The calls that are still open and may run later. Null when there are none, or the conversation has gone on since. */
export function findLeft(journal: Journal): Left | null {
  const open = findOpen(journal);
  if (!open) return null;
  for (const entry of journal.backward()) {
    if (entry.seq <= open.seq) return null;
    if (entry.type !== 'note' || !entry.left) continue;
    const { by, calls: names } = objectOf(entry.left);
    const named = listOf(names);
    const calls = open.calls.filter(({ id }) => named.includes(id));
    return calls.length > 0 && isStopCause(by) ? { by, calls } : null;
  }
  return null;
}

/** The calls of the newest answer that have no result, with the entry of the answer. */
function findOpen(journal: Journal): { readonly seq: number; readonly calls: readonly ToolCall[] } | null {
  const items = journal.context.conversation;
  const at = items.findLastIndex(({ message }) => message.role !== 'tool');
  const answer = items[at];
  // Recorded by another program: it is read, and runs nothing here.
  if (answer?.message.role !== 'assistant' || answer.seq <= journal.importedTo || answer.message.interrupted)
    return null;
  const answered = new Set<string>();
  for (const { message } of items.slice(at + 1)) if (message.role === 'tool') answered.add(message.toolCallId);
  const calls = (answer.message.toolCalls ?? []).filter(({ id }) => !answered.has(id));
  return calls.length > 0 ? { seq: answer.seq, calls } : null;
}

/**
 * Gives the calls that are still open their results: those that were left never ran; of those that the end of the program
 * cut off nobody knows. Call only while nothing runs.
 */
export async function closeLeft(journal: Journal): Promise<void> {
  const left = findLeft(journal);
  const isLeft = new Set(left?.calls.map(({ id }) => id));
  for (const { id, name } of findOpen(journal)?.calls ?? []) {
    const outcome =
      left && isLeft.has(id) ? { text: describeNotRun(left.by), notRun: left.by } : { text: ABANDONED_CALL };
    const message: ToolMessage = {
      role: 'tool',
      toolCallId: id,
      toolName: name,
      isError: true,
      ...outcome,
      outcome: { kind: 'interrupted' },
    };
    await journal.append({ type: 'message', message, tokens: estimateMessage(message) });
  }
}
