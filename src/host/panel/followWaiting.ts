/**
 * Shows the number of waiting questions on the view's icon, and notifies a person who does not see the panel. A person
 * who sees it has the card, the answer, or a line about the other session there, and no notification over what they write.
 */

import * as vscode from 'vscode';
import type { Disposable } from '../../api/index.ts';
import { type Words, words } from '../../core/words.ts';
import type { Conversation, Status } from '../../node/session/conversation.ts';
import { type ShownSession, titleOf } from '../../node/session/shownSession.ts';
import { endOf } from '../../node/session/unseenSessions.ts';
import { inEditorLanguage, showFault, showInformation } from '../notices/notify.ts';
import { focusPanel } from './panelChanges.ts';
import type { PanelView } from './panelView.ts';

export function followWaiting(session: ShownSession, panel: Pick<PanelView, 'visible' | 'showWaiting'>): Disposable {
  let before = new Map<string, Moment>();
  const update = () => {
    const { open } = session;
    const now = new Map(open.map((each) => [each.id, momentOf(each, before.get(each.id) ?? null)]));
    panel.showWaiting([...now.values()].reduce((sum, { questions }) => sum + questions.length, 0));
    const seesPanel = panel.visible && vscode.window.state.focused;
    const waiting = open.flatMap((each) => {
      const moment = now.get(each.id);
      const news = moment ? describeNews(before.get(each.id) ?? null, moment) : null;
      return news && !seesPanel
        ? [{ id: each.id, text: vscode.l10n.t('{0}: {1}', titleOf(each), inEditorLanguage(news)) }]
        : [];
    });
    before = now;
    for (const { id, text } of waiting) noticeOf(id, text);
  };
  const noticeOf = (id: string, text: string) => {
    const show = vscode.l10n.t('Show');
    const go = async () => {
      await session.show(id);
      await focusPanel();
    };
    void showInformation(text, show).then((chosen) => {
      if (chosen === show) go().catch((thrown: unknown) => showFault(thrown, go));
    });
  };
  return session.onDidChange(({ kind }) => {
    if (kind === 'state' || kind === 'replaced') update();
  });
}

function momentOf({ id, status, waiting, journal }: Conversation, before: Moment | null): Moment {
  const newest = journal.context.conversation.at(-1)?.id ?? null;
  const known = before ? (before.status === 'idle' ? before.newest : before.known) : newest;
  return { session: id, status, questions: waiting, end: endOf(journal), newest, known };
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
