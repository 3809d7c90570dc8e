/**
 * Actions on the message being written: attachments, completions, sending it, and what sending an edited one puts back.
 */

import { basename } from 'node:path';
import * as vscode from 'vscode';
import { previewRestore, type RestoreStep } from '../../core/checkpoints/restoreFiles.ts';
import { type GivenImage, IMAGE_LIMITS, readImage } from '../../core/context/images.ts';
import { ToldError } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import { readBounded } from '../../node/files/checkedFiles.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { PastedTexts } from '../../node/session/pastedTexts.ts';
import { storageError } from '../../node/storage/disk/storageError.ts';
import type { ImageToSend } from '../../protocol/kept.ts';
import type { FileEffect } from '../../protocol/messages.ts';
import type { Handlers } from '../handlers.ts';
import type { MentionCommands } from '../mentions/mentionCommands.ts';
import { base64, focusPanel } from '../panel/panelChanges.ts';
import type { Parts } from '../parts.ts';
import { showOpenDialog } from '../tell/pickers.ts';

export function messageCommands(
  { session, changes, mcp, skills, agents }: Pick<Parts, 'session' | 'changes' | 'mcp' | 'skills' | 'agents'>,
  mentions: MentionCommands,
  pasted: PastedTexts,
) {
  const edited = new EditedMessage({ session, changes });
  return {
    ...edited.handlers,
    pasted: ({ text }) => pasted.add(text),
    send: async ({ text, replaces, putBack = false, confirmed = false, images: given = [], interrupts = false }) => {
      // The person may look at another session while this is prepared.
      const { conversation } = session;
      let whole: string | null;
      let images: readonly GivenImage[];
      let steps: readonly RestoreStep[];
      try {
        steps = putBack && replaces !== undefined ? edited.stepsOf(replaces) : [];
        whole = await mentions.complete(text);
        images = await Promise.all(given.map((image) => bytesOf(image, conversation)));
      } catch (thrown) {
        // Puts the text back, so that it is not lost.
        await session.giveBack(conversation, text);
        throw thrown;
      }
      const parts = pasted.partsOf(whole ?? '', conversation?.foreignTexts);
      const more = { mentionsSecrets: confirmed, images, interrupts, putBack: steps, ...(parts ? { parts } : {}) };
      if (whole === null) await session.giveBack(conversation, text);
      else await session.send(whole, replaces, more, conversation);
    },
    attachImage: async () => {
      const images = await chooseImages();
      await focusPanel();
      if (images.length > 0) changes.attach(images);
    },
    attachFiles: async ({ uris }) => changes.attach(await readImages(uris.map((uri) => vscode.Uri.parse(uri)))),
    /** Only images can be loaded from the session this way. */
    loadImage: async ({ blob }) => {
      const bytes = (await session.conversation?.agent.blobs.get(blob)) ?? null;
      const facts = bytes && readImage(bytes);
      const shown = facts ? { mime: facts.mime, data: base64(bytes) } : { mime: 'image/png' as const, data: '' };
      changes.tell({ type: 'image', blob, ...shown });
    },
    listNames: async () => {
      // Does not wait for servers that must be started first: the state is sent again when they have answered.
      void mcp.content.list();
      await skills.refresh();
      await agents.refresh();
    },
  } satisfies Partial<Handlers>;
}

async function bytesOf(image: ImageToSend, conversation: Conversation | null): Promise<GivenImage> {
  if (image.kind === 'new') return { name: image.name, bytes: Buffer.from(image.data, 'base64') };
  const bytes = await conversation?.agent.blobs.get(image.blob);
  if (!bytes) throw new ToldError(words('{0} can no longer be read. Take it out, or attach it again.', image.name));
  return { name: image.name, bytes };
}

const EXTENSIONS = ['png', 'jpg', 'jpeg', 'gif', 'webp'];
/** Schemes of files that the editor itself can open. */
const SCHEMES: ReadonlySet<string> = new Set(['file', 'vscode-remote']);

/** Empty when the person chose none. */
async function chooseImages(): Promise<readonly GivenImage[]> {
  const chosen = await showOpenDialog({
    canSelectMany: true,
    openLabel: vscode.l10n.t('Attach'),
    title: vscode.l10n.t('Attach Image'),
    filters: { [vscode.l10n.t('Images')]: EXTENSIONS },
  });
  return readImages(chosen ?? []);
}

async function readImages(uris: readonly vscode.Uri[]): Promise<readonly GivenImage[]> {
  const other = uris.find(({ scheme }) => !SCHEMES.has(scheme));
  if (other) throw new ToldError(words('{0} is not read: it is not a file.', other.path.split('/').at(-1) ?? ''));
  return readImageFiles(uris.map(({ fsPath }) => fsPath));
}

/** In bytes. Photos are smaller; a larger file is not for viewing. */
const LARGEST = 15_000_000;

/** Throws for the first file that is not regular, is too large, or is not an image by its own bytes. */
export async function readImageFiles(paths: readonly string[]): Promise<readonly GivenImage[]> {
  const images: GivenImage[] = [];
  for (const path of paths.slice(0, IMAGE_LIMITS.count)) {
    const name = basename(path);
    // A device never ends, and a pipe may never begin: neither is read.
    const bytes = await readBounded(path, LARGEST).catch((thrown: unknown) => {
      throw storageError(path, thrown);
    });
    if (bytes === 'notRegular') throw new ToldError(words('{0} is not read: it is not a file.', name));
    if (bytes === 'tooLarge') {
      const most = LARGEST.toLocaleString('en-US');
      throw new ToldError(words('{0} has more than {1} bytes and is not read. Make it smaller.', name, most));
    }
    if (!readImage(bytes)) {
      throw new ToldError(words('{0} is not a PNG, JPEG, GIF or WebP image, or it is damaged.', name));
    }
    images.push({ name, bytes });
  }
  return images;
}

/** Files named in the row; the others are counted. */
const MOST_NAMED = 200;

/**
 * An earlier message that is edited in its row: the files that sending it can put back as they were before it. Invariant:
 * only what the person was shown is put back.
 */
class EditedMessage {
  readonly #parts: Pick<Parts, 'session' | 'changes'>;
  #shown: {
    readonly conversation: Conversation;
    readonly rowId: string;
    readonly steps: readonly RestoreStep[];
  } | null = null;

  readonly handlers = { previewEdit: ({ rowId }) => this.#preview(rowId) } satisfies Partial<Handlers>;

  constructor(parts: Pick<Parts, 'session' | 'changes'>) {
    this.#parts = parts;
  }

  /** The steps that were shown for this row. Throws with the reason when there are none. */
  stepsOf(rowId: string): readonly RestoreStep[] {
    const shown = this.#shown;
    if (shown?.rowId !== rowId || shown.conversation !== this.#parts.session.conversation)
      throw new ToldError(words('The files have not been looked at yet. Edit the message again.'));
    return shown.steps;
  }

  async #preview(rowId: string): Promise<void> {
    const { session, changes } = this.#parts;
    const { conversation } = session;
    const [, seq] = /^m(\d+)$/.exec(rowId) ?? [];
    if (!conversation?.agent.files || seq === undefined) return;
    const { steps, incomplete } = await previewRestore(Number(seq), conversation.history.restorePorts);
    if (session.conversation !== conversation) return;
    const files = steps.flatMap((step) => {
      const effect = effectOf(step);
      return effect ? [{ path: step.path, effect }] : [];
    });
    this.#shown = { conversation, rowId, steps: steps.filter(isPutBack) };
    changes.tell({
      type: 'editPreview',
      rowId,
      files: files.slice(0, MOST_NAMED),
      back: this.#shown.steps.length,
      more: Math.max(files.length - MOST_NAMED, 0),
      incomplete,
    });
  }
}

/** A file that somebody else has changed since stays: *Restore* asks about each of these. */
const isPutBack = (step: RestoreStep) => (step.kind === 'write' || step.kind === 'remove') && step.conflict === null;

/** Null for a file that is as it was. */
function effectOf(step: RestoreStep): FileEffect | null {
  switch (step.kind) {
    case 'same':
      return null;
    case 'lost':
      return 'lost';
    case 'remove':
    case 'write':
      if (step.conflict !== null) return 'stays';
      return step.kind === 'remove' ? 'removed' : step.now === null ? 'created' : 'restored';
  }
}
