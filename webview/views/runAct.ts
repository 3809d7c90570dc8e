/** Acts of a command on the page: they wait until the page has the focus that the command requested. */

import type { PageAct } from '../../src/protocol/commands.ts';
import type { Panel } from '../page/panel.ts';
import { focusActive } from './rowKeys.ts';
import { openFind } from './viewFind.ts';

/** Milliseconds in which the page gets the focus after a command has requested it. */
const FOCUS_WITHIN = 1_000;

/** Ignored by another page of the panel, which does not get the focus. */
export function runAct(panel: Panel, act: PageAct): void {
  const once = { once: true, signal: AbortSignal.timeout(FOCUS_WITHIN) };
  if (document.hasFocus()) actNow(panel, act);
  else window.addEventListener('focus', () => actNow(panel, act), once);
}

function actNow(panel: Panel, act: PageAct): void {
  if (panel.popovers.open === 'history' || panel.popovers.open === 'help') return;
  switch (act) {
    case 'find':
      openFind(panel);
      break;
    case 'focusMessage':
      panel.composer.focus();
      break;
    case 'focusConversation':
      focusActive(panel);
      break;
  }
}
