/** Copies a text; the button that was pressed shows for a moment that it is done. */

import { t } from '@vscode/l10n';
import type { Panel } from '../../page/panel.ts';

/** Milliseconds. */
const SHOWN = 1_500;

export function copyWithMark(panel: Panel, text: string, button: Element | null): void {
  panel.post({ type: 'copy', text });
  panel.announce(t('Copied'));
  if (!button?.classList.replace('codicon-copy', 'codicon-check')) return;
  setTimeout(() => button.classList.replace('codicon-check', 'codicon-copy'), SHOWN);
}
