/** *Show Storage Used*: a page with the disk usage of sessions and their limit, with actions to clean up. */

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { formatBytes, formatCount } from '../../core/figures.ts';
import { type Translate, words } from '../../core/words.ts';
import { column, facts, right, section, table, text } from '../../node/pages/blocks.ts';
import type { SessionPlaces } from '../../node/session/sessionPlaces.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import { rm } from '../../node/storage/disk/patientDisk.ts';
import { codeOf, storageError } from '../../node/storage/disk/storageError.ts';
import type { ImageQuota } from '../../node/storage/sessions/imageQuota.ts';
import type { SessionStore } from '../../node/storage/sessions/sessionStore.ts';
import type { Page } from '../../protocol/pages.ts';
import type { Handlers } from '../handlers.ts';
import { confirmInDialog, showInformation, withCancel } from '../notices/notify.ts';
import type { Pages } from '../pages/pages.ts';
import type { WatchedSettings } from '../settings.ts';
import { openSettings } from './editorCommands.ts';
import type { SessionCommands } from './sessionCommands.ts';

interface Parts {
  /** This workspace's sessions. */
  readonly store: SessionStore;
  readonly places: SessionPlaces;
  readonly quota: ImageQuota;
  readonly sessions: SessionCommands;
  readonly session: ShownSession;
  readonly pages: Pages;
  readonly settings: WatchedSettings;
}

export function storageCommands(parts: Parts) {
  return { showStorage: () => showStorage(parts) } satisfies Partial<Handlers>;
}

async function showStorage(parts: Parts): Promise<void> {
  const { store, session, sessions, quota, pages } = parts;
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
          ? vscode.l10n.t('{0} of old outputs and file contents were removed.', formatBytes(freed))
          : vscode.l10n.t('There is nothing old enough to remove.'),
      );
    },
    emptyTrash: async () => {
      const empty = vscode.l10n.t('Empty the Trash');
      const text = vscode.l10n.t('Remove the sessions in the trash of this folder for good?');
      if (!(await confirmInDialog(text, vscode.l10n.t('They cannot be restored.'), empty))) return;
      await emptyTrash(store.folder);
      await draw();
    },
    limits: () => openSettings('@ext:palimpsest.palimpsest checkpoints'),
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

async function measure({ store, places, quota, session, settings }: Parts) {
  return withCancel(words('Measuring storage…'), async (signal) => {
    const used = await measureStorage(store.folder);
    const listed = new Map((await store.list(signal)).map((each) => [each.id, each]));
    let elsewhere = 0;
    for (const other of await places.stores()) {
      if (other.folder === store.folder || signal.aborted) continue;
      const { sessions } = await measureStorage(other.folder);
      for (const bytes of sessions.values()) elsewhere += bytes;
    }
    const { checkpoints, output } = settings.current.agent;
    const sessions = [...used.sessions].map(([id, bytes]) => ({
      id,
      bytes,
      title: listed.get(id)?.title ?? '',
      open: session.find(id) !== null,
      when: new Date(listed.get(id)?.time ?? 0).toLocaleDateString(vscode.env.language),
    }));
    // Do not wait for the count in the background.
    if (!quota.counted) await quota.sweep();
    return {
      sessions: sessions.toSorted((a, b) => b.bytes - a.bytes),
      elsewhere,
      trash: used.trash,
      outputDays: output.days,
      images: { bytes: quota.bytes, limit: quota.limit, days: checkpoints.days },
    };
  });
}

/** Sessions of this folder, the largest first, and the total of the others. */
type StorageFacts = Awaited<ReturnType<typeof measure>>;

const MOST_ROWS = 100;

/** The size of sessions, its limit, what happens at the limit, and the largest ones. Pure. */
function describeStorage(used: StorageFacts, t: Translate): Page {
  const { sessions, elsewhere, trash, images, outputDays } = used;
  const here = sessions.reduce((sum, { bytes }) => sum + bytes, 0);
  const limited = t('{0} of at most {1}', formatBytes(images.bytes), formatBytes(images.limit));
  const rows = sessions
    .slice(0, MOST_ROWS)
    .map(({ id, title, when, bytes, open }) => [
      { text: title || id, act: `open ${id}` },
      when,
      formatBytes(bytes),
      open ? t('open now') : { text: t('Move to the trash'), act: `remove ${id}` },
    ]);
  return {
    title: t('Storage used'),
    subtitle: '',
    blocks: [
      facts(
        [t('Sessions of this folder ({0})', formatCount(sessions.length)), formatBytes(here)],
        [t('Of which earlier file contents'), limited],
        [t('Sessions of other folders'), formatBytes(elsewhere)],
        [t('Trash of this folder'), formatBytes(trash)],
      ),
      {
        kind: 'actions',
        actions: [
          { id: 'clean', label: t('Clean Up Now'), primary: true },
          ...(trash > 0 ? [{ id: 'emptyTrash', label: t('Empty the Trash…') }] : []),
          { id: 'limits', label: t('Change Limits…') },
        ],
      },
      text(
        t(
          'At the limit the oldest earlier file contents go first, and each goes after {0} days: a checkpoint that needs one then says so. Full outputs of tools go {1} days after their session was last opened. What was said is never removed by itself.',
          formatCount(images.days),
          formatCount(outputDays),
        ),
        'quiet',
      ),
      ...(rows.length === 0
        ? []
        : [
            section(t('Largest sessions'), [
              table(
                t('Largest sessions'),
                [column(t('Session')), column(t('Last used')), right(t('Size')), column('')],
                rows,
              ),
            ]),
          ]),
    ],
  };
}

/** Bytes on disk of a workspace's sessions, each with its bodies and its subagents, and of the trash. */
interface StorageUsed {
  /** Bytes by session id. */
  readonly sessions: ReadonlyMap<string, number>;
  readonly trash: number;
}

/** `folder` holds the sessions. */
export async function measureStorage(folder: string): Promise<StorageUsed> {
  const sessions = new Map<string, number>();
  for (const path of await foldersIn(folder)) sessions.set(basename(path), await bytesIn(path));
  return { sessions, trash: await bytesIn(trashOf(folder)) };
}

/** Permanently removes everything in the trash. */
export async function emptyTrash(folder: string): Promise<void> {
  const path = trashOf(folder);
  try {
    await rm(path, { recursive: true, force: true });
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

const trashOf = (folder: string) => join(dirname(folder), 'trash');

async function foldersIn(folder: string): Promise<string[]> {
  try {
    const found = await readdir(folder, { withFileTypes: true });
    return found.filter((item) => item.isDirectory()).map(({ name }) => join(folder, name));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw storageError(folder, thrown);
  }
}

/** A file that disappears meanwhile is not counted. Links are not followed. */
export async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw storageError(folder, thrown);
  });
  let bytes = 0;
  for (const file of files) {
    if (file.isFile())
      bytes += await stat(join(file.parentPath, file.name)).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return bytes;
}
