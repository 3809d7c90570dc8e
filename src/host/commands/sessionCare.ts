/**
 * *Check*, *Repair* and *Redact Session*: each on the session on screen or one that the person chooses, and then a page
 * that says what was found or done and offers what comes next.
 */

import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { Page } from '../../protocol/pages.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import { type CareAction, describeCheck, describeRedaction, describeRepair } from '../inspect/sessionReports.ts';
import type { Pages } from '../pages/pages.ts';
import { nodeCrypto } from '../storage/disk/nodeCrypto.ts';
import { checkSession } from '../storage/sessions/checkSession.ts';
import { redactWithSubagents } from '../storage/sessions/redactSession.ts';
import { repairSession } from '../storage/sessions/repairSession.ts';
import { JOURNAL } from '../storage/sessions/sessionStore.ts';

/** How a session is found, and kept from others while its file is replaced. */
export interface SessionFinder {
  /** The session on screen, or else one that the person chooses. */
  choose(): Promise<string | null>;
  titleOf(id: string): Promise<string>;
  folderOf(id: string): Promise<string>;
  whileClosed<T>(id: string, act: (folder: string) => Promise<T>): Promise<T>;
}

const PORTS = { clock: { now: Date.now }, crypto: nodeCrypto };
/** Bytes of a file that is shown in an editor; a larger one is shown where it lies. */
const LARGEST = 20_000_000;

export class SessionCare {
  readonly #find: SessionFinder;
  readonly #pages: Pages;
  readonly #documents: ReadOnlyDocuments;

  constructor(find: SessionFinder, pages: Pages, documents: ReadOnlyDocuments) {
    this.#find = find;
    this.#pages = pages;
    this.#documents = documents;
  }

  async check(given?: string): Promise<void> {
    const id = given ?? (await this.#find.choose());
    if (!id) return;
    const check = await checkSession(await this.#find.folderOf(id), id, PORTS);
    await this.#show(id, describeCheck(await this.#find.titleOf(id), check, vscode.l10n.t));
  }

  async repair(given?: string): Promise<void> {
    const id = given ?? (await this.#find.choose());
    if (!id) return;
    const title = await this.#find.titleOf(id);
    const report = await this.#find.whileClosed(id, (folder) => repairSession(folder, id, PORTS));
    await this.#show(id, describeRepair(title, report, vscode.l10n.t), report.kept);
  }

  async redact(given?: string): Promise<void> {
    const id = given ?? (await this.#find.choose());
    if (!id) return;
    const secret = await vscode.window.showInputBox({
      title: vscode.l10n.t('Redact Session'),
      prompt: vscode.l10n.t('The text to remove everywhere in this session, such as a key'),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) =>
        text !== '' && text.length < 4
          ? vscode.l10n.t('At least four characters, so that no other text matches by chance.')
          : '',
    });
    if (!secret) return;
    const redact = vscode.l10n.t('Redact');
    const question = vscode.l10n.t('Remove this text from “{0}” for good?', await this.#find.titleOf(id));
    const detail = vscode.l10n.t(
      'It is replaced by [redacted] everywhere. This is the one change that cannot be undone.',
    );
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, redact)) !== redact) return;
    const title = await this.#find.titleOf(id);
    const report = await this.#find.whileClosed(id, (folder) => redactWithSubagents(folder, [secret], nodeCrypto));
    await this.#show(id, describeRedaction(title, report, vscode.l10n.t));
  }

  /** One tab for each session. `kept` is the file as it was before a repair. */
  async #show(id: string, page: Page, kept: string | null = null): Promise<void> {
    const path = join(await this.#find.folderOf(id), JOURNAL);
    const actions: Readonly<Record<CareAction, () => Promise<void>>> = {
      check: () => this.check(id),
      repair: () => this.repair(id),
      redact: () => this.redact(id),
      openFile: () => this.#open(path),
      openKept: async () => {
        if (kept) await this.#open(kept);
      },
    };
    this.#pages.show(`care ${id}`, page, actions);
  }

  /** To read: an editor that could write it would break its checksums. */
  async #open(path: string): Promise<void> {
    const { size } = await stat(path);
    if (size > LARGEST) await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(path));
    else await this.#documents.show(basename(path), await readFile(path, 'utf8'));
  }
}
