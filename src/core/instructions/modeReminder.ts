/** Tells the model in which mode it works, whenever the context names another one. */

import type { UserMessage } from '../context/message.ts';
import type { Journal } from '../journal/journal.ts';
import { DEFAULT_MODE, MODES, type Mode } from '../mode.ts';
import { estimateMessage } from '../tokens/estimate.ts';

/**
 * Reminders for the model. The texts are constant, so the newest one in the context shows which mode the model knows.
 */
export const MODE_REMINDERS: Readonly<Record<Mode, string>> = {
  ask: 'MODE ask. The person wants an answer and no changes: calls that do more than read are refused until they change the mode.',
  plan: 'MODE plan. The person wants a plan first: calls that do more than read are refused until they approve it. Look at what the plan needs, then call present_plan with it.',
  act: 'MODE act. The person wants the work done: you may use every tool again.',
};

/** Appends the reminder only when the context names another mode than the one in force. */
export async function remindOfMode(journal: Journal, mode: Mode): Promise<void> {
  if (mode === remindedMode(journal)) return;
  const reminder: UserMessage = { role: 'user', kind: 'reminder', text: MODE_REMINDERS[mode] };
  await journal.append({ type: 'message', message: reminder, tokens: estimateMessage(reminder) });
}

/** The mode that the context names; the default where none is named, also after the reminder was compacted away. */
function remindedMode(journal: Journal): Mode {
  const reminder = journal.context.conversation.findLast(
    (item) => item.kind === 'reminder' && !item.hidden && modeOf(item.message.text) !== null,
  );
  return (reminder && modeOf(reminder.message.text)) ?? DEFAULT_MODE;
}

function modeOf(text: string): Mode | null {
  return MODES.find((mode) => MODE_REMINDERS[mode] === text) ?? null;
}
