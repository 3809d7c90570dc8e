/** *Show Context Timeline*: the session's size with its compactions, each of which can be looked at, undone and found. */

import * as vscode from 'vscode';
import { triggerWords } from '../../core/compaction/triggerWords.ts';
import { Projection } from '../../core/context/projection.ts';
import { sizeTimeline } from '../../core/transcript/sizeTimeline.ts';
import { whatWent } from '../../core/transcript/whatWent.ts';
import type { Pages } from '../pages/pages.ts';
import type { Conversation } from '../session/conversation.ts';
import type { ShownSession } from '../session/shownSession.ts';
import { say } from '../tell/say.ts';
import { type Chosen, describeSessionSize } from './describeSessionSize.ts';

interface SizeParts {
  readonly session: ShownSession;
  readonly pages: Pages;
  readonly labelOf: (strategy: string) => string;
  /** Brings a row of the conversation into sight. */
  readonly reveal: (rowId: string) => unknown;
}

const MOMENT = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

export function showSessionSize({ session, pages, labelOf, reveal }: SizeParts): void {
  const conversation = session.require();
  const { journal, compactor, id } = conversation;
  let chosen: number | null = journal.context.activeCompactions.at(-1)?.seq ?? null;
  const actions = () => {
    const acts: Record<string, () => unknown> = { redo: () => session.step('redo') };
    for (const { seq } of journal.ofType('compaction')) {
      acts[`look ${seq}`] = () => {
        chosen = seq;
        draw();
      };
      acts[`undo ${seq}`] = () => undoTo(session, conversation, seq);
      acts[`open ${seq}`] = () => reveal(`e${seq}`);
    }
    return acts;
  };
  const page = () =>
    describeSessionSize(
      {
        title: session.title || id,
        timeline: sizeTimeline(journal.path(), journal.context),
        tokens: compactor.reading.tokens,
        window: compactor.window,
        trigger: compactor.mark?.at ?? null,
        chosen: chosen === null ? null : lookAt(conversation, chosen),
        labelOf,
        when: (time) => new Date(time).toLocaleString(vscode.env.language, MOMENT),
        triggerName: (trigger) => say(triggerWords(trigger)),
      },
      vscode.l10n.t,
    );
  const shown = pages.show('context timeline', page(), actions());
  let drawn = journal.nextSeq;
  let { epoch } = journal.context;
  const draw = () => {
    drawn = journal.nextSeq;
    epoch = journal.context.epoch;
    shown.write(page(), actions());
  };
  const followed = session.onDidChange(() => {
    if (!shown.isOpen || session.conversation !== conversation) followed.dispose();
    // A turn has ended: its requests are new. A compaction or its undo is shown at once.
    else if (journal.context.epoch !== epoch || (conversation.status === 'idle' && journal.nextSeq > drawn)) draw();
  });
}

function lookAt({ journal }: Conversation, seq: number): Chosen | null {
  const entry = journal.entry(seq);
  if (entry?.type !== 'compaction') return null;
  const { context } = journal;
  const after = Projection.of(journal.path(seq)).conversation;
  const named = new Set(entry.plan.flatMap((op) => (op.op === 'drop' ? op.ids : op.op === 'replace' ? [op.id] : [])));
  const stayed = after.filter((item) => !named.has(item.id) && item.seq < seq);
  return { seq, gone: [...whatWent(entry, (id) => context.slot(id))], stayed };
}

/** Compactions are undone in turn, newest first. */
async function undoTo(session: ShownSession, { journal }: Conversation, seq: number): Promise<void> {
  while (journal.context.activeCompaction(seq)) await session.step('undo');
}
