/**
 * An earlier message that is edited in its row: the files that sending it can put back as they were before it. Invariant:
 * only what the person was shown is put back.
 */

import { previewRestore } from '../../core/checkpoints/restoreFiles.ts';
import type { RestoreStep } from '../../core/checkpoints/restorePlan.ts';
import { UserFacingError } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { FileEffect } from '../../protocol/messages.ts';
import type { Handlers } from '../handlers.ts';
import type { PanelChanges } from '../panel/panelChanges.ts';

/** Files named in the row; the others are counted. */
const MOST_NAMED = 200;

interface Parts {
  readonly session: ShownSession;
  readonly changes: PanelChanges;
}

export class EditedMessage {
  readonly #parts: Parts;
  #shown: {
    readonly conversation: Conversation;
    readonly rowId: string;
    readonly steps: readonly RestoreStep[];
  } | null = null;

  readonly handlers = { previewEdit: ({ rowId }) => this.#preview(rowId) } satisfies Partial<Handlers>;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The steps that were shown for this row. Throws with the reason when there are none. */
  stepsOf(rowId: string): readonly RestoreStep[] {
    const shown = this.#shown;
    if (shown?.rowId !== rowId || shown.conversation !== this.#parts.session.conversation)
      throw new UserFacingError(words('The files have not been looked at yet. Edit the message again.'));
    return shown.steps;
  }

  async #preview(rowId: string): Promise<void> {
    const { session, changes } = this.#parts;
    const { conversation } = session;
    const [, seq] = /^m(\d+)$/.exec(rowId) ?? [];
    if (!conversation?.agent.files || seq === undefined) return;
    const { steps, incomplete } = await previewRestore(Number(seq), conversation.history.restorePorts);
    if (session.conversation !== conversation) return;
    const files = steps.flatMap((step) => {
      const effect = effectOf(step);
      return effect ? [{ path: step.path, effect }] : [];
    });
    this.#shown = { conversation, rowId, steps: steps.filter(isPutBack) };
    changes.publish({
      type: 'editPreview',
      rowId,
      files: files.slice(0, MOST_NAMED),
      back: this.#shown.steps.length,
      more: Math.max(files.length - MOST_NAMED, 0),
      incomplete,
    });
  }
}

/** A file that somebody else has changed since stays: *Restore* asks about each of these. */
const isPutBack = (step: RestoreStep) => (step.kind === 'write' || step.kind === 'remove') && step.conflict === null;

/** Null for a file that is as it was. */
function effectOf(step: RestoreStep): FileEffect | null {
  switch (step.kind) {
    case 'same':
      return null;
    case 'lost':
      return 'lost';
    case 'remove':
    case 'write':
      if (step.conflict !== null) return 'stays';
      return step.kind === 'remove' ? 'removed' : step.now === null ? 'created' : 'restored';
  }
}
