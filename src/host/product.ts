/**
 * The product inside VS Code: settings, models, sessions and the panel, made once, when the view or a command is first
 * used. It wires; what things do is in the files it names.
 */

import * as vscode from 'vscode';
import { StrategyRegistry } from '../core/compaction/run/registry.ts';
import { readCompactionSettings } from '../core/compaction/settings.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { LearnedWindows } from '../core/tokens/learnedWindows.ts';
import { announceCompaction } from './api/announceCompaction.ts';
import { ContributedStrategies } from './api/contributedStrategies.ts';
import type { PublicApi } from './api/publicApi.ts';
import { type Commands, createCommands } from './commands/commands.ts';
import { IMAGE_SCHEME, ImageDocuments } from './commands/restorePreview.ts';
import { SessionCommands } from './commands/sessionCommands.ts';
import { TimeTravelCommands } from './commands/timeTravelCommands.ts';
import { followContexts } from './contexts.ts';
import { InspectCommands } from './inspect/inspectCommands.ts';
import { ReadOnlyDocuments } from './inspect/readOnlyDocuments.ts';
import { EndpointSetup } from './models/endpointSetup.ts';
import { Models } from './models/models.ts';
import { windowMemory } from './models/windowMemory.ts';
import { Controller } from './panel/controller.ts';
import { listStrategies } from './panel/listStrategies.ts';
import { describePanel } from './panel/panelState.ts';
import { PanelView } from './panel/panelView.ts';
import { ImageQuota } from './session/imageQuota.ts';
import { openConversation } from './session/openConversation.ts';
import { type AccessMode, free, type HeldSession, SessionAccess } from './session/sessionAccess.ts';
import { SessionPlaces } from './session/sessionPlaces.ts';
import { readAgentSettings } from './settings/agentSettings.ts';
import { readSetting } from './settings/settings.ts';
import { WatchedSettings } from './settings/watchedSettings.ts';
import { nodeCrypto } from './storage/disk/nodeCrypto.ts';
import { sessionsFolder } from './storage/disk/storagePath.ts';
import type { JournalReport } from './storage/journal/readJournal.ts';
import { rememberSessions } from './storage/sessions/pointerIndex.ts';
import { SessionStore } from './storage/sessions/sessionStore.ts';
import { showError, showWarning } from './tell/notify.ts';
import { say } from './tell/say.ts';
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
  const windows = new LearnedWindows(windowMemory(context.globalState, log), clock);
  const settings = new WatchedSettings(
    () => {
      const agent = readAgentSettings(readSetting);
      const compaction = readCompactionSettings(readSetting, (id) => contributed.section(id));
      return {
        agent: agent.settings,
        compaction: compaction.settings,
        problems: [...agent.problems, ...compaction.problems],
      };
    },
    () => contributed.sections(),
    log,
  );
  const agentSettings = () => settings.current.agent;
  const models = new Models(agentSettings, context.secrets);
  const setup = new EndpointSetup(models, agentSettings);
  const folder = sessionsFolder(context.storageUri?.fsPath ?? null, context.globalStorageUri.fsPath);
  const version = String(context.extension.packageJSON.version);
  const workspaceFolder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null;
  const globalStorage = context.globalStorageUri.fsPath;
  const storeOptions = {
    folder,
    workspace: workspaceFolder,
    engine: `palimpsest/${version}`,
    clock,
    crypto: nodeCrypto,
  };
  const store = new SessionStore(storeOptions);
  const places = new SessionPlaces({ own: store, storeOptions, globalStorage });
  const quota = new ImageQuota({ folder, agentSettings, clock, log, onChange: () => controller.refresh() });
  const access = new SessionAccess({
    store,
    log,
    onUsed: () => rememberSessions(globalStorage, { folder, workspace: workspaceFolder }),
    onWanted: async (id) => {
      const shown = controller.conversation;
      if (shown?.id !== id || shown.status !== 'idle' || shown.journal.unwritten > 0) return false;
      if (await panel.isSeen()) return false;
      await controller.reopen('read');
      return true;
    },
    onLost: (id) => {
      if (controller.conversation?.id !== id) return;
      controller.reopen('read').catch((thrown: unknown) => log('error', messageOf(thrown)));
    },
  });
  const openSession = async (id: string | null, mode: AccessMode): Promise<HeldSession> => {
    if (id === null) return access.create();
    const foreign = await places.openForeign(id);
    return foreign ? free(foreign) : access.open(id, mode);
  };
  const denied = [folder, globalStorage];
  let workspace = await openWorkspace(denied);
  await models.load();

  const controller: Controller = new Controller({
    open: async (id, mode, onChange) => {
      const session = await openSession(id, mode);
      if (session.report) reportDamage(session.report, log);
      quota.start();
      return openConversation(
        session,
        {
          clock,
          crypto: nodeCrypto,
          log,
          models,
          registry,
          windows,
          quota,
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
    list: (query, scope) => places.list(query, scope, controller.conversation?.id),
    rename: (id, title) => sessions.rename(id, title),
    state: (conversation) => {
      const model = conversation?.agent.modelName ?? agentSettings().model;
      const resolved = models.resolve(model, () => undefined);
      const trust = readTrust();
      return describePanel({
        conversation,
        model,
        models: models.choices(),
        scripted: models.kindOf(model).scripted,
        modelReady: !('problem' in resolved),
        window: 'problem' in resolved ? 0 : resolved.window,
        compaction: settings.current.compaction,
        strategies: listStrategies(registry),
        quota: { bytes: quota.bytes, limit: quota.limit },
        folderOpen: trust !== 'noFolder',
        trusted: trust !== 'untrusted',
      });
    },
    act: (request) => actions.act(request),
    say,
    remember: (id) => {
      context.workspaceState
        .update(LAST_SESSION, id ?? undefined)
        .then(undefined, (thrown) => log('warn', messageOf(thrown)));
    },
  });
  const documents = new ImageDocuments();
  const readOnly = new ReadOnlyDocuments();
  const sessions = new SessionCommands({ controller, access, places, store, documents: readOnly, log });
  const timeTravel = new TimeTravelCommands(controller, documents);
  const inspect = new InspectCommands({
    controller,
    places,
    registry,
    documents: readOnly,
    settingsFor: (id) => readCompactionSettings(readSetting, (it) => contributed.section(it), id).settings,
  });
  const actions = createCommands({
    controller,
    models,
    setup,
    settings,
    store,
    registry,
    sessions,
    timeTravel,
    inspect,
    documents: readOnly,
    log,
  });
  const panel = new PanelView(context.extensionUri, controller, (text) => log('warn', text));

  context.subscriptions.push(
    output,
    contributed,
    settings,
    quota,
    readOnly,
    vscode.workspace.registerTextDocumentContentProvider(IMAGE_SCHEME, documents),
    settings.onDidChange(async () => {
      await models.load();
      controller.refresh();
    }),
    registry.onDidChange(() => controller.refresh()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => controller.refresh()),
    vscode.workspace.onDidChangeWorkspaceFolders(async () => {
      workspace = await openWorkspace(denied);
      controller.refresh();
    }),
    followContexts(controller, (name, value) => {
      void vscode.commands.executeCommand('setContext', `palimpsest.${name}`, value);
    }),
    { dispose: () => void controller.dispose() },
  );
  await reopenLast(context.workspaceState.get<string>(LAST_SESSION), controller, log);
  return { panel, commands: actions.commands };
}

async function reopenLast(id: string | undefined, controller: Controller, log: Log): Promise<void> {
  if (!id) return;
  try {
    await controller.show(id);
  } catch (thrown) {
    // The session is still listed with its problem; the panel opens empty rather than not at all.
    log('error', messageOf(thrown));
    void showError(messageOf(thrown));
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
    'Part of this session could not be read (damaged lines: {0}, gaps: {1}). Everything else is here; the file {2} was not changed. Check Session says more.',
    damaged.length,
    gaps.length,
    path,
  );
  void showWarning(text);
}
