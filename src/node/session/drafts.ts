/**
 * The state of the panel's pages for each session, on disk: the editor itself saves a page's state only now and then,
 * in a browser once a minute. Invariant: it is stored next to the session's journal and never in it, and is deleted
 * with the session.
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attachment } from '../../core/context/message.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { imagesToSend, type Kept, keptSchema, MOST_IMAGES } from '../../protocol/kept.ts';
import type { ToHost } from '../../protocol/messages.ts';
import { LastValueFile } from '../storage/disk/lastValueFile.ts';
import { DRAFT, removeKept, type SessionStore } from '../storage/sessions/sessionStore.ts';
import type { PastedTexts } from './pastedTexts.ts';

/** The panel in the side bar, and in an editor tab: both have a composer. */
export const PLACES = ['view', 'tab'] as const;

export type Place = (typeof PLACES)[number];

type Keep = Extract<ToHost, { type: 'keep' }>;

interface Held {
  kept: Kept;
  readonly state: LastValueFile;
  /** Separate, because they are large and seldom change. */
  readonly images: LastValueFile;
  readonly editingImages: LastValueFile;
}

const NOTHING: Kept = {
  at: 0,
  draft: '',
  images: [],
  count: 0,
  anchor: null,
  open: [],
  editing: null,
  pasted: false,
  editingImages: [],
  reason: null,
};

export class Drafts {
  readonly #store: Pick<SessionStore, 'folder' | 'folderOf'>;
  readonly #log: Log;
  readonly #pasted: Pick<PastedTexts, 'add'>;
  /** Sessions whose state was read in this window. */
  readonly #loaded = new Set<string>();
  readonly #sessions = new Map<string, Readonly<Record<Place, Held>>>();

  /** A draft without a session is in the folder of `store` itself. */
  constructor(store: Pick<SessionStore, 'folder' | 'folderOf'>, log: Log, pasted: Pick<PastedTexts, 'add'>) {
    this.#store = store;
    this.#log = log;
    this.#pasted = pasted;
  }

  /** Reads the stored state of a session, before it is shown. An empty id means the draft without a session. */
  async load(sessionId: string): Promise<void> {
    await this.#settle(sessionId);
    const isFirst = !this.#loaded.has(sessionId);
    this.#loaded.add(sessionId);
    const folder = sessionId === '' ? this.#store.folder : this.#store.folderOf(sessionId);
    const [view, tab] = await Promise.all(PLACES.map((place) => this.#read(folder, place)));
    if (view && tab) this.#sessions.set(sessionId, { view, tab });
    // Which part of such a draft was pasted is known to the window alone in which it was written.
    for (const kept of isFirst ? [view?.kept, tab?.kept] : []) {
      if (!kept?.pasted) continue;
      for (const text of [kept.draft, kept.editing?.text ?? '']) if (text.trim() !== '') this.#pasted.add(text);
    }
  }

  /** Null for a page without stored state. */
  get(sessionId: string, place: Place): Kept | null {
    const kept = this.#sessions.get(sessionId)?.[place].kept;
    return kept && kept.at > 0 ? kept : null;
  }

  /** `lasting`: false where another window may be writing, so that it applies to this window only. */
  async keep({ sessionId, kept, images, editingImages }: Keep, place: Place, lasting: boolean): Promise<void> {
    const stored = this.#sessions.get(sessionId)?.[place];
    if (!stored) return;
    stored.kept = {
      ...kept,
      images: images ?? stored.kept.images,
      editingImages: editingImages ?? stored.kept.editingImages,
    };
    if (!lasting) return;
    if (sessionId === '') await mkdir(this.#store.folder, { recursive: true, mode: 0o700 });
    stored.state.set(kept);
    if (images) stored.images.set(images.length === 0 ? null : images);
    if (editingImages) stored.editingImages.set(editingImages.length === 0 ? null : editingImages);
  }

  /** A new session starts from this one: the draft moves along. */
  async takeAlong(sessionId: string): Promise<void> {
    for (const place of PLACES) {
      const from = this.get(sessionId, place);
      if (!from || (from.draft === '' && from.images.length === 0)) continue;
      const there = this.get('', place) ?? NOTHING;
      const draft = [from.draft, there.draft].filter((each) => each.trim() !== '').join('\n\n');
      const images = [...from.images.filter(({ kind }) => kind === 'new'), ...there.images];
      const at = Date.now();
      const pasted = there.pasted || from.pasted;
      await this.keep({ type: 'keep', sessionId: '', kept: { ...there, at, draft, pasted }, images }, place, true);
      await this.keep({ type: 'keep', sessionId, kept: { ...from, at, draft: '' }, images: [] }, place, true);
    }
  }

  /** A text of a session that is not on screen joins its draft. False when it could not be kept. */
  async giveBack(sessionId: string, text: string, attachments: readonly Attachment[]): Promise<boolean> {
    const present = this.#sessions.get(sessionId)?.view;
    if (!present) return false;
    const { kept } = present;
    const draft = [text, kept.draft].filter((each) => each.trim() !== '').join('\n\n');
    const sent = attachments.map(({ blob, name = '' }) => ({ kind: 'sent' as const, name, blob }));
    const images = [...sent, ...kept.images].slice(0, MOST_IMAGES);
    await this.keep({ type: 'keep', sessionId, kept: { ...kept, at: Date.now(), draft }, images }, 'view', true);
    return (await present.state.settle()) && (await present.images.settle());
  }

  /** The session is deleted. Later messages of a page about it are ignored. */
  async forget(sessionId: string): Promise<void> {
    const settled = this.#settle(sessionId);
    this.#sessions.delete(sessionId);
    await settled;
    await removeKept(this.#store.folderOf(sessionId));
  }

  async #settle(sessionId: string): Promise<void> {
    const present = this.#sessions.get(sessionId);
    for (const { state, images, editingImages } of present ? PLACES.map((place) => present[place]) : []) {
      await Promise.all([state.settle(), images.settle(), editingImages.settle()]);
    }
  }

  async #read(folder: string, place: Place): Promise<Held> {
    const file = (name: string) =>
      new LastValueFile(join(folder, name), (thrown) =>
        this.#log('warn', `What is being written could not be kept: ${messageOf(thrown)}`),
      );
    const state = file(`${DRAFT}${place}.json`);
    const images = file(`${DRAFT}${place}.images.json`);
    const editingImages = file(`${DRAFT}${place}.editing.json`);
    const kept = keptSchema.omit({ images: true, editingImages: true }).safeParse(await state.read());
    const attached = imagesToSend.safeParse(await images.read());
    const toEdited = imagesToSend.safeParse(await editingImages.read());
    return {
      kept: { ...(kept.data ?? NOTHING), images: attached.data ?? [], editingImages: toEdited.data ?? [] },
      state,
      images,
      editingImages,
    };
  }
}
