/**
 * The modes of a session, which limit what the agent may do. A mode is the person's choice for the session, so it does
 * not change when the head moves.
 */

import type { UserMessage } from '../context/message.ts';
import type { Journal } from '../journal/journal.ts';
import { estimateMessage } from '../tokens/estimate.ts';
import { type Words, words } from '../words.ts';

export const MODES = ['ask', 'plan', 'act'] as const;

export type Mode = (typeof MODES)[number];

export const DEFAULT_MODE: Mode = 'act';

export function isMode(value: unknown): value is Mode {
  return MODES.some((mode) => mode === value);
}

export function nextMode(mode: Mode): Mode {
  return MODES[(MODES.indexOf(mode) + 1) % MODES.length] ?? DEFAULT_MODE;
}

/** For the person. */
export const MODE_WORDS: Readonly<Record<Mode, { readonly label: Words; readonly description: Words }>> = {
  ask: { label: words('Ask'), description: words('Reads and answers. Nothing is changed or run.') },
  plan: { label: words('Plan'), description: words('Reads and makes a plan, which you approve, change or refuse.') },
  act: { label: words('Act'), description: words('Does the work, and asks you before it writes or runs anything.') },
};

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
