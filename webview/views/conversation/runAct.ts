/**
 * What commands of the editor have the page do. An answer to a question is given only where its card is on the page and
 * has been there for a moment, as for a key.
 */

import type { PageAct } from '../../../src/protocol/commands.ts';
import { isSettled } from '../../page/caret.ts';
import type { Panel } from '../../page/panel.ts';
import { focusActive } from './rowKeys.ts';
import { openFind } from './viewFind.ts';

/** Milliseconds in which the focus comes to the page after a command has asked for it. */
const FOCUS_WITHIN = 1_000;

/** Another page of the panel, which does not get the focus, leaves it alone. */
export function runAct(panel: Panel, act: PageAct): void {
  const once = { once: true, signal: AbortSignal.timeout(FOCUS_WITHIN) };
  if (document.hasFocus()) actNow(panel, act);
  else window.addEventListener('focus', () => actNow(panel, act), once);
}

function actNow(panel: Panel, act: PageAct): void {
  if (panel.popover === 'history' || panel.popover === 'help') return;
  switch (act) {
    case 'find':
      openFind(panel);
      break;
    case 'help':
      panel.showPopover('help');
      break;
    case 'focusMessage':
      panel.focusComposer();
      break;
    case 'focusConversation':
      focusActive(panel);
      break;
    case 'allow':
    case 'allowForSession':
    case 'decline':
      answerCard(panel, act);
  }
}

function answerCard(panel: Panel, act: 'allow' | 'allowForSession' | 'decline'): void {
  const cards = [...panel.root.querySelectorAll<HTMLElement>('.approval[data-asks]')];
  const card = cards.find(({ dataset }) => !panel.answered.has(dataset.asks ?? ''));
  if (!card) panel.reader.follow();
  else if (isSettled(card.dataset.id ?? '')) card.querySelector<HTMLElement>(`[data-answer="${act}"]`)?.click();
}
