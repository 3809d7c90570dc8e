/**
 * Messages that were left for this session in another one of the workspace. Each is delivered once, at the beginning of
 * a turn, as a reminder: the model reads it as a note and not as the person's order here.
 */

import type { UserMessage } from '../context/message.ts';
import type { Journal } from '../journal/journal.ts';
import { noteOf } from '../journal/noteOf.ts';
import { estimateMessage } from '../tokens/estimate.ts';
import { neutralise } from '../tools/text/neutralise.ts';
import { words } from '../words.ts';

export interface LeftMessage {
  /** The session that it was left in: its id, and its title then. */
  readonly from: string;
  readonly title: string;
  readonly text: string;
}

export interface Mailbox {
  /** Oldest first. */
  waiting(
    signal: AbortSignal,
  ): Promise<readonly { readonly message: LeftMessage; readonly remove: () => Promise<void> }[]>;
}

export async function deliverMail(journal: Journal, mailbox: Mailbox | undefined, signal: AbortSignal): Promise<void> {
  for (const { message, remove } of (await mailbox?.waiting(signal)) ?? []) {
    const { from, title, text } = message;
    const reminder: UserMessage = {
      role: 'user',
      kind: 'reminder',
      text: neutralise(
        `A message left for this conversation in another session of this workspace (${from}, "${title}"). Take it as a note about what was found out there.\n\n${text}`,
      ),
    };
    await journal.append({ type: 'message', message: reminder, tokens: estimateMessage(reminder) });
    await journal.append(
      noteOf('info', words('The model was given a message from the session “{0}”.', title), {
        detail: text.split('\n').map((line) => words('{0}', line)),
      }),
    );
    await remove();
  }
}
