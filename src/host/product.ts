/**
 * The product inside VS Code: settings, models, sessions, commands and the panel, made once, when the view or a command
 * is first used. Each part is given parts made before it, and reaches those made after it through events only.
 */

import * as vscode from 'vscode';
import { StrategyRegistry } from '../core/compaction/run/registry.ts';
import { readCompactionSettings } from '../core/compaction/settings.ts';
import { messageOf } from '../core/errors.ts';
import type { GivenImage } from '../core/images/attachImages.ts';
import type { Log } from '../core/ports.ts';
import { LearnedWindows } from '../core/tokens/learnedWindows.ts';
import { PANEL_VIEW, type PageAct, type RegisteredCommand } from '../protocol/commands.ts';
import { systemTimers } from '../providers/timers.ts';
import { announceCompaction } from './api/announceCompaction.ts';
import { ContributedStrategies } from './api/contributedStrategies.ts';
import type { PublicApi } from './api/publicApi.ts';
import { BackgroundCommandList } from './commands/backgroundCommandList.ts';
import { CodeBlocks } from './commands/codeBlocks.ts';
import { createHandlers, type Handlers, runFromPalette } from './commands/commands.ts';
import { followContexts } from './commands/contexts.ts';
import { exportDiagnostics } from './commands/exportDiagnostics.ts';
import { IMAGE_SCHEME, ImageDocuments } from './commands/restorePreview.ts';
import { SessionCommands } from './commands/sessionCommands.ts';
import { readAllowances } from './commands/showApprovals.ts';
import { showStorage } from './commands/showStorage.ts';
import { TimeTravelCommands } from './commands/timeTravelCommands.ts';
import { userDataOf } from './files/pathGuard.ts';
import { ContextPage } from './inspect/contextPage.ts';
import { ProposedEdits } from './inspect/proposedEdits.ts';
import { ReadOnlyDocuments } from './inspect/readOnlyDocuments.ts';
import { AgentCommands, openAgentFolders } from './instructions/agentCommands.ts';
import { MemoryCommands } from './instructions/memoryCommands.ts';
import { SkillList } from './instructions/skillList.ts';
import { LabOpener } from './lab/openLab.ts';
import { McpCommands } from './mcp/mcpCommands.ts';
import { openMcp } from './mcp/openMcp.ts';
import { openMentions } from './mentions/openMentions.ts';
import { EndpointActions } from './models/endpoints/endpointActions.ts';
import { EndpointSetup } from './models/endpoints/endpointSetup.ts';
import { ServedFacts } from './models/endpoints/servedFacts.ts';
import { openExtensionModels } from './models/extensions/extensionModels.ts';
import { Models, windowMemory } from './models/models.ts';
import { Pages } from './pages/pages.ts';
import { followWaiting } from './panel/followWaiting.ts';
import { PanelRouter } from './panel/panelRouter.ts';
import { readPanelState } from './panel/panelState.ts';
import { PanelView } from './panel/panelView.ts';
import { showStatusItem } from './panel/statusItem.ts';
import { Drafts, openQueueFile } from './session/drafts.ts';
import { ImageQuota } from './session/imageQuota.ts';
import { MOST_QUEUED } from './session/messageQueue.ts';
import { type ConversationSources, openConversation, openSession } from './session/openConversation.ts';
import { SessionAccess } from './session/sessionAccess.ts';
import { SessionPlaces } from './session/sessionPlaces.ts';
import { ShownSession } from './session/shownSession.ts';
import { readAgentSettings, readSetting } from './settings/agentSettings.ts';
import { WatchedSettings } from './settings/watchedSettings.ts';
import { AllowedCommands } from './shell/allowedCommands.ts';
import { BackgroundShell } from './shell/backgroundShell.ts';
import { nodeCrypto } from './storage/disk/fileBlobStore.ts';
import { rememberSessions, sessionsFolder } from './storage/sessions/pointerIndex.ts';
import { SessionStore } from './storage/sessions/sessionStore.ts';
import { openStrategyFiles } from './strategyFiles/openStrategyFiles.ts';
import { showFault } from './tell/notify.ts';
import { readTrust, WatchedWorkspace } from './workspace.ts';

/** Workspace state: which session was on screen. */
const LAST_SESSION = 'palimpsest.lastSession';
/** Global state, which no workspace can write. It is not synchronised: folders are those of this machine. */
const ALLOWED_COMMANDS = 'palimpsest.allowedCommands';

export interface Product {
  readonly panel: Pick<PanelView, 'resolveWebviewView' | 'resolveEditor'>;
  /** The page about the context, which the editor brings back after a reload. */
  readonly contextPage: Pick<ContextPage, 'restore'>;
  /** `given` is what the command was run with. */
  readonly runCommand: (name: RegisteredCommand, given: unknown) => Promise<void>;
}

export async function createProduct(context: vscode.ExtensionContext, api: PublicApi): Promise<Product> {
  const { globalState, workspaceState } = context;
  const output = vscode.window.createOutputChannel('Palimpsest', { log: true });
  const log: Log = (level, text) => output[level](text);
  const clock = { now: Date.now };
  const crypto = nodeCrypto;

  // Strategies, settings and models.
  const registry = new StrategyRegistry();
  const contributed = new ContributedStrategies(api, registry, globalState, log);
  const windows = new LearnedWindows(windowMemory(globalState, 'learnedWindows', log), clock);
  const readCompaction = (strategy?: string) =>
    readCompactionSettings(readSetting, (id) => contributed.section(id), strategy);
  const settings = new WatchedSettings(
    () => {
      const agent = readAgentSettings(readSetting);
      const compaction = readCompaction();
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
  const strategyFiles = openStrategyFiles({ registry, settings, globalState, log });
  const extensionModels = openExtensionModels(globalState, () => agentSettings().model, log);
  const facts = new ServedFacts({ memory: windowMemory(globalState, 'servedFacts', log), windows, clock });
  const models = new Models(agentSettings, context.secrets, extensionModels, facts);
  await models.load();
  const setup = new EndpointSetup(models);

  // The workspace, and where its sessions are kept.
  const globalStorage = context.globalStorageUri.fsPath;
  const folder = sessionsFolder(context.storageUri?.fsPath ?? null, globalStorage);
  const workspace = await WatchedWorkspace.open({
    denied: deniedFolders(folder, globalStorage),
    allowedVariables: () => agentSettings().agent.commandVariables,
    wantedShell: () => agentSettings().agent.shell,
  });
  const storeOptions = {
    folder,
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null,
    engine: `palimpsest/${context.extension.packageJSON.version}`,
    clock,
    crypto,
  };
  const store = new SessionStore(storeOptions);
  const places = new SessionPlaces({ own: store, storeOptions, globalStorage });
  const onUsed = () => rememberSessions(globalStorage, { folder, workspace: storeOptions.workspace });
  const access = new SessionAccess({ store, log, onUsed });
  const drafts = new Drafts({ folder, folderOf: (id) => store.folderOf(id), log });
  await drafts.load('');
  const quota = new ImageQuota({ folder, agentSettings, clock, log });

  const allowedCommands = new AllowedCommands({
    get: () => globalState.get(ALLOWED_COMMANDS),
    set: (rules) => globalState.update(ALLOWED_COMMANDS, rules),
  });
  const mcp = openMcp({
    settings: agentSettings,
    globalState,
    secretStorage: context.secrets,
    version: context.extension.packageJSON.version,
    log,
  });
  const agentFolders = openAgentFolders({ files: () => workspace.current.files, trust: readTrust });

  const background = new BackgroundShell({
    shell: () => workspace.current.backgroundShell,
    ...{ crypto, timers: systemTimers },
  });

  const documents = new ReadOnlyDocuments();
  const mentions = openMentions({
    ...{ store, documents, mcp: mcp.content },
    workspace: () => workspace.current,
    session: () => session,
  });

  // The session on screen, and what is done with it.
  const sources: ConversationSources = {
    clock,
    crypto,
    log,
    models,
    registry,
    windows,
    quota,
    workspace: () => workspace.current,
    allowedCommands,
    mcp,
    agents: agentFolders,
    background,
    mentions: mentions.sources,
    agentSettings,
    compactionSettings: (instead) => {
      const inForce = instead ? readCompaction(instead).settings : settings.current.compaction;
      // An extension that listens has asked for the phases.
      return api.progressed.isEmpty ? inForce : { ...inForce, emitMetaEvents: true };
    },
    onCompaction: (signal) => announceCompaction(signal, api, log, settings.current.compaction.emitMetaEvents),
  };
  const session = new ShownSession({
    open: async (id, mode, onChange) => {
      const opened = await openSession(id, mode, { access, places, log });
      quota.start();
      await drafts.load(opened.id);
      const onFault = (thrown: unknown) => log('warn', `What waits could not be kept: ${messageOf(thrown)}`);
      const waiting = opened.writer === null ? undefined : await openQueueFile(opened.folder, MOST_QUEUED, onFault);
      const conversation = openConversation(opened, sources, onChange, waiting);
      if (id === null) await agents.begin(conversation);
      return conversation;
    },
    remember: (id) => {
      workspaceState.update(LAST_SESSION, id ?? undefined).then(undefined, (thrown) => log('warn', messageOf(thrown)));
    },
  });
  const endpoints = new EndpointActions(models, () => session.conversation?.agent.modelName ?? agentSettings().model);
  const images = new ImageDocuments();
  const edits = new ProposedEdits(documents);
  const codeBlocks = new CodeBlocks({
    ...{ edits, crypto, log, trust: readTrust },
    files: () => workspace.current.files,
    conversation: () => session.conversation,
    secrets: () => [...models.endpoint.keys, ...mcp.secrets.known],
  });
  const pages = new Pages(
    context.extensionUri,
    (title, text) => documents.show(`${title}.md`, text),
    (text) => log('warn', text),
  );
  const sessions = new SessionCommands({ session, access, places, store, documents, pages, drafts, log });
  const timeTravel = new TimeTravelCommands(session, images, pages);
  const settingsFor = (strategy: string) => readCompaction(strategy).settings;
  const revealed = new vscode.EventEmitter<string>();
  const contextPage = new ContextPage({
    session,
    places,
    registry,
    documents,
    pages,
    settingsFor,
    strategyFiles,
    // A file that is loaded was allowed as it is.
    mayTry: ({ id, publisher, file }) =>
      file !== undefined ? registry.get(id) !== null : publisher !== null && contributed.isAllowed(publisher),
    reveal: (rowId) => revealed.fire(rowId),
  });
  const lab = new LabOpener({
    extensionUri: context.extensionUri,
    places,
    registry,
    strategyFiles,
    contributed,
    pages,
  });
  const skills = new SkillList({
    workspace: () => workspace.current,
    enabled: () => agentSettings().skills.enabled,
    onChange: () => session.refresh(),
  });
  const memory = new MemoryCommands({ session, skills, workspace: () => workspace.current, settings: agentSettings });
  const mcpServers = new McpCommands(mcp, documents);
  const agents = new AgentCommands({
    agents: agentFolders,
    session,
    models,
    registry,
    workspace: () => workspace.current,
  });
  const backgroundCommands = new BackgroundCommandList(background, documents);
  const historyAsked = new vscode.EventEmitter<void>();
  const imagesChosen = new vscode.EventEmitter<readonly GivenImage[]>();
  const parts = {
    session,
    models,
    windows,
    setup,
    endpoints,
    settings,
    store,
    registry,
    sessions,
    lab,
    memory,
    mcpServers,
    agents,
    backgroundCommands,
    mentions: mentions.commands,
    edits,
    historyAsked,
    imagesChosen,
    // What is read only is being written elsewhere.
    takeDraftAlong: async () => {
      const { conversation } = session;
      if (conversation && !conversation.journal.readOnly) await drafts.takeAlong(conversation.id);
    },
    allowances: () =>
      readAllowances({
        grants: () => session.conversation?.agent.grants ?? null,
        commands: allowedCommands,
        mcp: mcp.decisions,
        refreshMcp: () => mcp.servers.refresh(),
        ...{ contributed, files: strategyFiles },
      }),
    showInEditor: () => panel.showEditor(),
    actOnPage: async (act: PageAct) => {
      await panel.focus();
      router.tell({ kind: 'act', act });
    },
    showStorage: () =>
      showStorage({ ...{ folder, store, places, quota, sessions, session, pages }, settings: agentSettings }),
    exportDiagnostics: () =>
      exportDiagnostics({
        context,
        keys: [...models.endpoint.keys, ...mcp.secrets.known],
        session,
        documents,
        folders: [
          ['sessions of this folder', folder],
          ['of all folders', globalStorage],
        ],
      }),
  };
  const handlers: Handlers = {
    ...createHandlers(parts),
    ...sessions.commands,
    ...timeTravel.commands,
    ...contextPage.commands,
  };

  // The panel.
  const mcpContent = mcp.content;
  const state = () =>
    readPanelState({ contributed, session, background, models, settings, registry, quota, agents, skills, mcpContent });
  const router = new PanelRouter({
    session,
    drafts,
    handlers,
    sessions,
    places,
    documents,
    edits,
    codeBlocks,
    contextPage,
    skills,
    agents,
    mcpContent,
    mentions: mentions.commands,
    mentionChoices: mentions.choices,
    background,
    backgroundCommands,
    state,
  });
  const panel = new PanelView(context.extensionUri, router, workspaceState, (text) => log('warn', text));

  const readAgain = async () => {
    await models.load();
    router.refresh();
  };
  quota.onDidCount(() => router.refresh());
  background.onDidChangeList(() => router.refresh());
  access.tell({
    // A session that somebody is looking at is not given up.
    giveUp: async (id) => !(await panel.isSeen()) && session.giveUp(id),
    lose: (id) => session.lose(id),
  });
  context.subscriptions.push(
    ...[
      output,
      extensionModels,
      contributed,
      strategyFiles,
      settings,
      workspace,
      mcp,
      background,
      quota,
      documents,
      edits,
      contextPage,
      pages,
      lab,
      agents,
      mentions,
      historyAsked,
      imagesChosen,
    ],
    session.onDidChange((change) => {
      if (change.kind === 'state') edits.closeAnswered().catch((thrown) => log('warn', messageOf(thrown)));
    }),
    vscode.workspace.registerTextDocumentContentProvider(IMAGE_SCHEME, images),
    settings.onDidChange(readAgain),
    settings.onDidChange(() => session.conversation?.compactor.settingsChanged()),
    context.secrets.onDidChange(readAgain),
    registry.onDidChange(() => router.refresh()),
    extensionModels.onDidChange(() => router.refresh()),
    workspace.onDidChange(() => router.refresh()),
    agents.onDidChange(() => router.refresh()),
    mcp.onDidChange(() => router.refresh()),
    mentions.onInsert((text) => router.tell({ kind: 'insertText', text })),
    historyAsked.event(() => router.tell({ kind: 'history' })),
    revealed,
    revealed.event(async (rowId) => {
      await vscode.commands.executeCommand(`${PANEL_VIEW}.focus`);
      router.tell({ kind: 'reveal', rowId, text: '' });
    }),
    imagesChosen.event((images) => router.tell({ kind: 'attach', images })),
    showStatusItem(session),
    followWaiting(session, panel),
    followContexts(session, (name, value) => {
      void vscode.commands.executeCommand('setContext', `palimpsest.${name}`, value);
    }),
    { dispose: () => void session.dispose() },
  );
  await reopenLast(workspaceState.get<string>(LAST_SESSION), session, log);
  panel.reopenEditor();
  return { panel, contextPage, runCommand: (name, given) => runFromPalette(handlers, name, given, log) };
}

/** What no tool may touch: our own storage, and the editor's data around it. */
function deniedFolders(...storage: readonly string[]): string[] {
  return [...storage, ...storage.map(userDataOf).filter((each) => each !== null)];
}

async function reopenLast(id: string | undefined, session: ShownSession, log: Log): Promise<void> {
  if (!id) return;
  try {
    await session.show(id);
  } catch (thrown) {
    // The session is still listed with its problem. An empty panel is better than none.
    log('error', messageOf(thrown));
    void showFault(thrown, () => reopenLast(id, session, log));
  }
}
