/** The MCP servers of this window in VS Code: connects them to settings, files, consent, secrets and decisions. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { McpServers } from '../../core/mcp/mcpServers.ts';
import { showName } from '../../core/tools/text/showHidden.ts';
import type { AgentSettings } from '../../node/agentSettings.ts';
import { fillIn, secretsIn, variablesIn } from '../../node/mcp/fillIn.ts';
import {
  type ConfiguredServer,
  foldersFor,
  nameFile,
  readOwnServer,
  readServerFiles,
  type ServerConfig,
  showStart,
} from '../../node/mcp/serverConfig.ts';
import { type CommandSandbox, sandboxForAll } from '../../node/sandbox/commandSandbox.ts';
import { commandEnvironment } from '../../node/shell/commandEnvironment.ts';
import { systemTimers } from '../../providers/timers.ts';
import { openFolders } from '../files/openFolders.ts';
import { editorProxy } from '../models/endpoints/editorProxy.ts';
import { askInDialog, showInformation } from '../notices/notify.ts';
import { ExtensionTools, withExtensions } from './extensionTools.ts';
import { McpDecisions, McpSecrets, NO_DECISIONS, type StoredDecisions } from './mcpDecisions.ts';
import { registeredTools } from './registeredTools.ts';
import { ServerContent } from './serverContent.ts';
import { ServerList } from './serverList.ts';

/** Global state: a workspace cannot decide for a person. */
const DECISIONS = 'palimpsest.mcp';
const START_MS = 30_000;
/** For a server without a `timeout`, and for tools of other extensions. */
const CALL_TIMEOUT_MS = 120_000;

export interface OpenedMcp {
  readonly servers: ServerList;
  readonly extensions: ExtensionTools;
  /** Of both, for the agent. */
  readonly tools: McpServers;
  readonly decisions: McpDecisions;
  readonly secrets: McpSecrets;
  /** Resources and prompts. */
  readonly content: ServerContent;
  /** Asks about each, and starts the permitted ones. Cancelling one question ends them all, and decides nothing. */
  readonly review: (servers: readonly ConfiguredServer[]) => Promise<void>;
  readonly onDidChange: vscode.Event<void>;
  dispose(): void;
}

interface Parts {
  readonly settings: () => AgentSettings;
  readonly globalState: vscode.Memento;
  readonly secretStorage: vscode.SecretStorage;
  readonly version: string;
  readonly sandbox: () => CommandSandbox;
  readonly log: Log;
}

export function openMcp({ settings, globalState, secretStorage, version, sandbox, log }: Parts): OpenedMcp {
  const changed = new vscode.EventEmitter<void>();
  const secrets = new McpSecrets(secretStorage);
  const decisions = new McpDecisions({
    get: () => ({ ...NO_DECISIONS, ...globalState.get<Partial<StoredDecisions>>(DECISIONS, {}) }),
    set: (stored) => globalState.update(DECISIONS, stored),
  });
  const now = Date.now;

  const servers = new ServerList({
    configured: async () => {
      const { servers: own, filesOfFolder } = settings().mcp;
      const ownServers = Object.entries(own).map(([name, entry]) => readOwnServer(name, entry));
      const inFiles = filesOfFolder ? await Promise.all(openFolders().map(readServerFiles)) : [];
      return [...ownServers, ...inFiles.flat()];
    },
    trusted: () => vscode.workspace.isTrusted && openFolders().length > 0,
    decisions,
    open: (server) => async (events) => {
      const { config } = server;
      if (config.kind === 'unusable') throw new Error(`${server.name} cannot be used`);
      const folders = foldersFor(server, openFolders());
      const filled = await fillIn(config, {
        secret: (name) => secrets.read(server, name),
        environment: process.env,
        folder: folders[0] ?? homedir(),
        home: homedir(),
      });
      secrets.remember(filled.secrets);
      const { connect } = await import('../../node/mcp/transport/connection.ts');
      return connect({
        ...events,
        config: filled.config,
        version,
        now,
        home: homedir(),
        startMs: START_MS,
        environment: commandEnvironment(process.env, settings().agent.commandVariables),
        folders,
        fetch: globalThis.fetch,
        proxy: editorProxy,
        sandbox: filled.config.kind === 'stdio' ? await sandboxForAll(sandbox()) : undefined,
      });
    },
    callTimeoutMs: CALL_TIMEOUT_MS,
    timers: systemTimers,
    now,
    hide: secrets.hide,
    onUndecided: (undecided) => void offer(undecided),
    onChange: () => changed.fire(),
  });

  const extensions = new ExtensionTools({
    source: registeredTools,
    decisions,
    hide: secrets.hide,
    callTimeoutMs: CALL_TIMEOUT_MS,
  });

  const content = new ServerContent({ servers, log, onChange: () => changed.fire() });

  const review = async (asked: readonly ConfiguredServer[]) => {
    const answers: (readonly [ConfiguredServer, boolean])[] = [];
    for (const server of asked) {
      const may = await askToStart(server);
      if (may === 'cancelled') return;
      if (may !== null) answers.push([server, may]);
    }
    for (const [server, may] of answers) await decisions.decideStart(server, may);
    for (const { server, standing } of await servers.refresh()) {
      const isAsked = asked.some(
        ({ name, file }) =>
          name === server.name && file?.path === server.file?.path && file?.folder === server.file?.folder,
      );
      if (isAsked && standing.kind === 'ready') void standing.run.start();
    }
    changed.fire();
  };

  const offer = async (undecided: readonly ConfiguredServer[]) => {
    const names = undecided.map(({ name }) => name).join(', ');
    const files = [...new Set(undecided.map(({ file }) => (file ? nameFile(file, openFolders()) : '')))].join(', ');
    const look = vscode.l10n.t('Review…');
    const question = vscode.l10n.t(
      'This folder names MCP servers: {0} ({1}). They are not started until you allow it.',
      names,
      files,
    );
    if ((await showInformation(question, look)) === look) await review(undecided);
  };

  const lookAgain = () => {
    servers.reportUndecided().catch((thrown: unknown) => log('warn', messageOf(thrown)));
  };
  const subscriptions = vscode.Disposable.from(
    changed,
    vscode.workspace.onDidGrantWorkspaceTrust(lookAgain),
    vscode.workspace.onDidChangeWorkspaceFolders(lookAgain),
  );
  lookAgain();
  return {
    servers,
    extensions,
    decisions,
    secrets,
    content,
    review,
    tools: withExtensions(servers, extensions),
    onDidChange: changed.event,
    dispose: () => {
      servers.dispose();
      subscriptions.dispose();
    },
  };
}

/**
 * Asks whether a server from a file may be started, and shows everything that would run or be contacted. Null where
 * nothing is decided.
 */
async function askToStart({ name, file, config }: ConfiguredServer): Promise<boolean | 'cancelled' | null> {
  if (file === null || config.kind === 'unusable') return null;
  const allow = vscode.l10n.t('Allow');
  const refuse = vscode.l10n.t('Don’t Allow');
  const notNow = vscode.l10n.t('Not now');
  const answer = await askInDialog(
    vscode.l10n.t('Start the MCP server “{0}” that {1} names?', showName(name), file.path),
    describe(config, showName(join(file.folder, file.path))),
    // The first button has the focus, which may take a key that was meant for something else.
    notNow,
    allow,
    refuse,
  );
  if (answer === undefined) return 'cancelled';
  return answer === notNow ? null : answer === allow;
}

/** `first` is the command or the address. */
export const describeFirst = (kind: ServerConfig['kind'], first: string): string =>
  kind === 'stdio'
    ? vscode.l10n.t('It runs with all your rights: {0}', first)
    : vscode.l10n.t('The arguments of each call are sent to {0}.', first);

/** The command comes first, in full: `readForeignServer` accepts nothing that would not fit. */
function describe(config: ServerConfig, path: string): string {
  const variables = variablesIn(config);
  const secrets = secretsIn(config);
  const { first, folder, given } = showStart(config);
  return [
    describeFirst(config.kind, first),
    ...(folder === '' ? [] : [vscode.l10n.t('It runs in this folder: {0}', folder)]),
    ...(given === '' ? [] : [vscode.l10n.t('The entry provides: {0}', given)]),
    ...(variables.length > 0
      ? [vscode.l10n.t('It gets these environment variables of yours: {0}', variables.join(', '))]
      : []),
    ...(secrets.length > 0 ? [vscode.l10n.t('It asks you for these secrets: {0}', secrets.join(', '))] : []),
    vscode.l10n.t(
      'The entry is in {0}, which somebody else may have written. This answer is for the entry as it is now: when it changes, you are asked again. Each tool of the server asks before it is called.',
      path,
    ),
  ].join('\n\n');
}
