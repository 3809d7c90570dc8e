/** Shows on the view's icon how many questions wait, and notifies a person who looks elsewhere. */

import * as vscode from 'vscode';
import { PANEL_VIEW } from '../../protocol/commands.ts';
import type { Conversation } from '../session/conversation.ts';
import type { Disposable, ShownSession } from '../session/shownSession.ts';
import { showInformation } from '../tell/notify.ts';
import { say } from '../tell/say.ts';
import type { PanelView } from './panelView.ts';
import { describeNews, type Moment } from './waiting.ts';

export function followWaiting(session: ShownSession, panel: Pick<PanelView, 'visible' | 'showWaiting'>): Disposable {
  let before: Moment | null = null;
  const look = () => {
    const now = session.conversation && momentOf(session.conversation);
    panel.showWaiting(now?.questions.length ?? 0);
    const news = now && describeNews(before, now);
    before = now;
    if (!news || (panel.visible && vscode.window.state.focused)) return;
    const open = vscode.l10n.t('Show');
    void showInformation(`${session.title}: ${say(news)}`, open).then(async (chosen) => {
      if (chosen === open) await vscode.commands.executeCommand(`${PANEL_VIEW}.focus`);
    });
  };
  return session.onDidChange(({ kind }) => {
    if (kind === 'state' || kind === 'replaced') look();
  });
}

function momentOf({ id, status, approvals, consent, questions, journal }: Conversation): Moment {
  const pending = [...approvals.pending, consent.pending, questions.pending].flatMap((each) => each?.id ?? []);
  return { session: id, status, questions: pending, end: endOf(journal) };
}

function endOf(journal: Conversation['journal']): Moment['end'] {
  const newest = journal.head === null ? null : journal.entry(journal.head);
  if (newest?.type === 'note') return newest.level === 'info' ? 'other' : 'problem';
  const message = journal.context.conversation.at(-1)?.message;
  return message?.role === 'assistant' && !message.toolCalls?.length ? 'answer' : 'other';
}
