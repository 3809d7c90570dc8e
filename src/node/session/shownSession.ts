/**
 * The session on screen: opens it, reopens it with other access, writes to it, and follows its transcript. A session is
 * created with its first message, so that looking at an empty page writes nothing. One that works goes on when another
 * is shown.
 */

import type { Disposable } from '../../api/index.ts';
import { ownText } from '../../core/context/authorship.ts';
import type { GivenImage } from '../../core/context/images.ts';
import type { Attachment } from '../../core/context/message.ts';
import { isAbort, UserFacingError } from '../../core/errors.ts';
import { type Entry, isTreeEntry } from '../../core/journal/entry.ts';
import { type Mark, markItem, type Travel } from '../../core/journal/timeTravel.ts';
import { DEFAULT_MODE, type Mode } from '../../core/mode.ts';
import type { RowPage } from '../../core/transcript/transcript.ts';
import { words } from '../../core/words.ts';
import { LIVE_ROW, type Row } from '../../protocol/rows.ts';
import type { Conversation, ConversationChange } from './conversation.ts';
import type { SentWith } from './messageQueue.ts';
import type { AccessMode } from './sessionAccess.ts';
import { TranscriptWindow } from './transcriptWindow.ts';
import { MOST_AT_WORK, UnseenSessions } from './unseenSessions.ts';

/** Why a compaction cannot be undone or redone. */
const NOTHING_TO_STEP = {
  undo: words('There is no compaction to undo.'),
  redo: words('There is no compaction to redo.'),
};

const TOO_MANY = words(
  '{0} sessions are at work, which is the most at once. Wait until one has finished, or stop one, before you leave this one.',
  MOST_AT_WORK,
);

/** Opens a stored session, or makes a new one with `null`. */
export type OpenConversation = (
  id: string | null,
  mode: AccessMode,
  onChange: (change: ConversationChange) => void,
) => Promise<Conversation>;

/** Puts a text that a session could not send into its draft. False when it could not be kept there. */
type KeepDraft = (id: string, text: string, attachments: readonly Attachment[]) => Promise<boolean>;

export type SessionChange =
  | { readonly kind: 'state' }
  /** Rows that are new (appended in this order), changed, or gone; rows before those on screen are skipped. */
  | { readonly kind: 'rows'; readonly ids: readonly string[] }
  /** Text to add to a row: the streaming answer's, or a running tool's output. */
  | { readonly kind: 'delta'; readonly rowId: string; readonly text: string; readonly reasoning: string }
  /** Another session is shown, or another branch of this one. */
  | { readonly kind: 'replaced' }
  /** A message could not be sent: its text returns to the composer. */
  | { readonly kind: 'compose'; readonly text: string; readonly attachments?: readonly Attachment[] }
  /** A message in the composer is in the conversation again, and leaves the composer unless it was changed there. */
  | { readonly kind: 'saidAgain'; readonly text: string; readonly attachments?: readonly Attachment[] };

export class ShownSession {
  readonly #openConversation: OpenConversation;
  readonly #remember: (id: string | null) => void;
  readonly #keepDraft: KeepDraft;
  readonly #unseen = new UnseenSessions(() => this.#publish({ kind: 'state' }));
  readonly #listeners = new Set<(change: SessionChange) => void>();
  #conversation: Conversation | null = null;
  /** Set while a session is created for a first message, so that a second message does not create another. */
  #creating: Promise<Conversation> | null = null;
  #transcript = new TranscriptWindow(null);
  /** The session on screen, if the empty page became it: messages written there go to it. */
  #begun: Conversation | null = null;
  /** Number of requests to show a session: an older one that opens later is not shown. */
  #asked = 0;
  #disposed: Promise<void> | null = null;
  /** For the session that the next message creates. */
  #nextMode: Mode = DEFAULT_MODE;
  /** Undefined where none was chosen for it. */
  #nextStrategy: string | null | undefined;

  /** `remember` stores which session is on screen, for the next window. */
  constructor(open: OpenConversation, remember: (id: string | null) => void, keepDraft: KeepDraft) {
    this.#openConversation = open;
    this.#remember = remember;
    this.#keepDraft = keepDraft;
  }

  get conversation(): Conversation | null {
    return this.#conversation;
  }

  /** The session on screen, and those that work unseen. */
  get open(): readonly Conversation[] {
    return [...(this.#conversation ? [this.#conversation] : []), ...this.#unseen.list];
  }

  /** Null for a session that is not open in this window. */
  find(id: string): Conversation | null {
    return this.open.find((each) => each.id === id) ?? null;
  }

  /** The sessions that work unseen, or ended since the person last looked at them. */
  get others(): UnseenSessions['states'] {
    return this.#unseen.states;
  }

  get title(): string {
    return this.#conversation ? titleOf(this.#conversation) : '';
  }

  get mode(): Mode {
    return this.#conversation?.journal.mode ?? this.#nextMode;
  }

  /** Effective at once; without a session, for the one that the next message creates. */
  async setMode(mode: Mode): Promise<void> {
    if (this.#conversation) await this.#conversation.setMode(mode);
    else {
      this.#nextMode = mode;
      this.#publish({ kind: 'state' });
    }
  }

  /**
   * The strategy chosen on the empty page, for the session that the next message creates; null where the setting decides,
   * undefined where nothing was chosen.
   */
  get nextStrategy(): string | null | undefined {
    return this.#nextStrategy;
  }

  /** Of the session, or of the one that the next message creates; null lets the setting decide. */
  async setStrategy(strategy: string | null): Promise<void> {
    if (this.#conversation) await this.#conversation.setStrategy(strategy);
    else {
      this.#nextStrategy = strategy;
      this.#publish({ kind: 'state' });
    }
  }

  /** An agent with a strategy of its own was chosen after it. */
  forgetNextStrategy(): void {
    this.#nextStrategy = undefined;
  }

  /** Throws without a session, so that a command reports it. */
  require(): Conversation {
    if (!this.#conversation)
      throw new UserFacingError(words('No session is open. Send a message, or open one from the history.'));
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

  /**
   * Sends a message to a session, by default the one on screen; with null in a new one. `replaces` is the row of the
   * message that it replaces.
   */
  async send(text: string, replaces?: string, more: SentWith = {}, to = this.#conversation): Promise<void> {
    const isGone = to === null ? this.#conversation !== this.#begun : this.find(to.id) !== to;
    if (isGone) return this.giveBack(to, text, more.attachments);
    const seq = replaces === undefined ? null : this.#seqOf(replaces);
    let conversation = to ?? this.#begun;
    try {
      conversation ??= await this.#begin();
    } catch (thrown) {
      // No session could store the text, so it returns to the composer.
      await this.giveBack(null, text);
      throw thrown;
    }
    await conversation.send(text, seq, more);
  }

  /** A text that was not sent returns to the composer of its session; with null to that of the empty page. */
  async giveBack(to: Conversation | null, text: string, attachments: readonly Attachment[] = []): Promise<void> {
    const isShown = to === null ? this.#conversation === this.#begun : this.#conversation?.id === to.id;
    // Better in the wrong composer than lost.
    if (isShown || !(await this.#keepDraft(to?.id ?? '', text, attachments)))
      this.#publish({ kind: 'compose', text, ...(attachments.length > 0 ? { attachments } : {}) });
  }

  /** Shows a stored session, or an empty page with `null`. The previous one is closed, unless it works. */
  async show(id: string | null): Promise<void> {
    await this.#creating?.catch(() => undefined);
    this.#asked += 1;
    const asked = this.#asked;
    if (this.#conversation && this.#conversation.id === id) return;
    if (!this.#mayLeaveFor(id)) throw new UserFacingError(TOO_MANY);
    let next = id === null ? null : this.#unseen.take(id);
    if (id !== null && !next) {
      try {
        next = await this.#open(id, 'own');
      } catch (thrown) {
        // The person cancelled: the previous session stays on screen.
        if (isAbort(thrown)) return;
        throw thrown;
      }
      if (asked !== this.#asked) return this.#unseen.close(next);
      // It may have begun to work meanwhile.
      if (!this.#mayLeaveFor(id)) {
        await this.#unseen.close(next);
        throw new UserFacingError(TOO_MANY);
      }
    }
    await this.#replace(next);
  }

  /**
   * Shows a new session in which `begin` writes first; `draft` is put into its composer. The previous one is closed.
   */
  async showNew(begin: (next: Conversation) => Promise<void>, draft: string): Promise<void> {
    this.#asked += 1;
    const next = await this.#open(null, 'own');
    await begin(next);
    await this.#replace(next, draft);
  }

  /** Closes a session wherever it is open, so that its file can be changed. What it does is stopped. */
  async close(id: string): Promise<void> {
    const shown = this.#conversation;
    if (shown?.id !== id) return this.#unseen.drop(id);
    this.#asked += 1;
    this.#adopt(null);
    this.#remember(null);
    this.#publish({ kind: 'replaced' });
    await this.#unseen.close(shown);
  }

  /** Reopens the same session with other access: taken over from another window, or given up to one. */
  async reopen(mode: AccessMode): Promise<void> {
    const before = this.#conversation;
    if (!before) return;
    await this.#unseen.close(before);
    if (this.#conversation !== before) return;
    let next: Conversation | null = null;
    try {
      next = await this.#open(before.id, mode);
    } catch (thrown) {
      if (!isAbort(thrown)) throw thrown;
    } finally {
      if (this.#conversation === before) {
        // A closed session that could not be reopened does not stay on screen.
        this.#adopt(next);
        this.#publish({ kind: 'replaced' });
      } else await next?.close();
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
    else await this.#unseen.drop(id);
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

  /** The window closes. Resolves when everything is written. */
  dispose(): Promise<void> {
    this.#listeners.clear();
    this.#disposed ??= Promise.all([this.#conversation?.close('window'), this.#unseen.dispose()]).then(() => undefined);
    return this.#disposed;
  }

  /** Something on screen other than the rows has changed. */
  refresh(): void {
    this.#publish({ kind: 'state' });
  }

  #publish(change: SessionChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** A session for the first message, which the empty page becomes. */
  #begin(): Promise<Conversation> {
    const create = async () => {
      const created = await this.#open(null, 'own');
      this.#adopt(created);
      this.#begun = created;
      // Rows from before it was on screen, such as the chosen agent.
      const ids = this.rows(null, created.journal.nextSeq).rows.map(({ id }) => id);
      if (ids.length > 0) this.#publish({ kind: 'rows', ids });
      await created.setMode(this.#nextMode);
      this.#nextMode = DEFAULT_MODE;
      if (this.#nextStrategy !== undefined) await created.setStrategy(this.#nextStrategy);
      this.#nextStrategy = undefined;
      return created;
    };
    this.#creating ??= create().finally(() => {
      this.#creating = null;
    });
    return this.#creating;
  }

  /** One that works goes on unseen, where not too many do. */
  #mayLeaveFor(next: string | null): boolean {
    const swaps = next !== null && this.#unseen.find(next) !== null;
    return !this.#conversation?.atWork || swaps || !this.#unseen.isFull;
  }

  async #replace(next: Conversation | null, draft = ''): Promise<void> {
    const before = this.#conversation;
    const goesOn = before?.atWork === true;
    if (before && goesOn) this.#unseen.add(before);
    this.#adopt(next);
    if (!next) this.#remember(null);
    this.#publish({ kind: 'replaced' });
    if (draft !== '') this.#publish({ kind: 'compose', text: draft });
    if (before && !goesOn) await this.#unseen.close(before);
  }

  #adopt(conversation: Conversation | null): void {
    if (conversation && conversation === this.#conversation) return;
    this.#conversation = conversation;
    this.#begun = null;
    this.#transcript = new TranscriptWindow(conversation);
    if (conversation) this.#remember(conversation.id);
  }

  async #open(id: string | null, mode: AccessMode): Promise<Conversation> {
    if (id !== null) await this.#unseen.whenClosed(id);
    let opened: Conversation | null = null;
    const conversation = await this.#openConversation(id, mode, (change) => {
      if (!opened) return;
      switch (change.kind) {
        case 'unsent':
          void this.giveBack(opened, change.text, change.attachments);
          break;
        case 'newSession':
          void this.#sendElsewhere(opened, change.message, change.more);
          break;
        default:
          if (opened === this.#conversation) this.#follow(change);
          else if (change.kind === 'state') this.#unseen.update(opened);
      }
    });
    opened = conversation;
    return conversation;
  }

  /** In a new session, in which the agent may do no more than in this one. */
  async #sendElsewhere(from: Conversation, message: string, { attachments, ...more }: SentWith): Promise<void> {
    const { mode } = from.journal;
    const stored = await Promise.all((attachments ?? []).map((each) => imageOf(from, each)));
    try {
      await this.show(null);
    } catch {
      // Too many sessions are at work, which this one made possible only by being left.
      return this.giveBack(from, message, attachments);
    }
    await this.setMode(mode);
    await this.send(message, undefined, { ...more, images: [...(more.images ?? []), ...stored.flat()] }, null);
  }

  #follow(change: Exclude<ConversationChange, { kind: 'unsent' | 'newSession' }>): void {
    switch (change.kind) {
      case 'state':
      case 'saidAgain':
        this.#publish(change);
        break;
      case 'answer':
        this.#publish({ kind: 'rows', ids: [LIVE_ROW] });
        break;
      case 'delta':
        this.#publish({ kind: 'delta', rowId: LIVE_ROW, text: change.text, reasoning: change.reasoning });
        break;
      case 'call': {
        const row = this.#transcript.callRow(change.toolCallId);
        if (row) this.#publish({ kind: 'rows', ids: [row] });
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
      this.#publish({ kind: 'replaced' });
    } else if (isTreeEntry(entry)) {
      this.#publish({ kind: 'rows', ids: this.#transcript.apply(entry) });
    }
    this.#publish({ kind: 'state' });
  }

  /** The entry of a message's row: `m17` is entry 17. */
  #seqOf(rowId: string): number {
    const [, seq] = /^m(\d+)$/.exec(rowId) ?? [];
    if (seq === undefined)
      throw new UserFacingError(words('Only a message that you wrote can be edited and sent again.'));
    return Number(seq);
  }
}

/** The given title, otherwise the first line a person wrote, as in the list of sessions. */
export function titleOf({ journal }: Pick<Conversation, 'journal'>): string {
  if (journal.title) return journal.title;
  for (const entry of journal.oldest()) {
    if (entry.type !== 'message' || entry.message.role !== 'user' || entry.message.kind !== 'user') continue;
    return ownText(entry.message).trim().split('\n', 1)[0]?.slice(0, 80) ?? '';
  }
  return '';
}

/** Another session has blobs of its own. Empty where the image can no longer be read. */
async function imageOf({ agent }: Conversation, { blob, name = '' }: Attachment): Promise<readonly GivenImage[]> {
  const bytes = await agent.blobs.get(blob);
  return bytes ? [{ name, bytes }] : [];
}
