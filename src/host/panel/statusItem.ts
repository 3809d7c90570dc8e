/**
 * The item in the status bar: the context's size, the session's cost, whether it runs or waits for an answer. Absent
 * until a session is open; a click opens the panel.
 */

import * as vscode from 'vscode';
import type { Disposable } from '../../api/index.ts';
import { explainCosts, formatCosts } from '../../core/cost/formatMoney.ts';
import type { Spending } from '../../core/cost/spending.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import { formatCount } from '../../node/pages/blocks.ts';
import type { Status } from '../../node/session/conversation.ts';
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
        tokens: compactor.reading.tokens,
        window: compactor.window,
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

/** Describes the item in the status bar. Pure. */
export interface StatusFacts {
  readonly status: Status;
  readonly title: string;
  readonly tokens: number;
  /** 0 when unknown. */
  readonly window: number;
  readonly spending: Spending;
}

interface StatusTexts {
  readonly text: string;
  /** One line each. */
  readonly tooltip: readonly string[];
  readonly waits: boolean;
}

export function describeStatus(facts: StatusFacts, t: Translate): StatusTexts {
  const { status, title, tokens, window, spending } = facts;
  const share = window > 0 ? `${Math.round((tokens / window) * 100)} %` : formatCount(tokens);
  const costs = formatCosts(spending);
  const doing = {
    idle: '',
    running: t('The agent is working'),
    compacting: t('The context is being compacted'),
    waiting: t('The agent is waiting for your answer'),
  }[status];
  const icon = { idle: 'layers', running: 'loading~spin', compacting: 'fold', waiting: 'bell-dot' }[status];
  return {
    text: `$(${icon}) ${[share, costs].filter(Boolean).join(' · ')}`,
    tooltip: [
      `Palimpsest: ${title}`,
      doing,
      window > 0
        ? t('Context: {0} / {1} tokens', formatCount(tokens), formatCount(window))
        : t('Context: {0} tokens, window unknown', formatCount(tokens)),
      costs === '' ? '' : t('Cost of this session: {0}', inLanguage(explainCosts(spending), t)),
    ].filter(Boolean),
    waits: status === 'waiting',
  };
}
