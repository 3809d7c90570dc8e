/**
 * What each command does: a few lines over the parts it is given. A command acts on the session, never on the panel.
 */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import { messageOf, ToldError } from '../../core/errors.ts';
import type { GivenImage } from '../../core/images/attachImages.ts';
import { isMode, nextMode } from '../../core/instructions/modes.ts';
import { DEMO, type Log } from '../../core/ports.ts';
import type { LearnedWindows } from '../../core/tokens/learnedWindows.ts';
import { words } from '../../core/words.ts';
import {
  type CommandArguments,
  type HostCommand,
  PANEL_VIEW,
  type PageAct,
  type RegisteredCommand,
} from '../../protocol/commands.ts';
import type { ProposedEdits } from '../inspect/proposedEdits.ts';
import type { AgentCommands } from '../instructions/agentCommands.ts';
import type { MemoryCommands } from '../instructions/memoryCommands.ts';
import type { LabOpener } from '../lab/openLab.ts';
import type { McpCommands } from '../mcp/mcpCommands.ts';
import type { MentionCommands } from '../mentions/mentionCommands.ts';
import { askForModel, askForSummaryModel } from '../models/askForModel.ts';
import type { EndpointActions } from '../models/endpoints/endpointActions.ts';
import type { EndpointSetup } from '../models/endpoints/endpointSetup.ts';
import { chooseExtensionModel } from '../models/extensions/extensionModels.ts';
import type { Models } from '../models/models.ts';
import type { ShownSession } from '../session/shownSession.ts';
import { writeSetting } from '../settings/agentSettings.ts';
import type { WatchedSettings } from '../settings/watchedSettings.ts';
import type { SessionStore } from '../storage/sessions/sessionStore.ts';
import { newStrategy } from '../strategyFiles/openStrategyFiles.ts';
import { askForStrategy, listModes, queryParameters } from '../tell/listStrategies.ts';
import { showFault } from '../tell/notify.ts';
import type { BackgroundCommandList } from './backgroundCommandList.ts';
import { handOff, leaveMessageElsewhere } from './handOff.ts';
import { chooseImages } from './imageFiles.ts';
import { importSession } from './importSession.ts';
import { careOfSessions } from './sessionCare.ts';
import type { SessionCommands } from './sessionCommands.ts';
import { type Allowance, showApprovals } from './showApprovals.ts';

export interface CommandParts {
  readonly session: ShownSession;
  readonly models: Models;
  /** What refusals taught of models. */
  readonly windows: LearnedWindows;
  readonly setup: EndpointSetup;
  readonly endpoints: EndpointActions;
  readonly settings: WatchedSettings;
  readonly store: SessionStore;
  readonly registry: StrategyRegistry;
  readonly sessions: SessionCommands;
  readonly lab: LabOpener;
  readonly memory: MemoryCommands;
  readonly mcpServers: McpCommands;
  readonly agents: AgentCommands;
  readonly backgroundCommands: BackgroundCommandList;
  readonly mentions: Pick<MentionCommands, 'begin' | 'addFile' | 'addTerminalSelection'>;
  /** Brings the panel into focus and has its page do something. */
  readonly actOnPage: (act: PageAct) => Promise<void>;
  /** Edits in the diff editor. */
  readonly edits: Pick<ProposedEdits, 'answerShown'>;
  /** Fired with images for the message that is being written. */
  readonly imagesChosen: vscode.EventEmitter<readonly GivenImage[]>;
  /** What the person allowed beyond a single answer. */
  readonly allowances: () => Promise<readonly Allowance[]>;
  /** Shows the panel as an editor tab. */
  readonly showInEditor: () => void;
  readonly showStorage: () => Promise<void>;
  readonly exportDiagnostics: () => Promise<void>;
  /** What is being written goes into the session that is begun. */
  readonly takeDraftAlong: () => Promise<void>;
  /** Fired when the list of sessions should open. */
  readonly historyAsked: vscode.EventEmitter<void>;
}

/** One for each command of the table. `given` is what another extension ran it with. */
export type Handlers = Readonly<Record<HostCommand, (asked: CommandArguments, given?: unknown) => Promise<void>>>;

/** Those that need several parts. A part that needs nobody else has its own in `commands`. */
export function createHandlers(parts: CommandParts) {
  const {
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
    mentions,
    historyAsked,
    imagesChosen,
    takeDraftAlong,
  } = parts;

  const setStrategy = async (id: string) => {
    // What the person chooses goes before what the agent's file says.
    const { conversation } = session;
    const agent = conversation?.agent.chosenAgent;
    if (conversation && agent?.strategy) {
      await conversation.change(() => conversation.agent.chooseAgent({ ...agent, strategy: '' }));
    }
    const contributed = registry.list().find((it) => it.id === id)?.publisher != null;
    if (contributed) await writeSetting('compaction.contributedStrategy', id);
    await writeSetting('compaction.strategy', contributed ? 'contributed' : id);
  };

  const setModel = async (id: string) => {
    const { conversation } = session;
    if (conversation) await conversation.change(() => conversation.agent.configure(id));
    if (!conversation || !settings.current.agent.model) await writeSetting('model', id);
  };

  const modelInUse = () => session.conversation?.agent.modelName ?? settings.current.agent.model;

  const useModel = async (chosen: Promise<string | null>) => {
    const model = await chosen;
    if (model) await setModel(model);
  };

  const chooseModel = async () => {
    const inUse = modelInUse();
    const choice = models.resolve(inUse, null);
    const learnt = 'problem' in choice ? 0 : windows.of(choice);
    const chosen = await askForModel(models, inUse, learnt);
    if (chosen?.kind === 'model') await setModel(chosen.id);
    if (chosen?.kind === 'endpoint') await useModel(setup.run());
    if (chosen?.kind === 'extensions') await useModel(chooseExtensionModel(models.extensions));
    if (chosen?.kind === 'forgetWindow' && !('problem' in choice)) {
      windows.forget(choice.client.endpoint, choice.model);
      session.refresh();
    }
  };

  return {
    compact: async ({ instructions }) => {
      const conversation = session.requireMovable();
      const asked = instructions ?? (await askForInstructions());
      if (asked !== undefined) await conversation.compact(asked.trim() || undefined);
    },
    undoCompaction: () => session.step('undo'),
    redoCompaction: () => session.step('redo'),
    newSession: async () => {
      await takeDraftAlong();
      await session.show(null);
      await focusPanel();
    },
    handOff: async ({ instructions }) => {
      session.requireMovable();
      const goal = instructions ?? (await askForGoal());
      if (goal === undefined) return;
      await handOff(session, goal.trim(), nameContinued);
      await focusPanel();
    },
    attachImage: async () => {
      const images = await chooseImages();
      await focusPanel();
      if (images.length > 0) imagesChosen.fire(images);
    },
    showHistory: async () => {
      await focusPanel();
      historyAsked.fire();
    },
    chooseStrategy: async ({ strategy }) => {
      const inUse = (session.conversation?.agent.compactionSettings() ?? settings.current.compaction).strategy;
      const chosen = strategy ?? (await askForStrategy(registry, inUse));
      if (chosen === null) await run('workbench.action.openSettings', queryParameters(inUse));
      else if (chosen !== undefined) await setStrategy(chosen);
    },
    newStrategy: () => newStrategy(registry.list().map(({ id }) => id)),
    chooseModel: ({ model }) => (model === undefined ? chooseModel() : setModel(model)),
    chooseMode: async ({ mode }) => {
      const chosen = mode ?? (await askForMode(session.mode));
      if (isMode(chosen)) await session.setMode(chosen);
    },
    openWalkthrough: () => run('workbench.action.openWalkthrough', 'palimpsest.palimpsest#start', false),
    openKeyboardShortcuts: () => run('workbench.action.openGlobalKeybindings', '@ext:palimpsest.palimpsest'),
    openSettings: ({ strategy }) =>
      run('workbench.action.openSettings', strategy ? queryParameters(strategy) : '@ext:palimpsest.palimpsest'),
    stop: async () => session.conversation?.stop(),
    retry: () => session.require().retry(),
    showMemory: () => memory.show(),
    leaveMessage: () => leaveMessageElsewhere(session, store),
    showApprovals: async () => {
      await showApprovals(parts.allowances);
      // The panel shows which strategies may see the conversation.
      session.refresh();
    },
    showMcpServers: () => mcpServers.show(),
    chooseAgent: ({ agent }) => agents.choose(agent),
    addContext: () => mentions.begin(),
    addFileToChat: (_, given) => mentions.addFile(given),
    addTerminalSelectionToChat: () => mentions.addTerminalSelection(),
    backgroundCommands: () => backgroundCommands.show(),
    showStorage: () => parts.showStorage(),
    openStrategyLab: () => lab.open(setStrategy),
    chooseSummaryModel: async () => {
      const chosen = await askForSummaryModel(models, settings.current.compaction.summary.model);
      if (chosen !== undefined) await writeSetting('compaction.summary.model', chosen);
    },
    setUpEndpoint: () => useModel(setup.run()),
    findLocalServers: () => useModel(setup.runForLocalServer()),
    chooseExtensionModel: () => useModel(chooseExtensionModel(models.extensions)),
    manageEndpoints: () => endpoints.manage(() => useModel(setup.run())),
    removeApiKey: () => endpoints.manage(() => useModel(setup.run())),
    setApiKey: () => endpoints.setKey(),
    testConnection: () => endpoints.test(),
    useDemo: () => setModel(DEMO),
    openFolder: () => run('workbench.action.files.openFolder'),
    manageTrust: () => run('workbench.trust.manage'),
    importSession: async (_, file) => {
      const id = await importSession(store, file instanceof vscode.Uri ? file : undefined);
      if (!id) return;
      await session.show(id);
      await focusPanel();
    },
    showHelp: () => parts.actOnPage('help'),
    nextMode: () => session.setMode(nextMode(session.mode)),
    focusMessage: () => parts.actOnPage('focusMessage'),
    focusConversation: () => parts.actOnPage('focusConversation'),
    findInConversation: () => parts.actOnPage('find'),
    allow: () => parts.actOnPage('allow'),
    allowForSession: () => parts.actOnPage('allowForSession'),
    decline: () => parts.actOnPage('decline'),
    acceptEdit: () => answerEdit(parts.edits, 'allow'),
    discardEdit: () => answerEdit(parts.edits, 'deny'),
    showInEditor: async () => parts.showInEditor(),
    exportDiagnostics: () => parts.exportDiagnostics(),
    careOfSessions: () => careOfSessions(sessions.care, parts.showStorage),
  } satisfies Partial<Handlers>;
}

/** Errors are shown as notifications: VS Code itself would show a dialog about a failed command. */
export async function runFromPalette(
  handlers: Handlers,
  name: RegisteredCommand,
  given: unknown,
  log: Log,
): Promise<void> {
  try {
    await handlers[name]({}, given);
  } catch (thrown) {
    log('warn', `${name}: ${messageOf(thrown)}`);
    void showFault(thrown, () => runFromPalette(handlers, name, given, log));
  }
}

async function run(command: string, ...given: unknown[]): Promise<void> {
  await vscode.commands.executeCommand(command, ...given);
}

const focusPanel = () => run(`${PANEL_VIEW}.focus`);

async function answerEdit(edits: Pick<ProposedEdits, 'answerShown'>, answer: 'allow' | 'deny'): Promise<void> {
  if (!(await edits.answerShown(answer)))
    throw new ToldError(words('Open an edit that waits for your answer first: “Review” in its card does that.'));
}

function askForInstructions(): Thenable<string | undefined> {
  const prompt = vscode.l10n.t('What to keep in mind while compacting (optional)');
  return vscode.window.showInputBox({ title: vscode.l10n.t('Compact Context'), prompt });
}

function askForGoal(): Thenable<string | undefined> {
  const prompt = vscode.l10n.t('What the new session is for (optional). The summary keeps it in mind.');
  return vscode.window.showInputBox({ title: vscode.l10n.t('Hand Off to New Session'), prompt });
}

function nameContinued(title: string): string {
  const name = (of: string) => vscode.l10n.t('{0}, continued', of);
  return title.endsWith(name('')) ? title : name(title);
}

async function askForMode(current: string): Promise<string | undefined> {
  const items = listModes().map(({ id, label, description }) => ({
    id,
    label,
    detail: description,
    ...(id === current ? { description: vscode.l10n.t('in use') } : {}),
  }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Mode') }))?.id;
}
