/**
 * *Show Memory…*: what the model is told beside the conversation, in one list: memory files and skills, which open, and
 * standing orders, which can be changed, taken back, or moved to `AGENTS.md`.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { type MemoryText, readMemoryFiles } from '../../core/instructions/memoryFiles.ts';
import { SKILL_FOLDERS } from '../../core/instructions/skill.ts';
import { fitOrders, readOrders, type StandingOrder } from '../../core/instructions/standingOrders.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { type LeaveOut, leaveOutSilently } from '../../core/sourceFile.ts';
import { countTokens } from '../../core/tokens/estimate.ts';
import { readOwnSource } from '../files/checkedFiles.ts';
import { formatCount } from '../pages/blocks.ts';
import type { ShownSession } from '../session/shownSession.ts';
import type { AgentSettings } from '../settings/agentSettings.ts';
import { showInformation } from '../tell/notify.ts';
import { readTrust, type Workspace } from '../workspace.ts';
import type { SkillList } from './skillList.ts';

interface Parts {
  readonly session: ShownSession;
  readonly workspace: () => Workspace;
  readonly settings: () => AgentSettings;
  readonly skills: Pick<SkillList, 'refresh'>;
}

type Action = 'edit' | 'promote' | 'remove';

interface MemoryItem extends vscode.QuickPickItem {
  readonly open?: () => Promise<void>;
  readonly order?: StandingOrder;
}

const AGENTS = 'AGENTS.md';

export class MemoryCommands {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The list stays open until something of it was chosen, or the person leaves it. */
  async show(): Promise<void> {
    const picked = await this.#pick();
    if (picked?.item.open) return picked.item.open();
    if (!picked?.item.order) return;
    const action = picked.action ?? (await askForAction(picked.item.order));
    if (action) await this.#change(picked.item.order, action);
  }

  async #pick(): Promise<{ readonly item: MemoryItem; readonly action?: Action } | null> {
    const list = vscode.window.createQuickPick<MemoryItem>();
    list.title = vscode.l10n.t('Memory');
    list.placeholder = vscode.l10n.t(
      'The model gets these in addition to your messages. Choose a file or a skill to open it, or an order to change it.',
    );
    list.matchOnDescription = true;
    list.items = [...(await this.#files()), ...(await this.#skills()), ...this.#orders()];
    const { promise, resolve } = Promise.withResolvers<{ item: MemoryItem; action?: Action } | null>();
    list.onDidAccept(() => {
      const [item] = list.activeItems;
      if (item) resolve({ item });
    });
    list.onDidTriggerItemButton(({ item, button }) => {
      const action = BUTTONS.find(([, each]) => nameOf(each) === button.tooltip)?.[1];
      resolve(action ? { item, action } : { item });
    });
    list.onDidHide(() => resolve(null));
    list.show();
    try {
      return await promise;
    } finally {
      list.dispose();
    }
  }

  async #files(): Promise<MemoryItem[]> {
    const { memory } = this.#parts.settings();
    const { files } = this.#parts.workspace();
    const trusted = readTrust() === 'trusted';
    const told = this.#journal?.context.header?.items ?? [];
    const items = !memory.enabled
      ? []
      : await readMemoryFiles({
          files: trusted ? files : null,
          own: () => readOwnMemory(memory.userFile),
          touched: told.map(({ origin }) => origin),
          maxTokens: memory.maxTokens,
        });
    const own = memory.userFile.trim();
    const found = items.map(({ origin, text }) => ({
      label: `$(book) ${origin}`,
      description: vscode.l10n.t('{0} tokens', formatCount(countTokens(text))),
      open: () => (origin === own ? openOwn(own) : this.#openInFolder(origin)),
    }));
    const has = (origin: string) => items.some((item) => item.origin === origin);
    return [
      { label: vscode.l10n.t('Memory files'), kind: vscode.QuickPickItemKind.Separator },
      ...found,
      ...(memory.enabled ? [] : [{ label: vscode.l10n.t('Memory files are switched off'), open: openSetting }]),
      ...(trusted && files.root !== null && !has(AGENTS)
        ? [
            {
              label: `$(add) ${vscode.l10n.t('Create {0}', AGENTS)}`,
              description: vscode.l10n.t('for everyone who works in this folder'),
              open: () => this.#openInFolder(AGENTS),
            },
          ]
        : []),
      ...(own !== '' && !has(own)
        ? [
            {
              label: `$(add) ${vscode.l10n.t('Create {0}', own)}`,
              description: vscode.l10n.t('your own, for every folder'),
              open: () => openOwn(own),
            },
          ]
        : []),
    ];
  }

  async #skills(): Promise<MemoryItem[]> {
    if (!this.#parts.settings().skills.enabled) return [];
    const found = (await this.#parts.skills.refresh()).map(
      ({ name, description, origin, body }): MemoryItem => ({
        label: `$(mortar-board) ${name}`,
        description: [description, vscode.l10n.t('{0} tokens when used', formatCount(countTokens(body)))]
          .filter((each) => each !== '')
          .join(' · '),
        detail: origin,
        open: () => (origin.startsWith('~') ? openFound(ownMemoryPath(origin)) : this.#openFound(origin)),
      }),
    );
    const none = { label: vscode.l10n.t('No skills in {0}', SKILL_FOLDERS.join(', ')) };
    return [
      { label: vscode.l10n.t('Skills'), kind: vscode.QuickPickItemKind.Separator },
      ...(found.length > 0 ? found : [none]),
    ];
  }

  #orders(): MemoryItem[] {
    const journal = this.#journal;
    if (!journal || !this.#parts.settings().memory.standingOrders) return [];
    const orders = readOrders(journal);
    const left = new Set(fitOrders(orders, this.#parts.session.conversation?.compactor.window ?? 0).left);
    const none = { label: vscode.l10n.t('None was found in this session') };
    return [
      { label: vscode.l10n.t('Standing orders of this session'), kind: vscode.QuickPickItemKind.Separator },
      ...(orders.length === 0 ? [none] : []),
      ...orders.map((order) => ({
        label: `$(law) ${order.text}`,
        description: left.has(order)
          ? vscode.l10n.t('no room: move it to AGENTS.md')
          : vscode.l10n.t('{0} tokens', formatCount(order.tokens)),
        order,
        buttons: BUTTONS.map(([icon, action]) => ({ iconPath: new vscode.ThemeIcon(icon), tooltip: nameOf(action) })),
      })),
    ];
  }

  get #journal(): Journal | null {
    return this.#parts.session.conversation?.journal ?? null;
  }

  async #change(order: StandingOrder, action: Action): Promise<void> {
    const conversation = this.#parts.session.requireMovable();
    let text: string | null = null;
    if (action === 'edit') {
      const said = await vscode.window.showInputBox({
        title: vscode.l10n.t('Change Standing Order'),
        value: order.text,
        ignoreFocusOut: true,
        validateInput: (typed) =>
          typed.trim() === '' ? vscode.l10n.t('Write the new wording, or remove the order.') : null,
      });
      if (said === undefined || said.trim() === order.text) return;
      text = said.trim();
    }
    if (action === 'promote') await this.#addToAgents(order.text);
    await conversation.change(() => conversation.journal.append({ type: 'standingOrder', id: order.id, text }));
    if (action === 'remove')
      await showInformation(vscode.l10n.t('The standing order was removed. Your message stays as it is.'));
  }

  async #addToAgents(line: string): Promise<void> {
    const uri = await this.#folderUri(AGENTS);
    const document = await openOrCreate(uri, '');
    const edit = new vscode.WorkspaceEdit();
    const end = document.lineAt(document.lineCount - 1).range.end;
    edit.insert(uri, end, `${end.character > 0 ? '\n' : ''}- ${line}\n`);
    await vscode.workspace.applyEdit(edit);
    await document.save();
    const after = document.lineAt(document.lineCount - 1).range.end;
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(after, after) });
  }

  async #openInFolder(path: string): Promise<void> {
    await vscode.window.showTextDocument(
      await openOrCreate(await this.#folderUri(path), `# ${vscode.l10n.t('Instructions for agents')}\n\n`),
    );
  }

  async #openFound(path: string): Promise<void> {
    await openFound((await this.#folderUri(path)).fsPath);
  }

  async #folderUri(path: string): Promise<vscode.Uri> {
    return vscode.Uri.file((await this.#parts.workspace().files.resolve(path)).real);
  }
}

/** With the name of their codicon. */
const BUTTONS: readonly (readonly [string, Action])[] = [
  ['edit', 'edit'],
  ['book', 'promote'],
  ['trash', 'remove'],
];

function nameOf(action: Action): string {
  switch (action) {
    case 'edit':
      return vscode.l10n.t('Change…');
    case 'promote':
      return vscode.l10n.t('Move to {0}', AGENTS);
    case 'remove':
      return vscode.l10n.t('Remove');
  }
}

async function askForAction({ text }: StandingOrder): Promise<Action | undefined> {
  const items = BUTTONS.map(([icon, action]) => ({ label: `$(${icon}) ${nameOf(action)}`, action }));
  return (await vscode.window.showQuickPick(items, { title: text }))?.action;
}

async function openOwn(setting: string): Promise<void> {
  const path = ownMemoryPath(setting);
  if (path !== null)
    await vscode.window.showTextDocument(
      await openOrCreate(vscode.Uri.file(path), `# ${vscode.l10n.t('Instructions for agents')}\n\n`),
    );
}

async function openFound(path: string | null): Promise<void> {
  if (path !== null) await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(path));
}

async function openSetting(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', 'palimpsest.memory.enabled');
}

/** What the person asked for is there afterwards; what was there stays. */
async function openOrCreate({ fsPath }: vscode.Uri, begins: string): Promise<vscode.TextDocument> {
  try {
    await mkdir(dirname(fsPath), { recursive: true });
    await writeFile(fsPath, begins, { flag: 'wx' });
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
  }
  return vscode.workspace.openTextDocument(fsPath);
}

/** Bytes. */
const LARGEST = 1_000_000;

/** Null where the setting names none. A path that is not absolute begins in the home folder. */
function ownMemoryPath(setting: string): string | null {
  const path = setting.trim();
  if (path === '') return null;
  if (/^~(?=$|[/\\])/.test(path)) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? path : join(homedir(), path);
}

/** Null when there is none, or it cannot be read: a turn does not depend on it. */
export async function readOwnMemory(
  setting: string,
  leaveOut: LeaveOut = leaveOutSilently,
): Promise<MemoryText | null> {
  const path = ownMemoryPath(setting);
  if (path === null) return null;
  const origin = setting.trim();
  const text = await readOwnSource(path, origin, LARGEST, leaveOut);
  return text === null ? null : { origin, text };
}
