/**
 * Commands that move through a session's history: restore a checkpoint, undo a restore, return to a branch, clear, set
 * a checkpoint. Each first shows its effect, and each can be undone.
 */

import * as vscode from 'vscode';
import { previewRestore, type RestoreOutcome } from '../../core/checkpoints/restoreFiles.ts';
import { countFiles, listFiles } from '../../core/checkpoints/restorePlan.ts';
import type { Compactor } from '../../core/compaction/compactor.ts';
import { tellLossOfMove } from '../../core/cost/cacheLoss.ts';
import { ToldError } from '../../core/errors.ts';
import { type Branch, listOwn } from '../../core/journal/branches.ts';
import type { CheckpointEntry, FilesEntry } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { makeNote } from '../../core/journal/makeNote.ts';
import {
  clearConversation,
  findCheckpoint,
  previewMove,
  returnToBranch,
  revertToCheckpoint,
} from '../../core/journal/timeTravel.ts';
import { neutralise } from '../../core/tools/text/stripControls.ts';
import { verbatim, type Words, words } from '../../core/words.ts';
import type { Handlers } from '../handlers.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { Pages } from '../pages/pages.ts';
import type { Conversation } from '../session/conversation.ts';
import type { ShownSession } from '../session/shownSession.ts';
import { say, showInformation } from '../tell/notify.ts';
import { showInputBox, showQuickPick } from '../tell/pickers.ts';
import { describeBranchPage, describeOrigin, listBranchTree } from './branchTree.ts';
import { askForRestore } from './restorePreview.ts';

interface Scope {
  readonly conversation: boolean;
  readonly files: boolean;
  /** Summarise the removed messages, and carry the summary over. */
  readonly summary: boolean;
}

const ELSEWHERE = words('Open the session of this branch first.');
/** Entries searched for the newest restore. */
const LOOK_BACK = 10_000;

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
    const scope = await askForScope(conversation, checkpoint);
    if (!scope) return;
    const title = vscode.l10n.t('Restore Checkpoint {0}', checkpoint.id);
    const steps = scope.files ? await askForRestore(checkpoint.seq, title, conversation.history, this.#documents) : [];
    if (!steps) return;
    await conversation.travel(async (signal) => {
      const branch = scope.summary ? await conversation.compactor.summariseBranch(checkpoint.seq, signal) : null;
      if (branch?.kind === 'none') return { kind: 'refused', reason: branch.reason };
      const files = await conversation.history.restore(steps);
      if (scope.conversation) {
        const travel = await revertToCheckpoint(journal, checkpoint.id, 'user');
        // The conversation may already be at the checkpoint, with only files to restore.
        if (travel.kind === 'refused' && files.restored.length === 0) return travel;
        if (travel.kind === 'done') {
          await journal.append(noteReturn(checkpoint));
          if (branch) await conversation.compactor.carryOver(branch, scope.files ? 'restored' : 'left');
        }
      }
      await noteFiles(journal, files);
      return { kind: 'done' };
    });
  }

  /** `told`: the entry that tells of the restore; by default the newest restore is undone. */
  async #undoRestore(told?: number): Promise<void> {
    const conversation = this.#session.requireMovable();
    const { journal } = conversation;
    const restore = newestRestore(journal, told);
    if (!restore) {
      void showInformation(vscode.l10n.t('No files were restored in this session.'));
      return;
    }
    const title = vscode.l10n.t('Undo the Restore of Files');
    const paths = new Set(restore.files.map(({ path }) => path));
    const steps = await askForRestore(restore.seq - 1, title, conversation.history, this.#documents, paths);
    if (!steps) return;
    const outcome = await conversation.whileIdle(() => conversation.history.restore(steps));
    const note = describeOutcome(outcome);
    if (!note) return;
    // The model may have heard of the restore.
    if (outcome.restored.length > 0) await conversation.remind(tellUndone(outcome.restored), note);
    else await conversation.change(() => journal.append(note));
  }

  async #showBranches(): Promise<void> {
    const conversation = this.#session.requireMovable();
    await listBranchTree(conversation.journal, sayLoss(conversation.compactor), {
      view: (branch) => this.#view(conversation, branch),
      choose: (branch) => this.#returnTo(conversation, branch),
    });
  }

  /** One tab for all branches. */
  #view(conversation: Conversation, branch: Branch): void {
    const own = listOwn(conversation.journal, branch);
    const loss = sayLoss(conversation.compactor);
    const facts = { title: branch.label, subtitle: describeOrigin(branch), loss, language: vscode.env.language };
    const shown = this.#pages.show('branch', describeBranchPage(facts, own, vscode.l10n.t), {
      return: async () => {
        if (this.#session.conversation !== conversation) throw new ToldError(ELSEWHERE);
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
    const files = differing.length === 0 ? 'leave' : await askAboutFiles(title, differing.length);
    if (!files) return false;
    const chosen =
      files === 'leave' ? [] : await askForRestore(branch.end, title, conversation.history, this.#documents);
    if (!chosen) return false;
    await conversation.travel(async () => {
      const outcome = await conversation.history.restore(chosen);
      const travel = await returnToBranch(journal, branch.tip);
      if (travel.kind === 'refused' && outcome.restored.length === 0) return travel;
      if (files === 'leave' && differing.length > 0) {
        const said = words('Returned to this branch. Files that differ from its end: {0}.', differing.length);
        await journal.append(makeNote('info', said, { detail: differing.map(verbatim) }));
      }
      await noteFiles(journal, outcome);
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
      await journal.append({ type: 'checkpoint', id, label: label.trim().slice(0, 80), toldModel: false });
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
    label: checkpoint.label || vscode.l10n.t('Checkpoint {0}', checkpoint.id),
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

async function askForScope(
  { agent, compactor, journal }: Conversation,
  { id, seq }: CheckpointEntry,
): Promise<Scope | null> {
  const { messagesLeft, tokensBefore, tokensAfter } = previewMove(journal, seq);
  const size = new Intl.NumberFormat(vscode.env.language, { notation: 'compact' });
  const [before, after] = [size.format(tokensBefore), size.format(tokensAfter)];
  const leaves =
    messagesLeft === 1
      ? vscode.l10n.t('removes 1 message, {0} → {1} tokens', before, after)
      : vscode.l10n.t('removes {0} messages, {1} → {2} tokens', messagesLeft, before, after);
  const stays = vscode.l10n.t('the conversation stays');
  const loss = messagesLeft > 0 ? sayLoss(compactor) : '';
  const item = (label: string, description: string, scope: Partial<Scope>): ScopeItem => ({
    label,
    description,
    scope: { conversation: false, files: false, summary: false, ...scope },
  });
  const both = { conversation: true, files: true };
  const items: (ScopeItem | vscode.QuickPickItem)[] = [
    item(vscode.l10n.t('Conversation and files'), leaves, both),
    item(vscode.l10n.t('Conversation only'), leaves, { conversation: true }),
    item(vscode.l10n.t('Files only'), stays, { files: true }),
  ];
  // A model is asked only when this is chosen.
  if (messagesLeft > 0 && !('problem' in agent.model)) {
    const separator = vscode.l10n.t('with a summary of what is removed');
    const asks = vscode.l10n.t('a model is asked for it');
    items.push(
      { label: separator, kind: vscode.QuickPickItemKind.Separator },
      item(vscode.l10n.t('Conversation and files, with a summary'), asks, { ...both, summary: true }),
      item(vscode.l10n.t('Conversation with a summary'), asks, { conversation: true, summary: true }),
    );
  }
  const chosen = await showQuickPick(items, {
    title: vscode.l10n.t('Restore Checkpoint {0}', id),
    // First, because a placeholder is cut at its end.
    placeHolder: [
      loss,
      vscode.l10n.t('Changes to files are shown before anything is written. A restore can be undone.'),
    ]
      .filter(Boolean)
      .join(' '),
  });
  return chosen && 'scope' in chosen ? chosen.scope : null;
}

const sayLoss = ({ cacheClock }: Compactor): string => say(tellLossOfMove(cacheClock, Date.now()));

/** Whether to restore the files when returning to a branch; null when the person cancelled. */
async function askAboutFiles(title: string, count: number): Promise<'restore' | 'leave' | null> {
  const items = [
    {
      label: vscode.l10n.t('Conversation and files'),
      description: vscode.l10n.t('files that differ: {0}', count),
      files: 'restore' as const,
    },
    {
      label: vscode.l10n.t('Conversation only'),
      description: vscode.l10n.t('the files stay as they are now'),
      files: 'leave' as const,
    },
  ];
  const chosen = await showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Changes to files are shown before anything is written. A restore can be undone.'),
  });
  return chosen?.files ?? null;
}

interface ScopeItem extends vscode.QuickPickItem {
  readonly scope: Scope;
}

/** A message without an answer can be answered again. */
function noteReturn({ id, afterMessage }: CheckpointEntry): ReturnType<typeof makeNote> {
  const said = words('Went back to checkpoint {0}. What came after it is kept as a branch.', id);
  return afterMessage ? makeNote('info', said, { action: 'retry' }) : noteBranch(said);
}

const noteBranch = (said: Words) => makeNote('info', said, { action: 'showBranches' });

async function noteFiles(journal: Journal, outcome: RestoreOutcome): Promise<void> {
  const note = describeOutcome(outcome);
  if (note) await journal.append(note);
}

/** Null where nothing was to be restored. */
function describeOutcome(outcome: RestoreOutcome): ReturnType<typeof makeNote> | null {
  const { restored, skipped } = outcome;
  if (restored.length === 0 && skipped.length === 0) return null;
  return makeNote(skipped.length > 0 ? 'warning' : 'info', countFiles(outcome), {
    detail: listFiles(outcome),
    action: restored.length > 0 ? 'undoRestore' : undefined,
  });
}

/** Names that the model is told. */
const MOST_NAMED = 100;

function tellUndone(paths: readonly string[]): string {
  const names = paths.slice(0, MOST_NAMED).map((path) => `- ${path}`);
  if (paths.length > names.length) names.push(`- and ${paths.length - names.length} more files`);
  const told = ['The user undid a restore of files. These hold again what they held before it:', ...names];
  return neutralise(told.join('\n'));
}

function newestRestore(journal: Journal, before = journal.nextSeq): FilesEntry | null {
  for (const entry of journal.newest(LOOK_BACK + journal.nextSeq - before)) {
    if (entry.type === 'files' && entry.cause === 'restore' && entry.seq < before) return entry;
  }
  return null;
}
