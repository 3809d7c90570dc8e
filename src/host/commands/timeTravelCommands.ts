/**
 * Commands that move through a session's history: restore a checkpoint, undo a restore, return to a branch, clear, set
 * a checkpoint. Each first shows its effect, and each can be undone.
 */

import * as vscode from 'vscode';
import { momentOf, noteRestore, previewRestore } from '../../core/checkpoints/restoreFiles.ts';
import type { RestoreStep } from '../../core/checkpoints/restorePlan.ts';
import { describeLossOfMove } from '../../core/cost/coldCache.ts';
import { UserFacingError } from '../../core/errors.ts';
import { formatCount, formatTokens } from '../../core/figures.ts';
import { type Branch, listOwn } from '../../core/journal/branches.ts';
import { CHECKPOINT_LABEL, type CheckpointEntry } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { makeNote } from '../../core/journal/makeNote.ts';
import {
  clearConversation,
  findCheckpoint,
  messageTakenOut,
  previewMove,
  returnToBranch,
} from '../../core/journal/timeTravel.ts';
import { neutralise } from '../../core/tools/text/neutralise.ts';
import { verbatim, type Words, words } from '../../core/words.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import {
  findRestore,
  isUndone,
  type MovedNote,
  noteFiles,
  planUndo,
  restoreTo,
  undoRestore,
} from '../../node/session/restores.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { Handlers } from '../handlers.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import { inEditorLanguage, showInformation } from '../notices/notify.ts';
import { showInputBox, showQuickPick } from '../notices/pickers.ts';
import type { Pages } from '../pages/pages.ts';
import { describeBranchPage, describeOrigin, listBranchTree } from './branchTree.ts';
import { askForRestore } from './restorePreview.ts';

const ELSEWHERE = words('Open the session of this branch first.');

export class TimeTravelCommands {
  readonly #session: ShownSession;
  readonly #documents: ReadOnlyDocuments;
  readonly #pages: Pages;

  readonly handlers = {
    setCheckpoint: () => this.#setCheckpoint(),
    restoreCheckpoint: ({ checkpoint }) => this.#restoreCheckpoint(checkpoint),
    showBranches: () => this.#showBranches(),
    clearConversation: () => this.#clear(),
    undoRestore: ({ since }) => this.#undoRestore(since),
    undoChanges: ({ since }) => this.#undoChanges(since),
  } satisfies Partial<Handlers>;

  constructor(session: ShownSession, documents: ReadOnlyDocuments, pages: Pages) {
    this.#session = session;
    this.#documents = documents;
    this.#pages = pages;
  }

  /** Asks for the checkpoint unless given, and for what to restore. */
  async #restoreCheckpoint(id?: number): Promise<void> {
    const conversation = this.#session.requireMovable();
    const { journal } = conversation;
    const checkpoint = id === undefined ? await askForCheckpoint(journal) : findCheckpoint(journal, id);
    if (!checkpoint) return;
    const question = questionAbout(conversation, checkpoint);
    const chosen = await askForRestore(question, conversation.history, this.#documents);
    if (!chosen) return;
    await restoreTo(conversation, checkpoint, chosen);
  }

  /** `notice`: the entry that tells of the restore; by default the newest restore is undone. */
  async #undoRestore(notice?: number): Promise<void> {
    const conversation = this.#session.requireMovable();
    const { journal } = conversation;
    const restore = findRestore(journal, notice);
    if (!restore) {
      void showInformation(vscode.l10n.t('Nothing was restored in this session.'));
      return;
    }
    if (restore.type === 'note') return this.#undoMove(conversation, restore, notice !== undefined);
    const title = vscode.l10n.t('Undo the Restore');
    const paths = new Set(restore.files.map(({ path }) => path));
    const question = { moment: restore.seq - 1, title, only: paths };
    const chosen = await askForRestore(question, conversation.history, this.#documents);
    if (chosen) await restoreAndTell(conversation, chosen.steps, UNDID_RESTORE);
  }

  /**
   * Conversation and files become as before a restore, or before its undo. Asks where messages or changes since then would
   * go, and where the newest undo, which nobody `pointed` at, would be taken back.
   */
  async #undoMove(conversation: Conversation, restore: MovedNote, pointed: boolean): Promise<void> {
    const before = restore.restored;
    const again = isUndone(restore);
    const { messages, steps, isAsItLeft } = await planUndo(conversation, restore);
    const question = {
      moment: before.moment,
      title: again ? vscode.l10n.t('Restore Again') : vscode.l10n.t('Undo the Restore'),
      conversation: { effect: describeUndo(again, messages), summary: false },
    };
    const chosen =
      isAsItLeft && (pointed || !again)
        ? { steps, conversation: true }
        : await askForRestore(question, conversation.history, this.#documents);
    if (chosen?.conversation) await undoRestore(conversation, restore, chosen.steps);
    else if (chosen) await restoreAndTell(conversation, chosen.steps, UNDID_RESTORE);
  }

  /** Takes back what files hold now and did not hold before a turn; `since` is the entry before it. */
  async #undoChanges(since?: number): Promise<void> {
    if (since === undefined) return;
    const conversation = this.#session.requireMovable();
    const title = vscode.l10n.t('Undo the Changes of This Turn');
    const chosen = await askForRestore({ moment: since, title }, conversation.history, this.#documents);
    if (chosen) await restoreAndTell(conversation, chosen.steps, UNDID_CHANGES);
  }

  async #showBranches(): Promise<void> {
    const conversation = this.#session.requireMovable();
    await listBranchTree(conversation.journal, describeLoss(conversation), {
      view: (branch) => this.#view(conversation, branch),
      choose: (branch) => this.#returnTo(conversation, branch),
    });
  }

  /** One tab for all branches. */
  #view(conversation: Conversation, branch: Branch): void {
    const own = listOwn(conversation.journal, branch);
    const loss = describeLoss(conversation);
    const facts = { title: branch.label, subtitle: describeOrigin(branch), loss, language: vscode.env.language };
    const shown = this.#pages.show('branch', describeBranchPage(facts, own, vscode.l10n.t), {
      return: async () => {
        if (this.#session.conversation !== conversation) throw new UserFacingError(ELSEWHERE);
        if (await this.#returnTo(this.#session.requireMovable(), branch)) shown.close();
      },
      others: () => this.#showBranches(),
    });
  }

  /** False when the person cancelled the question about files. */
  async #returnTo(conversation: Conversation, branch: Branch): Promise<boolean> {
    const { journal } = conversation;
    const title = vscode.l10n.t('Return to “{0}”', branch.label);
    const { steps } = await previewRestore(branch.end, conversation.history.restorePorts);
    const differing = steps.filter(({ kind }) => kind === 'write' || kind === 'remove').map(({ path }) => path);
    const first = vscode.l10n.t('The conversation is restored; files that are not ticked stay as they are.');
    const question = { moment: branch.end, title, first };
    const chosen =
      differing.length === 0 ? NOTHING : await askForRestore(question, conversation.history, this.#documents);
    if (!chosen) return false;
    const from = momentOf(journal);
    const again = messageTakenOut(journal, branch.tip, from.head);
    await conversation.travel(async () => {
      // First, so that the restore belongs to this branch, and its rows say that their changes stand again.
      const travel = await returnToBranch(journal, branch.tip);
      const outcome = await conversation.history.restore(chosen.steps);
      if (travel.kind === 'refused' && outcome.restored.length === 0) return travel;
      if (again) conversation.takeAgain(again);
      const left = differing.filter((path) => !outcome.restored.includes(path));
      if (left.length > 0) {
        const notice = words('Returned to this branch. Files that differ from its end: {0}.', left.length);
        await journal.append(makeNote('info', notice, { detail: left.map(verbatim) }));
      }
      await noteFiles(journal, outcome, travel.kind === 'done' ? from : undefined);
      return { kind: 'done' };
    });
    return true;
  }

  /** Leaves an empty context. The old one becomes a branch, and the session keeps its model and agent. */
  async #clear(): Promise<void> {
    const conversation = this.#session.requireMovable();
    const { journal } = conversation;
    await conversation.travel(async () => {
      const { configured, conversation: items } = journal.context;
      if (items.length === 0) return { kind: 'refused', reason: words('The conversation is already empty.') };
      const agent = conversation.agent.chosenAgent;
      const travel = await clearConversation(journal);
      if (travel.kind === 'refused') return travel;
      if (configured) {
        const { model, endpoint, window, strategy, parameters } = configured;
        await journal.append({ type: 'configured', model, endpoint, window, strategy, parameters });
      }
      if (agent) await journal.append({ type: 'agent', agent });
      await journal.append(noteBranch(words('The conversation was cleared. What was said is kept as a branch.')));
      return travel;
    });
  }

  async #setCheckpoint(): Promise<void> {
    const conversation = this.#session.requireMovable();
    const label = await showInputBox({
      title: vscode.l10n.t('Set Checkpoint'),
      prompt: vscode.l10n.t('Name of the checkpoint (optional)'),
    });
    if (label === undefined) return;
    const { journal } = conversation;
    await conversation.travel(async () => {
      const id = journal.nextCheckpointId;
      await journal.append({
        type: 'checkpoint',
        id,
        label: label.trim().slice(0, CHECKPOINT_LABEL),
        toldModel: false,
      });
      return { kind: 'done' };
    });
  }
}

async function askForCheckpoint(journal: Journal): Promise<CheckpointEntry | null> {
  const checkpoints = journal.checkpoints;
  if (checkpoints.length === 0) {
    void showInformation(
      vscode.l10n.t('There is no checkpoint here yet. One is set before each message, and by Set Checkpoint.'),
    );
    return null;
  }
  const items = newestTurnFirst(checkpoints).map((checkpoint) => ({
    label: checkpoint.label || vscode.l10n.t('Checkpoint {0}', formatCount(checkpoint.id)),
    description: [
      checkpoint.id,
      ...(checkpoint.afterMessage ? [vscode.l10n.t('after the message')] : []),
      new Date(checkpoint.time || Date.now()).toLocaleString(vscode.env.language),
    ].join(' · '),
    checkpoint,
  }));
  const title = vscode.l10n.t('Restore Checkpoint');
  const chosen = await showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('The state before the message was sent, or right after it where it says so'),
  });
  return chosen?.checkpoint ?? null;
}

/** Of the two in one turn, the one before its message comes first. */
function newestTurnFirst(checkpoints: readonly CheckpointEntry[]): CheckpointEntry[] {
  const listed: CheckpointEntry[] = [];
  for (const checkpoint of [...checkpoints].reverse()) {
    const after = listed.at(-1);
    if (after?.afterMessage && after.label === checkpoint.label && !checkpoint.afterMessage)
      listed.splice(-1, 0, checkpoint);
    else listed.push(checkpoint);
  }
  return listed;
}

/** Names the messages that leave, the tokens as the meter counts them, and the loss of the cache. */
function questionAbout({ agent, compactor, journal }: Conversation, { id, seq }: CheckpointEntry) {
  const { messages, items } = previewMove(journal, seq);
  const [before = '', after = ''] = [compactor.gauge.reading, compactor.gauge.readingAt(seq)].map(({ tokens }) =>
    formatTokens(tokens),
  );
  const effect =
    messages === 1
      ? vscode.l10n.t('removes 1 message, {0} → {1} tokens', before, after)
      : vscode.l10n.t('removes {0} messages, {1} → {2} tokens', formatCount(messages), before, after);
  // A model is asked only when its summary is ticked.
  const summary = items > 0 && !('problem' in agent.model);
  return {
    moment: seq,
    title: vscode.l10n.t('Restore Checkpoint {0}', formatCount(id)),
    conversation: { effect, summary },
    first: items > 0 ? describeLoss({ compactor }) : '',
  };
}

const describeLoss = ({ compactor }: Pick<Conversation, 'compactor'>): string =>
  inEditorLanguage(describeLossOfMove(compactor.gauge.clock, Date.now()));

/** Where no file differs, nothing is asked. */
const NOTHING = { steps: [] };

/** `leaving`: messages since the restore, or since its undo, which is taken back `again`. */
function describeUndo(again: boolean, leaving: number): string {
  const back = again
    ? vscode.l10n.t('returns to where it was before the undo')
    : vscode.l10n.t('returns to where it was before the restore');
  if (leaving === 0) return back;
  return leaving === 1
    ? vscode.l10n.t('{0}; the message since then is kept as a branch', back)
    : vscode.l10n.t('{0}; the {1} messages since then are kept as a branch', back, formatCount(leaving));
}

const noteBranch = (notice: Words) => makeNote('info', notice, { action: 'showBranches' });

/** Names that the model is told. */
const MOST_NAMED = 100;

const UNDID_RESTORE = 'The user undid a restore of files. These hold again what they held before it:';
const UNDID_CHANGES = 'The user undid what the last turn changed in files. These hold again what they held before it:';

/** `sentence`: the sentence that the model gets before the names of the files. */
async function restoreAndTell(
  conversation: Conversation,
  steps: readonly RestoreStep[],
  sentence: string,
): Promise<void> {
  const outcome = await conversation.whileIdle(() => conversation.history.restore(steps));
  const note = noteRestore(outcome);
  if (!note) return;
  // The model may have heard of the earlier state.
  if (outcome.restored.length > 0) await conversation.remind(describeUndone(sentence, outcome.restored), note);
  else await conversation.change(() => conversation.journal.append(note));
}

function describeUndone(sentence: string, paths: readonly string[]): string {
  const names = paths.slice(0, MOST_NAMED).map((path) => `- ${path}`);
  if (paths.length > names.length) names.push(`- and ${paths.length - names.length} more files`);
  return neutralise([sentence, ...names].join('\n'));
}
