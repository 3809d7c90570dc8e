/**
 * *Review Changes*: what differs in the workspace's files since a moment of the session, in VS Code's own view of source
 * control and beside the lines of each editor. A change of lines, a file or all of them is taken back, or marked as
 * reviewed and then no longer shown. The model is told what was taken back.
 */

import { basename } from 'node:path';
import * as vscode from 'vscode';
import { hideSecrets } from '../../core/agent/hideSecrets.ts';
import type { LineChange, LineRange } from '../../core/checkpoints/lines.ts';
import {
  type ChangedFile,
  hasLines,
  listChanges,
  markReviewed,
  stepBack,
  takenBack,
} from '../../core/checkpoints/review.ts';
import { messageOf, ToldError } from '../../core/errors.ts';
import { makeNote } from '../../core/journal/makeNote.ts';
import { diffTexts } from '../../core/tools/text/diffTexts.ts';
import { neutralise } from '../../core/tools/text/stripControls.ts';
import { words } from '../../core/words.ts';
import type { Handlers } from '../handlers.ts';
import { knownSecrets, type Parts } from '../parts.ts';
import type { Conversation } from '../session/conversation.ts';
import { showInformation } from '../tell/notify.ts';

const BASE_SCHEME = 'palimpsest-base';
/** Milliseconds between a change of a file and looking at it. */
const SETTLE = 300;
/** Characters of a patch that the model is told. */
const LONGEST_TOLD = 4_000;

/** As VS Code gives it to an action on the lines beside an editor: numbers begin with 1, and an empty side ends at 0. */
interface EditorChange {
  readonly originalStartLineNumber: number;
  readonly originalEndLineNumber: number;
  readonly modifiedStartLineNumber: number;
  readonly modifiedEndLineNumber: number;
}

type ReviewParts = Pick<Parts, 'session' | 'workspace' | 'models' | 'mcp' | 'log'>;

/** A file in the list, with what it was listed for. */
interface Resource extends vscode.SourceControlResourceState {
  readonly file: ChangedFile;
}

interface Chosen {
  readonly file: ChangedFile;
  /** Null: all of it. */
  readonly change: LineChange | null;
}

/** The list that is open. */
interface Open {
  readonly conversation: Conversation;
  /** Entry after which changes count. */
  readonly moment: number;
  readonly control: vscode.SourceControl;
  readonly group: vscode.SourceControlResourceGroup;
  /** By the path of the file on disk. */
  files: ReadonlyMap<string, Resource>;
}

export class ChangeReview implements vscode.Disposable, vscode.QuickDiffProvider, vscode.TextDocumentContentProvider {
  readonly #parts: ReviewParts;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: readonly vscode.Disposable[];
  /** Texts to compare with, by their address. */
  readonly #texts = new Map<string, string>();
  #open: Open | null = null;
  #timer: NodeJS.Timeout | null = null;

  readonly handlers = {
    reviewChanges: () => this.#choose(),
    takeBackChanges: (_asked, ...given) => this.#act(given, (chosen, open) => this.#takeBack(chosen, open)),
    markReviewed: (_asked, ...given) => this.#act(given, (chosen, open) => this.#markReviewed(chosen, open)),
  } satisfies Partial<Handlers>;

  constructor(parts: ReviewParts) {
    this.#parts = parts;
    const soon = () => this.#refreshSoon();
    this.#subscriptions = [
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(BASE_SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document.uri.scheme === 'file' && soon()),
      vscode.workspace.onDidSaveTextDocument(soon),
      vscode.workspace.onDidCreateFiles(soon),
      vscode.workspace.onDidDeleteFiles(soon),
      vscode.workspace.onDidRenameFiles(soon),
      vscode.window.onDidChangeWindowState(soon),
      parts.session.onDidChange((change) => {
        if (this.#open && parts.session.conversation !== this.#open.conversation) this.#close();
        else if (change.kind === 'state') soon();
      }),
    ];
  }

  dispose(): void {
    this.#close();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  provideOriginalResource(uri: vscode.Uri): vscode.Uri | undefined {
    const resource = this.#open?.files.get(uri.fsPath);
    return resource && hasLines(resource.file) ? baseOf(uri) : undefined;
  }

  /** Asks since when, and opens the list. */
  async #choose(): Promise<void> {
    const { conversation } = this.#parts.session;
    if (!conversation) throw new ToldError(words('There is no session yet, and so nothing to review.'));
    const checkpoints = [...conversation.journal.checkpoints].reverse().filter(({ afterMessage }) => !afterMessage);
    const [newest] = checkpoints;
    const items = [
      { label: vscode.l10n.t('The session’s beginning'), description: '', moment: 0 },
      ...checkpoints.map((checkpoint) => ({
        label: checkpoint.label || vscode.l10n.t('Checkpoint {0}', checkpoint.id),
        description: [
          ...(checkpoint === newest ? [vscode.l10n.t('the last turn')] : []),
          new Date(checkpoint.time || Date.now()).toLocaleString(vscode.env.language),
        ].join(' · '),
        moment: checkpoint.seq,
      })),
      ...(this.#open ? [{ label: vscode.l10n.t('$(close) End the review'), description: '', moment: null }] : []),
    ];
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Review Changes'),
      placeHolder: vscode.l10n.t('Show what differs in files since …'),
    });
    if (!chosen) return;
    this.#close();
    if (chosen.moment === null) return;
    await this.#begin(conversation, chosen.moment, chosen.label);
  }

  async #begin(conversation: Conversation, moment: number, label: string): Promise<void> {
    const control = vscode.scm.createSourceControl('palimpsest', 'Palimpsest');
    control.inputBox.visible = false;
    control.quickDiffProvider = this;
    const group = control.createResourceGroup('changes', vscode.l10n.t('Since: {0}', label.slice(0, 60)));
    this.#open = { conversation, moment, control, group, files: new Map() };
    const unknown = await this.#refresh();
    await vscode.commands.executeCommand('workbench.view.scm');
    if (unknown.length > 0) {
      const named = unknown.slice(0, 5).join(', ');
      void showInformation(vscode.l10n.t('Some files cannot be compared with what they held: {0}', named));
    } else if (group.resourceStates.length === 0) {
      void showInformation(vscode.l10n.t('Nothing differs in the files that this session has touched.'));
    }
  }

  #close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#open?.control.dispose();
    this.#open = null;
    this.#texts.clear();
  }

  #refreshSoon(): void {
    if (!this.#open) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#refresh().catch((thrown) => this.#parts.log('warn', messageOf(thrown)));
    }, SETTLE);
  }

  /** Paths that cannot be compared. */
  async #refresh(): Promise<readonly string[]> {
    const open = this.#open;
    if (!open) return [];
    const { changed, unknown } = await listChanges(open.moment, open.conversation.history.restorePorts);
    const { files, checkpointFiles } = this.#parts.workspace.current;
    const resources = new Map<string, Resource>();
    for (const file of changed) {
      const uri = vscode.Uri.file((await files.resolve(file.path)).real);
      const bytes = file.before?.bytes ?? new Uint8Array();
      this.#setText(baseOf(uri), (await checkpointFiles.textOf(file.path, bytes)) ?? '');
      resources.set(uri.fsPath, describe(file, uri));
    }
    // A file that differs no more holds what it is compared with.
    for (const [path, { file }] of open.files) {
      if (resources.has(path)) continue;
      const held = await checkpointFiles.read(file.path, Number.POSITIVE_INFINITY, 'editor');
      const text = held.kind === 'held' ? await checkpointFiles.textOf(file.path, held.bytes) : null;
      this.#setText(baseOf(vscode.Uri.file(path)), text ?? '');
    }
    // It may have been closed, or opened anew, meanwhile.
    if (this.#open !== open) return [];
    open.files = resources;
    open.group.resourceStates = [...resources.values()];
    open.control.count = resources.size;
    return unknown;
  }

  #setText(uri: vscode.Uri, text: string): void {
    const key = uri.toString();
    if (this.#texts.get(key) === text) return;
    this.#texts.set(key, text);
    this.#changed.fire(uri);
  }

  /** `given`: lines beside an editor, files of the list, or the whole group, as VS Code gives them to a menu's action. */
  async #act(given: readonly unknown[], act: (chosen: readonly Chosen[], open: Open) => Promise<void>): Promise<void> {
    const open = this.#open;
    if (!open) throw new ToldError(words('Choose first since when: “Review Changes”.'));
    const chosen = this.#find(given, open);
    if (chosen.length === 0)
      throw new ToldError(words('This is no change of the list. It may have changed meanwhile.'));
    await act(chosen, open);
    await this.#refresh();
  }

  #find([first, second, third]: readonly unknown[], { files, group }: Open): Chosen[] {
    if (first instanceof vscode.Uri && Array.isArray(second) && typeof third === 'number') {
      const resource = files.get(first.fsPath);
      const change: EditorChange | undefined = second[third];
      return resource && change ? [{ file: resource.file, change: toLines(change) }] : [];
    }
    if (first === group) return [...files.values()].map(({ file }) => ({ file, change: null }));
    const states = [first, ...(Array.isArray(second) ? second : [])];
    return [...files.values()]
      .filter((each) => states.some((state) => isState(state) && state.resourceUri.fsPath === each.resourceUri.fsPath))
      .map(({ file }) => ({ file, change: null }));
  }

  async #takeBack(chosen: readonly Chosen[], { conversation }: Open): Promise<void> {
    const { restorePorts } = conversation.history;
    let told = '';
    await conversation.change(async () => {
      const steps = await Promise.all(chosen.map(({ file, change }) => stepBack(file, change, restorePorts)));
      const { restored, skipped } = await conversation.history.restore(steps);
      const [refused] = skipped;
      if (refused)
        void showInformation(vscode.l10n.t('{0} was left as it is: it has changed meanwhile.', refused.path));
      const done = chosen.filter(({ file }) => restored.includes(file.path));
      const patches = await Promise.all(done.map((each) => this.#describeTaken(each)));
      told = patches.join('\n');
    });
    if (told === '') return;
    const text = `The user took back changes to files. From what was there to what the files hold now:\n${told}`;
    await conversation.remind(
      hideSecrets(neutralise(text.slice(0, LONGEST_TOLD)), knownSecrets(this.#parts)),
      makeNote('info', sayTaken(chosen), { action: 'undoRestore' }),
    );
  }

  /** A patch for the model. */
  async #describeTaken({ file, change }: Chosen): Promise<string> {
    const { checkpointFiles } = this.#parts.workspace.current;
    const textOf = async (bytes: Uint8Array | undefined) =>
      bytes ? await checkpointFiles.textOf(file.path, bytes) : '';
    const back = takenBack(file, change);
    const [before, after] = [await textOf(file.now?.bytes), await textOf(back?.bytes)];
    if (!back) return `${file.path} was deleted.`;
    if (before === null || after === null) return `${file.path} holds what it held before.`;
    return `${file.path}\n${diffTexts(before, after).diff}`;
  }

  async #markReviewed(chosen: readonly Chosen[], { conversation }: Open): Promise<void> {
    await conversation.change(() => markReviewed(chosen, conversation.history.restorePorts));
  }
}

const sayTaken = ([first, ...others]: readonly Chosen[]) =>
  others.length === 0
    ? words('A change to {0} was taken back. The model is told.', first?.file.path ?? '')
    : words('The changes to {0} files were taken back. The model is told.', others.length + 1);

const baseOf = (uri: vscode.Uri) => vscode.Uri.from({ scheme: BASE_SCHEME, path: uri.path });

function isState(value: unknown): value is vscode.SourceControlResourceState {
  return typeof value === 'object' && value !== null && 'resourceUri' in value;
}

function describe(file: ChangedFile, uri: vscode.Uri): Resource {
  const what = !file.before
    ? vscode.l10n.t('new')
    : !file.now
      ? vscode.l10n.t('deleted')
      : file.lines
        ? `+${file.lines.added} −${file.lines.removed}`
        : vscode.l10n.t('not text');
  const title = vscode.l10n.t('{0} (before ↔ now)', basename(file.path));
  const openFile = { command: 'vscode.open', title, arguments: [uri] };
  const compare = { command: 'vscode.diff', title, arguments: [baseOf(uri), uri, title] };
  const lookAtBase = { command: 'vscode.open', title, arguments: [baseOf(uri)] };
  return {
    file,
    resourceUri: uri,
    command: !file.now ? lookAtBase : file.before && hasLines(file) ? compare : openFile,
    contextValue: 'changed',
    decorations: { tooltip: `${file.path}: ${what}`, strikeThrough: !file.now, faded: !file.lines },
  };
}

/** An empty side of an editor's change names the line before it. */
function toLines(change: EditorChange): LineChange {
  const range = (start: number, end: number): LineRange =>
    end === 0 ? { from: start, count: 0 } : { from: start - 1, count: end - start + 1 };
  return {
    before: range(change.originalStartLineNumber, change.originalEndLineNumber),
    after: range(change.modifiedStartLineNumber, change.modifiedEndLineNumber),
  };
}
