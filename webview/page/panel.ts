/**
 * The panel's state and its one render loop: the page is drawn at most once a frame, whatever has happened. Views are
 * functions of this object and keep nothing of their own.
 */

import { render, type TemplateResult } from 'lit';
import type { PageAct } from '../../src/protocol/commands.ts';
import { type ImageToSend, type Kept, MOST_ROWS, type Saved } from '../../src/protocol/kept.ts';
import type { Doubt, PanelState, SessionInfo, ToHost, ToPanel } from '../../src/protocol/messages.ts';
import { LIVE_ROW, MAX_TEXT, type Row, type RowOf } from '../../src/protocol/rows.ts';
import { MarkdownStream } from '../markdown/markdownStream.ts';
import { isCaretLost, placeCaret } from './caret.ts';
import { attachGiven, Pictures } from './draftImages.ts';
import { Announcer, connectHost, type Host } from './host.ts';
import { MentionList } from './mentions.ts';
import { Reader } from './reader.ts';
import { RowList } from './rowList.ts';
import { RowWindow } from './rowWindow.ts';
import { Seeker } from './seeker.ts';

export type Popover = 'none' | 'meter' | 'strategy' | 'model' | 'mode' | 'history' | 'help';

/** Rows asked for at a time. */
const PAGE = 60;
/** Milliseconds from a change to its saving. */
const SAVE_AFTER = 300;
/** Characters of a draft that is saved with each letter; a longer one a moment later. */
const SAVED_AT_ONCE = 20_000;

/** What the composer does about changes that it did not make. */
export interface ComposerEvents {
  readonly onCursor: (panel: Panel, cursor: number) => void;
  readonly onAct: (panel: Panel, act: PageAct) => void;
  readonly onChecked: (panel: Panel, state: PanelState, text: string, doubts: readonly Doubt[]) => void;
}

const NOT_SENT: { readonly text: string; readonly images: readonly ImageToSend[] } = { text: '', images: [] };

export class Panel {
  readonly root: HTMLElement;
  readonly rows = new RowList();
  readonly reader: Reader;
  readonly seeker: Seeker;
  /** Rows opened by the reader, and parts of rows (`m17/reasoning`). */
  readonly open = new Set<string>();
  state: PanelState | null = null;
  /** Null until they were listed. */
  sessions: readonly SessionInfo[] | null = null;
  popover: Popover = 'none';
  /** What is typed into the filter of an open list. */
  filter = '';
  /** Whether an open list has what it first leaves out. */
  more = false;
  renaming: string | null = null;
  /** Whose sessions the history lists. */
  scope: 'workspace' | 'all' = 'workspace';
  /** The message that the draft will replace. */
  editing: Kept['editing'] = null;
  /** Questions that were answered: a second click on the same card says nothing. */
  readonly answered = new Set<string>();
  /** The question whose lasting answer is being looked at before it is given. */
  confirming: string | null = null;
  /** Why a question may be answered with no, while it is being written. */
  reason: Kept['reason'] = null;
  draft = '';
  readonly mentions = new MentionList();

  /** Of the message that is being written. */
  images: readonly ImageToSend[] = [];
  attaching: Promise<void> | null = null;
  readonly pictures: Pictures;
  /** Until it is known to be kept: comes back with a message that could not be sent. */
  #sent = NOT_SENT;
  /** One line under the composer: why something typed did nothing. */
  hint = '';
  /** Chosen line of the completion list, and which of the sent messages ↑ has reached. */
  completion = 0;
  recalled = 0;
  readonly #view: (panel: Panel, state: PanelState) => TemplateResult;
  readonly #composer: ComposerEvents;
  readonly #host: Host;
  readonly #announcer: Announcer;
  readonly #streams = new Map<string, MarkdownStream>();
  readonly #restored: Saved | null;
  /** As the host has them. */
  #keptImages: readonly ImageToSend[] | null = null;
  #frame = 0;
  #timer = 0;
  #saving: ReturnType<typeof setTimeout> | null = null;
  #loadingBefore: string | null = null;
  #afterRender: (() => void)[] = [];

  constructor(
    root: HTMLElement,
    view: (panel: Panel, state: PanelState) => TemplateResult,
    speak: (row: Row) => string,
    composer: ComposerEvents,
  ) {
    this.root = root;
    this.#composer = composer;
    this.#view = view;
    this.#announcer = new Announcer(speak);
    this.#host = connectHost((messages) => this.#take(messages));
    this.reader = new Reader(new RowWindow((rowIds) => this.#forgetStreams(rowIds)), {
      onTop: () => this.#loadOlder(),
      onScroll: () => this.#saveSoon(),
      onMove: () => this.invalidate(),
    });
    this.pictures = new Pictures((blob) => this.post({ type: 'loadImage', blob }));
    this.seeker = new Seeker(this);
    this.#restored = this.#host.load();
    this.post({ type: 'ready', count: Math.max(this.#restored?.count ?? PAGE, PAGE) });
    window.addEventListener('pagehide', () => {
      this.save();
      this.post({ type: 'gone' });
    });
    window.addEventListener('focus', () => isCaretLost() && placeCaret(this));
  }

  post(message: ToHost): void {
    this.#host.post(message);
  }

  invalidate(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render();
    });
  }

  /** Draws again after a while, for what counts down. */
  invalidateIn(ms: number): void {
    this.#timer ||= window.setTimeout(() => {
      this.#timer = 0;
      this.invalidate();
    }, ms);
  }

  /** Runs once the page shows what was just changed. */
  afterRender(action: () => void): void {
    this.#afterRender.push(action);
    this.invalidate();
  }

  showPopover(popover: Popover): void {
    this.popover = this.popover === popover ? 'none' : popover;
    this.filter = '';
    this.more = false;
    if (this.popover === 'history') this.listSessions();
    const opened = this.popover;
    this.afterRender(() => {
      if (opened === 'none') this.focusComposer();
      else this.#find('.popover [data-first]', '.popover button:not(:disabled)')?.focus();
    });
  }

  /** Something else was clicked: the focus stays there. */
  closePopover(): void {
    this.popover = 'none';
    this.filter = '';
    this.invalidate();
  }

  /** Asks for the sessions that the history's filter and scope leave. */
  listSessions(): void {
    this.post({ type: 'listSessions', query: this.filter.slice(0, 1_000), scope: this.scope });
  }

  /** Puts a message back into the composer; sending it leaves what came after it as a branch. */
  edit(rowId: string, text: string, images: RowOf<'user'>['images'] = []): void {
    this.editing = { rowId, kept: this.editing?.kept ?? this.draft };
    this.setDraft(text);
    // What was attached already is attached still.
    const there = this.images.filter(({ kind }) => kind === 'new');
    this.setImages([...there, ...images.map(({ blob, name }): ImageToSend => ({ kind: 'sent', blob, name }))]);
    this.afterRender(() => this.focusComposer());
  }

  /** The message was sent or left as it was: the composer holds again what it held before. */
  endEdit(): void {
    const kept = this.editing?.kept ?? '';
    if (this.editing) this.images = this.images.filter(({ kind }) => kind === 'new');
    this.editing = null;
    this.setDraft(kept);
  }

  /** Puts a text into the composer in front of what is written there. */
  propose(text: string, written = this.draft): void {
    const texts = text.trim() === written.trim() ? [text] : [text, written];
    this.setDraft(texts.filter((each) => each.trim() !== '').join('\n\n'));
  }

  toggle(id: string): void {
    const opened = !this.open.delete(id);
    if (opened) this.open.add(id);
    // What the reader opened stays under the pointer, and comes into sight where it would open below the edge.
    this.reader.hold();
    const rowId = id.replace(/^group:|\/\w+$/g, '');
    if (opened)
      this.afterRender(() => {
        const row = this.root.querySelector(`[data-row="${CSS.escape(rowId)}"]`);
        if (row) this.reader.revealElement(row);
      });
    this.#saveSoon();
    this.invalidate();
  }

  /** `cursor`: where it stands then; left out, it stays as the field has it. */
  setDraft(draft: string, cursor?: number): void {
    this.draft = draft;
    if (cursor !== undefined) {
      // At once: a letter may follow before the page is drawn again.
      const shown = this.root.querySelector('textarea');
      if (shown) {
        shown.value = draft;
        shown.setSelectionRange(cursor, cursor);
      }
      this.afterRender(() => {
        const field = this.root.querySelector('textarea');
        field?.focus();
        if (this.draft !== draft) return;
        field?.setSelectionRange(cursor, cursor);
        this.#composer.onCursor(this, cursor);
      });
    }
    this.hint = '';
    this.completion = 0;
    // The page may be dropped at any moment, and then nothing is saved any more.
    if (draft.length <= SAVED_AT_ONCE) this.save();
    else this.#saveSoon();
    this.invalidate();
  }

  setImages(images: readonly ImageToSend[]): void {
    this.images = images;
    this.hint = '';
    this.#saveSoon();
    this.invalidate();
  }

  /** One line under the composer: why something did nothing. */
  refuse(reason: string): void {
    this.hint = reason;
    this.invalidate();
  }

  /** What the draft says now is on its way. */
  sending(text: string): void {
    this.#sent = { text, images: this.images };
    this.images = [];
  }

  setReason(approvalId: string, text: string): void {
    this.reason = { approvalId, text };
    this.#saveSoon();
  }

  focusComposer(): void {
    this.root.querySelector('textarea')?.focus();
  }

  announce(text: string): void {
    this.#announcer.say(text);
  }

  /** The Markdown of a row: rendered once, and grown by deltas as they come. */
  markdown(key: string, text: string): HTMLElement {
    const known = this.#streams.get(key);
    // Lengths tell enough: a row's text only ever grows by the deltas that its stream is given too.
    if (known?.length === text.length) return known.element;
    const stream = MarkdownStream.of(text);
    this.#streams.set(key, stream);
    return stream.element;
  }

  /** What is not on the page any more is rendered again when it is. */
  #forgetStreams(rowIds: readonly string[]): void {
    for (const id of rowIds) this.#streams.delete(id);
  }

  /** The editor has the quick copy, and writes it to disk when it pleases; the host writes its own at once. */
  save(): void {
    if (!this.state) return;
    const { sessionId } = this.state;
    const { draft, images, editing, reason } = this;
    const kept = {
      at: Date.now(),
      draft: draft.slice(0, MAX_TEXT),
      count: Math.min(this.rows.all.length, MOST_ROWS),
      anchor: this.reader.anchor(),
      open: [...this.open].slice(-50),
      editing,
      reason: reason && { ...reason, text: reason.text.slice(0, 10_000) },
    };
    this.#host.save({ sessionId, images: [...images], ...kept });
    this.post({ type: 'keep', sessionId, kept, ...(images === this.#keptImages ? {} : { images: [...images] }) });
    this.#keptImages = images;
  }

  /** What is kept of a session that has just been shown, or nothing. */
  #restore(kept: Kept | null): void {
    this.draft = kept?.draft ?? '';
    this.images = kept?.images ?? [];
    this.#keptImages = this.images;
    this.editing = kept?.editing ?? null;
    this.reason = kept?.reason ?? null;
    this.hint = '';
    this.mentions.end();
    this.completion = 0;
    this.recalled = 0;
    this.open.clear();
    for (const id of kept?.open ?? []) this.open.add(id);
  }

  /** The editor may drop a hidden page without a word, so what must survive is saved while it changes. */
  #saveSoon(): void {
    this.#saving ??= setTimeout(() => {
      this.#saving = null;
      this.save();
    }, SAVE_AFTER);
  }

  #take(messages: readonly ToPanel[]): void {
    for (const message of messages) {
      if (message.type === 'rows') {
        this.#keepStream(message.rows);
        if (message.rows.some(({ type }) => type === 'user')) this.#sent = NOT_SENT;
        this.#announcer.rows(message.rows.filter((row) => this.#isNews(row)));
      }
      const other = message.type === 'show' && message.state.sessionId !== this.state?.sessionId;
      this.rows.apply(message);
      switch (message.type) {
        case 'show':
          this.#show(message.state, message.kept ?? null, other);
          break;
        case 'state':
          this.#announcer.state(this.state, message.state);
          // What a hint said of a running turn is no longer true once the turn has ended.
          if (this.state?.status !== message.state.status) this.hint = '';
          // It waits with the others.
          if (message.state.queue.length > (this.state?.queue.length ?? 0)) this.#sent = NOT_SENT;
          this.#become(message.state);
          break;
        case 'rows':
          this.seeker.find.refresh();
          break;
        case 'removeRows':
          for (const id of message.ids) this.#streams.delete(id);
          break;
        case 'olderRows':
          this.#loadingBefore = null;
          break;
        case 'delta':
          this.#streams.get(message.rowId)?.append(message.text);
          break;
        case 'sessions':
          this.sessions = message.sessions;
          break;
        case 'act':
          this.#composer.onAct(this, message.act);
          break;
        case 'history':
          if (this.popover !== 'history') this.showPopover('history');
          break;
        case 'reveal':
          this.seeker.seek(message);
          break;
        case 'found':
          this.seeker.find.take(message.query, message.hits);
          break;
        case 'insertText':
          this.insert(message.text);
          break;
        case 'mentionChoices':
          if (this.mentions.take(message.typed, message.choices)) this.completion = 0;
          break;
        case 'mentionsChecked':
          if (this.state) this.#composer.onChecked(this, this.state, message.text, message.doubts);
          break;
        case 'image':
          this.pictures.take(message);
          break;
        case 'attach':
          attachGiven(this, message.images);
          break;
        case 'compose':
          if (message.text) this.propose(message.text);
          this.#takeBack(message);
          this.afterRender(() => this.focusComposer());
          break;
      }
    }
    this.seeker.goOn();
    this.invalidate();
  }

  /** Images of a message that comes back: those that the host names, or else those that were just sent. */
  #takeBack({ text, images }: Extract<ToPanel, { type: 'compose' }>): void {
    const unsent = text !== '' || this.#sent.text === '' ? this.#sent.images : [];
    const back = images?.map((image): ImageToSend => ({ kind: 'sent', ...image })) ?? unsent;
    if (back.length > 0) this.setImages([...back, ...this.images]);
    this.#sent = NOT_SENT;
  }

  /** The first message makes a session: what has been written since belongs to it. */
  #become(state: PanelState): void {
    const before = this.state;
    this.state = state;
    if (!before || before.sessionId === state.sessionId) return;
    const kept = { at: Date.now(), draft: '', count: 0, anchor: null, open: [], editing: null, reason: null };
    this.post({ type: 'keep', sessionId: before.sessionId, kept, images: [] });
    this.#keptImages = null;
    this.save();
  }

  #show(state: PanelState, kept: Kept | null, other: boolean): void {
    const first = this.state === null;
    this.state = state;
    this.#loadingBefore = null;
    if (!other) {
      // It was only read here until now, and what was written elsewhere comes with it.
      if (kept?.draft && this.draft === '' && this.images.length === 0) this.#restore(kept);
      // Another branch of the same session: its end is what was gone back to.
      this.reader.follow();
      return;
    }
    this.#streams.clear();
    this.seeker.find.close();
    this.reader.window.clear();
    this.pictures.clear();
    this.renaming = null;
    this.confirming = null;
    this.closePopover();
    // What was kept of another session was for that one alone.
    if (this.#saving !== null) clearTimeout(this.#saving);
    this.#saving = null;
    const own = first && this.#restored?.sessionId === state.sessionId ? this.#restored : null;
    const restored = own && own.at >= (kept?.at ?? 0) ? own : kept;
    this.#restore(restored);
    const anchor = restored?.anchor ?? null;
    this.reader.follow();
    this.afterRender(() => isCaretLost() && placeCaret(this));
    if (anchor) this.afterRender(() => this.reader.goTo(anchor));
  }

  /** A row that was there before is news only when it asks something: a refreshed page is not read out again. */
  #isNews(row: Row): boolean {
    return this.rows.get(row.id) === null || (row.type === 'tool' && row.approval !== null);
  }

  /** An answer that just ended keeps the nodes it was streamed into. */
  #keepStream(rows: readonly Row[]): void {
    const stream = this.#streams.get(LIVE_ROW);
    const live = this.rows.get(LIVE_ROW);
    const ended = rows.find((row) => row.type === 'assistant' && !row.live && !this.rows.get(row.id));
    if (!stream || stream.stale || live?.type !== 'assistant' || ended?.type !== 'assistant') return;
    if (stream.length !== live.text.length || !ended.text.startsWith(live.text)) return;
    stream.append(ended.text.slice(live.text.length));
    this.#streams.delete(LIVE_ROW);
    this.#streams.set(ended.id, stream);
  }

  /** At the cursor, apart from the word before it. */
  insert(text: string): void {
    const field = this.root.querySelector('textarea');
    const at = Math.min(field?.selectionStart ?? this.draft.length, this.draft.length);
    const before = this.draft.slice(0, at);
    const apart = before === '' || /\s$/.test(before) ? '' : ' ';
    this.setDraft(
      before + apart + text + this.draft.slice(field?.selectionEnd ?? at),
      before.length + apart.length + text.length,
    );
  }

  #find(...selectors: readonly string[]): HTMLElement | null {
    const found = selectors.map((selector) => this.root.querySelector<HTMLElement>(selector));
    return found.find((element) => element !== null) ?? null;
  }

  loadMany(): void {
    this.#loadOlder(MOST_ROWS);
  }

  #loadOlder(count = PAGE): void {
    const first = this.rows.all[0]?.id;
    if (!first || !this.rows.more || this.#loadingBefore === first) return;
    this.#loadingBefore = first;
    this.post({ type: 'loadRows', beforeId: first, count });
  }

  #render(): void {
    const hadCaret = !isCaretLost();
    this.reader.beforeRender();
    if (this.state) render(this.#view(this, this.state), this.root);
    this.reader.afterRender(this.root.querySelector('.conversation'));
    const actions = this.#afterRender;
    this.#afterRender = [];
    for (const action of actions) action();
    this.seeker.mark();
    // What had the focus has left the page.
    if (hadCaret && isCaretLost()) placeCaret(this);
  }
}
