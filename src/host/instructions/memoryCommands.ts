/**
 * *Show Memory…*: everything that the model gets besides the conversation, in one list: memory files and skills, which
 * open, and standing orders, which can be changed, taken back, or moved to `AGENTS.md`.
 */

import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { formatCount } from '../../core/figures.ts';
import { readMemoryFiles } from '../../core/instructions/memoryFiles.ts';
import type { StandingOrder } from '../../core/instructions/orders/foldOrders.ts';
import { fitOrders } from '../../core/instructions/orders/orderList.ts';
import { acceptedOrders, findImportedOrders, readOrders } from '../../core/instructions/orders/standingOrders.ts';
import { SKILL_FOLDERS } from '../../core/instructions/skillFiles.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { countTokens } from '../../core/tokens/estimate.ts';
import { ownMemoryPath, readOwnMemory } from '../../node/instructions/ownMemory.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import { askForImportedOrders, describeLater } from '../commands/importedOrders.ts';
import type { Handlers } from '../handlers.ts';
import { showInformation } from '../notices/notify.ts';
import { type Listed, manageList, showInputBox } from '../notices/pickers.ts';
import type { WatchedSettings } from '../settings.ts';
import { readTrust, type WatchedWorkspace } from '../workspace.ts';
import { openOrCreate } from './openOrCreate.ts';
import type { SkillList } from './skillList.ts';

interface Parts {
  readonly session: ShownSession;
  readonly workspace: WatchedWorkspace;
  readonly settings: WatchedSettings;
  readonly skills: SkillList;
}

type Action = 'edit' | 'promote' | 'remove';

const AGENTS = 'AGENTS.md';

export class MemoryCommands {
  readonly #parts: Parts;

  readonly handlers = { showMemory: () => this.#show() } satisfies Partial<Handlers>;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  #show(): Promise<void> {
    return manageList({
      title: vscode.l10n.t('Memory'),
      placeholder: vscode.l10n.t(
        'The model gets these in addition to your messages. Choose a file or a skill to open it, or an order to change it.',
      ),
      read: async () => [
        ...inGroup(vscode.l10n.t('Memory files'), await this.#files()),
        ...inGroup(vscode.l10n.t('Skills and prompt files'), await this.#skills()),
        ...inGroup(vscode.l10n.t('Standing orders of this session'), this.#orders()),
      ],
    });
  }

  async #files(): Promise<Listed[]> {
    const { memory } = this.#parts.settings.current.agent;
    const { files } = this.#parts.workspace.current;
    const trusted = readTrust() === 'trusted';
    const shown = this.#journal?.context.header?.items ?? [];
    const items = !memory.enabled
      ? []
      : await readMemoryFiles(
          trusted ? files : null,
          await readOwnMemory(memory.userFile),
          shown.map(({ origin }) => origin),
          memory.maxTokens,
        );
    const own = memory.userFile.trim();
    const found = items.map(({ origin, text }) => ({
      label: `$(book) ${origin}`,
      description: vscode.l10n.t('{0} tokens', formatCount(countTokens(text))),
      act: () => (origin === own ? openOwn(own) : this.#openInFolder(origin)),
    }));
    const has = (origin: string) => items.some((item) => item.origin === origin);
    return [
      ...found,
      ...(memory.enabled ? [] : [{ label: vscode.l10n.t('Memory files are switched off'), act: openSetting }]),
      ...(trusted && files.root !== null && !has(AGENTS)
        ? [
            {
              label: `$(add) ${vscode.l10n.t('Create {0}', AGENTS)}`,
              description: vscode.l10n.t('for everyone who works in this folder'),
              act: () => this.#openInFolder(AGENTS),
            },
          ]
        : []),
      ...(own !== '' && !has(own)
        ? [
            {
              label: `$(add) ${vscode.l10n.t('Create {0}', own)}`,
              description: vscode.l10n.t('your own, for every folder'),
              act: () => openOwn(own),
            },
          ]
        : []),
    ];
  }

  async #skills(): Promise<Listed[]> {
    if (!this.#parts.settings.current.agent.skills.enabled) return [];
    const found = (await this.#parts.skills.refresh()).map(
      ({ name, description, origin, body, prompt }): Listed => ({
        label: prompt ? `$(note) /${name}` : `$(mortar-board) ${name}`,
        description: [description, vscode.l10n.t('{0} tokens when used', formatCount(countTokens(body)))]
          .filter((each) => each !== '')
          .join(' · '),
        detail: origin,
        act: () =>
          /^~/.test(origin) || isAbsolute(origin) ? openFound(ownMemoryPath(origin)) : this.#openFound(origin),
      }),
    );
    const none = { label: vscode.l10n.t('No skills in {0}', SKILL_FOLDERS.join(', ')) };
    return found.length > 0 ? found : [none];
  }

  #orders(): Listed[] {
    const journal = this.#journal;
    if (!journal || !this.#parts.settings.current.agent.memory.standingOrders) return [];
    const orders = readOrders(journal);
    const left = new Set(fitOrders(orders, this.#parts.session.conversation?.compactor.gauge.window ?? 0).left);
    const imported = this.#imported(journal);
    const none = { label: vscode.l10n.t('None were found in this session') };
    if (orders.length === 0) return imported.length > 0 ? imported : [none];
    return [...imported, ...this.#listed(orders, left)];
  }

  /** Orders in imported messages: the person chooses which of them hold. */
  #imported(journal: Journal): Listed[] {
    const { conversation } = this.#parts.session;
    const found = findImportedOrders(journal).length;
    if (found === 0 || !conversation || journal.readOnly) return [];
    return [
      {
        label: `$(checklist) ${vscode.l10n.t('Orders in the imported messages…')}`,
        description: vscode.l10n.t(
          '{0} of {1} hold',
          formatCount(acceptedOrders(journal)?.length ?? 0),
          formatCount(found),
        ),
        act: () => askForImportedOrders(conversation),
      },
    ];
  }

  #listed(orders: readonly StandingOrder[], left: ReadonlySet<StandingOrder>): Listed[] {
    return orders.map((order) => {
      const acts = BUTTONS.map(([icon, action]) => ({
        icon,
        tooltip: nameOf(action),
        act: () => this.#change(order, action),
      }));
      return {
        label: `$(law) ${order.text}`,
        description: left.has(order)
          ? vscode.l10n.t('no room: move it to AGENTS.md')
          : vscode.l10n.t('{0} tokens', formatCount(order.tokens)),
        ...describeLater(order.later),
        act: () =>
          manageList({
            title: order.text,
            read: () => acts.map(({ icon, tooltip, act }) => ({ label: `$(${icon}) ${tooltip}`, act })),
          }),
        buttons: acts,
      };
    });
  }

  get #journal(): Journal | null {
    return this.#parts.session.conversation?.journal ?? null;
  }

  async #change(order: StandingOrder, action: Action): Promise<void> {
    const conversation = this.#parts.session.requireMovable();
    let text: string | null = null;
    if (action === 'edit') {
      const answer = await showInputBox({
        title: vscode.l10n.t('Change Standing Order'),
        value: order.text,
        ignoreFocusOut: true,
        validateInput: (typed) =>
          typed.trim() === '' ? vscode.l10n.t('Enter the new wording, or remove the order.') : null,
      });
      if (answer === undefined || answer.trim() === order.text) return;
      text = answer.trim();
    }
    if (action === 'promote') await this.#addToAgents(order.text);
    await conversation.change(() => conversation.journal.append({ type: 'standingOrder', id: order.id, text }));
    if (action === 'remove')
      await showInformation(vscode.l10n.t('The standing order was removed. Your message stays as it is.'));
  }

  async #addToAgents(line: string): Promise<void> {
    const uri = await this.#folderUri(AGENTS);
    const document = await openOrCreate(uri.fsPath, '');
    const edit = new vscode.WorkspaceEdit();
    const end = document.lineAt(document.lineCount - 1).range.end;
    edit.insert(uri, end, `${end.character > 0 ? '\n' : ''}- ${line}\n`);
    await vscode.workspace.applyEdit(edit);
    await document.save();
    const after = document.lineAt(document.lineCount - 1).range.end;
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(after, after) });
  }

  async #openInFolder(path: string): Promise<void> {
    await openMemory((await this.#folderUri(path)).fsPath);
  }

  async #openFound(path: string): Promise<void> {
    await openFound((await this.#folderUri(path)).fsPath);
  }

  async #folderUri(path: string): Promise<vscode.Uri> {
    return vscode.Uri.file((await this.#parts.workspace.current.files.resolve(path)).real);
  }
}

const inGroup = (group: string, listed: readonly Listed[]) => listed.map((each) => ({ ...each, group }));

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

async function openOwn(setting: string): Promise<void> {
  const path = ownMemoryPath(setting);
  if (path !== null) await openMemory(path);
}

async function openMemory(path: string): Promise<void> {
  const document = await openOrCreate(path, `# ${vscode.l10n.t('Instructions for agents')}\n\n`);
  await vscode.window.showTextDocument(document);
}

async function openFound(path: string | null): Promise<void> {
  if (path !== null) await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(path));
}

async function openSetting(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', 'palimpsest.memory.enabled');
}
