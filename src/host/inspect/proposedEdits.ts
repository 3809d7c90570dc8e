/**
 * Edits that wait for approval, in the diff editor with an editable right side: the text there at the time of approval
 * is written. The text is in memory; saving it touches no disk.
 */

import { basename } from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../core/errors.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { words } from '../../core/words.ts';
import type { Approvals, PendingApproval } from '../../node/session/questions.ts';
import type { Handlers } from '../handlers.ts';
import { showInformation } from '../notices/notify.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';

const PROPOSED_SCHEME = 'palimpsest-edit';

interface Proposed {
  readonly uri: vscode.Uri;
  readonly approvals: Approvals;
  /** The requested text. */
  readonly asked: string;
  /** The person started it, so closing its editor is an answer. */
  readonly own: boolean;
  bytes: Uint8Array;
  time: number;
}

export class ProposedEdits implements vscode.FileSystemProvider, vscode.Disposable {
  /** By question id. */
  readonly #proposed = new Map<string, Proposed>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #documents: ReadOnlyDocuments;
  /** Settles when the newest change of a text is part of its question. */
  #taken: Promise<unknown> = Promise.resolve();
  readonly #subscriptions: readonly vscode.Disposable[];

  readonly handlers = {
    acceptEdit: () => this.#answerShown('allow'),
    discardEdit: () => this.#answerShown('deny'),
  } satisfies Partial<Handlers>;

  constructor(documents: ReadOnlyDocuments) {
    this.#documents = documents;
    this.#subscriptions = [
      this.#changed,
      vscode.workspace.registerFileSystemProvider(PROPOSED_SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#take(document)),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const tab of closed) this.#close(tab);
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** False when an editor could not change the edit without changing more than the person does. */
  async open({ id, request }: PendingApproval, approvals: Approvals, own = false): Promise<boolean> {
    const { detail } = request;
    if (detail.kind !== 'edit' || !request.mayAmend) return false;
    const uri = vscode.Uri.from({ scheme: PROPOSED_SCHEME, path: `/${detail.path}`, query: id });
    if (!this.#proposed.has(id)) {
      const bytes = new TextEncoder().encode(detail.after);
      this.#proposed.set(id, { uri, approvals, asked: detail.after, own, bytes, time: Date.now() });
      // Otherwise it would be read in the encoding configured for files.
      const document = await vscode.workspace.openTextDocument(uri, { encoding: 'utf8' });
      // An editor unifies line ends.
      if (document.getText() !== detail.after) {
        this.#proposed.delete(id);
        return false;
      }
    }
    const before = this.#documents.add(detail.path, detail.before ?? '');
    const title = vscode.l10n.t('{0} (current ↔ proposed, editable)', basename(detail.path));
    await vscode.commands.executeCommand('vscode.diff', before, uri, title, { preview: false, preserveFocus: false });
    return true;
  }

  /**
   * Opens an edit that the person requested. The buttons of its editor answer, and closing the editor discards it. The
   * notification about it stays until it is `answered`.
   */
  async review(question: PendingApproval, approvals: Approvals, answered: Promise<unknown>): Promise<void> {
    const { detail, title } = question.request;
    if (detail.kind !== 'edit') throw new Error('Only an edit can be reviewed.');
    const deny = () => this.#answer(question.id, approvals, 'deny');
    if (await this.open(question, approvals, true)) {
      const text = vscode.l10n.t(
        'Review the change to {0}. The check mark above applies it; closing the tab discards it.',
        title,
      );
      const place = { location: vscode.ProgressLocation.Notification, title: showInOneLine(text), cancellable: true };
      void vscode.window.withProgress(place, (_, token) => {
        token.onCancellationRequested(deny);
        return answered;
      });
      return;
    }
    await this.#documents.showChange(detail.path, detail.before ?? '', detail.after);
    const accept = vscode.l10n.t('Apply');
    const chosen = showInformation(vscode.l10n.t('Apply this code to {0}?', title), accept, vscode.l10n.t('Discard'));
    void chosen.then((button) => (button === accept ? this.#answer(question.id, approvals, 'allow') : deny()));
  }

  /** Answers the question in the active editor. */
  async #answerShown(answer: 'allow' | 'deny'): Promise<void> {
    const shown = vscode.window.tabGroups.activeTabGroup.activeTab;
    const found = shown && this.#ofTab(shown);
    if (!found)
      throw new UserFacingError(
        words('Open an edit that waits for your answer first: “Review” in its card does that.'),
      );
    const [id, { approvals }] = found;
    await this.#answer(id, approvals, answer);
  }

  async #answer(id: string, approvals: Approvals, kind: 'allow' | 'deny'): Promise<void> {
    // The answer includes the newest typing.
    for (let taken = null; taken !== this.#taken; ) {
      taken = this.#taken;
      await taken;
    }
    const pending = approvals.pending.find((each) => each.id === id);
    if (pending) approvals.answer(id, pending.hash, kind === 'allow' ? { kind, remember: 'no' } : { kind });
  }

  #close(tab: vscode.Tab): void {
    const [id, proposed] = this.#ofTab(tab) ?? [];
    // A tab moved to another group is closed here and opened there.
    const open = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    if (open.some((other) => id !== undefined && this.#ofTab(other)?.[0] === id)) return;
    if (id !== undefined && proposed?.own) void this.#answer(id, proposed.approvals, 'deny');
  }

  #ofTab({ input }: vscode.Tab): [string, Proposed] | undefined {
    if (!(input instanceof vscode.TabInputTextDiff)) return undefined;
    const key = input.modified.toString();
    return [...this.#proposed].find(([, { uri }]) => uri.toString() === key);
  }

  /** Closes the editors of questions that are no longer open. */
  async closeAnswered(): Promise<void> {
    for (const [id, { uri, approvals }] of this.#proposed) {
      if (approvals.pending.some((pending) => pending.id === id)) continue;
      this.#proposed.delete(id);
      await closeTabs(uri);
    }
  }

  #take(document: vscode.TextDocument): void {
    if (document.uri.scheme !== PROPOSED_SCHEME) return;
    const key = document.uri.toString();
    const found = [...this.#proposed].find(([, { uri }]) => uri.toString() === key);
    if (!found) return;
    const [id, { approvals, asked }] = found;
    const text = document.getText();
    this.#taken = approvals.amend(id, text === asked ? null : text);
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#find(uri)?.bytes ?? new Uint8Array();
  }

  /** A document whose question was answered is saved only so that it can be closed. */
  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const proposed = this.#find(uri);
    if (!proposed) return;
    proposed.bytes = content;
    proposed.time += 1;
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, time } = this.#find(uri) ?? { bytes: new Uint8Array(), time: 0 };
    return { type: vscode.FileType.File, ctime: 0, mtime: time, size: bytes.length };
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #find(uri: vscode.Uri): Proposed | undefined {
    const key = uri.toString();
    return [...this.#proposed.values()].find((proposed) => proposed.uri.toString() === key);
  }
}

async function closeTabs(uri: vscode.Uri): Promise<void> {
  const key = uri.toString();
  // The editor would ask about unsaved text.
  const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === key);
  if (document?.isDirty) await document.save();
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === key);
  await vscode.window.tabGroups.close(tabs, true);
}
