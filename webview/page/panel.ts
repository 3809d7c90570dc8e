/**
 * The panel's state and its only render loop: the page is drawn at most once a frame. Views are functions of this
 * object and keep no state.
 */

import { render, type TemplateResult } from 'lit';
import type { PageAct } from '../../src/protocol/commands.ts';
import { type ImageToSend, type Kept, MOST_ROWS } from '../../src/protocol/kept.ts';
import type { PanelState, ToHost, ToPanel } from '../../src/protocol/messages.ts';
import { LIVE_ROW, type Row, type RowOf } from '../../src/protocol/rows.ts';
import { REDRAWN } from '../markdown/codeText.ts';
import { MarkdownStream } from '../markdown/markdownStream.ts';
import { Announcer } from './announcer.ts';
import { CardKeys } from './cardKeys.ts';
import { isCaretLost, onCaretLost, onPageEntered } from './caret.ts';
import { Composer } from './composer.ts';
import { attachGiven } from './draftImages.ts';
import { Elsewhere } from './elsewhere.ts';
import { connectHost, type Host } from './host.ts';
import { leadTo } from './leadTo.ts';
import { Pictures } from './pictures.ts';
import { Popovers } from './popovers.ts';
import { Reader } from './reader.ts';
import { RowList } from './rowList.ts';
import { RowWindow } from './rowWindow.ts';
import { type ReasonDraft, Saving } from './saving.ts';
import { Seeker } from './seeker.ts';

/** Rows requested at a time. */
const PAGE = 60;

/** Distance from the top edge of an event that the reader goes to, in pixels. */
const EVENT_AT = 80;

/** The same of a message that is edited. */
const EDIT_AT = 40;

interface RowTexts {
  /** Announced for a new row; empty for silence. */
  readonly speak: (row: Row) => string;
  /** Empty unless it tells a reader elsewhere of an event. `before`: the row as it was. */
  readonly nameEvent: (row: Row, before: Row | null) => string;
}

export class Panel {
  readonly root: HTMLElement;
  readonly rows = new RowList();
  readonly reader: Reader;
  readonly seeker: Seeker;
  readonly composer: Composer;
  readonly cardKeys: CardKeys;
  /** In the row of an earlier message that is being edited. */
  editor: Composer | null = null;
  /** The one whose field had the caret last. */
  writing: Composer;
  readonly popovers: Popovers;
  readonly saving: Saving;
  readonly pictures: Pictures;
  readonly elsewhere: Elsewhere;
  /** Rows opened by the reader, and parts of rows (`m17/reasoning`). */
  readonly open = new Set<string>();
  state: PanelState | null = null;
  /** The title being edited. */
  renaming: string | null = null;
  /** Answered questions: a second click on the same card has no effect. */
  readonly answered = new Set<string>();
  /** The answer that is given once it is confirmed, by its name, and the question. */
  confirming: { readonly asks: string; readonly answer: string } | null = null;
  /** The newest event that came while the reader was elsewhere: a compaction, its undo, a notice. */
  news: { readonly rowId: string; readonly text: string } | null = null;
  /** The draft of a reason to decline a question. */
  reason: ReasonDraft | null = null;
  readonly #view: (panel: Panel, state: PanelState) => TemplateResult;
  readonly #act: (panel: Panel, act: PageAct) => void;
  readonly #host: Host;
  readonly #announcer: Announcer;
  readonly #events: (row: Row, before: Row | null) => string;
  readonly #streams = new Map<string, MarkdownStream>();
  #frame = 0;
  #timer = 0;
  #loadingBefore: string | null = null;
  #afterRender: (() => void)[] = [];
  /** A person's own texts and images, received before the page has begun. */
  readonly #early: ToPanel[] = [];

  constructor(
    root: HTMLElement,
    view: (panel: Panel, state: PanelState) => TemplateResult,
    { speak, nameEvent }: RowTexts,
    act: (panel: Panel, act: PageAct) => void,
  ) {
    this.root = root;
    this.#events = nameEvent;
    this.#act = act;
    this.#view = view;
    this.#announcer = new Announcer(speak);
    this.#host = connectHost((messages) => this.#take(messages));
    this.reader = new Reader(new RowWindow((rowIds) => this.#forgetStreams(rowIds)), {
      onTop: () => this.#loadOlder(),
      onScroll: () => this.saving.soon(),
      onMove: () => this.invalidate(),
    });
    this.pictures = new Pictures((blob) => this.post({ type: 'loadImage', blob }));
    this.seeker = new Seeker(this);
    this.composer = new Composer(this);
    this.writing = this.composer;
    this.cardKeys = new CardKeys(this);
    this.popovers = new Popovers(this);
    this.elsewhere = new Elsewhere(this);
    this.saving = new Saving(this, this.#host);
    this.post({ type: 'ready', count: Math.max(this.saving.count, PAGE) });
    window.addEventListener('pagehide', () => {
      this.saving.save();
      this.post({ type: 'gone' });
    });
    root.addEventListener(REDRAWN, () => this.seeker.mark());
    window.addEventListener('focus', () => onPageEntered(this));
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

  /** Redraws after a while, for countdowns. */
  invalidateIn(ms: number): void {
    this.#timer ||= window.setTimeout(() => {
      this.#timer = 0;
      this.invalidate();
    }, ms);
  }

  /** Runs once the page shows the latest changes. */
  afterRender(action: () => void): void {
    this.#afterRender.push(action);
    this.invalidate();
  }

  toggle(id: string): void {
    const opened = !this.open.delete(id);
    if (opened) this.open.add(id);
    // An opened row stays under the pointer, and is scrolled into view if it opens below the edge.
    this.reader.hold();
    const rowId = id.replace(/^group:|\/\w+$/g, '');
    if (opened)
      this.afterRender(() => {
        const row = this.root.querySelector(`[data-row="${CSS.escape(rowId)}"]`);
        if (row) this.reader.revealElement(row);
      });
    this.saving.soon();
    this.invalidate();
  }

  /** `secret`: it may be a password, which lives in this page only. */
  setReason(approvalId: string, text: string, secret = false): void {
    this.reason = { approvalId, text, secret };
    this.saving.soon();
    this.invalidate();
  }

  /** Edits an earlier message in its row. One whose text was changed is not given up for another. */
  edit({ id, text, images = [] }: RowOf<'user'>): void {
    const { editor } = this;
    const before = editor?.replaces === id ? null : this.rows.get(editor?.replaces ?? '');
    if (!editor || (before?.type === 'user' && before.text === editor.draft))
      this.#edit(
        id,
        text,
        images.map(({ blob, name }) => ({ kind: 'sent', blob, name })),
      );
    const to = this.editor?.replaces;
    if (to) this.reader.goTo({ rowId: to, offset: EDIT_AT }, true);
    this.afterRender(() => this.editor?.focus());
    this.saving.save();
  }

  #edit(rowId: string, text: string, images: readonly ImageToSend[]): void {
    this.editor = new Composer(this, rowId);
    this.editor.draft = text;
    this.editor.images = images;
    this.writing = this.editor;
    this.post({ type: 'previewEdit', rowId });
  }

  /** The message was sent, or stays as it was. */
  endEdit(): void {
    this.editor = null;
    this.writing = this.composer;
    this.saving.save();
    this.afterRender(() => this.composer.focus());
  }

  /** The person is writing, choosing or answering, and keys count there. */
  get isBusy(): boolean {
    const { composer, editor, popovers, cardKeys, renaming } = this;
    return (
      composer.draft !== '' || editor !== null || popovers.open !== 'none' || renaming !== null || cardKeys.isInCard
    );
  }

  announce(text: string): void {
    this.#announcer.announce(text);
  }

  /** The Markdown of a row: rendered once, and extended by deltas. */
  markdown(key: string, text: string): HTMLElement {
    const known = this.#streams.get(key);
    // Comparing lengths is sufficient: a row's text only grows by the deltas that its stream also gets.
    if (known?.length === text.length) return known.element;
    const stream = MarkdownStream.of(text);
    this.#streams.set(key, stream);
    return stream.element;
  }

  /** A row that left the page is rendered again when it returns. */
  #forgetStreams(rowIds: readonly string[]): void {
    for (const id of rowIds) this.#streams.delete(id);
  }

  get #composers(): readonly Composer[] {
    return this.editor ? [this.composer, this.editor] : [this.composer];
  }

  /** Restores the stored state of the session that has just been shown. */
  #restore(kept: Kept | null): void {
    this.composer.restore(kept);
    this.editor = null;
    this.writing = this.composer;
    if (kept?.editing) this.#edit(kept.editing.rowId, kept.editing.text, kept.editingImages);
    this.saving.restored();
    this.reason = kept?.reason ?? null;
    this.open.clear();
    for (const id of kept?.open ?? []) this.open.add(id);
  }

  #take(received: readonly ToPanel[]): void {
    for (const message of this.state === null ? this.#begin(received) : received) {
      if (message.type === 'rows') {
        this.#keepStream(message.rows);
        if (message.rows.some(({ type }) => type === 'user')) this.composer.forgetSent();
        this.#announcer.rows(message.rows.filter((row) => this.#isNews(row)));
        if (!this.reader.following) this.#noteEvents(message.rows);
      }
      const other = message.type === 'show' && message.state.sessionId !== this.state?.sessionId;
      // The announcement belongs to the session before.
      if (other) this.#announcer.announce('');
      this.rows.apply(message);
      switch (message.type) {
        case 'show':
          this.#show(message.state, message.kept ?? null, other);
          break;
        case 'state':
          this.#announcer.state(this.state, message.state);
          // A hint about a running turn is outdated once the turn has ended.
          if (this.state?.status !== message.state.status) for (const each of this.#composers) each.hint = '';
          // It was queued.
          if (message.state.queue.length > (this.state?.queue.length ?? 0)) this.composer.forgetSent();
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
          this.popovers.takeSessions(message.query, message.sessions);
          break;
        case 'sessionsHere':
          this.elsewhere.take(message);
          break;
        case 'act':
          this.#act(this, message.act);
          break;
        case 'history':
          if (this.popovers.open !== 'history') this.popovers.show('history');
          break;
        case 'reveal':
          this.seeker.seek(message);
          break;
        case 'lead':
          leadTo(this, message.rowId);
          break;
        case 'found':
          this.seeker.find.take(message.query, message.hits);
          break;
        case 'insertText':
          if (message.send && this.state) this.composer.ask(message.text, this.state);
          else this.writing.insert(message.text);
          break;
        case 'mentionChoices':
          for (const each of this.#composers)
            if (each.mentions.take(message.typed, message.choices)) each.completion = 0;
          break;
        case 'mentionsChecked':
          for (const each of this.#composers)
            if (this.state) each.takeChecked(this.state, message.text, message.doubts);
          break;
        case 'image':
          this.pictures.take(message);
          break;
        case 'attach':
          attachGiven(this.writing, message.images);
          break;
        case 'editPreview':
          if (this.editor?.replaces === message.rowId) this.editor.files = message;
          break;
        case 'compose':
          this.composer.takeBack(message);
          break;
        case 'saidAgain':
          this.composer.forget(message);
          break;
      }
    }
    // Its message has left the conversation.
    if (this.editor?.replaces && this.state && !this.rows.more && !this.rows.get(this.editor.replaces)) this.endEdit();
    this.seeker.onRowsChanged();
    this.invalidate();
  }

  /**
   * A page begins with `show`. What arrives before was meant for a page that died: it is outdated, except for texts and
   * images of a person.
   */
  #begin(received: readonly ToPanel[]): readonly ToPanel[] {
    const [first, ...others] = received;
    if (first?.type === 'show') return [first, ...this.#early.splice(0), ...others];
    this.#early.push(
      ...received.filter(({ type }) => type === 'compose' || type === 'insertText' || type === 'attach'),
    );
    return [];
  }

  #become(state: PanelState): void {
    const before = this.state;
    this.state = state;
    if (before && before.sessionId !== state.sessionId) this.saving.moveFrom(before.sessionId);
  }

  #show(state: PanelState, kept: Kept | null, other: boolean): void {
    const first = this.state === null;
    this.state = state;
    this.#loadingBefore = null;
    if (!other) {
      // It was read-only here until now, and the draft written elsewhere comes with it.
      if (kept?.draft && this.composer.draft === '' && this.composer.images.length === 0) this.#restore(kept);
      // Another branch of the same session: shows its end, the point returned to.
      this.reader.follow();
      return;
    }
    this.#streams.clear();
    this.seeker.find.close();
    this.reader.window.clear();
    this.pictures.clear();
    this.renaming = null;
    this.news = null;
    this.confirming = null;
    this.elsewhere.forget();
    this.popovers.close();
    this.saving.cancel();
    const restored = first ? this.saving.newest(kept) : kept;
    this.#restore(restored);
    const anchor = restored?.anchor ?? null;
    this.reader.follow();
    this.afterRender(() => onPageEntered(this));
    if (anchor) this.afterRender(() => this.reader.goTo(anchor, true));
  }

  /** The reader may have asked for them, and does not see them. */
  #noteEvents(rows: readonly Row[]): void {
    for (const row of rows) {
      const text = this.#events(row, this.rows.get(row.id));
      if (text !== '') this.news = { rowId: row.id, text };
    }
  }

  /** Scrolls to the event that the button names, or to the end. */
  showLatest(): void {
    const { news } = this;
    this.news = null;
    const isLast = news === null || this.rows.indexOf(news.rowId) === this.rows.all.length - 1;
    if (isLast || !this.reader.goTo({ rowId: news.rowId, offset: EVENT_AT })) this.reader.follow();
    this.invalidate();
  }

  /** A previously existing row is news only when it has a question: a refreshed page is not announced again. */
  #isNews(row: Row): boolean {
    return this.rows.get(row.id) === null || (row.type === 'tool' && row.approval !== null);
  }

  /** A finished answer keeps the nodes it was streamed into. */
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
    const { asked } = this.cardKeys;
    if (this.reader.following) this.news = null;
    this.reader.beforeRender();
    if (this.state) render(this.#view(this, this.state), this.root);
    this.reader.afterRender(this.root.querySelector('.conversation'));
    const actions = this.#afterRender;
    this.#afterRender = [];
    for (const action of actions) action();
    this.seeker.mark();
    if (hadCaret && isCaretLost()) onCaretLost(this, asked);
  }
}
