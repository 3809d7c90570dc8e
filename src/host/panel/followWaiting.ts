/** Shows the number of waiting questions on the view's icon, and notifies a person who is looking elsewhere. */

import * as vscode from 'vscode';
import type { Disposable } from '../../api/index.ts';
import { type Words, words } from '../../core/words.ts';
import type { Conversation, Status } from '../session/conversation.ts';
import type { ShownSession } from '../session/shownSession.ts';
import { say, showInformation } from '../tell/notify.ts';
import { focusPanel } from './panelChanges.ts';
import type { PanelView } from './panelView.ts';

export function followWaiting(session: ShownSession, panel: Pick<PanelView, 'visible' | 'showWaiting'>): Disposable {
  let before: Moment | null = null;
  const look = () => {
    const now = session.conversation && momentOf(session.conversation, before);
    panel.showWaiting(now?.questions.length ?? 0);
    const news = now && describeNews(before, now);
    before = now;
    if (!news || (panel.visible && vscode.window.state.focused)) return;
    const open = vscode.l10n.t('Show');
    void showInformation(`${session.title}: ${say(news)}`, open).then(async (chosen) => {
      if (chosen === open) await focusPanel();
    });
  };
  return session.onDidChange(({ kind }) => {
    if (kind === 'state' || kind === 'replaced') look();
  });
}

function momentOf({ id, status, approvals, consent, questions, journal }: Conversation, before: Moment | null): Moment {
  const pending = [...approvals.pending, consent.pending, questions.pending].flatMap((each) => each?.id ?? []);
  const newest = journal.context.conversation.at(-1)?.id ?? null;
  const known = before?.session === id ? (before.status === 'idle' ? before.newest : before.known) : newest;
  return { session: id, status, questions: pending, end: endOf(journal), newest, known };
}

function endOf(journal: Conversation['journal']): Moment['end'] {
  const newest = journal.head === null ? null : journal.entry(journal.head);
  if (newest?.type === 'note') return newest.level === 'info' ? 'other' : 'problem';
  const message = journal.context.conversation.at(-1)?.message;
  return message?.role === 'assistant' && !message.toolCalls?.length ? 'answer' : 'other';
}

/**
 * Notifies a person who is looking elsewhere that a question is waiting or a turn has ended. Once for each, and only
 * when the panel is out of sight or the window has no focus.
 */
export interface Moment {
  readonly session: string;
  readonly status: Status;
  /** Ids of the waiting questions. */
  readonly questions: readonly string[];
  /** The end of the conversation. */
  readonly end: 'answer' | 'problem' | 'other';
  /** Id of its newest message; null before the first. */
  readonly newest: string | null;
  /** The newest message while nothing was running: a running compaction, for example, answers nothing. */
  readonly known: string | null;
}

/** News between two moments that deserves a notification; null without any. */
export function describeNews(before: Moment | null, now: Moment): Words | null {
  if (before === null || before.session !== now.session) return null;
  if (now.questions.some((id) => !before.questions.includes(id))) return words('The agent has a question for you.');
  const ended = before.status !== 'idle' && before.status !== 'compacting' && now.status === 'idle';
  if (!ended) return null;
  if (now.end === 'answer') return now.newest === now.known ? null : words('The agent has answered.');
  return now.end === 'problem' ? words('The agent has stopped. The panel says why.') : null;
}
