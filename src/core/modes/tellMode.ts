/** Tells the model the mode by a reminder at the end of the context, so that the prefix of the request stays as it is. */

import type { UserMessage } from '../context/message.ts';
import type { Journal } from '../journal/journal.ts';
import { estimateMessage } from '../tokens/estimate.ts';
import { DEFAULT_MODE, MODE_REMINDERS, MODES, type Mode } from './modes.ts';

/** Only when what the context says is not what is in force. */
export async function tellMode(journal: Journal, mode: Mode): Promise<void> {
  if (mode === toldMode(journal)) return;
  const reminder: UserMessage = { role: 'user', kind: 'reminder', text: MODE_REMINDERS[mode] };
  await journal.append({ type: 'message', message: reminder, tokens: estimateMessage(reminder) });
}

/** The default one where nothing is said of it, also after the reminder was compacted away. */
function toldMode(journal: Journal): Mode {
  const reminder = journal.context.conversation.findLast(
    (item) => item.kind === 'reminder' && !item.hidden && modeOf(item.message.text) !== null,
  );
  return (reminder && modeOf(reminder.message.text)) ?? DEFAULT_MODE;
}

function modeOf(text: string): Mode | null {
  return MODES.find((mode) => MODE_REMINDERS[mode] === text) ?? null;
}
