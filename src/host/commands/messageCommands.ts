/**
 * Actions on the message being written: attachments, completions, sending it, and what sending an edited one puts back.
 */

import * as vscode from 'vscode';
import type { RestoreStep } from '../../core/checkpoints/restorePlan.ts';
import { readImage } from '../../core/context/imageFacts.ts';
import type { GivenImage } from '../../core/context/images.ts';
import { UserFacingError } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import { readImageFiles } from '../../node/files/readImageFiles.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { PastedTexts } from '../../node/session/pastedTexts.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { ImageToSend } from '../../protocol/kept.ts';
import type { Handlers } from '../handlers.ts';
import type { AgentCommands } from '../instructions/agentCommands.ts';
import type { SkillList } from '../instructions/skillList.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import type { MentionCommands } from '../mentions/mentionCommands.ts';
import { showOpenDialog } from '../notices/pickers.ts';
import { base64, focusPanel, type PanelChanges } from '../panel/panelChanges.ts';
import { EditedMessage } from './editedMessage.ts';

interface Parts {
  readonly session: ShownSession;
  readonly changes: PanelChanges;
  readonly mcp: OpenedMcp;
  readonly skills: SkillList;
  readonly agents: AgentCommands;
}

export function messageCommands(
  { session, changes, mcp, skills, agents }: Parts,
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
      changes.publish({ type: 'image', blob, ...shown });
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
  if (!bytes) throw new UserFacingError(words('{0} can no longer be read. Remove it, or attach it again.', image.name));
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
  if (other) throw new UserFacingError(words('{0} is not read: it is not a file.', other.path.split('/').at(-1) ?? ''));
  return readImageFiles(uris.map(({ fsPath }) => fsPath));
}
