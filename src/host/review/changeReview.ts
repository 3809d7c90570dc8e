/**
 * *Review Changes*: what differs in the workspace's files since a moment of the session or the last commit, in VS Code's own
 * view of source control, beside the lines of each editor and in its diff editors. A change of lines, a file or all of them
 * is taken back, or marked as reviewed and then no longer shown. The model is told what was taken back.
 */

import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import * as vscode from 'vscode';
import { type BaseSource, ChangeList, type Changes, sinceMoment } from '../../core/checkpoints/changeList.ts';
import type { LineChange, LineRange } from '../../core/checkpoints/lines.ts';
import {
  type Chosen,
  type ConflictingChoice,
  changeAt,
  findConflicts,
  hasLines,
  markReviewed,
  stepsBack,
} from '../../core/checkpoints/review.ts';
import { messageOf, UserFacingError } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import { makeNote } from '../../core/journal/makeNote.ts';
import type { Log } from '../../core/log.ts';
import { hideSecrets } from '../../core/secrets/hideSecrets.ts';
import { neutralise } from '../../core/tools/text/neutralise.ts';
import { showName } from '../../core/tools/text/showHidden.ts';
import { verbatim, words } from '../../core/words.ts';
import { isInside } from '../../node/files/inside.ts';
import { knownSecrets } from '../../node/secrets/knownSecrets.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { Handlers } from '../handlers.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import type { Models } from '../models/models.ts';
import { askInDialog, showInformation } from '../notices/notify.ts';
import { showQuickPick } from '../notices/pickers.ts';
import type { WatchedWorkspace } from '../workspace.ts';
import { sinceLastCommit } from './commitBases.ts';
import {
  BASE_SCHEME,
  baseOf,
  describeFile,
  describeGaps,
  describeTaken,
  type Resource,
  tellTaken,
} from './describeChange.ts';

/** Milliseconds between a change of a file and looking at it. */
const SETTLE = 300;

/** As VS Code gives it to an action on the lines beside an editor: numbers begin with 1, and an empty side ends at 0. */
interface EditorChange {
  readonly originalStartLineNumber: number;
  readonly originalEndLineNumber: number;
  readonly modifiedStartLineNumber: number;
  readonly modifiedEndLineNumber: number;
}

interface ReviewParts {
  readonly session: ShownSession;
  readonly workspace: WatchedWorkspace;
  readonly models: Models;
  readonly mcp: OpenedMcp;
  readonly log: Log;
}

/** Since when the files are compared. */
interface Since {
  readonly label: string;
  readonly source: BaseSource;
  /** The source names only files that the session has touched. */
  readonly session: boolean;
}

/** The list that is open. */
interface Open {
  readonly conversation: Conversation;
  readonly since: Since;
  readonly list: ChangeList;
  readonly control: vscode.SourceControl;
  readonly group: vscode.SourceControlResourceGroup;
  /** In the order of the list, by the path of the file on disk. */
  files: ReadonlyMap<string, Resource>;
  /** By the path that the session knows. */
  readonly uris: Map<string, vscode.Uri>;
  /** All files that are compared, also those that do not differ. */
  compared: ReadonlySet<string>;
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
  #refreshed: Promise<unknown> = Promise.resolve();

  readonly handlers = {
    reviewChanges: ({ since }) => this.#choose(since),
    takeBackChanges: (_asked, ...given) => this.#act(given, (chosen, open) => this.#takeBack(chosen, open)),
    markReviewed: (_asked, ...given) => this.#act(given, (chosen, open) => this.#markReviewed(chosen, open)),
    showAllChanges: () => this.#showAll(),
    nextChangedFile: () => this.#step(1),
    previousChangedFile: () => this.#step(-1),
    endReview: () => this.#close(),
  } satisfies Partial<Handlers>;

  constructor(parts: ReviewParts) {
    this.#parts = parts;
    const soon = () => this.#refreshSoon();
    this.#subscriptions = [
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(BASE_SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => this.#follow(uri, false)),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#follow(uri, true)),
      vscode.workspace.onDidCreateFiles(soon),
      vscode.workspace.onDidDeleteFiles(soon),
      vscode.workspace.onDidRenameFiles(soon),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && soon()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#updateEditor()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.#updateEditor()),
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

  /** Asks since when unless an entry of the journal says it, and opens the list; for a turn also its first file. */
  async #choose(moment: number | undefined): Promise<void> {
    const { conversation } = this.#parts.session;
    if (!conversation) throw new UserFacingError(words('There is no session yet, and so nothing to review.'));
    if (moment !== undefined) {
      const turn = conversation.journal.checkpoints.find(({ seq }) => seq > moment);
      await this.#begin(
        conversation,
        this.#sinceMoment(conversation, moment, turn?.label || vscode.l10n.t('this turn')),
      );
      const [first] = this.#open?.files.values() ?? [];
      return show(first);
    }
    const items = this.#listMoments(conversation);
    const chosen = await showQuickPick(items, {
      title: vscode.l10n.t('Review Changes'),
      placeHolder: vscode.l10n.t('Show file changes since …'),
    });
    if (!chosen) return;
    const since = chosen.since();
    if (since === null) this.#close();
    else await this.#begin(conversation, since);
  }

  async #listMoments(conversation: Conversation): Promise<readonly MomentItem[]> {
    const checkpoints = [...conversation.journal.checkpoints].reverse().filter(({ afterMessage }) => !afterMessage);
    const [newest] = checkpoints;
    const beginning = vscode.l10n.t('The session’s beginning');
    const end = { label: vscode.l10n.t('$(close) End the review'), description: '', since: () => null };
    const commit = await this.#lastCommit(conversation);
    return [
      { label: beginning, description: '', since: () => this.#sinceMoment(conversation, 0, beginning) },
      ...commit,
      ...checkpoints.map(({ id, label: named, seq, time }) => {
        const label = named || vscode.l10n.t('Checkpoint {0}', formatCount(id));
        const last = seq === newest?.seq ? [vscode.l10n.t('the last turn')] : [];
        const when = new Date(time || Date.now()).toLocaleString(vscode.env.language);
        return {
          label,
          description: [...last, when].join(' · '),
          since: () => this.#sinceMoment(conversation, seq, label),
        };
      }),
      ...(this.#open ? [end] : []),
    ];
  }

  /** Empty where no open folder lies in a repository that has one. */
  async #lastCommit(conversation: Conversation): Promise<readonly MomentItem[]> {
    const { workspace } = this.#parts;
    const folders: string[] = [];
    let description = '';
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      if (uri.scheme !== 'file') continue;
      const commit = await workspace.current.git.lastCommit(uri.fsPath, new AbortController().signal).catch(() => null);
      if (!commit) continue;
      folders.push(uri.fsPath);
      description ||= commit.subject.slice(0, 80);
    }
    if (folders.length === 0) return [];
    const label = vscode.l10n.t('The last commit');
    const source = sinceLastCommit(folders, () => workspace.current, conversation.history.restorePorts);
    return [{ label, description, since: () => ({ label, source, session: false }) }];
  }

  #sinceMoment(conversation: Conversation, moment: number, label: string): Since {
    return { label, source: sinceMoment(moment, conversation.history.restorePorts), session: true };
  }

  async #begin(conversation: Conversation, since: Since): Promise<void> {
    this.#close();
    const control = vscode.scm.createSourceControl('palimpsest', 'Palimpsest');
    control.inputBox.visible = false;
    control.quickDiffProvider = this;
    const group = control.createResourceGroup('changes', vscode.l10n.t('Since: {0}', since.label.slice(0, 60)));
    const list = new ChangeList(since.source, conversation.history.restorePorts);
    this.#open = { conversation, since, list, control, group, uris: new Map(), files: new Map(), compared: new Set() };
    const changes = await this.#refresh();
    await vscode.commands.executeCommand('workbench.view.scm');
    if (changes) describeGaps(changes, since.session);
  }

  #close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#open?.control.dispose();
    this.#open = null;
    this.#texts.clear();
    this.#updateEditor();
  }

  /** Typing in a file that is not compared changes nothing here; saving one may, where git is asked. */
  #follow({ scheme, fsPath }: vscode.Uri, saved: boolean): void {
    if (scheme !== 'file' || !this.#open) return;
    const { compared, since } = this.#open;
    if (compared.has(fold(fsPath)) || (saved && !since.session)) this.#refreshSoon();
  }

  #refreshSoon(): void {
    if (!this.#open) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#refresh().catch((thrown) => this.#parts.log('warn', messageOf(thrown)));
    }, SETTLE);
  }

  /** One after the other. Null where the list was closed, or opened anew, meanwhile. */
  #refresh(): Promise<Changes | null> {
    const refreshed = this.#refreshed.then(() => this.#list());
    this.#refreshed = refreshed.catch(() => null);
    return refreshed;
  }

  async #list(): Promise<Changes | null> {
    const open = this.#open;
    if (!open) return null;
    const changes = await open.list.list();
    const { files, checkpointFiles } = this.#parts.workspace.current;
    const uriOf = async (path: string) => {
      const uri = open.uris.get(path) ?? inOpenFolder((await files.exact.resolve(path)).real);
      open.uris.set(path, uri);
      return uri;
    };
    const resources = new Map<string, Resource>();
    for (const file of changes.changed) {
      const uri = await uriOf(file.path);
      const before = open.files.get(uri.fsPath);
      const same = before?.file.before === file.before;
      if (!same) {
        const bytes = file.before?.bytes ?? new Uint8Array();
        this.#setText(baseOf(uri), (await checkpointFiles.textOf(file.path, bytes)) ?? '');
      }
      resources.set(uri.fsPath, describeFile(file, uri));
    }
    // A file that differs no more holds what it is compared with.
    for (const [fsPath, { file, resourceUri }] of open.files) {
      if (resources.has(fsPath)) continue;
      const present = await checkpointFiles.read(file.path, Number.POSITIVE_INFINITY, 'editor');
      const text = present.kind === 'held' ? await checkpointFiles.textOf(file.path, present.bytes) : null;
      this.#setText(baseOf(resourceUri), text ?? '');
    }
    const compared = await Promise.all(open.list.paths.map((path) => uriOf(path).catch(() => null)));
    if (this.#open !== open) return null;
    open.compared = new Set(compared.flatMap((uri) => (uri ? fold(uri.fsPath) : [])));
    open.files = resources;
    open.group.resourceStates = [...resources.values()];
    open.control.count = resources.size;
    this.#updateEditor();
    return changes;
  }

  #setText(uri: vscode.Uri, text: string): void {
    const key = uri.toString();
    if (this.#texts.get(key) === text) return;
    this.#texts.set(key, text);
    this.#changed.fire(uri);
  }

  /**
   * `given`: lines beside an editor, files of the list, the whole group or the file of a diff editor, as VS Code gives them
   * to a menu's action; a key gives nothing, and means the change at the caret.
   */
  async #act(given: readonly unknown[], act: (chosen: readonly Chosen[], open: Open) => Promise<void>): Promise<void> {
    const open = this.#open;
    if (!open) throw new UserFacingError(words('Choose a starting point first with “Review Changes”.'));
    const compared = this.#inDiff();
    const chosen = await this.#find(given, open);
    if (chosen.length === 0)
      throw new UserFacingError(words('This change is no longer in the list. It may have changed in the meantime.'));
    const at = compared ? [...open.files.values()].indexOf(compared) : -1;
    await act(chosen, open);
    await this.#refresh();
    if (!compared || this.#open !== open || !chosen.some(({ file }) => file === compared.file)) return;
    if (!open.files.has(compared.resourceUri.fsPath)) await this.#leave(compared, at, open);
    else await vscode.commands.executeCommand('workbench.action.compareEditor.nextChange');
  }

  async #find([first, second, third]: readonly unknown[], { files, group }: Open): Promise<Chosen[]> {
    const whole = ({ file }: Resource): Chosen => ({ file, changes: null });
    if (first instanceof vscode.Uri && Array.isArray(second) && typeof third === 'number') {
      const resource = files.get(first.fsPath);
      const change: EditorChange | undefined = second[third];
      return resource && change ? [{ file: resource.file, changes: [toLines(change)] }] : [];
    }
    if (first === group) return [...files.values()].map(whole);
    if (first === undefined || first instanceof vscode.Uri) {
      const compared = this.#inDiff();
      if (!compared) return [];
      return [first ? whole(compared) : await atCaret(compared)];
    }
    const states = [first, ...(Array.isArray(second) ? second : [])];
    return [...files.values()]
      .filter((each) => states.some((state) => isState(state) && state.resourceUri.fsPath === each.resourceUri.fsPath))
      .map(whole);
  }

  /** The file that the diff editor in front compares. */
  #inDiff(): Resource | null {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    if (!(input instanceof vscode.TabInputTextDiff)) return null;
    const sides = [input.original, input.modified];
    if (!sides.some(({ scheme }) => scheme === BASE_SCHEME)) return null;
    return (
      [...(this.#open?.files.values() ?? [])].find(({ resourceUri }) => resourceUri.path === input.modified.path) ??
      null
    );
  }

  /** Offers the actions in the title of a diff editor. */
  #updateEditor(): void {
    void vscode.commands.executeCommand('setContext', 'palimpsest.reviewing', this.#inDiff() !== null);
  }

  async #step(by: 1 | -1): Promise<void> {
    const files = [...(this.#open?.files.values() ?? [])];
    if (files.length === 0) throw new UserFacingError(words('Choose a starting point first with “Review Changes”.'));
    const here = this.#inDiff();
    const at = here ? files.indexOf(here) : by > 0 ? -1 : 0;
    await show(files.at((at + by) % files.length));
  }

  /** Goes on to the next file when nothing is left to decide in this one. */
  async #leave({ sides }: Resource, at: number, open: Open): Promise<void> {
    const files = [...open.files.values()];
    if (files.length > 0) await show(files[at % files.length]);
    // Unless the next file has taken its place.
    const left = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff && sides && same(input.modified, sides[1]));
    await vscode.window.tabGroups.close(left.filter(({ isDirty }) => !isDirty));
  }

  /** All files in one editor. */
  async #showAll(): Promise<void> {
    const open = this.#open;
    if (!open) throw new UserFacingError(words('Choose a starting point first with “Review Changes”.'));
    const all = [...open.files.values()].flatMap(({ resourceUri, sides }) => (sides ? [[resourceUri, ...sides]] : []));
    await vscode.commands.executeCommand('vscode.changes', open.group.label, all);
  }

  async #takeBack(given: readonly Chosen[], { conversation }: Open): Promise<void> {
    const { restorePorts } = conversation.history;
    const chosen = await leaveConflicts(given, await findConflicts(given, restorePorts));
    if (chosen.length === 0) return;
    let done: readonly Chosen[] = [];
    await conversation.change(async () => {
      const steps = await Promise.all(chosen.map((each) => stepsBack(each, restorePorts)));
      const { restored, skipped } = await conversation.history.restore(steps.flat());
      const [refused] = skipped;
      if (refused)
        void showInformation(vscode.l10n.t('{0} was left as it is: it has changed meanwhile.', refused.path));
      done = chosen.filter(({ file }) => restored.includes(file.path));
    });
    if (done.length === 0) return;
    const { checkpointFiles } = this.#parts.workspace.current;
    const account = await tellTaken(done, (path, bytes) => checkpointFiles.textOf(path, bytes));
    await conversation.remind(
      hideSecrets(neutralise(account), knownSecrets(this.#parts)),
      makeNote('info', describeTaken(done), {
        detail: [...new Set(done.map(({ file }) => file.path))].map(verbatim),
        action: 'undoRestore',
      }),
    );
  }

  async #markReviewed(chosen: readonly Chosen[], { conversation }: Open): Promise<void> {
    await conversation.change(() => markReviewed(chosen, conversation.history.restorePorts));
  }
}

interface MomentItem extends vscode.QuickPickItem {
  /** Null ends the review. */
  readonly since: () => Since | null;
}

/** The change at the caret of the diff editor, or all of a file that has only one. */
async function atCaret({ file, resourceUri }: Resource): Promise<Chosen> {
  const active = vscode.window.activeTextEditor;
  const base = active && same(active.document.uri, baseOf(resourceUri)) ? active : undefined;
  const editor = base ?? (await editorOf(resourceUri));
  const line = editor?.selection.active.line ?? Number.NaN;
  const change = changeAt(file, line, base ? 'before' : 'after');
  if (change === null) {
    throw new UserFacingError(
      words('There is no change at the caret. The buttons above the editor take the whole file.'),
    );
  }
  return { file, changes: change === 'all' ? null : [change] };
}

/** Milliseconds until an editor that is shown is known here. */
const KNOWN = 1_000;

async function editorOf(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  const find = () => vscode.window.visibleTextEditors.find(({ document }) => same(document.uri, uri));
  if (find()) return find();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(late);
      listener.dispose();
      resolve(find());
    };
    const late = setTimeout(end, KNOWN);
    const listener = vscode.window.onDidChangeVisibleTextEditors(() => find() && end());
  });
}

/** Changes of somebody else are taken back only when the person says so. */
async function leaveConflicts(
  chosen: readonly Chosen[],
  conflicts: readonly ConflictingChoice[],
): Promise<readonly Chosen[]> {
  if (conflicts.length === 0) return chosen;
  const found = new Map(conflicts.map((each) => [each.chosen, each.own]));
  const others = chosen.flatMap((each) => (found.has(each) ? (found.get(each) ?? []) : each));
  const all = vscode.l10n.t('Take Back All the Same');
  const rest = vscode.l10n.t('Keep Those Changes');
  const names = conflicts.slice(0, MOST_NAMED).map(({ chosen: { file } }) => showName(file.path));
  if (conflicts.length > names.length) names.push('…');
  const answer = await askInDialog(
    conflicts.every(({ chosen: { changes } }) => changes !== null)
      ? vscode.l10n.t('Someone else has changed some of these lines since the agent did.')
      : vscode.l10n.t('Somebody else has changed these files after the agent. Those changes would be taken back, too.'),
    names.join('\n'),
    ...(others.length > 0 ? [rest, all] : [all]),
  );
  return answer === all ? chosen : answer === rest ? others : [];
}

const MOST_NAMED = 20;

/** As editors name the file: a folder may be open by another path than its real one. */
function inOpenFolder(real: string): vscode.Uri {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    if (uri.scheme !== 'file') continue;
    const folder = realFolder(uri.fsPath);
    if (isInside(real, folder)) return vscode.Uri.joinPath(uri, relative(folder, real));
  }
  return vscode.Uri.file(real);
}

function realFolder(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Only to see whether two paths may be one file. */
const fold = (path: string) => path.toLowerCase();
const same = (a: vscode.Uri, b: vscode.Uri) => a.toString() === b.toString();

async function show(resource: Resource | undefined): Promise<void> {
  const { command, arguments: given = [] } = resource?.command ?? {};
  if (command !== undefined) await vscode.commands.executeCommand(command, ...given);
}

function isState(value: unknown): value is vscode.SourceControlResourceState {
  return typeof value === 'object' && value !== null && 'resourceUri' in value;
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
