/** Actions on the message being written: attachments, completions, and sending it. */

import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { RestoreStep } from '../../core/checkpoints/restoreFiles.ts';
import { ToldError } from '../../core/errors.ts';
import { type GivenImage, IMAGE_LIMITS, readImage } from '../../core/images.ts';
import { words } from '../../core/words.ts';
import type { ImageToSend } from '../../protocol/kept.ts';
import { readBounded } from '../files/checkedFiles.ts';
import type { Handlers } from '../handlers.ts';
import type { MentionCommands } from '../mentions/mentionCommands.ts';
import { base64, focusPanel } from '../panel/panelChanges.ts';
import type { Parts } from '../parts.ts';
import type { Conversation } from '../session/conversation.ts';
import { storageError } from '../storage/disk/storageError.ts';
import { showOpenDialog } from '../tell/pickers.ts';
import type { EditedMessage } from './editMessage.ts';

export function messageCommands(
  { session, changes, mcp, skills, agents }: Pick<Parts, 'session' | 'changes' | 'mcp' | 'skills' | 'agents'>,
  mentions: MentionCommands,
  edited: EditedMessage,
) {
  return {
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
      const more = { mentionsSecrets: confirmed, images, interrupts, putBack: steps };
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
      const bytes = (await session.conversation?.blobs.get(blob)) ?? null;
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
  const bytes = await conversation?.blobs.get(image.blob);
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
