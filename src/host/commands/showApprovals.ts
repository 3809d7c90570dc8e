/** *Approvals…*: lists every lasting permission of the person, and revokes them. */

import * as vscode from 'vscode';
import { formatCount } from '../../core/figures.ts';
import { withoutGrant } from '../../core/tools/approvals.ts';
import { writeWords } from '../../core/tools/commandRules.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { AllowedCommands } from '../../node/shell/allowedCommands.ts';
import type { StrategyFiles } from '../../node/strategyFiles/strategyFiles.ts';
import type { ContributedStrategies } from '../api/contributedStrategies.ts';
import type { Handlers } from '../handlers.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import { confirmInDialog, showInformation } from '../notices/notify.ts';
import { type Listed, manageList } from '../notices/pickers.ts';

/** One permission, as an item of the list. */
interface LastingApproval {
  readonly label: string;
  readonly description: string;
  /** The group heading in the list. */
  readonly group: string;
  /** After this, its next use asks again. */
  readonly withdraw: () => PromiseLike<void>;
}

interface Parts {
  readonly session: ShownSession;
  readonly allowedCommands: AllowedCommands;
  readonly mcp: OpenedMcp;
  readonly contributed: ContributedStrategies;
  readonly strategyFiles: StrategyFiles;
}

export function approvalCommands(parts: Parts) {
  return { showApprovals: () => showApprovals(parts) } satisfies Partial<Handlers>;
}

/** The list stays open, so that several can be revoked. */
function showApprovals(parts: Parts): Promise<void> {
  return manageList({
    title: vscode.l10n.t('Approvals'),
    placeholder: vscode.l10n.t('You are not asked about these. Choose one to be asked again.'),
    empty: vscode.l10n.t(
      'Nothing is allowed beyond a single answer: each edit, command and tool that needs it is asked about.',
    ),
    read: async () => {
      const allowed = await readApprovals(parts);
      const all = { label: vscode.l10n.t('Ask again about all of these…'), act: () => withdrawAll(allowed) };
      return allowed.length === 0 ? [] : [...allowed.map(listApproval), all];
    },
  });
}

function listApproval({ label, description, group, withdraw }: LastingApproval): Listed {
  const again = { act: withdraw, stays: true };
  return {
    label,
    description,
    group,
    ...again,
    buttons: [{ icon: 'trash', tooltip: vscode.l10n.t('Ask again from now on'), ...again }],
  };
}

async function withdrawAll(allowed: readonly LastingApproval[]): Promise<void> {
  const isMeant = await confirmInDialog(
    vscode.l10n.t('Ask again about all {0} approvals?', formatCount(allowed.length)),
    allowed
      .map(({ label, group }) => vscode.l10n.t('{0}: {1}', group, label))
      .slice(0, MOST_NAMED)
      .join('\n'),
    vscode.l10n.t('Ask Again'),
  );
  if (!isMeant) return;
  for (const { withdraw } of allowed) await withdraw();
  await showInformation(vscode.l10n.t('You are asked again about all of these.'));
}

const MOST_NAMED = 30;

/** Reads each kind of approval from where it is stored. */
async function readApprovals({
  session,
  allowedCommands,
  mcp,
  contributed,
  strategyFiles,
}: Parts): Promise<LastingApproval[]> {
  return [
    ...ofSession(session.conversation),
    ...ofCommands(allowedCommands),
    ...ofMcp(mcp),
    ...ofPublishers(contributed),
    ...(await ofFiles(strategyFiles)),
  ];
}

function ofSession(conversation: Conversation | null): LastingApproval[] {
  if (!conversation) return [];
  const { grants } = conversation.agent;
  const group = vscode.l10n.t('In this session');
  const { allowed, named } = grants.current;
  const classes = [...allowed].map((toolClass) => ({
    group,
    label: vscode.l10n.t('Edits and new files'),
    description: vscode.l10n.t('except files that configure an agent, an editor, a shell or a build'),
    withdraw: async () => {
      grants.current = withoutGrant(grants.current, { toolClass });
    },
  }));
  const calls = [...named].map(([key, label]) => ({
    group,
    label,
    description: vscode.l10n.t('exactly this'),
    withdraw: async () => {
      grants.current = withoutGrant(grants.current, { key });
    },
  }));
  return [...classes, ...calls];
}

function ofCommands(commands: AllowedCommands): LastingApproval[] {
  const reading = {
    group: vscode.l10n.t('Commands that only read'),
    label: vscode.l10n.t('The built-in list: git status, ls, cat, grep …'),
    description: vscode.l10n.t('inside the open folders, without secrets'),
    withdraw: () => commands.allowReading(false),
  };
  return [...(commands.allowsReading ? [reading] : []), ...ofRules(commands)];
}

function ofRules(commands: AllowedCommands): LastingApproval[] {
  return commands.list.toReversed().map((rule) => ({
    group: vscode.l10n.t('Commands, exactly as written here'),
    label: writeWords(rule.argv),
    description: rule.background ? vscode.l10n.t('in the background · {0}', rule.folder) : rule.folder,
    withdraw: () => commands.remove(rule),
  }));
}

function ofMcp({ decisions, servers }: OpenedMcp): LastingApproval[] {
  return decisions.allowed.map(({ kind, hash, name }) => ({
    group:
      kind === 'extensionTool'
        ? vscode.l10n.t('Tools of other extensions')
        : vscode.l10n.t('MCP servers and their tools'),
    label: name === null ? vscode.l10n.t('allowed by an earlier version') : showInOneLine(name),
    description: describeMcp(kind),
    withdraw: async () => {
      await decisions.withdraw(hash);
      // Stops servers that may no longer run.
      await servers.refresh();
    },
  }));
}

function describeMcp(kind: OpenedMcp['decisions']['allowed'][number]['kind']): string {
  switch (kind) {
    case 'server':
      return vscode.l10n.t('may start, as it is configured now');
    case 'tool':
    case 'extensionTool':
      return vscode.l10n.t('runs without asking');
    case 'sampling':
      return vscode.l10n.t('may ask the model without asking');
  }
}

function ofPublishers(contributed: ContributedStrategies): LastingApproval[] {
  const group = vscode.l10n.t('Strategies that may see conversations');
  return contributed.allowedPublishers().map((publisher) => ({ group, ...publisher }));
}

async function ofFiles(files: StrategyFiles): Promise<LastingApproval[]> {
  const { files: named, others } = await files.consents();
  const group = vscode.l10n.t('Strategies in your own files');
  const rows = named.map(({ label, path, hash }) => ({
    group,
    label,
    description: vscode.l10n.t('{0}, as it is now', path),
    withdraw: () => files.withdraw([hash]),
  }));
  if (others.length === 0) return rows;
  const earlier = {
    group,
    label: vscode.l10n.t('Contents that no listed file has now'),
    description: vscode.l10n.t('earlier versions: {0}', formatCount(others.length)),
    withdraw: () => files.withdraw(others),
  };
  return [...rows, earlier];
}
