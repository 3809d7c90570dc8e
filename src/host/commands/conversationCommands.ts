/** Actions on the conversation on screen: compact it, answer its questions, mark its items, search it. */

import * as vscode from 'vscode';
import { UserFacingError } from '../../core/errors.ts';
import { isMode, nextMode } from '../../core/mode.ts';
import { words } from '../../core/words.ts';
import { findInRows } from '../../node/session/findInRows.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { Handlers } from '../handlers.ts';
import { listModes } from '../notices/listStrategies.ts';
import { showInputBox, showQuickPick } from '../notices/pickers.ts';
import type { PanelChanges } from '../panel/panelChanges.ts';

const REMEMBERED = {
  allow: 'no',
  allowSession: 'session',
  allowAlways: 'always',
  allowReading: 'reading',
} as const;
const NO_LONGER_OPEN = words('That question is no longer open, so the answer was not used.');

interface Parts {
  readonly session: ShownSession;
  readonly changes: PanelChanges;
}

export function conversationCommands({ session, changes }: Parts) {
  /** The text that the panel searches for. */
  let finding = '';
  return {
    compact: async ({ instructions }) => {
      const conversation = session.requireMovable();
      const asked = instructions ?? (await askForInstructions());
      if (asked === undefined) return;
      const outcome = await conversation.compact(asked.trim() || undefined);
      if (outcome.kind === 'compacted' && session.conversation === conversation)
        changes.publish({ type: 'lead', rowId: `e${outcome.entry.seq}` });
    },
    undoCompaction: () => session.step('undo'),
    redoCompaction: () => session.step('redo'),
    stop: () => session.conversation?.stop(),
    retry: () => session.require().retry(),
    chooseMode: async ({ mode }) => {
      const chosen = mode ?? (await askForMode(session.mode));
      if (isMode(chosen)) await session.setMode(chosen);
    },
    nextMode: () => session.setMode(nextMode(session.mode)),
    answer: ({ approvalId, hash, answer, reason }) => {
      const known = session.conversation?.approvals.answer(
        approvalId,
        hash,
        answer === 'deny'
          ? { kind: 'deny', ...(reason ? { reason } : {}) }
          : { kind: 'allow', remember: REMEMBERED[answer], ...(reason ? { reason } : {}) },
      );
      if (!known) throw new UserFacingError(NO_LONGER_OPEN);
    },
    answerQuestion: ({ questionId, answer }) => {
      if (!session.conversation?.answerQuestion(questionId, answer)) throw new UserFacingError(NO_LONGER_OPEN);
    },
    consent: ({ consentId, answer }) => session.conversation?.consent.answer(consentId, answer),
    pin: ({ itemId, pinned }) => session.mark([itemId], pinned ? 'pinned' : 'unpinned'),
    expand: ({ itemId, also = [], expanded }) => session.mark([itemId, ...also], expanded ? 'expanded' : 'collapsed'),
    queued: ({ id, act }) => {
      const { conversation } = session;
      if (act === 'send') return conversation?.sendQueued(id);
      return act === 'edit' ? conversation?.editQueued(id) : conversation?.queue.remove(id);
    },
    find: async ({ query }) => {
      finding = query;
      const isWanted = () => finding === query;
      const hits = await findInRows(query, (before, count) => session.rows(before, count), isWanted);
      if (isWanted()) changes.publish({ type: 'found', query, hits });
    },
  } satisfies Partial<Handlers>;
}

function askForInstructions(): Thenable<string | undefined> {
  const prompt = vscode.l10n.t('What to keep in mind while compacting (optional)');
  return showInputBox({ title: vscode.l10n.t('Compact Context'), prompt });
}

async function askForMode(current: string): Promise<string | undefined> {
  const items = listModes().map(({ id, label, description }) => ({
    id,
    label,
    detail: description,
    ...(id === current ? { description: vscode.l10n.t('in use') } : {}),
  }));
  return (await showQuickPick(items, { title: vscode.l10n.t('Mode') }))?.id;
}
