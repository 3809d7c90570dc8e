/** What changed in a conversation, for whoever shows it. */

import type { Entry } from '../../core/journal/entry.ts';

export type ConversationChange =
  | { readonly kind: 'state' }
  /** The streaming answer began or ended. */
  | { readonly kind: 'answer' }
  | { readonly kind: 'delta'; readonly text: string; readonly reasoning: string }
  | { readonly kind: 'call'; readonly toolCallId: string }
  | { readonly kind: 'entry'; readonly entry: Entry };
