/** What a person has allowed, gathered from where each kind of approval is kept. */

import * as vscode from 'vscode';
import type { SessionGrants } from '../../core/tools/approvals.ts';
import { withoutGrant } from '../../core/tools/approvals.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import type { ContributedStrategies } from '../api/contributedStrategies.ts';
import type { McpDecisions } from '../mcp/mcpDecisions.ts';
import type { AllowedCommands } from '../shell/allowedCommands.ts';
import type { StrategyFiles } from '../strategyFiles/strategyFiles.ts';
import type { Allowance } from './showApprovals.ts';

export interface AllowanceSources {
  /** Those of the session on screen; null without one. */
  readonly grants: () => { current: SessionGrants } | null;
  readonly commands: Pick<AllowedCommands, 'list' | 'remove'>;
  readonly mcp: Pick<McpDecisions, 'allowed' | 'withdraw'>;
  /** Servers that may no longer run are stopped. */
  readonly refreshMcp: () => Promise<unknown>;
  readonly contributed: Pick<ContributedStrategies, 'allowances'>;
  readonly files: Pick<StrategyFiles, 'consents' | 'withdraw'>;
}

export async function readAllowances(sources: AllowanceSources): Promise<Allowance[]> {
  return [
    ...ofSession(sources.grants()),
    ...ofCommands(sources.commands),
    ...ofMcp(sources),
    ...sources.contributed.allowances(),
    ...(await ofFiles(sources.files)),
  ];
}

function ofSession(grants: { current: SessionGrants } | null): Allowance[] {
  if (!grants) return [];
  const group = vscode.l10n.t('In this session');
  const { allowed, named } = grants.current;
  const classes = [...allowed].map((toolClass) => ({
    ...{ group, label: vscode.l10n.t('Edits and new files') },
    description: vscode.l10n.t('except files that configure an agent, an editor, a shell or a build'),
    withdraw: async () => {
      grants.current = withoutGrant(grants.current, { toolClass });
    },
  }));
  const calls = [...named].map(([key, label]) => ({
    ...{ group, label, description: vscode.l10n.t('exactly this') },
    withdraw: async () => {
      grants.current = withoutGrant(grants.current, { key });
    },
  }));
  return [...classes, ...calls];
}

function ofCommands(commands: AllowanceSources['commands']): Allowance[] {
  return commands.list.toReversed().map((rule) => ({
    group: vscode.l10n.t('Commands, exactly as written here'),
    label: rule.argv.join(' '),
    description: rule.background ? vscode.l10n.t('in the background · {0}', rule.folder) : rule.folder,
    withdraw: () => commands.remove(rule),
  }));
}

function ofMcp({ mcp, refreshMcp }: AllowanceSources): Allowance[] {
  return mcp.allowed.map(({ kind, hash, name }) => ({
    group: vscode.l10n.t('MCP servers and their tools'),
    label: name === null ? vscode.l10n.t('allowed by an earlier version') : showInOneLine(name),
    description:
      kind === 'server' ? vscode.l10n.t('may start, as it is configured now') : vscode.l10n.t('runs without asking'),
    withdraw: async () => {
      await mcp.withdraw(hash);
      await refreshMcp();
    },
  }));
}

async function ofFiles(files: AllowanceSources['files']): Promise<Allowance[]> {
  const { files: named, others } = await files.consents();
  const group = vscode.l10n.t('Strategies in your own files');
  const rows = named.map(({ label, path, hash }) => ({
    ...{ group, label, description: vscode.l10n.t('{0}, as it is now', path) },
    withdraw: () => files.withdraw([hash]),
  }));
  if (others.length === 0) return rows;
  const earlier = {
    ...{ group, label: vscode.l10n.t('Contents that no listed file has now') },
    description: vscode.l10n.t('earlier versions: {0}', others.length),
    withdraw: () => files.withdraw(others),
  };
  return [...rows, earlier];
}
