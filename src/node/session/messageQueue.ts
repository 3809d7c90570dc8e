/**
 * Messages that a person wrote while the agent was working. They wait in order until a turn has succeeded; each can be
 * taken back, or sent within the running turn as soon as its open calls have results. Invariants: messages leave from the
 * front of the list, where a hurried one moves before all that wait; those that waited before the session was opened are
 * sent only when the person says so.
 */

import { join } from 'node:path';
import type { SteeringMessage } from '../../core/agent/parts/agentPerson.ts';
import type { RestoreStep } from '../../core/checkpoints/restorePlan.ts';
import type { GivenImage } from '../../core/context/images.ts';
import type { Attachment, TextPart } from '../../core/context/message.ts';
import type { Crypto } from '../../core/crypto.ts';
import { UserFacingError } from '../../core/errors.ts';
import { areAttachments, areParts } from '../../core/journal/entryTypes.ts';
import { asText, listOf, objectOf } from '../../core/json.ts';
import { words } from '../../core/words.ts';
import { LastValueFile } from '../storage/disk/lastValueFile.ts';
import { QUEUE } from '../storage/sessions/sessionStore.ts';

/** Sent with the text of a person's message. */
export interface SentWith {
  readonly images?: readonly GivenImage[];
  /** Images that the session already stores. */
  readonly attachments?: readonly Attachment[];
  /** The authors of the text's parts; left out where it is all the person's. */
  readonly parts?: readonly TextPart[];
  /** The person agreed to reading mentioned files that may hold secrets. */
  readonly mentionsSecrets?: boolean;
  /** A running turn is stopped for it. */
  readonly interrupts?: boolean;
  /** With a message that replaces another: files that become as they were before that one. */
  readonly putBack?: readonly RestoreStep[];
}

export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  /** It does not wait for the end of the turn. */
  readonly now: boolean;
  /** It was already waiting when the session was opened. */
  readonly kept: boolean;
  readonly more: Omit<SentWith, 'images'>;
}

/** Messages that may wait at once. */
const MOST_QUEUED = 50;

export class MessageQueue {
  readonly #crypto: Crypto;
  readonly #onChange: () => void;
  #list: readonly QueuedMessage[];

  constructor(crypto: Crypto, onChange: () => void, kept: readonly WaitingMessage[] = []) {
    this.#crypto = crypto;
    this.#onChange = onChange;
    this.#list = kept.map(({ text, ...more }) => ({ ...this.#queued(text, more), kept: true }));
  }

  get list(): readonly QueuedMessage[] {
    return this.#list;
  }

  /** Throws when too many are waiting. */
  add(text: string, more: QueuedMessage['more'] = {}): void {
    if (this.#list.length >= MOST_QUEUED)
      throw new UserFacingError(words('{0} messages are already waiting.', MOST_QUEUED));
    this.#set([...this.#list, this.#queued(text, more)]);
  }

  /** Null when it was already sent or removed. */
  remove(id: string): QueuedMessage | null {
    const found = this.#list.find((each) => each.id === id);
    if (found) this.#set(this.#list.filter((each) => each !== found));
    return found ?? null;
  }

  /** It goes with the next request, before all that wait: only behind what was hurried earlier, and together with it. */
  hurry(id: string): void {
    const found = this.#list.find((each) => each.id === id);
    if (!found || found.now) return;
    const others = this.#list.filter((each) => each !== found);
    this.#set([...others.filter(({ now }) => now), { ...found, now: true }, ...others.filter(({ now }) => !now)]);
  }

  /** Removes and returns the messages that do not wait for the end of the turn. */
  takeHurried(): readonly SteeringMessage[] {
    const hurried = this.#list.filter(({ now }) => now);
    if (hurried.length > 0) this.#set(this.#list.filter(({ now }) => !now));
    return hurried.map(({ text, more: { attachments, parts, mentionsSecrets = false } }) => ({
      message: { role: 'user', kind: 'user', text, ...ofMessage({ attachments, parts }) },
      mentionsSecrets,
    }));
  }

  /** Removes and returns the next message. Null when none may be sent automatically. */
  shift(): QueuedMessage | null {
    const next = this.#list.find(({ now, kept }) => now || !kept);
    return next ? this.remove(next.id) : null;
  }

  /** In the form stored on disk. */
  get waiting(): readonly WaitingMessage[] {
    return this.#list.map(({ text, more }) => ({ text, ...ofMessage(more) }));
  }

  #queued(text: string, more: QueuedMessage['more']): QueuedMessage {
    return { id: this.#crypto.randomHex(8), text, now: false, kept: false, more };
  }

  #set(list: readonly QueuedMessage[]): void {
    this.#list = list;
    this.#onChange();
  }
}

/** The fields that go into the message. */
function ofMessage({
  attachments,
  parts,
}: {
  attachments?: SentWith['attachments'] | undefined;
  parts?: SentWith['parts'] | undefined;
}) {
  return { ...(attachments ? { attachments } : {}), ...(parts ? { parts } : {}) };
}

/** A waiting message as displayed: its text, and below it the names of its images. */
export function withImageNames(text: string, attachments: readonly Attachment[] = []): string {
  return [text, ...attachments.map(({ name = '' }) => name)].filter(Boolean).join('\n');
}

/**
 * Messages waiting to be sent, stored next to the session's journal, so that closing the window loses none. Consent to
 * read files that may hold secrets is not stored: it was given for a message about to be sent.
 */
export interface WaitingMessage {
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  readonly parts?: readonly TextPart[];
}

export interface QueueFile {
  /** Messages that were waiting when the session was last closed. */
  readonly kept: readonly WaitingMessage[];
  save(list: readonly WaitingMessage[]): void;
  /** False when the latest value is not on disk. */
  settle(): Promise<boolean>;
}

export async function openQueueFile(folder: string, onFault: (thrown: unknown) => void): Promise<QueueFile> {
  const file = new LastValueFile(join(folder, QUEUE), onFault);
  const kept = listOf(await file.read())
    .slice(0, MOST_QUEUED)
    .flatMap(readWaiting);
  return {
    kept,
    save: (list) => file.set(list.length === 0 ? null : list),
    settle: () => file.settle(),
  };
}

function readWaiting(value: unknown): WaitingMessage[] {
  const { text, attachments, parts } = objectOf(value);
  if (asText(text) === '' && attachments === undefined) return [];
  const given = areAttachments(attachments) ? { attachments } : {};
  return [{ text: asText(text), ...given, ...(areParts(parts) ? { parts } : {}) }];
}
