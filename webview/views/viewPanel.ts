/** The whole page, and the keys that work everywhere on it. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { PanelState } from '../../src/protocol/messages.ts';
import type { Panel } from '../page/panel.ts';
import type { Popover } from '../page/popovers.ts';
import { noteKey, notePointer } from './rowKeys.ts';
import { viewComposer } from './viewComposer.ts';
import { viewConversation } from './viewConversation.ts';
import { viewFind } from './viewFind.ts';
import { viewHeader } from './viewHeader.ts';
import { viewHelp } from './viewHelp.ts';
import { viewHistory } from './viewHistory.ts';
import { viewQueue, viewTodo } from './viewQueue.ts';

/** Popovers that cover the page; the others leave it usable. */
const OVERLAYS: ReadonlySet<Popover> = new Set<Popover>(['history', 'help']);

export function viewPanel(panel: Panel, state: PanelState): TemplateResult {
  return html`
    <div
      class="page"
      @keydown=${(event: KeyboardEvent) => onKey(panel, state, event)}
      @pointerdown=${(event: PointerEvent) => onPointerDown(panel, event)}
      @click=${{ handleEvent: onClick, capture: true }}
    >
      <div class="under" ?inert=${OVERLAYS.has(panel.popovers.open)}>
        ${viewHeader(panel, state)} ${viewBanners(panel, state)}
        ${viewFind(panel)} ${viewConversation(panel, state)}
        ${viewTodo(panel, state)} ${viewQueue(panel, state)} ${viewComposer(panel, state)}
      </div>
      ${panel.popovers.open === 'history' ? viewHistory(panel) : nothing}
      ${panel.popovers.open === 'help' ? viewHelp(panel) : nothing}
    </div>
  `;
}

/** Why something is impossible here, with a remedy. In a restricted window both may apply. */
function viewBanners(panel: Panel, state: PanelState): (TemplateResult | typeof nothing)[] {
  return [viewFolder(panel, state), viewReadOnly(panel, state), viewOthers(panel, state)];
}

/** Other sessions that wait for the person. */
function viewOthers(panel: Panel, { others }: PanelState): TemplateResult | typeof nothing {
  const waiting = others.filter(({ state }) => state === 'waiting');
  const [first, ...more] = waiting;
  if (!first) return nothing;
  if (more.length > 0)
    return banner('bell-dot', t('{0} other sessions wait for your answer.', waiting.length), t('Show'), () =>
      panel.popovers.show('history'),
    );
  return banner('bell-dot', t('Another session waits for your answer.'), t('Show'), () =>
    panel.post({ type: 'openSession', sessionId: first.id }),
  );
}

function viewFolder(panel: Panel, { trusted, folderOpen }: PanelState): TemplateResult | typeof nothing {
  const command = (type: 'manageTrust' | 'openFolder') => () => panel.post({ type });
  if (!trusted)
    return banner(
      'shield',
      t('Restricted Mode: the agent can read, and changes nothing.'),
      t('Manage trust'),
      command('manageTrust'),
    );
  if (!folderOpen)
    return banner(
      'folder',
      t('No folder is open. The agent has no files to work with.'),
      t('Open folder'),
      command('openFolder'),
    );
  return nothing;
}

function viewReadOnly(panel: Panel, state: PanelState): TemplateResult | typeof nothing {
  const { readOnly, canTakeOver, canContinueHere } = state;
  if (!readOnly) return nothing;
  if (canContinueHere)
    return banner('history', readOnly, t('Continue Here'), () => panel.post({ type: 'continueHere' }));
  if (!canTakeOver) return banner('lock', readOnly, '', () => {});
  return banner('lock', t('Another window is using this session, so you can only read it here.'), t('Take over'), () =>
    panel.post({ type: 'takeOverSession' }),
  );
}

function banner(icon: string, text: string, label: string, act: () => void): TemplateResult {
  return html`
    <aside class="banner" aria-label=${text}>
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
      <span class="grow">${text}</span>
      ${label ? html`<button type="button" class="text-button" @click=${act}>${label}</button>` : nothing}
    </aside>
  `;
}

/** A click outside an open list closes it. */
function onPointerDown(panel: Panel, { target }: PointerEvent): void {
  notePointer();
  if (panel.popovers.open === 'none' || OVERLAYS.has(panel.popovers.open)) return;
  if (target instanceof Element && !target.closest('.popover, [aria-haspopup]')) panel.popovers.close();
}

/** The second half of a double click hits whatever the first put in its place: the next question, or *Redo*. */
function onClick(event: MouseEvent): void {
  if (event.detail < 2 || !(event.target instanceof Element) || !event.target.closest('button, vscode-button')) return;
  event.stopPropagation();
  event.preventDefault();
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;

/** With Caps Lock the key is `A`. */
const isSelectAll = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent) =>
  key.toLowerCase() === 'a' && (ctrlKey || metaKey) && !shiftKey && !altKey;

function onKey(panel: Panel, state: PanelState, event: KeyboardEvent): void {
  noteKey(event);
  // Sent on, the key selects the text of the editor beside the panel as well.
  if (isSelectAll(event) && isField(event.target)) event.stopPropagation();
  if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
  if (panel.popovers.open !== 'none') panel.popovers.show('none');
  else if (panel.renaming !== null) {
    panel.renaming = null;
    panel.afterRender(() => panel.composer.focus());
  } else if (state.status !== 'idle') panel.post({ type: 'stop' });
  else return;
  event.preventDefault();
}
