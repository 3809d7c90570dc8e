/**
 * The item in the status bar: the context's size, the session's cost, whether it runs or waits for an answer. Absent
 * until a session is open; a click opens the panel.
 */

import * as vscode from 'vscode';
import type { Disposable } from '../../api/index.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { describeStatus } from '../../node/session/describeStatus.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import { PANEL_VIEW } from '../../protocol/commands.ts';

/** Milliseconds between updates while something runs. */
const EVERY = 500;

/** Follows the session on screen. Streamed text does not affect it, and frequent changes are shown twice a second. */
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
        tokens: compactor.gauge.reading.tokens,
        window: compactor.gauge.window,
        spending: journal.spending,
      },
      vscode.l10n.t,
    );
    const lines = tooltip.map(showInOneLine);
    item.text = showInOneLine(text);
    item.tooltip = lines.join('\n');
    item.accessibilityInformation = { label: lines.join('. ') };
    item.backgroundColor = waits ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  };
  update();
  const followed = session.onDidChange(({ kind }) => {
    if (kind !== 'delta') timer ??= setTimeout(update, EVERY).unref();
  });
  return vscode.Disposable.from(item, followed, { dispose: () => timer && clearTimeout(timer) });
}
