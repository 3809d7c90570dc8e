/**
 * *MCP Servers…*: every configured server with its state and actions: start it, choose its tools and permissions,
 * switch it off, read its log. Tools of other extensions are chosen here, too.
 */

import { join } from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import { words } from '../../core/words.ts';
import { secretsIn } from '../../node/mcp/fillIn.ts';
import type { McpServer } from '../../node/mcp/mcpServer.ts';
import { type ConfiguredServer, nameFile, showStart } from '../../node/mcp/serverConfig.ts';
import { openFolders } from '../files/openFolders.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import { inEditorLanguage, showInformation } from '../notices/notify.ts';
import { type Listed, manageList } from '../notices/pickers.ts';
import { addServer } from './addServer.ts';
import { chooseTools, plain } from './chooseTools.ts';
import type { OpenedMcp } from './openMcp.ts';
import type { ListedServer, Standing } from './serverList.ts';

export class McpCommands {
  readonly #mcp: OpenedMcp;
  readonly #documents: ReadOnlyDocuments;

  constructor(mcp: OpenedMcp, documents: ReadOnlyDocuments) {
    this.#mcp = mcp;
    this.#documents = documents;
  }

  /** The list updates with the servers while it is open. `typed`: a server to add first. */
  async show(typed?: string): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new UserFacingError(words('MCP servers are not started in Restricted Mode. Trust this folder first.'));
    }
    await this.#mcp.servers.refresh();
    if (typed !== undefined && !(await addServer(this.#mcp, typed))) return;
    await manageList({
      title: vscode.l10n.t('MCP Servers'),
      placeholder: vscode.l10n.t('Choose a server to see its tools, start it or switch it off'),
      read: () => [
        ...this.#mcp.servers.listed.map((each) => ({ ...describeServer(each), act: () => this.#manage(each) })),
        ...this.#extensionTools(),
        { label: `$(add) ${vscode.l10n.t('Add MCP Server…')}`, act: () => this.#add() },
        { label: `$(json) ${vscode.l10n.t('Open the settings')}`, act: openSettings },
      ],
      follow: (listener) => this.#mcp.onDidChange(listener),
    });
  }

  /** The list shows how it starts. */
  async #add(): Promise<void> {
    if (await addServer(this.#mcp)) await this.show();
  }

  #manage(listed: ListedServer): Promise<void> {
    const title = vscode.l10n.t('MCP Server {0}', plain(listed.server.name));
    return manageList({ title, read: () => this.#actionsFor(listed) });
  }

  #actionsFor({ server, standing }: ListedServer): readonly Listed[] {
    const { decisions, servers, secrets, review } = this.#mcp;
    const run = standing.kind === 'ready' ? standing.run : null;
    const asked = server.config.kind === 'unusable' ? [] : secretsIn(server.config);
    const turn = async (on: boolean) => {
      await decisions.switchTo(on, server);
      await servers.refresh();
    };
    return [
      ...(standing.kind === 'undecided' || standing.kind === 'refused'
        ? [{ label: `$(shield) ${vscode.l10n.t('Review and start…')}`, act: () => review([server]) }]
        : []),
      ...(run ? this.#actionsOf(run) : []),
      ...(run || standing.kind === 'undecided'
        ? [{ label: `$(circle-slash) ${vscode.l10n.t('Switch off')}`, act: () => turn(false) }]
        : []),
      ...(decisions.isOff(server)
        ? [{ label: `$(circle-outline) ${vscode.l10n.t('Switch on')}`, act: () => turn(true) }]
        : []),
      ...(run ? [this.#samplingOf(server)] : []),
      ...(asked.length > 0
        ? [
            {
              label: `$(key) ${vscode.l10n.t('Forget its secrets')}`,
              description: asked.join(', '),
              act: async () => {
                await secrets.forget(server, asked);
                await run?.stop();
                await showInformation(vscode.l10n.t('You are asked for them the next time the server starts.'));
              },
            },
          ]
        : []),
      { label: `$(json) ${vscode.l10n.t('Open its configuration')}`, act: () => openConfiguration(server) },
    ];
  }

  #samplingOf(server: ConfiguredServer): Listed {
    const { decisions } = this.#mcp;
    const may = decisions.maySample(server);
    return {
      label: may
        ? `$(comment-discussion) ${vscode.l10n.t('Ask me before it asks the model')}`
        : `$(comment-discussion) ${vscode.l10n.t('Let it ask the model')}`,
      description: may
        ? vscode.l10n.t('it may do so from now on, at your expense')
        : vscode.l10n.t('you are asked each time now'),
      act: () => decisions.setSampling(server, !may),
    };
  }

  #actionsOf(run: McpServer): readonly Listed[] {
    const { kind } = run.state;
    const log: Listed = {
      label: `$(output) ${vscode.l10n.t('Show its log')}`,
      act: () => this.#documents.show(`${run.server.name}.log`, [...describeState(run), ...run.log].join('\n')),
    };
    return kind === 'running'
      ? [
          {
            label: `$(tools) ${vscode.l10n.t('Choose its tools…')}`,
            description: countTools(run.tools.length),
            act: () => this.#chooseTools(run),
          },
          { label: `$(debug-restart) ${vscode.l10n.t('Restart')}`, act: () => run.restart() },
          log,
        ]
      : [{ label: `$(play) ${vscode.l10n.t('Start')}`, act: () => run.restart() }, log];
  }

  #chooseTools(run: McpServer): Promise<void> {
    const { decisions, servers } = this.#mcp;
    return chooseTools({
      title: vscode.l10n.t('Tools of {0}', plain(run.server.name)),
      placeholder: vscode.l10n.t('The model gets the tools that are marked'),
      tools: servers.toolsOf(run).map((each) => ({ ...each, isOn: !decisions.isOff(run.server, each.tool.tool) })),
      decisions,
      turn: ({ tool }, on) => decisions.switchTo(on, run.server, tool),
    });
  }

  #extensionTools(): readonly Listed[] {
    const { decisions, extensions } = this.#mcp;
    const tools = extensions.list().map(({ extensionName, ...each }) => ({
      ...each,
      isOn: decisions.isChosen(each.tool),
      group: plain(extensionName),
    }));
    if (tools.length === 0) return [];
    const choose = () =>
      chooseTools({
        title: vscode.l10n.t('Tools of Other Extensions'),
        placeholder: vscode.l10n.t('Some ask a second time themselves'),
        tools,
        decisions,
        turn: (tool, on) => decisions.choose(tool, on),
      });
    return [
      {
        label: `$(extensions) ${vscode.l10n.t('Tools of other extensions…')}`,
        description: vscode.l10n.t(
          '{0} of {1} chosen',
          formatCount(tools.filter(({ isOn }) => isOn).length),
          formatCount(tools.length),
        ),
        act: choose,
      },
    ];
  }
}

function describeServer({ server, standing }: ListedServer) {
  const { icon, text, detail } = describeStanding(standing);
  const { config, file } = server;
  const what = config.kind === 'unusable' ? '' : showStart(config).first;
  return {
    label: `$(${icon}) ${plain(server.name)}`,
    description: [text, file ? nameFile(file, openFolders()) : vscode.l10n.t('your settings')].join(' · '),
    detail: plain(detail || what),
  };
}

function describeStanding(standing: Standing): { icon: string; text: string; detail?: string } {
  switch (standing.kind) {
    case 'unusable':
      return { icon: 'error', text: vscode.l10n.t('cannot be used'), detail: inEditorLanguage(standing.reason) };
    case 'shadowed':
      return { icon: 'circle-slash', text: vscode.l10n.t('another server has its name') };
    case 'disabled':
      return { icon: 'circle-slash', text: vscode.l10n.t('switched off') };
    case 'undecided':
      return { icon: 'question', text: vscode.l10n.t('waits for your consent') };
    case 'refused':
      return { icon: 'circle-slash', text: vscode.l10n.t('not allowed') };
    case 'ready':
      return describeRun(standing.run);
  }
}

function describeRun({ state, tools }: McpServer): { icon: string; text: string; detail?: string } {
  switch (state.kind) {
    case 'stopped':
      return { icon: 'circle-outline', text: vscode.l10n.t('starts when it is needed') };
    case 'starting':
      return { icon: 'loading~spin', text: vscode.l10n.t('starting') };
    case 'running':
      return { icon: 'pass', text: countTools(tools.length) };
    case 'failed':
      return {
        icon: 'error',
        text: state.again ? vscode.l10n.t('failed, restarting') : vscode.l10n.t('failed'),
        detail: inEditorLanguage(state.reason),
      };
  }
}

function describeState(run: McpServer): string[] {
  const { text, detail } = describeRun(run);
  return [`${run.server.name}: ${[text, run.version, detail].filter(Boolean).join(' · ')}`, ''];
}

async function openConfiguration({ file }: ConfiguredServer): Promise<void> {
  if (file) await vscode.window.showTextDocument(vscode.Uri.file(join(file.folder, file.path)));
  else await openSettings();
}

async function openSettings(): Promise<void> {
  const revealSetting = { key: 'palimpsest.mcp.servers', edit: true };
  await vscode.commands.executeCommand('workbench.action.openSettingsJson', { revealSetting });
}

function countTools(count: number): string {
  return count === 1 ? vscode.l10n.t('1 tool') : vscode.l10n.t('{0} tools', formatCount(count));
}
