/** Takes images out of a draft: a line stands in place of each and says how to see it again. */

import type { ContextMessage } from '../../../api/index.ts';
import { nameImage } from '../../context/item.ts';
import { neutraliseNotes } from '../../tools/text/neutralise.ts';
import { words } from '../../words.ts';
import type { Decision, Draft } from './draft.ts';
import type { Stamp } from './stub.ts';

/**
 * Removes images from before the latest round; a line names each and says how to see it again. Images of the latest
 * round stay as long as their messages do.
 */
export function nameImages(draft: Draft, stamp: Stamp): Draft {
  const newest = draft.history.messages.at(-1)?.round ?? 0;
  const named: [number, Decision][] = [];
  draft.visit((message, index) => {
    if (message.round >= newest || message.protected || !holdsImages(draft, index)) return;
    named.push([index, takeImages(draft, index, stamp)]);
  });
  if (named.length === 0) return draft;
  return draft.decide(named).repaired(words('Earlier messages whose images were removed: {0}.', named.length));
}

/** True when the message still has its images, as decided. */
export function holdsImages(draft: Draft, index: number): boolean {
  const decision = draft.at(index);
  if (decision.kind === 'drop' || decision.kind === 'hide') return false;
  if (decision.kind === 'replace' && decision.images !== undefined) return false;
  const message = draft.history.messages[index] as ContextMessage;
  return message.role !== 'assistant' && (message.attachments?.length ?? 0) > 0;
}

/** The message as decided, with a line in place of its images. */
export function takeImages(
  draft: Draft,
  index: number,
  { nonce, recalls = true }: Stamp,
): Extract<Decision, { kind: 'replace' }> {
  const decision = draft.at(index);
  const { id } = draft.history.messages[index] as ContextMessage;
  const body = draft.history.items[index]?.message;
  const images = body && body.role !== 'assistant' ? (body.attachments ?? []) : [];
  const names = images.map((image) => neutraliseNotes(nameImage(image))).join(', ');
  return {
    ...(decision.kind === 'replace' ? decision : { kind: 'replace' }),
    images: `[palimpsest:${nonce} ${names} taken out${recalls ? `; recall with id ${id} shows it again` : ''}]`,
  };
}
