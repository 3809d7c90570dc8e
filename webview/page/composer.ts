/**
 * Holds the draft and acts on it: sends it, runs it as a command, or reports why not and keeps the text. There is one below
 * the conversation, and a second one in the row of an earlier message while that is edited.
 */

import { t } from '@vscode/l10n';
import { formatCount } from '../../src/core/figures.ts';
import { PANEL_COMMANDS } from '../../src/protocol/commands.ts';
import type { ImageToSend, Kept } from '../../src/protocol/kept.ts';
import type { Doubt, PanelState, ToHost, ToPanel } from '../../src/protocol/messages.ts';
import { MAX_TEXT, type Row } from '../../src/protocol/rows.ts';
import { type Completion, completeCommand, nameCompletions, readCommand, type Slash } from './commands.ts';
import { isComposing } from './composing.ts';
import { inPanelLanguage } from './format.ts';
import { matchOne } from './matchChoices.ts';
import { MentionList } from './mentions.ts';
import type { Popover } from './popovers.ts';

/** Maximum characters of a message. */
export const MAX_MESSAGE = 1_000_000;

/** Doubtful files named before "… more". */
const MOST_MISSING = 5;

/** Maximum characters of a draft that is saved with each letter; a longer one is saved a moment later. */
const SAVED_AT_ONCE = 20_000;

interface Completions {
  /** Names the list for screen readers. */
  readonly name: string;
  readonly list: readonly Completion[];
}

type Preview = Extract<ToPanel, { type: 'editPreview' }>;

const NOT_SENT: { readonly text: string; readonly images: readonly ImageToSend[] } = { text: '', images: [] };

/** The page around a message that is being written. */
interface ComposerPage {
  readonly root: HTMLElement;
  readonly state: PanelState | null;
  readonly rows: { readonly all: readonly Row[] };
  readonly reader: { follow(): void };
  readonly popovers: { readonly open: Popover; show(popover: Popover): void };
  readonly saving: { save(): void; soon(): void };
  /** The one below the conversation. */
  readonly composer: Composer;
  /** The edited message was sent, or stays as it was. */
  endEdit(): void;
  post(message: ToHost): void;
  announce(text: string): void;
  invalidate(): void;
  afterRender(action: () => void): void;
}

export class Composer {
  readonly page: ComposerPage;
  readonly mentions = new MentionList();
  draft = '';
  /** The images attached to the draft. */
  images: readonly ImageToSend[] = [];
  /** Settles when pending images are attached or refused; null without any. */
  attaching: Promise<void> | null = null;
  /** The row of the message that the draft will replace; null for a new message. */
  readonly replaces: string | null;
  /** The draft may hold a text that was pasted or dropped. */
  pasted = false;
  /** The files that sending can put back, once known. */
  files: Preview | null = null;
  /** They are put back. */
  putsBack = true;
  /** Shown under the composer: why an input had no effect. */
  hint = '';
  /** Index of the selected completion. */
  completion = 0;
  /** The message that is being sent stops a running turn; its mentions may be checked first. */
  #interrupts = false;
  /** The draft whose mentions are being checked. */
  #checking = '';
  /** Number of sent messages that ↑ has gone back. */
  #recalled = 0;
  /** The next Enter sends nothing. */
  #heldBack = false;
  /** The last message, until the host is known to have it: it returns if it could not be sent. */
  #sent = NOT_SENT;

  constructor(page: ComposerPage, replaces: string | null = null) {
    this.page = page;
    this.replaces = replaces;
  }

  focus(): void {
    this.#field?.focus();
  }

  /** The caret came here by itself while the person wrote elsewhere: the Enter that ends what they wrote sends nothing. */
  holdBack(): void {
    this.#heldBack = true;
  }

  get #field(): HTMLTextAreaElement | null {
    return this.page.root.querySelector(this.replaces === null ? '.composer textarea' : '.row.edited textarea');
  }

  /** `cursor`: its new position; default: unchanged. */
  setDraft(draft: string, cursor?: number): void {
    this.draft = draft;
    if (draft === '') this.pasted = false;
    // At once: a letter may follow before the page is redrawn.
    const shown = this.#field;
    if (shown && shown.value !== draft) shown.value = draft;
    if (cursor !== undefined) {
      shown?.setSelectionRange(cursor, cursor);
      this.page.afterRender(() => {
        const field = this.#field;
        field?.focus();
        if (this.draft !== draft) return;
        field?.setSelectionRange(cursor, cursor);
        this.followCursor(cursor);
      });
    }
    this.hint = '';
    this.completion = 0;
    // The editor may discard the page at any moment, after which nothing can be saved.
    if (draft.length <= SAVED_AT_ONCE) this.page.saving.save();
    else this.page.saving.soon();
    this.page.invalidate();
  }

  setImages(images: readonly ImageToSend[]): void {
    this.images = images;
    this.hint = '';
    this.page.saving.soon();
    this.page.invalidate();
  }

  /** Text from elsewhere goes into the draft: the host marks it as not the person's own words. */
  takePasted(text: string): void {
    if (text.trim() === '') return;
    this.pasted = true;
    this.page.post({ type: 'pasted', text: text.slice(0, MAX_TEXT) });
  }

  /** Shows under the composer why an input had no effect. */
  refuse(reason: string): void {
    this.hint = reason;
    this.page.invalidate();
  }

  /** Puts a text into the composer before the existing draft. */
  propose(text: string, written = this.draft): void {
    const texts = text.trim() === written.trim() ? [text] : [text, written];
    this.setDraft(texts.filter((each) => each.trim() !== '').join('\n\n'));
  }

  /** Inserts at the cursor, with a space after the preceding word. */
  insert(text: string): void {
    const field = this.#field;
    const at = Math.min(field?.selectionStart ?? this.draft.length, this.draft.length);
    const before = this.draft.slice(0, at);
    const apart = before === '' || /\s$/.test(before) ? '' : ' ';
    this.setDraft(
      before + apart + text + this.draft.slice(field?.selectionEnd ?? at),
      before.length + apart.length + text.length,
    );
  }

  /** Sends a text that was asked for elsewhere in the editor. A message that is being written is kept, and gets it. */
  ask(text: string, state: PanelState): void {
    const isWriting = this.draft.trim() !== '' || this.images.length > 0;
    this.insert(text);
    if (!isWriting) this.submit(state);
  }

  /** The selection that goes along with the draft. An earlier message has its own. */
  get selection(): PanelState['selection'] {
    return this.replaces === null ? (this.page.state?.selection ?? null) : null;
  }

  /** Whether the editor's selection goes along, now and later. */
  keepSelection(on: boolean): void {
    this.page.post({ type: 'keepSelection', on });
    this.page.afterRender(() => this.focus());
  }

  /** The host has the last message: it will not return. */
  forgetSent(): void {
    this.#sent = NOT_SENT;
  }

  /** Restores a message that could not be sent: with the host's images, or else those just sent. */
  takeBack({ text, images }: Extract<ToPanel, { type: 'compose' }>): void {
    if (text) this.propose(text);
    const unsent = text !== '' || this.#sent.text === '' ? this.#sent.images : [];
    const back = images?.map((image): ImageToSend => ({ kind: 'sent', ...image })) ?? unsent;
    if (back.length > 0) this.setImages([...back, ...this.images]);
    this.#sent = NOT_SENT;
    this.page.afterRender(() => this.focus());
  }

  /** Takes out again what `takeBack` put before the draft, with its images; what the person changed or added stays. */
  forget({ text, images = [] }: Extract<ToPanel, { type: 'saidAgain' }>): void {
    const own = text.trimEnd();
    if (this.draft !== own && !this.draft.startsWith(`${own}\n\n`)) return;
    this.setDraft(this.draft.slice(own.length).trimStart());
    const again = new Set(images.map(({ blob }) => blob));
    this.setImages(this.images.filter((image) => image.kind !== 'sent' || !again.has(image.blob)));
  }

  /** Restores the stored state of the session that has just been shown. */
  restore(kept: Kept | null): void {
    this.draft = kept?.draft ?? '';
    this.images = kept?.images ?? [];
    this.pasted = kept?.pasted ?? false;
    this.hint = '';
    this.mentions.end();
    this.completion = 0;
    this.#recalled = 0;
  }

  /** Completions for the present draft. */
  completions(state: PanelState): Completions {
    const { draft, mentions } = this;
    if (this.page.popovers.open !== 'none') return { name: '', list: [] };
    if (mentions.at === null) return { name: nameCompletions(draft), list: completeCommand(draft, state) };
    const { from, to } = mentions.at;
    const [before, after] = [draft.slice(0, from), draft.slice(to)];
    return {
      name: t('Context to mention'),
      list: mentions.choices.map(({ insert, label, detail, icon, more }) => {
        const text = more || /^\s/.test(after) ? insert : `${insert} `;
        const cursor = before.length + text.length + (text === insert && !more ? 1 : 0);
        return { draft: before + text + after, label, detail, icon, cursor };
      }),
    };
  }

  /** The element of a completion. */
  idOf(at: number): string {
    return `${this.replaces === null ? '' : 'edit-'}completion-${at}`;
  }

  choose({ draft, cursor = draft.length }: Completion): void {
    this.mentions.end();
    this.setDraft(draft, cursor);
  }

  /** `interrupts`: a running turn is stopped for it. */
  submit(state: PanelState, interrupts = false): void {
    const text = this.draft.trim();
    if (this.attaching) {
      // An image pasted right before is sent with it.
      void this.attaching.then(() => this.submit(this.page.state ?? state, interrupts));
      return;
    }
    this.#interrupts = interrupts;
    if ((text === '' && this.images.length === 0) || state.readOnly) return;
    const typed = readCommand(text, state.skills);
    switch (typed.kind) {
      case 'unknown':
        this.refuse(t('There is no command {0}. /help lists them.', typed.name));
        break;
      case 'command': {
        const why = whyNot(state, typed.slash);
        if (why) this.refuse(why);
        else this.#run(state, typed.slash, typed.rest);
        break;
      }
      case 'text':
        // During a turn the message waits; an earlier one is not replaced meanwhile.
        if (state.status !== 'idle' && this.replaces !== null)
          this.refuse(t('The agent is still working. Your text is kept; stop it first, or wait.'));
        else if (text.length > MAX_MESSAGE) this.#refuseLength();
        else {
          const whole = this.#withSelection(text);
          if (this.mentions.needsCheck(whole)) {
            this.#checking = text;
            this.mentions.check(whole);
            this.page.post({ type: 'checkMentions', text: whole });
          } else this.#send(whole);
        }
    }
  }

  /** The host checked the mentions of a message: sends it, or shows the doubts first. */
  takeChecked(state: PanelState, text: string, doubts: readonly Doubt[]): void {
    if (!this.mentions.checked(text, doubts) || this.draft.trim() !== this.#checking) return;
    if (doubts.length === 0) {
      if (state.status === 'idle' || this.replaces === null) this.#send(text);
      else this.refuse(t('The agent is still working. Your text is kept; stop it first, or wait.'));
      return;
    }
    // Every possibly secret file is named; of missing files a few are enough.
    const secret = doubts.filter(({ kind }) => kind === 'secret');
    const missing = doubts.filter(({ kind }) => kind === 'missing');
    const reasons = [...secret, ...missing.slice(0, MOST_MISSING)].map(
      ({ mention, reason }) => `${mention}: ${inPanelLanguage(reason)}`,
    );
    const more = missing.length > MOST_MISSING ? [t('{0} more.', formatCount(missing.length - MOST_MISSING))] : [];
    this.refuse([...reasons, ...more, t('Send again to send the message as it is.')].join('\n'));
  }

  /** The message with a mention of the selected lines, which is read when it is sent. */
  #withSelection(text: string): string {
    const { selection } = this;
    if (!selection?.on || text.includes(selection.mention)) return text;
    return text === '' ? selection.mention : `${text}\n\n${selection.mention}`;
  }

  #send(text: string): void {
    if (this.selection?.on && this.selection.isNew) this.page.post({ type: 'keepSelection', on: true });
    const interrupts = this.#interrupts && this.replaces === null;
    if (this.page.state && this.page.state.status !== 'idle' && !interrupts)
      this.page.announce(t('Your message is waiting for the current answer.'));
    this.page.post({
      type: 'send',
      text,
      ...(interrupts ? { interrupts } : {}),
      ...(this.replaces === null ? {} : { replaces: this.replaces }),
      ...(this.putsBack && this.files?.back ? { putBack: true } : {}),
      ...(this.images.length > 0 ? { images: [...this.images] } : {}),
      ...(this.mentions.wasTold(text) ? { confirmed: true } : {}),
    });
    // One that could not be sent returns below the conversation.
    this.page.composer.#sent = { text, images: this.images };
    this.mentions.end();
    if (this.replaces === null) {
      this.images = [];
      this.#recalled = 0;
      this.setDraft('');
    } else this.page.endEdit();
    this.page.reader.follow();
    this.page.saving.save();
  }

  onInput(text: string, cursor: number): void {
    // Skills and agents may have been added on disk since.
    if (text === '/' && this.draft === '') this.page.post({ type: 'listNames' });
    this.#recalled = 0;
    this.setDraft(text);
    this.followCursor(cursor);
    if (text.length >= MAX_MESSAGE) this.#refuseLength();
  }

  #refuseLength(): void {
    this.refuse(
      t(
        'A message can have at most {0} characters. The rest of what you pasted was left out.',
        formatCount(MAX_MESSAGE),
      ),
    );
  }

  /** The cursor may have entered a mention, or left one. */
  followCursor(cursor: number): void {
    const { mentions } = this;
    const before = mentions.at;
    // The command of a server may hold an `@`, as in the name of a package.
    const typed = /^\/mcp\s/i.test(this.draft) ? null : mentions.follow(this.draft, cursor);
    if (typed !== null) this.page.post({ type: 'completeMention', typed });
    if (mentions.at !== before) this.page.invalidate();
  }

  /** A key applies to the present draft: it may follow a letter before the page is redrawn. */
  onKey(event: KeyboardEvent): void {
    const { state } = this.page;
    if (isComposing(event) || !state) return;
    const { list: completions } = this.completions(state);
    const completion = completions[this.completion];
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        // These navigate to the rows.
        if (event.ctrlKey || event.metaKey) return;
        const step = event.key === 'ArrowDown' ? 1 : -1;
        if (completions.length > 0) {
          this.completion = (this.completion + step + completions.length) % completions.length;
          const { completion: at } = this;
          this.page.afterRender(() => document.getElementById(this.idOf(at))?.scrollIntoView({ block: 'nearest' }));
        } else if (!this.#recall(step)) return;
        break;
      }
      case 'Tab':
        if (event.shiftKey || !completion) return;
        this.choose(completion);
        break;
      case 'Enter':
        if (event.shiftKey) return;
        if (event.repeat) break;
        if (this.#heldBack) {
          this.#heldBack = false;
          if (this.draft.trim() !== '')
            this.refuse(t('The question is gone, and nothing was sent. Enter sends this text.'));
          break;
        }
        // A complete name is run; a partial one is completed first.
        if (completion && completion.draft.trim() !== this.draft.trim()) this.choose(completion);
        else this.submit(state, event.ctrlKey || event.metaKey);
        break;
      case 'Escape':
        if (completions.length === 0 && this.replaces === null) return;
        if (this.mentions.at) {
          this.mentions.leave();
          this.page.invalidate();
        } else if (this.replaces === null) this.setDraft('');
        else this.page.endEdit();
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  /** ↑ in an empty composer goes back through sent messages, ↓ forward. False when the key has another meaning. */
  #recall(step: 1 | -1): boolean {
    if (this.#recalled === 0 && (step === 1 || this.draft !== '')) return false;
    const sent = this.page.rows.all.flatMap((row) => (row.type === 'user' ? [row.text] : []));
    const recalled = this.#recalled - step;
    if (recalled > sent.length) return true;
    const text = sent[sent.length - recalled] ?? '';
    this.setDraft(text);
    this.#recalled = Math.max(recalled, 0);
    return true;
  }

  #run(state: PanelState, { name, opens, argument }: Slash, rest: string): void {
    if (this.replaces === null) this.setDraft('');
    else this.page.endEdit();
    if (opens && (rest === '' || !argument)) {
      this.page.popovers.show(opens);
      return;
    }
    switch (argument) {
      case 'instructions':
        this.page.post({ type: name === 'handOff' ? name : 'compact', instructions: rest.slice(0, 10_000) });
        break;
      case 'strategy':
        this.#chooseNamed(argument, state.strategies, rest, (strategy) =>
          this.page.post({ type: 'chooseStrategy', strategy }),
        );
        break;
      case 'model':
        this.#chooseNamed(argument, state.models, rest, (model) => this.page.post({ type: 'chooseModel', model }));
        break;
      case 'agent':
        this.page.post({ type: 'chooseAgent', ...(rest === '' ? {} : { agent: rest.slice(0, 256) }) });
        break;
      case 'server':
        this.page.post({ type: 'showMcpServers', ...(rest === '' ? {} : { server: rest.slice(0, 100_000) }) });
        break;
      case 'mode':
        this.#chooseNamed(argument, state.modes, rest, (mode) => this.page.post({ type: 'chooseMode', mode }));
        break;
      case undefined: {
        const type = PANEL_COMMANDS.find((command) => command === name);
        if (type) this.page.post({ type });
      }
    }
  }

  /** Selects the named item, and restores the text when nothing matches. */
  #chooseNamed(
    name: 'strategy' | 'model' | 'mode',
    choices: PanelState['models'],
    typed: string,
    post: (id: string) => void,
  ): void {
    const chosen = matchOne(choices, typed);
    if (chosen !== null) post(chosen);
    else {
      this.setDraft(`/${name} ${typed}`);
      this.refuse(noMatch(name, typed));
    }
  }
}

/** A command that changes the context needs one, and no running turn. Empty if it can run. */
function whyNot({ status, sessionId }: PanelState, { changesContext }: Slash): string {
  if (!changesContext) return '';
  if (sessionId === '') return t('This session is still empty: send a message first.');
  return status === 'idle' ? '' : t('The agent is still working. Your text is kept; stop it first, or wait.');
}

function noMatch(name: 'strategy' | 'model' | 'mode', typed: string): string {
  switch (name) {
    case 'model':
      return t('No model matches “{0}”.', typed);
    case 'strategy':
      return t('No compaction strategy matches “{0}”.', typed);
    case 'mode':
      return t('No mode matches “{0}”.', typed);
  }
}
