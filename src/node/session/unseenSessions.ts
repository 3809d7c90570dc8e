/**
 * The sessions of this window that work while another one is on screen. One that has finished is closed, which releases
 * its lock, and its end is remembered until the person looks at it.
 */

import type { Journal } from '../../core/journal/journal.ts';
import type { PanelState } from '../../protocol/messages.ts';
import type { Conversation } from './conversation.ts';

/** Sessions at work at once in one window, with the one on screen. */
export const MOST_AT_WORK = 4;

type UnseenState = PanelState['others'][number]['state'];

export class UnseenSessions {
  readonly #onChange: () => void;
  readonly #atWork = new Map<string, Conversation>();
  readonly #ended = new Map<string, 'finished' | 'stopped'>();
  /** Until they settle, this window holds the locks of these sessions. */
  readonly #closing = new Map<string, Promise<void>>();
  #shown = '';

  /** `onChange` is called when what a session does changes, and before one that has finished is closed. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get list(): readonly Conversation[] {
    return [...this.#atWork.values()];
  }

  get states(): PanelState['others'] {
    const stateOf = ({ status }: Conversation): UnseenState => (status === 'waiting' ? 'waiting' : 'working');
    return [
      ...this.list.map((each) => ({ id: each.id, state: stateOf(each) })),
      ...[...this.#ended].map(([id, state]) => ({ id, state })),
    ];
  }

  find(id: string): Conversation | null {
    return this.#atWork.get(id) ?? null;
  }

  /** No further session can go on unseen. */
  get isFull(): boolean {
    return this.#atWork.size >= MOST_AT_WORK - 1;
  }

  /** The session is at work, and goes on. */
  add(conversation: Conversation): void {
    this.#atWork.set(conversation.id, conversation);
  }

  /** The person looks at the session: null when it is not at work. */
  take(id: string): Conversation | null {
    const taken = this.find(id);
    this.#atWork.delete(id);
    this.#ended.delete(id);
    return taken;
  }

  /** Something in an unseen session has changed. */
  update({ id }: Conversation): void {
    // Between a turn and the next message that waits, nothing runs for a moment.
    queueMicrotask(() => {
      const conversation = this.find(id);
      if (conversation && !conversation.atWork) this.#finish(conversation);
      else this.#notify();
    });
  }

  /** Resolves when nothing runs any more and the lock is released. `by` as in `Conversation`. */
  close(conversation: Conversation, by: Parameters<Conversation['close']>[0] = 'session'): Promise<void> {
    const { id } = conversation;
    this.#atWork.delete(id);
    const closed = conversation.close(by).finally(() => this.#closing.delete(id));
    this.#closing.set(id, closed);
    return closed;
  }

  /** Resolves when the session is not being closed. */
  async whenClosed(id: string): Promise<void> {
    await this.#closing.get(id)?.catch(() => undefined);
  }

  /** Stops the session where it works, and forgets how it ended. */
  async drop(id: string): Promise<void> {
    const conversation = this.take(id);
    this.#notify();
    if (conversation) await this.close(conversation);
    await this.whenClosed(id);
  }

  async dispose(): Promise<void> {
    await Promise.allSettled([...this.#closing.values(), ...this.list.map((each) => this.close(each, 'window'))]);
  }

  #finish(conversation: Conversation): void {
    // Its end can be told only while it is here.
    this.#onChange();
    this.#ended.set(conversation.id, endOf(conversation.journal) === 'problem' ? 'stopped' : 'finished');
    // A lock that cannot be removed belongs to nobody once this window is gone.
    this.close(conversation).catch(() => undefined);
    this.#notify();
  }

  #notify(): void {
    const asked = this.list.flatMap((each) => each.waiting);
    const now = JSON.stringify([this.states, asked]);
    if (now === this.#shown) return;
    this.#shown = now;
    this.#onChange();
  }
}

/** The kind of the end of a conversation. */
export function endOf(journal: Pick<Journal, 'head' | 'entry' | 'context'>): 'answer' | 'problem' | 'other' {
  const newest = journal.head === null ? null : journal.entry(journal.head);
  // The files that a turn changed are counted after its answer.
  if (newest?.type === 'note' && !newest.changes) return newest.level === 'info' ? 'other' : 'problem';
  const message = journal.context.conversation.at(-1)?.message;
  return message?.role === 'assistant' && !message.toolCalls?.length ? 'answer' : 'other';
}
