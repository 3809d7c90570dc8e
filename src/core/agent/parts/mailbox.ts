/** Messages that other sessions left for this one. Each is delivered once, and the model reads it as a note. */

import type { UserMessage } from '../../context/message.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { estimateMessage } from '../../tokens/estimate.ts';
import { neutralise } from '../../tools/text/neutralise.ts';
import { words } from '../../words.ts';

/** A message left for this session in another session of the workspace. */
export interface LeftMessage {
  /** Id and former title of the session in which it was left. */
  readonly from: string;
  readonly title: string;
  readonly text: string;
}

export interface LeftMail {
  readonly message: LeftMessage;
  readonly remove: () => Promise<void>;
}

export interface Mailbox {
  /** Oldest first. */
  waiting(signal: AbortSignal): Promise<readonly LeftMail[]>;
}

/**
 * Each message is delivered once, at the beginning of a turn, as a reminder: the model reads it as a note and not as the
 * person's order here.
 */
export async function deliverMail(journal: Journal, mail: readonly LeftMail[]): Promise<void> {
  for (const { message, remove } of mail) {
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
      makeNote('info', words('The model was given a message from the session “{0}”.', title), {
        detail: text.split('\n').map((line) => words('{0}', line)),
      }),
    );
    await remove();
  }
}
