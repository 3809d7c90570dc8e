/** *Show Storage Used*: a page with what sessions take on disk and their limit, from which one cleans up. */

import * as vscode from 'vscode';
import { words } from '../../core/words.ts';
import type { Pages } from '../pages/pages.ts';
import type { ImageQuota } from '../session/imageQuota.ts';
import type { SessionPlaces } from '../session/sessionPlaces.ts';
import type { ShownSession } from '../session/shownSession.ts';
import type { AgentSettings } from '../settings/agentSettings.ts';
import { emptyTrash, measureStorage } from '../storage/sessions/measureStorage.ts';
import type { SessionStore } from '../storage/sessions/sessionStore.ts';
import { askInDialog, showInformation } from '../tell/notify.ts';
import { withCancel } from '../tell/withCancel.ts';
import { describeStorage } from './describeStorage.ts';
import type { SessionCommands } from './sessionCommands.ts';

export interface StorageParts {
  /** The folder of this workspace's sessions. */
  readonly folder: string;
  readonly store: SessionStore;
  readonly places: SessionPlaces;
  readonly quota: ImageQuota;
  readonly sessions: Pick<SessionCommands, 'remove'>;
  readonly session: ShownSession;
  readonly pages: Pages;
  readonly settings: () => AgentSettings;
}

export async function showStorage(parts: StorageParts): Promise<void> {
  const { folder, session, sessions, quota, pages } = parts;
  const ids: string[] = [];
  const page = async () => {
    const facts = await measure(parts);
    ids.splice(0, ids.length, ...facts.sessions.map(({ id }) => id));
    return describeStorage(facts, vscode.l10n.t);
  };
  const actions = () => ({
    clean: async () => {
      const freed = (await quota.sweep())?.bytesFreed ?? 0;
      await draw();
      await showInformation(
        freed > 0
          ? vscode.l10n.t(
              '{0} KB of old outputs and file contents were removed.',
              Math.ceil(freed / 1_000).toLocaleString('en'),
            )
          : vscode.l10n.t('There is nothing old enough to remove.'),
      );
    },
    emptyTrash: async () => {
      const empty = vscode.l10n.t('Empty the Trash');
      const text = vscode.l10n.t('Remove the sessions in the trash of this folder for good?');
      if ((await askInDialog(text, vscode.l10n.t('They cannot be restored.'), empty)) !== empty) return;
      await emptyTrash(folder);
      await draw();
    },
    limits: () =>
      vscode.commands.executeCommand('workbench.action.openSettings', '@ext:palimpsest.palimpsest checkpoints'),
    ...Object.fromEntries(
      ids.flatMap((id) => [
        [`open ${id}`, () => session.show(id)],
        [
          `remove ${id}`,
          async () => {
            await sessions.remove(id);
            await draw();
          },
        ],
      ]),
    ),
  });
  const shown = pages.show('storage', await page(), actions());
  const draw = async () => shown.write(await page(), actions());
}

async function measure({ folder, store, places, quota, session, settings }: StorageParts) {
  return withCancel(words('Measuring storage…'), async (signal) => {
    const used = await measureStorage(folder);
    const listed = new Map((await store.list(signal)).map((each) => [each.id, each]));
    let elsewhere = 0;
    for (const other of await places.stores()) {
      if (other.folder === folder || signal.aborted) continue;
      const { sessions } = await measureStorage(other.folder);
      for (const bytes of sessions.values()) elsewhere += bytes;
    }
    const { checkpoints, output } = settings();
    const sessions = [...used.sessions].map(([id, bytes]) => ({
      ...{ id, bytes, title: listed.get(id)?.title ?? '', open: session.conversation?.id === id },
      when: new Date(listed.get(id)?.time ?? 0).toLocaleDateString(vscode.env.language),
    }));
    // What is counted in the background is counted now.
    if (!quota.counted) await quota.sweep();
    return {
      sessions: sessions.toSorted((a, b) => b.bytes - a.bytes),
      ...{ elsewhere, trash: used.trash, outputDays: output.days },
      images: { bytes: quota.bytes, limit: quota.limit, days: checkpoints.days },
    };
  });
}
