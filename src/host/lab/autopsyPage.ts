/**
 * *Open Autopsy…*: a page about what the compactions of a session lost, with the way on from each of them and a file to
 * share. Nothing in the session is changed.
 */

import { stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import { isAbort } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import { newImportReport } from '../../core/sessions/recorded.ts';
import { inLanguage, words } from '../../core/words.ts';
import type { Autopsy } from '../../lab/autopsy.ts';
import type { AutopsySetting, FromAutopsy } from '../../node/lab/autopsyWorker.ts';
import { AUTOPSY_ACT, describeAutopsy, RIVALS } from '../../node/lab/describeAutopsy.ts';
import { describeStep } from '../../node/lab/describeStep.ts';
import { runPool } from '../../node/lab/runPool.ts';
import { type LabSession, readStored } from '../../node/lab/storedSession.ts';
import { pageHtml } from '../../node/pages/pageHtml.ts';
import { type Scrubbed, scrubPage } from '../../node/pages/scrubPage.ts';
import { knownSecrets } from '../../node/secrets/knownSecrets.ts';
import { openCleaner } from '../../node/secrets/openCleaner.ts';
import type { SessionPlaces } from '../../node/session/sessionPlaces.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import { importChat } from '../../node/storage/sessions/importFile.ts';
import { JOURNAL, type SessionStore } from '../../node/storage/sessions/sessionStore.ts';
import { titleInLine } from '../../node/storage/sessions/sessionSummary.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import type { Models } from '../models/models.ts';
import { showInformation, withCancel } from '../notices/notify.ts';
import { showQuickPick, showSaveDialog } from '../notices/pickers.ts';
import type { PageActions, Pages } from '../pages/pages.ts';

export interface AutopsyParts {
  readonly session: ShownSession;
  readonly places: SessionPlaces;
  readonly pages: Pages;
  readonly registry: StrategyRegistry;
  readonly extensionUri: vscode.Uri;
  /** This workspace's sessions. */
  readonly store: SessionStore;
  readonly models: Models;
  readonly mcp: OpenedMcp;
}

const PAGE = 'autopsy';
const STEP_PAGE = 'autopsy step';

/** `id`: the session to examine; without one, that on screen or one that the person chooses. */
export async function openAutopsy(parts: AutopsyParts, id?: string): Promise<void> {
  const stored = await chooseSession(parts, id);
  if (!stored) return;
  try {
    const autopsy = await withCancel(words('Examining the session…'), (signal) =>
      examine(parts, stored, RIVALS, signal),
    );
    show(parts, stored, autopsy, RIVALS);
  } catch (thrown) {
    if (!isAbort(thrown)) throw thrown;
  }
}

/** The session on screen, if it was compacted; else one that the person chooses. */
async function chooseSession({ session, places }: AutopsyParts, id?: string): Promise<LabSession | null> {
  const { conversation } = session;
  const shown = conversation && [...conversation.journal.path()].some(({ type }) => type === 'compaction');
  if (conversation && (id === undefined ? shown : id === conversation.id)) {
    await conversation.journal.sync();
    const folder = (await places.storeOf(conversation.id)).folderOf(conversation.id);
    return sessionIn(folder, conversation.id, session.title || conversation.id);
  }
  if (id !== undefined) {
    const store = await places.storeOf(id);
    const summary = (await store.list()).find((each) => each.id === id);
    return sessionIn(store.folderOf(id), id, (summary && titleInLine(summary)) || id);
  }
  const listed = await withCancel(words('Reading the list of sessions…'), async (signal) => {
    const stores = await places.stores();
    const lists = stores.map(async (store) =>
      (await store.list(signal)).map((summary) => ({ summary, folder: store.folderOf(summary.id) })),
    );
    return (await Promise.all(lists)).flat();
  });
  const items = listed
    .filter(({ summary }) => !summary.problem)
    .map(({ summary, folder }) => ({
      label: titleInLine(summary) || summary.id,
      description: new Date(summary.time).toLocaleString(vscode.env.language),
      id: summary.id,
      folder,
    }));
  if (items.length === 0)
    throw new Error(vscode.l10n.t('There is no session yet. “Import Session…” adds recorded ones.'));
  const chosen = await showQuickPick(items, { title: vscode.l10n.t('Which Session?') });
  return chosen ? sessionIn(chosen.folder, chosen.id, chosen.label) : null;
}

async function sessionIn(folder: string, id: string, title: string): Promise<LabSession> {
  const path = join(folder, JOURNAL);
  return { id, path, title, size: (await stat(path)).size };
}

async function examine(
  { extensionUri }: AutopsyParts,
  stored: LabSession,
  strategies: readonly string[],
  signal: AbortSignal,
): Promise<Autopsy> {
  const script = pathToFileURL(vscode.Uri.joinPath(extensionUri, 'dist', 'autopsyWorker.js').fsPath);
  const setting: AutopsySetting = { strategies };
  const found: Exclude<FromAutopsy, { type: 'done' | 'alive' }>[] = [];
  await runPool<LabSession, FromAutopsy>(script, setting, [stored], {
    signal,
    most: 1,
    onMessage: (message) => void found.push(message),
    onEnded: (_, reason) => {
      found.push({ type: 'failed', reason: inLanguage(reason, vscode.l10n.t) });
      return null;
    },
  });
  const [first] = found;
  if (first?.type === 'autopsy') return first.autopsy;
  throw new Error(vscode.l10n.t('{0}: {1}', stored.title, first?.reason ?? ''));
}

function show(parts: AutopsyParts, stored: LabSession, autopsy: Autopsy, rivals: readonly string[]): void {
  const labels = new Map(parts.registry.list().map(({ id, label }) => [id, label]));
  const { t } = vscode.l10n;
  const buttons = [
    { id: AUTOPSY_ACT.strategies, label: t('Strategies…') },
    { id: AUTOPSY_ACT.save, label: t('Save as HTML…') },
  ];
  const page = describeAutopsy({ autopsy, labels, actions: buttons }, t);
  const actions: Record<string, () => unknown> = {
    [AUTOPSY_ACT.strategies]: () => compareOthers(parts, stored, rivals),
    [AUTOPSY_ACT.save]: () => save(parts, page),
  };
  for (const { nth, lost } of autopsy.compactions) {
    actions[AUTOPSY_ACT.restore(nth)] = () => restore(parts, stored, nth);
    for (const [at, need] of lost.entries())
      actions[AUTOPSY_ACT.need(nth, at)] = async () => {
        const step = describeStep(await readStored(stored), need, t('the recorded compaction'), t);
        parts.pages.show(STEP_PAGE, step, {}, { beside: true });
      };
  }
  parts.pages.show(PAGE, page, actions satisfies PageActions);
}

async function compareOthers(parts: AutopsyParts, stored: LabSession, rivals: readonly string[]): Promise<void> {
  // Those of other extensions and in files have the lab, which asks before they see a session.
  const items = parts.registry
    .list()
    .filter(({ publisher, file }) => publisher === null && file === undefined)
    .map(({ id, label }) => ({ label, picked: rivals.includes(id), id }));
  const title = vscode.l10n.t('Strategies to compare');
  const picked = await showQuickPick(items, { title, canPickMany: true });
  if (!picked) return;
  const ids = picked.map(({ id }) => id);
  const examining = words('Examining the session…');
  const autopsy = await withCancel(examining, (signal) => examine(parts, stored, ids, signal));
  show(parts, stored, autopsy, ids);
}

async function restore({ store, session }: AutopsyParts, stored: LabSession, nth: number): Promise<void> {
  const title = vscode.l10n.t('{0}, before compaction {1}', stored.title, formatCount(nth));
  const id = await withCancel(words('Opening the session…'), () => restoreSession(store, stored, nth, title), {
    keeps: true,
  });
  await session.show(id);
  await vscode.commands.executeCommand('palimpsest.panel.focus');
}

async function save(parts: AutopsyParts, page: Parameters<typeof scrubPage>[0]): Promise<void> {
  const scrubbed = {
    label: vscode.l10n.t('Without secrets, names and folders'),
    description: vscode.l10n.t('to share'),
    scrubs: true,
  };
  const items = [scrubbed, { label: vscode.l10n.t('As it is'), description: '', scrubs: false }];
  const chosen = await showQuickPick(items, { title: vscode.l10n.t('Save Autopsy as HTML') });
  if (!chosen) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = 'autopsy.html';
  const uri = await showSaveDialog(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : { saveLabel: name });
  if (!uri) return;
  const shown = chosen.scrubs ? scrubPage(page, await hidden(parts)) : page;
  await vscode.workspace.fs.writeFile(uri, Buffer.from(pageHtml(shown, vscode.env.language)));
  void showInformation(vscode.l10n.t('The autopsy was saved to {0}.', uri.fsPath));
}

async function hidden(parts: AutopsyParts): Promise<Scrubbed> {
  const folders = vscode.workspace.workspaceFolders?.map(({ uri, name }) => [uri.fsPath, name] as const) ?? [];
  return {
    places: [[homedir(), '~'], ...folders],
    names: [userInfo().username, basename(homedir())],
    cleaner: await openCleaner(knownSecrets(parts)),
  };
}

/**
 * A new session that goes on from where another one was compacted, with everything that had left: the messages before the
 * compaction, none of them hidden. The other session stays as it is. Returns its id. `nth` counts the session's
 * compactions from 1. Throws when there is no such compaction.
 */
export async function restoreSession(
  store: SessionStore,
  stored: LabSession,
  nth: number,
  title: string,
): Promise<string> {
  const { messages, compactions, name } = await readStored(stored);
  const compaction = compactions[nth - 1];
  if (!compaction) throw new Error(`${name} has no compaction ${nth}.`);
  const lines = messages.slice(0, compaction.after).map((message) => JSON.stringify(message));
  return importChat({ store, name, title, lines, report: newImportReport() });
}
