/**
 * Messages that wait for an answer, kept beside the session's journal, so that closing the window loses none. Consent to
 * read files that may hold secrets is not kept: it was given for a message that was about to be sent.
 */

import { join } from 'node:path';
import type { Attachment } from '../../core/context/message.ts';
import { areAttachments } from '../../core/journal/codec.ts';
import { asText, listOf, objectOf } from '../../core/json.ts';
import { LastValueFile } from '../storage/disk/lastValueFile.ts';
import { QUEUE } from '../storage/sessions/keptFiles.ts';

export interface WaitingMessage {
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}

export interface QueueFile {
  /** What waited when the session was last closed. */
  readonly kept: readonly WaitingMessage[];
  save(list: readonly WaitingMessage[]): void;
  /** False when what was saved last is not on disk. */
  settle(): Promise<boolean>;
}

/** `most`: how many may wait. */
export async function openQueueFile(
  folder: string,
  most: number,
  onFault: (thrown: unknown) => void,
): Promise<QueueFile> {
  const file = new LastValueFile(join(folder, QUEUE), onFault);
  const kept = listOf(await file.read())
    .slice(0, most)
    .flatMap(readWaiting);
  return {
    kept,
    save: (list) => file.set(list.length === 0 ? null : list),
    settle: () => file.settle(),
  };
}

function readWaiting(value: unknown): WaitingMessage[] {
  const { text, attachments } = objectOf(value);
  if (asText(text) === '' && attachments === undefined) return [];
  return [{ text: asText(text), ...(areAttachments(attachments) ? { attachments } : {}) }];
}
