/**
 * Restores of conversation and files together, and their undo. One note tells of both, and undoing it gives back both. The
 * person's message that leaves the conversation goes into the composer, and leaves it again when it is back.
 */

import {
  type Moment,
  momentOf,
  noteMove,
  noteRestore,
  previewRestore,
  type RestoreOutcome,
} from '../../core/checkpoints/restoreFiles.ts';
import type { RestoreStep } from '../../core/checkpoints/restorePlan.ts';
import type { UserMessage } from '../../core/context/message.ts';
import type { CheckpointEntry, FilesEntry, NoteEntry } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import {
  firstLeaving,
  messageTakenOut,
  previewMove,
  returnToBranch,
  revertToCheckpoint,
} from '../../core/journal/timeTravel.ts';
import { objectOf } from '../../core/json.ts';
import { words } from '../../core/words.ts';
import type { Conversation } from './conversation.ts';

/** The person's choice of what to restore. `files`: they become as they were, apart from those that were not ticked. */
interface Chosen {
  readonly steps: readonly RestoreStep[];
  readonly conversation: boolean;
  readonly files: boolean;
  readonly summary: boolean;
}

/** Throws with the reason when it is impossible. */
export async function restoreTo(
  conversation: Conversation,
  checkpoint: CheckpointEntry,
  chosen: Chosen,
): Promise<void> {
  const { journal, history, compactor } = conversation;
  const from = momentOf(journal);
  const taken = chosen.conversation ? messageTakenOut(journal, from.head, checkpoint.seq) : null;
  await conversation.travel(async (signal) => {
    const branch = chosen.summary ? await compactor.handover.summariseBranch(checkpoint.seq, signal) : null;
    if (branch?.kind === 'none') return { kind: 'refused', reason: branch.reason };
    const files = await history.restore(chosen.steps);
    const travel = chosen.conversation ? await revertToCheckpoint(journal, checkpoint.id, 'user') : null;
    // The conversation may already be at the checkpoint, with only files to restore.
    if (travel?.kind === 'refused' && files.restored.length === 0) return travel;
    if (travel?.kind !== 'done') await noteFiles(journal, files);
    else {
      await journal.append(noteReturn(checkpoint, files, from));
      if (taken) conversation.giveBack(taken);
      if (branch) await compactor.handover.carryOver(branch, chosen.files ? 'restored' : 'left');
    }
    return { kind: 'done' };
  });
}

/** The note of a restore that moved the conversation, or of its undo. */
export type MovedNote = NoteEntry & { readonly restored: Moment };

/** Entries searched for the newest restore. */
const LOOK_BACK = 10_000;

/** The restore that the entry `upTo` tells of, or the newest before it: its note where the conversation moved too. */
export function findRestore(journal: Journal, upTo = journal.nextSeq - 1): FilesEntry | MovedNote | null {
  for (const entry of journal.newest(LOOK_BACK + journal.nextSeq - upTo)) {
    if (entry.seq > upTo) continue;
    if (entry.type === 'files' && entry.cause === 'restore') return entry;
    const { restored } = entry.type === 'note' ? entry : {};
    if (entry.type === 'note' && isMoment(journal, restored)) return { ...entry, restored };
  }
  return null;
}

/** A journal of another program may hold anything here. */
function isMoment(journal: Journal, restored: NoteEntry['restored']): restored is Moment {
  const { head, moment } = objectOf(restored);
  return Number.isSafeInteger(head) && Number.isSafeInteger(moment) && journal.entry(Number(head)) !== null;
}

type Restore = Pick<MovedNote, 'action' | 'restored'>;

export interface UndoPlan {
  readonly steps: readonly RestoreStep[];
  /** The person's messages and the answers that were said since the restore, and would leave the conversation. */
  readonly messages: number;
  /** Nothing was said or changed since the restore, so that its undo loses nothing. */
  readonly isAsItLeft: boolean;
}

export async function planUndo({ journal, history }: Conversation, restore: Restore): Promise<UndoPlan> {
  const { head, moment } = restore.restored;
  const { messages: leaving } = previewMove(journal, head, moment);
  // The other form of an edited message is not lost: it goes into the composer.
  const messages = restore.restored.edited && !isUndone(restore) ? Math.max(0, leaving - 1) : leaving;
  const { steps } = await previewRestore(moment, history.restorePorts);
  return { steps, messages, isAsItLeft: messages === 0 && !steps.some(isDoubtful) };
}

const isDoubtful = (step: RestoreStep): boolean =>
  step.kind === 'lost' || (step.kind !== 'same' && step.conflict !== null);

/** The note tells of an undo: to undo that is to restore again. */
export const isUndone = ({ action }: Pick<NoteEntry, 'action'>): boolean => action === 'redoRestore';

/** Throws with the reason when it is impossible. */
export async function undoRestore(
  conversation: Conversation,
  restore: Restore,
  steps: readonly RestoreStep[],
): Promise<void> {
  const { head, edited } = restore.restored;
  const { journal, history } = conversation;
  const from = { ...momentOf(journal), ...(edited ? { edited } : {}) };
  const { out, again } = edited ? replacedBy(journal, restore) : movedBy(journal, restore);
  await conversation.travel(async () => {
    // First, so that the restore belongs to this branch, and its rows say that their changes stand again.
    const travel = await returnToBranch(journal, head);
    const files = await history.restore(steps);
    if (travel.kind === 'refused' && files.restored.length === 0) return travel;
    const note = isUndone(restore)
      ? noteMove(words('Restored again.'), files, from)
      : noteMove(words('The restore was undone.'), files, from, 'redoRestore');
    await journal.append(note);
    if (again) conversation.takeAgain(again);
    if (out) conversation.giveBack(out);
    return { kind: 'done' };
  });
}

/** By the undo of a restore: `out` of the conversation, and said `again` from the composer. */
interface Moved {
  readonly out: UserMessage | null;
  readonly again: UserMessage | null;
}

function movedBy(journal: Journal, { restored: { head } }: Restore): Moved {
  const now = momentOf(journal).head;
  return { out: messageTakenOut(journal, now, head), again: messageTakenOut(journal, head, now) };
}

/** Of the two forms of an edited message, only the newer was ever in the composer. */
function replacedBy(journal: Journal, restore: Restore): Moved {
  const now = momentOf(journal).head;
  const { head } = restore.restored;
  return isUndone(restore)
    ? { out: null, again: firstLeaving(journal, head, now) }
    : { out: firstLeaving(journal, now, head), again: null };
}

/** A message without an answer can be answered again. */
function noteReturn({ id, afterMessage }: CheckpointEntry, files: RestoreOutcome, from: Moment) {
  const notice = words('Went back to checkpoint {0}. What came after it is kept as a branch.', id);
  return afterMessage
    ? noteMove(notice, files, from, 'retry', 'undoRestore', 'showBranches')
    : noteMove(notice, files, from, 'undoRestore', 'showBranches');
}

/** `from` where the conversation moved too. */
export async function noteFiles(journal: Journal, outcome: RestoreOutcome, from?: Moment): Promise<void> {
  const note = noteRestore(outcome);
  if (note) await journal.append({ ...note, ...(from && note.action ? { restored: from } : {}) });
}
