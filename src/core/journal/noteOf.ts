/** The note that tells a fact: its words in English, and what the reader is offered. Pure. */

import type { EntryDraft, NoteEntry, NoteFact } from './entry.ts';

type NoteDraft = Extract<EntryDraft, { type: 'note' }>;

export function noteOf(fact: NoteFact): NoteDraft {
  return { type: 'note', fact, ...wordsOf(fact) };
}

function wordsOf(fact: NoteFact): Pick<NoteEntry, 'level' | 'text' | 'detail' | 'action'> {
  switch (fact.kind) {
    case 'wentBack':
      return {
        level: 'info',
        text: `Went back to checkpoint ${fact.checkpoint}. What came after it is kept as a branch.`,
        action: 'showBranches',
      };
    case 'cleared':
      return {
        level: 'info',
        text: 'The conversation was cleared. What was said is kept as a branch.',
        action: 'showBranches',
      };
    case 'edited':
      return {
        level: 'info',
        text: 'The earlier version of this message, and what came after it, is kept.',
        action: 'showBranches',
      };
    case 'restored': {
      const { restored, skipped } = fact;
      const count = restored.length === 1 ? 'One file was restored' : `${restored.length} files were restored`;
      return {
        level: skipped.length > 0 ? 'warning' : 'info',
        text: skipped.length > 0 ? `${count}, ${skipped.length} were left as they are.` : `${count}.`,
        detail: [...restored, ...skipped.map(({ path, reason }) => `${path}: ${reason}`)].join('\n'),
        ...(restored.length > 0 ? { action: 'undoRestore' } : {}),
      };
    }
  }
}
