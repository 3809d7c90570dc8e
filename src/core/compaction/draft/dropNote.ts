/** The note in place of messages that were dropped to make room: its wording, and how it is read again. */

import type { Stamp } from './stub.ts';

/** Replaces messages dropped to make room; the recall tool's search finds them, where there is one. */
export function makeDropNote({ nonce, recalls = true }: Stamp, messages: number, tokens: number): string {
  const search = recalls ? '; search them with the recall tool' : '';
  return `[palimpsest:${nonce} ${messages} earlier messages (about ${tokens} tokens) were dropped to make room, not summarised${search}]`;
}

/** True for a drop note of any session. */
export const isDropNote = (text: string): boolean =>
  /^\[palimpsest:\w+ \d+ earlier messages \(about \d+ tokens\) were dropped/.test(text);

/** The counts in an earlier drop note; null when `text` is not a note of this session. */
export function readDropNote(
  text: string,
  nonce: string,
): { readonly messages: number; readonly tokens: number } | null {
  const found = /^\[palimpsest:(\w+) (\d+) earlier messages \(about (\d+) tokens\)/.exec(text);
  return found?.[1] === nonce ? { messages: Number(found[2]), tokens: Number(found[3]) } : null;
}
