/** What changed in a conversation, for the code that shows it. */

import type { Attachment } from '../../core/context/message.ts';
import type { GivenImage } from '../../core/images/attachImages.ts';
import type { Entry } from '../../core/journal/entry.ts';

/** What goes with the text of a person's message. */
export interface SentWith {
  readonly images?: readonly GivenImage[];
  /** Images that the session keeps already. */
  readonly attachments?: readonly Attachment[];
  /** The person agreed that mentioned files which may hold secrets are read. */
  readonly mentionsSecrets?: boolean;
}

export type ConversationChange =
  | { readonly kind: 'state' }
  /** The streaming answer began or ended. */
  | { readonly kind: 'answer' }
  | { readonly kind: 'delta'; readonly text: string; readonly reasoning: string }
  | { readonly kind: 'call'; readonly toolCallId: string }
  | { readonly kind: 'entry'; readonly entry: Entry }
  /** The person chose a new session instead of a compaction; `message` waits to be sent there. */
  | { readonly kind: 'newSession'; readonly message: string; readonly more: SentWith }
  /** A message could not be sent, for want of a model or a disk: the text goes back to the composer. */
  | { readonly kind: 'unsent'; readonly text: string; readonly attachments?: readonly Attachment[] };
