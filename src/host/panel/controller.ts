/**
 * What the panel shows and asks for: the one session on screen, its transcript, and the way to another. A session is
 * created with its first message, so that opening the panel writes nothing.
 */

import { Projection } from '../../core/context/projection.ts';
import type { Entry } from '../../core/journal/entry.ts';
import { isTreeEntry } from '../../core/journal/entry.ts';
import { type Mark, markItem, NOTHING_TO_STEP } from '../../core/journal/timeTravel.ts';
import { type LiveCall, type LiveTurn, NOTHING_LIVE } from '../../core/transcript/live.ts';
import { type RowPage, Transcript } from '../../core/transcript/transcript.ts';
import { type Words, words } from '../../core/words.ts';
import type { PanelState, SessionInfo } from '../../protocol/messages.ts';
import { LIVE_ROW, type Row } from '../../protocol/rows.ts';
import type { Conversation } from '../session/conversation.ts';
import type { ConversationChange } from '../session/conversationChange.ts';
import type { AccessMode } from '../session/sessionAccess.ts';
import type { SessionScope } from '../session/sessionPlaces.ts';
import { toApprovalCard } from './approvalCard.ts';
import type { Disposable, PanelChange, PanelController, PanelRequest } from './panelController.ts';

/** How conversations are made and what is known beside them. */
export interface ControllerPorts {
  /** Opens a stored session, or makes a new one with `null`. */
  readonly open: (
    id: string | null,
    mode: AccessMode,
    onChange: (change: ConversationChange) => void,
  ) => Promise<Conversation>;
  readonly list: (query: string, scope: SessionScope) => Promise<readonly SessionInfo[]>;
  readonly rename: (sessionId: string, title: string) => Promise<void>;
  readonly state: (conversation: Conversation | null) => PanelState;
  /** Everything that is a command of the editor rather than of the session. */
  readonly act: (request: PanelRequest) => Promise<void>;
  readonly say: (said: Words) => string;
  /** Remembers which session is on screen, for the next window. */
  readonly remember: (id: string | null) => void;
}

const EMPTY = new Projection();

const FOLDED = 2_000;

export class Controller implements PanelController {
  readonly #ports: ControllerPorts;
  readonly #listeners = new Set<(change: PanelChange) => void>();
  #conversation: Conversation | null = null;
  /** Set while the session for a first message is made, so that a second message does not make another. */
  #creating: Promise<Conversation> | null = null;
  /** Settles with the newest choice, so that a message sent right after it meets what was chosen. */
  #acted: Promise<unknown> = Promise.resolve();
  #transcript = new Transcript();
  /** Entries of the path that the transcript was made of, and whether the path goes on before them. */
  #folded = FOLDED;
  #older = false;
  #listed: { readonly query: string; readonly scope: SessionScope } = { query: '', scope: 'workspace' };

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
  }

  get conversation(): Conversation | null {
    return this.#conversation;
  }

  state(): PanelState {
    return this.#ports.state(this.#conversation);
  }

  rows(beforeId: string | null, count: number): RowPage {
    const read = () => this.#transcript.rows(this.#context(), this.#live(), beforeId, count);
    let page = read();
    while (!page.more && this.#older) {
      this.#fold(this.#folded * 4);
      page = read();
    }
    return page;
  }

  row(id: string): Row | null {
    return this.#transcript.row(id, this.#context(), this.#live());
  }

  onDidChange(listener: (change: PanelChange) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** The settings, models or trust changed. */
  refresh(): void {
    this.tell({ kind: 'state' });
  }

  tell(change: PanelChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  async handle(request: PanelRequest): Promise<void> {
    const conversation = this.#conversation;
    switch (request.type) {
      case 'send':
        await this.#acted;
        return this.send(request.text, request.replaces);
      case 'stop':
        return conversation?.stop();
      case 'answer': {
        const { answer, reason } = request;
        const known = conversation?.approvals.answer(
          request.approvalId,
          request.hash,
          answer === 'deny'
            ? { kind: 'deny', ...(reason ? { reason } : {}) }
            : { kind: 'allow', remember: answer === 'allowSession' ? 'session' : 'no' },
        );
        if (!known) throw this.#refuse(words('That question is no longer open, so the answer was not used.'));
        return;
      }
      case 'consent':
        return conversation?.consent.answer(request.consentId, request.answer);
      case 'compact':
        return void (await this.#shown().compact(request.instructions));
      case 'undoCompaction':
        return this.#step('undo');
      case 'redoCompaction':
        return this.#step('redo');
      case 'pin':
        return this.#mark(request.itemId, request.pinned ? 'pinned' : 'unpinned');
      case 'expand':
        return this.#mark(request.itemId, request.expanded ? 'expanded' : 'collapsed');
      case 'newSession':
        return this.show(null);
      case 'openSession':
        return this.show(request.sessionId);
      case 'listSessions':
        this.#listed = request;
        return this.relist();
      case 'rename':
        await this.#ports.rename(request.sessionId, request.title);
        return this.refresh();
      case 'command':
        if (request.command === 'retry') return this.#shown().retry();
        return this.#act(request);
      case 'chooseStrategy':
      case 'chooseModel':
      case 'copy':
      case 'insert':
      case 'openRow':
      case 'openLink':
      case 'restore':
      case 'favourite':
      case 'deleteSession':
      case 'exportSession':
        return this.#act(request);
    }
  }

  /** Lists the sessions once more as they were asked for last: one of them changed. */
  async relist(): Promise<void> {
    const asked = this.#listed;
    const sessions = await this.#ports.list(asked.query, asked.scope);
    // Letters typed meanwhile ask anew, and only the newest answer counts.
    if (asked === this.#listed) this.tell({ kind: 'sessions', sessions });
  }

  /** Sends a message in the session on screen; makes one when there is none. */
  async send(text: string, replaces?: string): Promise<void> {
    try {
      this.#creating ??= this.#conversation ? null : this.#open(null, 'own');
      this.#conversation = (await this.#creating) ?? this.#conversation;
    } catch (thrown) {
      // There is no session that could keep the text, so it goes back to where it was written.
      this.tell({ kind: 'compose', text });
      throw thrown;
    } finally {
      this.#creating = null;
    }
    await this.#conversation?.send(text, replaces === undefined ? null : this.#seqOf(replaces));
  }

  /** Shows a stored session, or an empty page with `null`. A running turn of the one before is stopped. */
  async show(id: string | null): Promise<void> {
    const before = this.#conversation;
    if (before && before.id === id) return;
    const next = id === null ? null : await this.#open(id, 'own');
    this.#conversation = next;
    this.#fold(FOLDED);
    if (!next) this.#ports.remember(null);
    this.tell({ kind: 'replaced' });
    await before?.close();
  }

  /** The session on screen once more, with other access: taken over from another window, or given up to one. */
  async reopen(mode: AccessMode): Promise<void> {
    const before = this.#conversation;
    if (!before) return;
    await before.close();
    if (this.#conversation !== before) return;
    this.#conversation = await this.#open(before.id, mode);
    this.#fold(FOLDED);
    this.tell({ kind: 'replaced' });
  }

  async dispose(): Promise<void> {
    this.#listeners.clear();
    await this.#conversation?.close();
  }

  #act(request: PanelRequest): Promise<void> {
    const acting = this.#ports.act(request);
    // A list that waits for a person must not hold the next message.
    if (isChoice(request)) this.#acted = Promise.allSettled([acting]);
    return acting;
  }

  async #open(id: string | null, mode: AccessMode): Promise<Conversation> {
    let opened: Conversation | null = null;
    const conversation = await this.#ports.open(id, mode, (change) => {
      if (opened && opened === this.#conversation) this.#follow(change);
    });
    opened = conversation;
    this.#ports.remember(conversation.id);
    return conversation;
  }

  #follow(change: ConversationChange): void {
    switch (change.kind) {
      case 'state':
        this.tell({ kind: 'state' });
        break;
      case 'answer':
        this.tell({ kind: 'rows', ids: [LIVE_ROW] });
        break;
      case 'delta':
        this.tell({ kind: 'delta', rowId: LIVE_ROW, text: change.text, reasoning: change.reasoning });
        break;
      case 'call': {
        const row = this.#transcript.callRow(change.toolCallId);
        if (row) this.tell({ kind: 'rows', ids: [row] });
        break;
      }
      case 'entry':
        this.#take(change.entry);
        break;
    }
  }

  #take(entry: Entry): void {
    if (entry.type === 'revert') {
      this.#fold(FOLDED);
      this.tell({ kind: 'replaced' });
    } else if (isTreeEntry(entry)) {
      const touched = this.#transcript.apply(entry);
      this.tell(touched.kind === 'rows' ? { kind: 'rows', ids: touched.ids } : touched);
    }
    this.tell({ kind: 'state' });
  }

  /** A long session is not read for a screenful of it: the transcript begins near its end and grows as one scrolls. */
  #fold(count: number): void {
    const { entries, more } = this.#conversation?.journal.recentPath(count) ?? { entries: [], more: false };
    this.#folded = count;
    this.#older = more;
    this.#transcript = Transcript.of(entries);
  }

  #context(): Projection {
    return this.#conversation?.journal.context ?? EMPTY;
  }

  #live(): LiveTurn {
    const conversation = this.#conversation;
    if (!conversation || conversation.status === 'idle') return NOTHING_LIVE;
    const pending = new Map(conversation.approvals.pending.map((each) => [each.request.toolCallId, each]));
    const calls = [...conversation.calls].map(([id, { phase, title, output }]): [string, LiveCall] => {
      const question = pending.get(id);
      const status = question ? 'approval' : phase === 'running' ? 'running' : 'waiting';
      return [id, { status, title, output, approval: question ? toApprovalCard(question) : null }];
    });
    return { running: true, answer: conversation.live, calls: new Map(calls) };
  }

  /** Throws when there is none: what a person asked for must not come to nothing without a word. */
  #shown(): Conversation {
    if (!this.#conversation)
      throw this.#refuse(words('No session is open. Send a message, or open one from the history.'));
    return this.#conversation;
  }

  #refuse(said: Words): Error {
    return new Error(this.#ports.say(said));
  }

  /** Of the entry behind a row of a message: `m17` is entry 17. */
  #seqOf(rowId: string): number {
    const [, seq] = /^m(\d+)$/.exec(rowId) ?? [];
    if (seq === undefined) throw this.#refuse(words('Only a message that you wrote can be edited and sent again.'));
    return Number(seq);
  }

  async #step(step: 'undo' | 'redo'): Promise<void> {
    const conversation = this.#shown();
    await conversation.travel(async () =>
      (await conversation.compactor[step]()) ? { kind: 'done' } : { kind: 'refused', reason: NOTHING_TO_STEP[step] },
    );
  }

  async #mark(itemId: string, mark: Mark): Promise<void> {
    const conversation = this.#shown();
    await conversation.travel(() => markItem(conversation.journal, itemId, mark));
  }
}

/** A model or a strategy: it must be in force when the next message is sent. */
function isChoice(request: PanelRequest): boolean {
  if (request.type === 'command') return request.command === 'useDemo';
  return request.type === 'chooseModel' || request.type === 'chooseStrategy';
}
