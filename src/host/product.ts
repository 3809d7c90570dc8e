/**
 * The product inside VS Code: settings, models, sessions and the panel, made once, when the view or a command is first
 * used. It wires; what things do is in the files it names.
 */

import * as vscode from 'vscode';
import { StrategyRegistry } from '../core/compaction/registry.ts';
import { readCompactionSettings } from '../core/compaction/settings.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { readAgentSettings } from './agentSettings.ts';
import { announceCompaction } from './api/announceCompaction.ts';
import { ContributedStrategies } from './api/contributedStrategies.ts';
import type { PublicApi } from './api/publicApi.ts';
import { type Commands, createCommands } from './commands.ts';
import { Controller } from './controller.ts';
import { EndpointSetup } from './endpointSetup.ts';
import { Models } from './models.ts';
import { modelOf, openConversation } from './openConversation.ts';
import { PanelView } from './panel/panelView.ts';
import { describePanel } from './panelState.ts';
import { readSetting } from './settings.ts';
import { nodeCrypto } from './storage/nodeCrypto.ts';
import type { JournalReport } from './storage/readJournal.ts';
import { SessionStore } from './storage/sessionStore.ts';
import { sessionsFolder } from './storage/storagePath.ts';
import { WatchedSettings } from './watchedSettings.ts';
import { openWorkspace, readTrust } from './workspace.ts';

/** Workspace state: which session was on screen. */
const LAST_SESSION = 'palimpsest.lastSession';

export interface Product {
  readonly panel: vscode.WebviewViewProvider;
  /** By name without the `palimpsest.` prefix. */
  readonly commands: Commands['commands'];
}

export async function createProduct(context: vscode.ExtensionContext, api: PublicApi): Promise<Product> {
  const registry = new StrategyRegistry();
  const output = vscode.window.createOutputChannel('Palimpsest', { log: true });
  const log: Log = (level, text) => output[level](text);
  const contributed = new ContributedStrategies(api, registry, context.globalState, log);
  const clock = { now: Date.now };
  const settings = new WatchedSettings(() => {
    const agent = readAgentSettings(readSetting);
    const compaction = readCompactionSettings(readSetting, (id) => contributed.section(id));
    return {
      agent: agent.settings,
      compaction: compaction.settings,
      problems: [...agent.problems, ...compaction.problems],
    };
  }, log);
  const agentSettings = () => settings.current.agent;
  const models = new Models(agentSettings, context.secrets);
  const setup = new EndpointSetup(models, agentSettings);
  const folder = sessionsFolder(context.storageUri?.fsPath ?? null, context.globalStorageUri.fsPath);
  const version = String(context.extension.packageJSON.version);
  const store = new SessionStore({
    folder,
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null,
    engine: `palimpsest/${version}`,
    clock,
    crypto: nodeCrypto,
  });
  const denied = [folder, context.globalStorageUri.fsPath];
  let workspace = await openWorkspace(denied);
  await models.loadKeys();

  const controller: Controller = new Controller({
    open: async (id, onChange) => {
      const session = id === null ? await store.create() : await store.open(id);
      if (session.report) reportDamage(session.report, log);
      return openConversation(
        session,
        {
          clock,
          crypto: nodeCrypto,
          log,
          models,
          registry,
          workspace: () => workspace,
          agentSettings,
          compactionSettings: () => settings.current.compaction,
          onCompaction: (signal) => announceCompaction(signal, api, log),
          onUnsent: (text) => controller.tell({ kind: 'compose', text }),
          onNewSession: (message) => {
            void controller.show(null).then(() => controller.send(message));
          },
        },
        onChange,
      );
    },
    list: async (query) => {
      const current = controller.conversation?.id;
      const wanted = query.trim().toLowerCase();
      const found = (await store.list()).filter(({ title }) => title.toLowerCase().includes(wanted));
      return found.map(({ id, title, time, messages, problem }) => ({
        id,
        title: problem || title,
        time,
        messages,
        current: id === current,
      }));
    },
    rename: async (sessionId, title, conversation) => {
      if (conversation?.id === sessionId) {
        await conversation.journal.append({ type: 'title', title });
        return;
      }
      const { journal } = await store.open(sessionId);
      await journal.append({ type: 'title', title });
      await journal.close();
    },
    state: (conversation) => {
      const model = modelOf(conversation?.journal.context.configured?.model, agentSettings());
      const resolved = models.resolve(model, () => undefined);
      const trust = readTrust();
      return describePanel({
        conversation,
        model,
        models: models.choices(),
        modelReady: !('problem' in resolved),
        window: 'problem' in resolved ? 0 : resolved.window,
        compaction: settings.current.compaction,
        strategies: registry.list(),
        folderOpen: trust !== 'noFolder',
        trusted: trust !== 'untrusted',
      });
    },
    act: (request) => actions.act(request),
    remember: (id) => {
      context.workspaceState
        .update(LAST_SESSION, id ?? undefined)
        .then(undefined, (thrown) => log('warn', messageOf(thrown)));
    },
  });
  const actions = createCommands({ controller, models, setup, settings, store, registry, log });

  context.subscriptions.push(
    output,
    contributed,
    settings,
    settings.onDidChange(async () => {
      await models.loadKeys();
      controller.refresh();
    }),
    registry.onDidChange(() => controller.refresh()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => controller.refresh()),
    vscode.workspace.onDidChangeWorkspaceFolders(async () => {
      workspace = await openWorkspace(denied);
      controller.refresh();
    }),
    { dispose: () => void controller.dispose() },
  );
  await reopenLast(context.workspaceState.get<string>(LAST_SESSION), controller, log);
  const panel = new PanelView(context.extensionUri, controller, (text) => log('warn', text));
  return { panel, commands: actions.commands };
}

async function reopenLast(id: string | undefined, controller: Controller, log: Log): Promise<void> {
  if (!id) return;
  try {
    await controller.show(id);
  } catch (thrown) {
    // The session is still listed with its problem; the panel opens empty rather than not at all.
    log('error', messageOf(thrown));
    void vscode.window.showErrorMessage(messageOf(thrown));
  }
}

/** What was found while reading a session is said once, and in the log in full. */
function reportDamage(report: JournalReport, log: Log): void {
  const { path, damaged, gaps, tornBytes } = report;
  if (tornBytes) log('warn', `${path}: the last line was torn (${tornBytes} bytes) and was moved aside.`);
  if (!damaged.length && !gaps.length) return;
  for (const { line, reason } of damaged) log('warn', `${path}: line ${line} is left out (${reason}).`);
  for (const { from, to } of gaps) log('warn', `${path}: entries ${from} to ${to} are missing.`);
  const text = vscode.l10n.t(
    'Part of this session could not be read: {0} damaged lines, {1} gaps. Everything else is here; the file {2} was not changed.',
    damaged.length,
    gaps.length,
    path,
  );
  void vscode.window.showWarningMessage(text);
}
