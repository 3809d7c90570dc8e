/**
 * The product inside VS Code: settings, models, sessions, commands and the panel, created once, when the view or a
 * command is first used. Each part receives parts created before it, and reaches later ones through events only.
 */

import { join } from 'node:path';
import * as vscode from 'vscode';
import { StrategyRegistry } from '../core/compaction/hosting/registry.ts';
import { Pauses } from '../core/cost/pauses.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { LearnedWindows } from '../core/tokens/learnedWindows.ts';
import { userDataOf } from '../node/files/deniedFolders.ts';
import { ImageSupport } from '../node/models/imageSupport.ts';
import { OwnTable } from '../node/models/ownTable.ts';
import { ServedFacts } from '../node/models/servedFacts.ts';
import { followContexts } from '../node/session/contexts.ts';
import { Drafts } from '../node/session/drafts.ts';
import { PastedTexts } from '../node/session/pastedTexts.ts';
import { SessionAccess } from '../node/session/sessionAccess.ts';
import { SessionPlaces } from '../node/session/sessionPlaces.ts';
import { ShownSession } from '../node/session/shownSession.ts';
import { AllowedCommands } from '../node/shell/allowedCommands.ts';
import { BackgroundShell } from '../node/shell/backgroundShell.ts';
import { nodeCrypto } from '../node/storage/disk/fileBlobStore.ts';
import { ImageQuota } from '../node/storage/sessions/imageQuota.ts';
import { SessionStore } from '../node/storage/sessions/sessionStore.ts';
import type { RegisteredCommand } from '../protocol/commands.ts';
import { systemTimers } from '../providers/timers.ts';
import { ContributedStrategies } from './api/contributedStrategies.ts';
import type { PublicApi } from './api/publicApi.ts';
import { backgroundCommands } from './commands/backgroundCommandList.ts';
import { CodeBlocks } from './commands/codeBlocks.ts';
import { conversationCommands } from './commands/conversationCommands.ts';
import { editorCommands } from './commands/editorCommands.ts';
import { diagnosticsCommands } from './commands/exportDiagnostics.ts';
import { FoundSessions } from './commands/foundSessions.ts';
import { messageCommands } from './commands/messageCommands.ts';
import { modelCommands } from './commands/modelCommands.ts';
import { RoomOffer } from './commands/roomAgain.ts';
import { SessionCare } from './commands/sessionCare.ts';
import { SessionCommands } from './commands/sessionCommands.ts';
import { approvalCommands } from './commands/showApprovals.ts';
import { storageCommands } from './commands/showStorage.ts';
import { StrategyCommands } from './commands/strategyCommands.ts';
import { TimeTravelCommands } from './commands/timeTravelCommands.ts';
import { Dispatch, type Handlers } from './handlers.ts';
import { ContextPage } from './inspect/contextPage.ts';
import { rowCommands } from './inspect/openRow.ts';
import { ProposedEdits } from './inspect/proposedEdits.ts';
import { ReadOnlyDocuments } from './inspect/readOnlyDocuments.ts';
import { AgentCommands, openAgentFolders } from './instructions/agentCommands.ts';
import { MemoryCommands } from './instructions/memoryCommands.ts';
import { SkillList } from './instructions/skillList.ts';
import { McpCommands } from './mcp/mcpCommands.ts';
import { openMcp } from './mcp/openMcp.ts';
import { FollowedSelection } from './mentions/followedSelection.ts';
import { MentionCommands } from './mentions/mentionCommands.ts';
import { Mentions } from './mentions/mentions.ts';
import { reportOwnTable } from './models/endpoints/endpointActions.ts';
import { openExtensionModels } from './models/extensions/extensionModels.ts';
import { Models, windowMemory } from './models/models.ts';
import { showFault } from './notices/notify.ts';
import { Pages } from './pages/pages.ts';
import { followWaiting } from './panel/followWaiting.ts';
import { PanelChanges } from './panel/panelChanges.ts';
import { PanelView } from './panel/panelView.ts';
import { showStatusItem } from './panel/statusItem.ts';
import { ChangeReview } from './review/changeReview.ts';
import { offerSandbox } from './sandbox/offerSandbox.ts';
import { reportLeftBehind } from './sandbox/tellLeftBehind.ts';
import { openConversation } from './session/openConversation.ts';
import { openWindowHome } from './session/sessionHome.ts';
import { WatchedSettings } from './settings.ts';
import { openStrategyFiles } from './strategyFiles/openStrategyFiles.ts';
import { readTrust, WatchedWorkspace } from './workspace.ts';

/** Workspace state: the session on screen. */
const LAST_SESSION = 'palimpsest.lastSession';
/** Global state, which no workspace can write. It is not synchronised, because its folders are on this machine. */
const ALLOWED_COMMANDS = 'palimpsest.allowedCommands';

export interface Product {
  readonly panel: Pick<PanelView, 'resolveWebviewView' | 'resolveEditor'>;
  /** The page about the context, which the editor restores after a reload. */
  readonly contextPage: Pick<ContextPage, 'restore'>;
  /** `given` are the arguments of the command. */
  readonly runCommand: (name: RegisteredCommand, given: readonly unknown[]) => Promise<void>;
  /** Resolves when everything is written: the window closes. */
  readonly close: () => Promise<void>;
}

export async function createProduct(context: vscode.ExtensionContext, api: PublicApi): Promise<Product> {
  const { extensionUri, globalState, workspaceState } = context;
  const output = vscode.window.createOutputChannel('Palimpsest', { log: true });
  const log: Log = (level, text) => output[level](text);
  const clock = { now: Date.now };
  const crypto = nodeCrypto;
  const changes = new PanelChanges();

  // Strategies, settings and models.
  const registry = new StrategyRegistry();
  const contributed = new ContributedStrategies(api, registry, globalState, log);
  const windows = new LearnedWindows(windowMemory(globalState, 'learnedWindows', log), clock);
  const settings = new WatchedSettings(contributed, registry, log);
  const agentSettings = () => settings.current.agent;
  const strategyFiles = openStrategyFiles({ registry, settings, log }, globalState);
  const extensionModels = openExtensionModels(globalState, () => agentSettings().model, log);
  const facts = new ServedFacts(windowMemory(globalState, 'servedFacts', log), windows, clock);
  const ownTable = new OwnTable(join(context.globalStorageUri.fsPath, 'models.json'), reportOwnTable);
  const pauses = new Pauses(windowMemory(globalState, 'pauses', log));
  const imageSupport = new ImageSupport(windowMemory(globalState, 'saidImages', log));
  const models = new Models(agentSettings, context.secrets, extensionModels, facts, ownTable, pauses, imageSupport);
  await models.load();

  // The workspace, and where its sessions are stored.
  const home = await openWindowHome({ context, settings });
  const { folder } = home;
  const workspace = await WatchedWorkspace.open({
    denied: deniedFolders(folder, ...home.roots),
    unfinished: join(context.globalStorageUri.fsPath, 'unfinished'),
    sandboxStorage: join(context.globalStorageUri.fsPath, 'sandbox'),
    allowedVariables: () => agentSettings().agent.commandVariables,
    wantedShell: () => agentSettings().agent.shell,
    onDidRunOutside: (sandbox) => {
      offerSandbox(sandbox, globalState).catch((thrown: unknown) => log('warn', messageOf(thrown)));
    },
    onDidLeaveBehind: (left, names) => {
      reportLeftBehind(left, names).catch((thrown: unknown) => log('warn', messageOf(thrown)));
    },
  });
  const storeOptions = {
    folder,
    adopted: home.adopted,
    get workspace() {
      return home.workspace;
    },
    engine: `palimpsest/${context.extension.packageJSON.version}`,
    program: null,
    clock,
    crypto,
  };
  const store = new SessionStore(storeOptions);
  const places = new SessionPlaces({ own: store, storeOptions, roots: home.roots, here: home.here });
  const access = new SessionAccess(store, home.onUsed, log);
  const pasted = new PastedTexts();
  const drafts = new Drafts(store, log, pasted);
  await drafts.load('');
  const quota = new ImageQuota(() => [folder, ...home.adopted()], agentSettings, clock, log);
  const allowedCommands = new AllowedCommands({
    get: () => globalState.get(ALLOWED_COMMANDS),
    set: (rules) => globalState.update(ALLOWED_COMMANDS, rules),
  });
  const mcp = openMcp({
    settings: agentSettings,
    globalState,
    secretStorage: context.secrets,
    version: context.extension.packageJSON.version,
    sandbox: () => workspace.current.sandbox,
    log,
  });
  const background = new BackgroundShell({
    shell: () => workspace.current.backgroundShell,
    crypto,
    timers: systemTimers,
  });

  // VS Code keeps the storage of extensions two folders below the profile.
  const skills = new SkillList({ workspace, settings, changes }, join(context.globalStorageUri.fsPath, '../..'));

  // The session on screen, and its dependencies.
  const session: ShownSession = new ShownSession(
    (id, mode, onChange) => openConversation(conversationParts, id, mode, onChange),
    (id) => {
      workspaceState.update(LAST_SESSION, id ?? undefined).then(undefined, (thrown) => log('warn', messageOf(thrown)));
    },
    (id, text, attachments) => drafts.giveBack(id, text, attachments),
  );
  const agentFiles = openAgentFolders(() => workspace.current.files, readTrust);
  const agents: AgentCommands = new AgentCommands({ agentFiles, session, models, registry, workspace });
  const mentions = new Mentions({ workspace, store, mcp });
  const conversationParts = {
    access,
    agentFiles,
    agents,
    allowedCommands,
    api,
    background,
    drafts,
    log,
    mcp,
    mentions,
    models,
    places,
    quota,
    registry,
    settings,
    skills,
    windows,
    workspace,
  };

  // Actions on it.
  const documents = new ReadOnlyDocuments();
  const pages = new Pages(
    extensionUri,
    (title, text) => documents.show(`${title}.md`, text),
    (text) => log('warn', text),
  );
  const edits = new ProposedEdits(documents);
  const review = new ChangeReview({ session, workspace, models, mcp, log });
  const selection = new FollowedSelection({ mentions, session, settings, changes, log }, globalState);
  const mentionCommands = new MentionCommands({ mentions, mcp, skills, session, documents, changes });
  const sessions = new SessionCommands({
    session,
    settings,
    access,
    background,
    home,
    places,
    store,
    documents,
    drafts,
    changes,
    log,
    models,
    mcp,
  });
  const contextPage = new ContextPage({
    session,
    places,
    registry,
    settings,
    contributed,
    documents,
    pages,
    strategyFiles,
    changes,
  });
  const strategies = new StrategyCommands({
    agents,
    session,
    settings,
    registry,
    contributed,
    strategyFiles,
    places,
    pages,
    extensionUri,
    store,
    models,
    mcp,
  });
  const mcpServers = new McpCommands(mcp, documents);
  const storage = storageCommands({ store, places, quota, sessions, session, pages, settings });
  const room = new RoomOffer({ session, state: workspaceState });
  const panel: PanelView = new PanelView(
    {
      extensionUri,
      agents,
      background,
      changes,
      contributed,
      drafts,
      log,
      mcp,
      models,
      quota,
      registry,
      room,
      selection,
      session,
      settings,
      skills,
    },
    workspaceState,
    (request) => dispatch.answer(request),
  );
  const handlers: Handlers = {
    ...conversationCommands({ session, changes }),
    ...messageCommands({ session, changes, mcp, skills, agents }, mentionCommands, pasted),
    ...mentionCommands.handlers,
    ...selection.handlers,
    ...room.handlers,
    ...rowCommands({ session, sessions, documents, edits }),
    ...edits.handlers,
    ...review.handlers,
    ...new CodeBlocks({ edits, workspace, session, models, mcp, log }).handlers,
    ...sessions.handlers,
    ...new FoundSessions({ changes, session, sessions, store, storage: context.globalStorageUri.fsPath }).handlers,
    ...new SessionCare({ sessions, pages, documents }, storage.showStorage).handlers,
    ...storage,
    ...new TimeTravelCommands(session, documents, pages).handlers,
    ...contextPage.handlers,
    ...strategies.handlers,
    ...modelCommands({ session, models, windows, settings }),
    ...agents.handlers,
    ...new MemoryCommands({ session, skills, workspace, settings }).handlers,
    ...backgroundCommands({ background, documents, session }),
    ...approvalCommands({ session, allowedCommands, mcp, contributed, strategyFiles }),
    showMcpServers: ({ server }) => mcpServers.show(server),
    ...diagnosticsCommands(context, { models, mcp, session, store, documents }),
    ...editorCommands,
    ...panel.handlers,
  };
  const dispatch = new Dispatch(handlers, log);

  workspace.current.sandbox.lookAfterKilled().catch((thrown: unknown) => log('warn', messageOf(thrown)));

  const refresh = () => changes.refresh();
  const readAgain = async () => {
    await models.load();
    refresh();
  };
  quota.onDidCount(refresh);
  background.onDidChangeList(refresh);
  access.report({
    // A session that somebody is looking at is not given up.
    giveUp: async (id) => !(await panel.isSeen()) && session.giveUp(id),
    lose: (id) => session.lose(id),
  });
  context.subscriptions.push(
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
    review,
    contextPage,
    pages,
    strategies,
    agents,
    mentions,
    mentionCommands,
    selection,
    session.onDidChange((change) => changes.publish(change)),
    session.onDidChange((change) => {
      if (change.kind === 'state') edits.closeAnswered().catch((thrown) => log('warn', messageOf(thrown)));
    }),
    settings.onDidChange(readAgain),
    settings.onDidChange(() => {
      for (const { compactor } of session.open) compactor.settingsChanged();
    }),
    context.secrets.onDidChange(readAgain),
    registry.onDidChange(refresh),
    contributed.onDidChangeAllowed(refresh),
    extensionModels.onDidChange(refresh),
    workspace.onDidChange(refresh),
    agents.onDidChange(refresh),
    mcp.onDidChange(refresh),
    showStatusItem(session),
    followWaiting(session, panel),
    followContexts(session, (name, value) => {
      void vscode.commands.executeCommand('setContext', `palimpsest.${name}`, value);
    }),
    { dispose: () => void session.dispose() },
  );
  await reopenLast(workspaceState.get<string>(LAST_SESSION), session, log);
  panel.reopenEditor();
  const close = () => session.dispose();
  return { panel, contextPage, close, runCommand: (name, given) => dispatch.run(name, given) };
}

/** Folders that no tool may touch: the product's own storage, and the editor's data around it. */
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
