/**
 * D-Mail: the model sends a message to its own past. The tool only schedules it; at the next quiescent point the head
 * goes back to the checkpoint, the message is appended there as a reminder, and the turn goes on from it. What the head
 * leaves is an abandoned branch like any other.
 */

import { countFiles, listFiles } from '../checkpoints/describeRestore.ts';
import type { RestoreOutcome } from '../checkpoints/restoreFiles.ts';
import { ToolError } from '../errors.ts';
import type { CheckpointEntry, MessageEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { noteOf } from '../journal/noteOf.ts';
import { estimateMessage } from '../tokens/estimate.ts';
import { type Words, words } from '../words.ts';

export interface DMail {
  readonly checkpoint: number;
  readonly message: string;
}

interface DMailGuard {
  /** Checkpoints of the current path. */
  readonly checkpoints: readonly CheckpointEntry[];
  /** D-Mails of this turn, including one that waits. */
  readonly sent: number;
  readonly waiting: boolean;
  /** Most D-Mails a turn may send. */
  readonly limit: number;
}

/** Why the D-Mail may not be sent, in words for the model; null when it may be. Pure. */
function refuseDMail({ checkpoint, message }: DMail, guard: DMailGuard): string | null {
  if (message.trim() === '') return 'The message is empty. Say what your past self should know.';
  if (guard.waiting) return 'A message to the past is scheduled already; it is delivered after this step.';
  if (guard.sent >= guard.limit) return `This turn has sent ${guard.sent} messages to the past, which is the limit.`;
  if (guard.checkpoints.some(({ id }) => id === checkpoint)) return null;
  const ids = guard.checkpoints.map(({ id }) => id);
  const known = ids.length > 0 ? `The checkpoints are ${ids.slice(-20).join(', ')}.` : 'There is none yet.';
  return `There is no checkpoint ${checkpoint} in this conversation. ${known}`;
}

export interface DMailPorts {
  readonly journal: Journal;
  /** Most D-Mails a turn may send; 0 switches them off. */
  readonly limit: () => number;
  /** Restores the files of an entry; null leaves them as they are. It never overwrites what others changed. */
  readonly restore: () => ((moment: number) => Promise<RestoreOutcome>) | null;
}

/** Holds the D-Mail between the call that asked for it and the quiescent point where it is delivered. */
export class DMailBox {
  readonly #ports: DMailPorts;
  #waiting: DMail | null = null;
  #sent = 0;

  constructor(ports: DMailPorts) {
    this.#ports = ports;
  }

  /** Call when a turn begins: resets the count, and drops what an interrupted turn left. */
  beginTurn(): void {
    this.#waiting = null;
    this.#sent = 0;
  }

  /** Throws `ToolError` with the reason when the guard says no. */
  schedule(mail: DMail): void {
    const { journal, limit } = this.#ports;
    const checkpoints = ownCheckpoints(journal);
    const guard = { checkpoints, sent: this.#sent, waiting: this.#waiting !== null, limit: limit() };
    const refusal = refuseDMail(mail, guard);
    if (refusal) throw new ToolError(refusal);
    this.#waiting = mail;
    this.#sent++;
  }

  /** Call at a quiescent point, after the results of a step are appended. True when the head moved. */
  async deliver(): Promise<boolean> {
    const mail = this.#waiting;
    this.#waiting = null;
    const { journal } = this.#ports;
    const target = mail && ownCheckpoints(journal).find(({ id }) => id === mail.checkpoint);
    if (!target) return false;
    const restore = this.#ports.restore();
    const outcome = restore && (await restore(target.seq));
    const asked = newestRequest(journal, target.seq);
    await journal.revert(target.seq, 'dmail');
    // The model may not drop what the person asked last.
    if (asked) await journal.append({ type: 'message', message: asked.message, tokens: asked.tokens });
    const message = { role: 'user', kind: 'reminder', text: textOf(mail, outcome) } as const;
    await journal.append({ type: 'message', message, tokens: estimateMessage(message) });
    const said = words(
      'The agent went back to checkpoint {0} and left itself a message there (D-Mail).',
      mail.checkpoint,
    );
    await journal.append(noteOf('info', said, { detail: detailOf(outcome), dmail: mail }));
    return true;
  }
}

/** Those of an imported journal belong to another place: a person may go back to them, the model may not. */
function ownCheckpoints(journal: Journal): readonly CheckpointEntry[] {
  return journal.checkpoints.filter(({ seq }) => seq > journal.importedTo);
}

/** The newest message that a person wrote, when it came after `seq`. */
function newestRequest(journal: Journal, seq: number): MessageEntry | null {
  for (const entry of journal.backward()) {
    if (entry.seq <= seq) return null;
    if (entry.type === 'message' && entry.message.role === 'user' && entry.message.kind === 'user') return entry;
  }
  return null;
}

function textOf({ checkpoint, message }: DMail, outcome: RestoreOutcome | null): string {
  return [
    `Message from your later self, sent back to checkpoint ${checkpoint}. What you did after it is no longer in this conversation. ${filesOf(outcome)}`,
    'Take it as a note about what was found out, and go on with what the user asked.',
    '',
    message,
  ].join('\n');
}

/** The model must know whether the files match what it remembers. */
function filesOf(outcome: RestoreOutcome | null): string {
  if (!outcome) return 'The files in the workspace were left as your later self made them.';
  const skipped = outcome.skipped.map(({ path }) => path);
  if (outcome.restored.length === 0) {
    return skipped.length === 0
      ? 'No file is known to have been changed after it.'
      : `The files changed after it could not be restored: ${skipped.join(', ')}.`;
  }
  return `The files you had changed after it were restored${skipped.length > 0 ? `, except ${skipped.join(', ')}` : ''}.`;
}

function detailOf(outcome: RestoreOutcome | null): Words[] {
  if (!outcome) return [words('Files were left as they are.')];
  return [countFiles(outcome), ...listFiles(outcome)];
}
