/**
 * The item in the status bar: how full the context is, what the session cost, whether it runs or waits for an answer. There
 * is none until a session is open; a click brings the panel.
 */

import * as vscode from 'vscode';
import { NO_SPENDING } from '../../core/cost/spending.ts';
import { PANEL_VIEW } from '../../protocol/commands.ts';
import type { Disposable, ShownSession } from '../session/shownSession.ts';
import { describeStatus } from './describeStatus.ts';

/** Milliseconds between two looks while something runs. */
const EVERY = 500;

/** Follows the session on screen. Streamed text changes nothing of it, and what changes often is shown twice a second. */
export function showStatusItem(session: ShownSession): Disposable {
  const item = vscode.window.createStatusBarItem('palimpsest.status', vscode.StatusBarAlignment.Right, 90);
  item.name = 'Palimpsest';
  item.command = `${PANEL_VIEW}.focus`;
  let timer: NodeJS.Timeout | null = null;
  const update = () => {
    timer = null;
    const { conversation } = session;
    if (!conversation) return item.hide();
    const { compactor, journal, status } = conversation;
    const { text, tooltip, waits } = describeStatus(
      {
        status,
        title: session.title,
        tokens: compactor.reading.tokens,
        window: compactor.window,
        spending: journal.spending ?? NO_SPENDING,
      },
      vscode.l10n.t,
    );
    item.text = text;
    item.tooltip = tooltip.join('\n');
    item.accessibilityInformation = { label: tooltip.join('. ') };
    item.backgroundColor = waits ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  };
  update();
  const followed = session.onDidChange(({ kind }) => {
    if (kind !== 'delta') timer ??= setTimeout(update, EVERY).unref();
  });
  return vscode.Disposable.from(item, followed, { dispose: () => timer && clearTimeout(timer) });
}
