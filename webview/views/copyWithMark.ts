/** Copies a text; the pressed button briefly shows success. */

import { t } from '@vscode/l10n';
import type { Panel } from '../page/panel.ts';

/** In milliseconds. */
const SHOWN = 1_500;

export function copyWithMark(panel: Panel, text: string, button: Element | null): void {
  panel.post({ type: 'copy', text });
  panel.announce(t('Copied'));
  if (!button?.classList.replace('codicon-copy', 'codicon-check')) return;
  setTimeout(() => button.classList.replace('codicon-check', 'codicon-copy'), SHOWN);
}
