/** The palette's commands and what the panel asks of the editor. Each is a few lines over the parts it is given. */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { DEMO } from '../../core/ports.ts';
import type { InspectCommands } from '../inspect/inspectCommands.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { EndpointSetup } from '../models/endpointSetup.ts';
import type { Models } from '../models/models.ts';
import type { Controller } from '../panel/controller.ts';
import { listStrategies } from '../panel/listStrategies.ts';
import { openQuestion, openRow } from '../panel/openRow.ts';
import type { PanelRequest } from '../panel/panelController.ts';
import { PANEL_VIEW } from '../panel/panelView.ts';
import type { Conversation } from '../session/conversation.ts';
import { writeSetting } from '../settings/settings.ts';
import type { WatchedSettings } from '../settings/watchedSettings.ts';
import type { SessionStore } from '../storage/sessions/sessionStore.ts';
import { showError } from '../tell/notify.ts';
import { importSession } from './importSession.ts';
import { type SessionCommands, sayNoSession } from './sessionCommands.ts';
import type { TimeTravelCommands } from './timeTravelCommands.ts';

export interface CommandParts {
  readonly controller: Controller;
  readonly models: Models;
  readonly setup: EndpointSetup;
  readonly settings: WatchedSettings;
  readonly store: SessionStore;
  readonly registry: StrategyRegistry;
  readonly sessions: SessionCommands;
  readonly timeTravel: TimeTravelCommands;
  readonly inspect: InspectCommands;
  readonly documents: ReadOnlyDocuments;
  readonly log: Log;
}

export interface Commands {
  /** By name without the `palimpsest.` prefix. */
  readonly commands: Readonly<Record<string, (...args: readonly unknown[]) => Promise<void>>>;
  readonly act: (request: PanelRequest) => Promise<void>;
}

/** Schemes that a link in an answer may open, after VS Code has asked with the whole address. */
const LINKS = new Set(['https:', 'http:', 'mailto:']);

export function createCommands(parts: CommandParts): Commands {
  const { controller, models, setup, settings, store, registry, sessions, timeTravel, inspect, documents } = parts;

  const chooseStrategy = async (id: string) => {
    const contributed = registry.list().find((it) => it.id === id)?.publisher != null;
    if (contributed) await writeSetting('compaction.contributedStrategy', id);
    await writeSetting('compaction.strategy', contributed ? 'contributed' : id);
  };

  const chooseModel = async (id: string) => {
    const { conversation } = controller;
    if (conversation) await conversation.change(() => conversation.agent.configure(id));
    if (!conversation || !settings.current.agent.model) await writeSetting('model', id);
    controller.refresh();
  };

  const withSession = async (act: (conversation: Conversation) => Promise<void>) => {
    const { conversation } = controller;
    if (!conversation) return sayNoSession();
    await act(conversation);
  };

  const setUpEndpoint = async () => {
    const model = await setup.run();
    if (model) await chooseModel(model);
  };

  const commands: Commands['commands'] = {
    newSession: async () => {
      await controller.show(null);
      await focusPanel();
    },
    showHistory: async () => {
      await focusPanel();
      controller.tell({ kind: 'history' });
    },
    openSettings: async () => {
      await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:palimpsest.palimpsest');
    },
    stop: async () => controller.conversation?.stop(),
    compact: () =>
      withSession(async (conversation) => {
        conversation.requireMovable();
        const prompt = vscode.l10n.t('What to keep in mind while compacting (optional)');
        const instructions = await vscode.window.showInputBox({ title: vscode.l10n.t('Compact Context'), prompt });
        if (instructions === undefined) return;
        await controller.handle({ type: 'compact', ...(instructions.trim() ? { instructions } : {}) });
      }),
    undoCompaction: () => withSession(() => controller.handle({ type: 'undoCompaction' })),
    redoCompaction: () => withSession(() => controller.handle({ type: 'redoCompaction' })),
    previewCompaction: () => inspect.preview(),
    showModelView: () => inspect.modelView(),
    showStatistics: () => inspect.statistics(),
    chooseStrategy: async () => {
      const items = listStrategies(registry).map(({ id, label, description }) => ({ id, label, detail: description }));
      const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Compaction Strategy') });
      if (chosen) await chooseStrategy(chosen.id);
    },
    chooseModel: async () => {
      const items = models.choices().map(({ id, label, description }) => ({ id, label, description }));
      const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Model of This Session') });
      if (chosen) await chooseModel(chosen.id);
    },
    setUpEndpoint,
    setApiKey: async () => {
      await setup.setKey(vscode.l10n.t('Set API Key'));
      controller.refresh();
    },
    removeApiKey: async () => {
      await setup.removeKey();
      controller.refresh();
    },
    testConnection: () => setup.test(),
    importSession: async (file) => {
      const id = await importSession(store, file instanceof vscode.Uri ? file : undefined);
      if (!id) return;
      await controller.show(id);
      await focusPanel();
    },
    renameSession: () => sessions.renameShown(),
    restoreCheckpoint: () => timeTravel.restoreCheckpoint(),
    undoRestore: () => timeTravel.undoRestore(),
    showBranches: () => timeTravel.showBranches(),
    clearConversation: () => timeTravel.clear(),
    setCheckpoint: () => timeTravel.setCheckpoint(),
    takeOverSession: () => sessions.takeOver(),
    exportSession: () => sessions.export(),
    checkSession: () => sessions.check(),
    repairSession: () => sessions.repair(),
    redactSession: () => sessions.redact(),
  };

  const run = async (name: string) => commands[name]?.();

  const act = async (request: PanelRequest) => {
    switch (request.type) {
      case 'chooseStrategy':
        return chooseStrategy(request.strategy);
      case 'chooseModel':
        return chooseModel(request.model);
      case 'copy':
        return vscode.env.clipboard.writeText(request.text);
      case 'insert':
        return insertAtCursor(request.text);
      case 'openRow': {
        const row = controller.row(request.rowId);
        const asked = row?.type === 'tool' ? row.approval?.id : undefined;
        const question = controller.conversation?.approvals.pending.find(({ id }) => id === asked);
        if (question) return openQuestion(question.request, documents);
        return row?.type === 'tool' ? openRow(row) : undefined;
      }
      case 'restore':
        return timeTravel.restoreCheckpoint(request.checkpoint);
      case 'favourite':
        await sessions.setFavourite(request.sessionId, request.favourite);
        return controller.relist();
      case 'deleteSession':
        await sessions.remove(request.sessionId);
        return controller.relist();
      case 'exportSession':
        return sessions.export(request.sessionId);
      case 'openLink':
        return openLink(request.href);
      case 'command':
        switch (request.command) {
          case 'setKey':
            return run('setApiKey');
          case 'setupEndpoint':
            return run('setUpEndpoint');
          case 'useDemo':
            return chooseModel(DEMO);
          case 'openFolder':
            return void (await vscode.commands.executeCommand('workbench.action.files.openFolder'));
          case 'trust':
            return void (await vscode.commands.executeCommand('workbench.trust.manage'));
          case 'history':
            return run('showHistory');
          case 'import':
            return run('importSession');
          case 'export':
            return run('exportSession');
          case 'restore':
            return run('restoreCheckpoint');
          case 'checkpoint':
            return run('setCheckpoint');
          case 'clear':
            return run('clearConversation');
          case 'takeOver':
            return run('takeOverSession');
          default:
            return run(request.command);
        }
      default:
        throw new Error(`The panel's request ${request.type} is not one of the editor's`);
    }
  };
  return { commands: mapValues(commands, (command, name) => tellingFaults(name, command, parts.log)), act };
}

type Command = Commands['commands'][string];

/** What goes wrong is said in a toast: the editor itself would stop the person with a dialog about a failed command. */
function tellingFaults(name: string, command: Command, log: Log): Command {
  return async (...args) => {
    try {
      await command(...args);
    } catch (thrown) {
      log('warn', `${name}: ${messageOf(thrown)}`);
      void showError(messageOf(thrown));
    }
  };
}

function mapValues<T>(record: Readonly<Record<string, T>>, map: (value: T, key: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

async function focusPanel(): Promise<void> {
  await vscode.commands.executeCommand(`${PANEL_VIEW}.focus`);
}

async function insertAtCursor(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Error(vscode.l10n.t('No editor is open to insert into. Open a file first, or copy the text.'));
  await editor.edit((edit) => edit.replace(editor.selection, text));
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

/** VS Code itself asks with the whole address before it opens a page of an untrusted domain. */
async function openLink(href: string): Promise<void> {
  const uri = URL.canParse(href) ? new URL(href) : null;
  if (!uri || !LINKS.has(uri.protocol))
    throw new Error(vscode.l10n.t('The link {0} is not opened: only web and mail addresses are.', href));
  await vscode.env.openExternal(vscode.Uri.parse(uri.href, true));
}
