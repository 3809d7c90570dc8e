/**
 * The session on screen: opens it, reopens it with other access, writes to it, and follows its transcript. A session is
 * created with its first message, so that looking at an empty page writes nothing.
 */

import type { Disposable } from '../../api/index.ts';
import type { Attachment } from '../../core/context/message.ts';
import { isAbort, ToldError } from '../../core/errors.ts';
import { DEFAULT_MODE, type Mode } from '../../core/instructions/modes.ts';
import { type Entry, isTreeEntry } from '../../core/journal/entry.ts';
import { type Mark, markItem, type Travel } from '../../core/journal/timeTravel.ts';
import type { RowPage } from '../../core/transcript/transcript.ts';
import { words } from '../../core/words.ts';
import { LIVE_ROW, type Row } from '../../protocol/rows.ts';
import type { Conversation, ConversationChange, SentWith } from './conversation.ts';
import type { AccessMode } from './sessionAccess.ts';
import { TranscriptWindow } from './transcriptWindow.ts';

/** Why a compaction cannot be undone or redone. */
const NOTHING_TO_STEP = {
  undo: words('There is no compaction to undo.'),
  redo: words('There is no compaction to redo.'),
};

/** Opens a stored session, or makes a new one with `null`. */
export type OpenConversation = (
  id: string | null,
  mode: AccessMode,
  onChange: (change: ConversationChange) => void,
) => Promise<Conversation>;

export type SessionChange =
  | { readonly kind: 'state' }
  /** Rows that are new (appended in this order), changed, or gone; rows before those on screen are skipped. */
  | { readonly kind: 'rows'; readonly ids: readonly string[] }
  /** Text to add to a row: the streaming answer's, or a running tool's output. */
  | { readonly kind: 'delta'; readonly rowId: string; readonly text: string; readonly reasoning: string }
  /** Another session is shown, or another branch of this one. */
  | { readonly kind: 'replaced' }
  /** A message could not be sent: its text returns to the composer. */
  | { readonly kind: 'compose'; readonly text: string; readonly attachments?: readonly Attachment[] };

export class ShownSession {
  readonly #openConversation: OpenConversation;
  readonly #remember: (id: string | null) => void;
  readonly #listeners = new Set<(change: SessionChange) => void>();
  #conversation: Conversation | null = null;
  /** Set while a session is created for a first message, so that a second message does not create another. */
  #creating: Promise<Conversation> | null = null;
  #transcript = new TranscriptWindow(null);
  /** For the session that the next message creates. */
  #nextMode: Mode = DEFAULT_MODE;

  /** `remember` stores which session is on screen, for the next window. */
  constructor(open: OpenConversation, remember: (id: string | null) => void) {
    this.#openConversation = open;
    this.#remember = remember;
  }

  get conversation(): Conversation | null {
    return this.#conversation;
  }

  /** The given title, otherwise the first line a person wrote, as in the list of sessions. */
  get title(): string {
    const journal = this.#conversation?.journal;
    if (!journal || journal.title) return journal?.title ?? '';
    for (const entry of journal.oldest()) {
      if (entry.type !== 'message' || entry.message.role !== 'user' || entry.message.kind !== 'user') continue;
      return entry.message.text.trim().split('\n', 1)[0]?.slice(0, 80) ?? '';
    }
    return '';
  }

  get mode(): Mode {
    return this.#conversation?.journal.mode ?? this.#nextMode;
  }

  /** Effective at once; without a session, for the one that the next message creates. */
  async setMode(mode: Mode): Promise<void> {
    if (this.#conversation) await this.#conversation.setMode(mode);
    else {
      this.#nextMode = mode;
      this.#tell({ kind: 'state' });
    }
  }

  /** Throws without a session, so that a command reports it. */
  require(): Conversation {
    if (!this.#conversation)
      throw new ToldError(words('No session is open. Send a message, or open one from the history.'));
    return this.#conversation;
  }

  /** Also throws when the session cannot be changed now, before the person is asked anything. */
  requireMovable(): Conversation {
    const conversation = this.require();
    conversation.requireMovable();
    return conversation;
  }

  /** Up to `count` rows before `beforeId`, oldest first; the newest with null. */
  rows(beforeId: string | null, count: number): RowPage {
    return this.#transcript.rows(beforeId, count);
  }

  /** Null when the row has left. */
  row(id: string): Row | null {
    return this.#transcript.row(id);
  }

  /** The row that shows a message's entry; null when it is not on the shown path. */
  rowOfEntry(seq: number): string | null {
    const journal = this.#conversation?.journal;
    const entry = journal?.entry(seq);
    if (!journal || entry?.type !== 'message' || !journal.isOnPath(seq)) return null;
    const { message } = entry;
    if (message.role !== 'tool') return `m${seq}`;
    // A result belongs to the newest call of its id before it.
    for (const earlier of journal.path(entry.parent).reverse()) {
      if (earlier.type !== 'message' || earlier.message.role !== 'assistant') continue;
      const at = (earlier.message.toolCalls ?? []).findIndex(({ id }) => id === message.toolCallId);
      if (at >= 0) return `m${earlier.seq}.${at}`;
    }
    return null;
  }

  onDidChange(listener: (change: SessionChange) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Sends a message, in a new session if there is none. `replaces` is the row of the message that it replaces. */
  async send(text: string, replaces?: string, more: SentWith = {}): Promise<void> {
    try {
      this.#creating ??= this.#conversation ? null : this.#open(null, 'own');
      const created = await this.#creating;
      if (created) {
        this.#adopt(created);
        // Rows from before it was on screen, such as the chosen agent.
        const ids = this.rows(null, created.journal.nextSeq).rows.map(({ id }) => id);
        if (ids.length > 0) this.#tell({ kind: 'rows', ids });
        await created.setMode(this.#nextMode);
        this.#nextMode = DEFAULT_MODE;
      }
    } catch (thrown) {
      // No session could store the text, so it returns to the composer.
      this.#tell({ kind: 'compose', text });
      throw thrown;
    } finally {
      this.#creating = null;
    }
    await this.#conversation?.send(text, replaces === undefined ? null : this.#seqOf(replaces), more);
  }

  /** Shows a stored session, or an empty page with `null`. A running turn of the previous session is stopped. */
  async show(id: string | null): Promise<void> {
    const before = this.#conversation;
    if (before && before.id === id) return;
    let next: Conversation | null = null;
    try {
      if (id !== null) next = await this.#open(id, 'own');
    } catch (thrown) {
      // The person cancelled: the previous session stays on screen.
      if (isAbort(thrown)) return;
      throw thrown;
    }
    this.#adopt(next);
    if (!next) this.#remember(null);
    this.#tell({ kind: 'replaced' });
    await before?.close();
  }

  /**
   * Shows a new session in which `begin` writes first; `draft` is put into its composer. The previous one is closed.
   */
  async showNew(begin: (next: Conversation) => Promise<void>, draft: string): Promise<void> {
    const before = this.#conversation;
    const next = await this.#open(null, 'own');
    await begin(next);
    this.#adopt(next);
    this.#tell({ kind: 'replaced' });
    if (draft !== '') this.#tell({ kind: 'compose', text: draft });
    await before?.close();
  }

  /** Reopens the same session with other access: taken over from another window, or given up to one. */
  async reopen(mode: AccessMode): Promise<void> {
    const before = this.#conversation;
    if (!before) return;
    await before.close();
    if (this.#conversation !== before) return;
    let next: Conversation | null = null;
    try {
      next = await this.#open(before.id, mode);
    } catch (thrown) {
      if (!isAbort(thrown)) throw thrown;
    } finally {
      // A closed session that could not be reopened does not stay on screen.
      this.#adopt(next);
      this.#tell({ kind: 'replaced' });
    }
  }

  /** Gives the session up to another window and continues read-only. False while something is running or unwritten. */
  async giveUp(id: string): Promise<boolean> {
    const shown = this.#conversation;
    if (shown?.id !== id || shown.status !== 'idle' || shown.journal.unwritten > 0) return false;
    await this.reopen('read');
    return true;
  }

  /** Another window took the session over, so it is read-only here. */
  async lose(id: string): Promise<void> {
    if (this.#conversation?.id === id) await this.reopen('read');
  }

  /** Undoes the newest compaction, or redoes the one undone last. */
  async step(step: 'undo' | 'redo'): Promise<void> {
    const conversation = this.require();
    await conversation.travel(async () =>
      (await conversation.compactor[step]()) ? { kind: 'done' } : { kind: 'refused', reason: NOTHING_TO_STEP[step] },
    );
  }

  /** Pins or expands items, or reverses that. Throws the reason if none can be. */
  async mark(itemIds: readonly string[], mark: Mark): Promise<void> {
    const conversation = this.require();
    await conversation.travel(async () => {
      const made: Travel[] = [];
      // Items of one block are expanded together, so a later one may be there already.
      for (const itemId of itemIds) made.push(await markItem(conversation.journal, itemId, mark));
      return made.find(({ kind }) => kind === 'done') ?? made[0] ?? { kind: 'done' };
    });
  }

  async dispose(): Promise<void> {
    this.#listeners.clear();
    await this.#conversation?.close();
  }

  /** Something on screen other than the rows has changed. */
  refresh(): void {
    this.#tell({ kind: 'state' });
  }

  #tell(change: SessionChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #adopt(conversation: Conversation | null): void {
    if (conversation && conversation === this.#conversation) return;
    this.#conversation = conversation;
    this.#transcript = new TranscriptWindow(conversation);
  }

  async #open(id: string | null, mode: AccessMode): Promise<Conversation> {
    let opened: Conversation | null = null;
    const conversation = await this.#openConversation(id, mode, (change) => {
      switch (change.kind) {
        case 'unsent':
          this.#tell({ ...change, kind: 'compose' });
          break;
        case 'newSession':
          void this.#sendElsewhere(change.message, change.more);
          break;
        default:
          if (opened && opened === this.#conversation) this.#follow(change);
      }
    });
    opened = conversation;
    this.#remember(conversation.id);
    return conversation;
  }

  /** In a new session, in which the agent may do no more than in this one. */
  async #sendElsewhere(message: string, more: SentWith): Promise<void> {
    const { mode } = this;
    await this.show(null);
    await this.setMode(mode);
    await this.send(message, undefined, more);
  }

  #follow(change: Exclude<ConversationChange, { kind: 'unsent' | 'newSession' }>): void {
    switch (change.kind) {
      case 'state':
        this.#tell({ kind: 'state' });
        break;
      case 'answer':
        this.#tell({ kind: 'rows', ids: [LIVE_ROW] });
        break;
      case 'delta':
        this.#tell({ kind: 'delta', rowId: LIVE_ROW, text: change.text, reasoning: change.reasoning });
        break;
      case 'call': {
        const row = this.#transcript.callRow(change.toolCallId);
        if (row) this.#tell({ kind: 'rows', ids: [row] });
        break;
      }
      case 'entry':
        this.#take(change.entry);
        break;
    }
  }

  #take(entry: Entry): void {
    if (entry.type === 'revert') {
      this.#transcript.readAgain();
      this.#tell({ kind: 'replaced' });
    } else if (isTreeEntry(entry)) {
      this.#tell({ kind: 'rows', ids: this.#transcript.apply(entry) });
    }
    this.#tell({ kind: 'state' });
  }

  /** The entry of a message's row: `m17` is entry 17. */
  #seqOf(rowId: string): number {
    const [, seq] = /^m(\d+)$/.exec(rowId) ?? [];
    if (seq === undefined) throw new ToldError(words('Only a message that you wrote can be edited and sent again.'));
    return Number(seq);
  }
}
