/** The whole page, and the keys that work everywhere on it. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatMoney } from '../../src/core/cost/formatMoney.ts';
import { formatBoth, formatCount } from '../../src/core/figures.ts';
import { type Words, words } from '../../src/core/words.ts';
import type { Choice, CommandRequest, PanelState } from '../../src/protocol/messages.ts';
import { isComposing } from '../page/composing.ts';
import { inPanelLanguage } from '../page/format.ts';
import type { Panel } from '../page/panel.ts';
import type { Popover } from '../page/popovers.ts';
import { noteKey, notePointer } from './rowKeys.ts';
import { viewIconButton, viewTextButton } from './viewButton.ts';
import { viewComposer } from './viewComposer.ts';
import { viewConversation } from './viewConversation.ts';
import { viewFind } from './viewFind.ts';
import { viewHelp } from './viewHelp.ts';
import { viewHistory } from './viewHistory.ts';
import { viewMeter } from './viewMeter.ts';
import { viewPicker } from './viewPicker.ts';

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
  return [viewFolder(panel, state), viewReadOnly(panel, state), viewOthers(panel, state), viewRoom(panel, state)];
}

/** Other sessions that wait for the person, or else those that have ended since they looked at them. */
function viewOthers(panel: Panel, { others }: PanelState): TemplateResult | typeof nothing {
  const waiting = others.filter(({ state }) => state === 'waiting');
  const told = waiting.length > 0 ? waiting : others.filter(({ state }) => state !== 'working');
  const [first] = told;
  if (!first) return nothing;
  return banner('bell-dot', describeOthers(first, told.length), t('Show'), () =>
    told.length > 1 ? panel.popovers.show('history') : panel.post({ type: 'openSession', sessionId: first.id }),
  );
}

function describeOthers({ state }: PanelState['others'][number], count: number): string {
  if (state === 'waiting')
    return count > 1
      ? t('{0} other sessions are waiting for your answer.', formatCount(count))
      : t('Another session waits for your answer.');
  if (count > 1) return t('{0} other sessions have ended.', formatCount(count));
  return state === 'stopped' ? t('Another session has stopped.') : t('Another session has answered.');
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
  return banner('lock', readOnly, t('Take over'), () => panel.post({ type: 'takeOverSession' }));
}

/** Offers back what a compaction took, where the model has room for it. */
function viewRoom(panel: Panel, { room }: PanelState): TemplateResult | typeof nothing {
  if (!room) return nothing;
  const { compaction, model, before, after, price } = room;
  const both = formatBoth(before, after);
  const text = price
    ? t(
        '{0} has room for what the last compaction took: {1} → {2} tokens, about {3} for the next message.',
        model,
        ...both,
        formatMoney(price),
      )
    : t(
        '{0} has room for what the last compaction took: {1} → {2} tokens, at a price that is not known.',
        model,
        ...both,
      );
  const answer = (act: 'bringBack' | 'dismiss') => () => panel.post({ type: 'roomAgain', compaction, act });
  return banner('history', text, t('Bring back'), answer('bringBack'), answer('dismiss'));
}

function banner(icon: string, text: string, label: string, act: () => void, dismiss?: () => void): TemplateResult {
  return html`
    <aside class="banner" aria-label=${text}>
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
      <div class="banner-body">
        <span class="grow">${text}</span>
        ${label ? viewTextButton(label, act) : nothing}
      </div>
      ${dismiss ? viewIconButton('close', t('Do not offer this again'), dismiss) : nothing}
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
  if (event.key !== 'Escape' || isComposing(event) || event.defaultPrevented) return;
  if (panel.popovers.open !== 'none') panel.popovers.show('none');
  else if (panel.renaming !== null) {
    panel.renaming = null;
    panel.afterRender(() => panel.composer.focus());
  } else if (state.status !== 'idle') panel.post({ type: 'stop' });
  else return;
  event.preventDefault();
}

/** Title, strategy and context meter: the identity and the size of this session. */
function viewHeader(panel: Panel, state: PanelState): TemplateResult {
  const strategy = state.strategies.find((choice) => choice.id === state.strategy);
  const { note, forAll, back } = state.strategyChoice;
  const choose = (request: Omit<CommandRequest, 'type'>) => () =>
    panel.popovers.leave({ type: 'chooseStrategy', ...request });
  return html`
    <header class="head">
      <div class="title-row">
        ${panel.renaming === null ? viewTitle(panel, state) : viewRename(panel, state, panel.renaming)}
        <button
          type="button"
          class="picker-button"
          title="${t('{0}: {1}', t('Compaction strategy'), strategy?.description ?? state.strategy)}&#10;${note}"
          aria-label=${t('{0}: {1}', t('Compaction strategy'), strategy?.label ?? state.strategy)}
          aria-haspopup="dialog"
          aria-expanded=${panel.popovers.open === 'strategy'}
          @click=${() => panel.popovers.show('strategy')}
        >
          <span class="codicon codicon-fold" aria-hidden="true"></span>
          <span class="clip">${strategy?.label ?? state.strategy}</span>
          <span class="codicon codicon-chevron-down" aria-hidden="true"></span>
        </button>
      </div>
      ${viewMeter(panel, state)}
      ${panel.rows.all.length === 0 ? viewLegend(state, strategy) : nothing}
      ${
        panel.popovers.open === 'strategy'
          ? viewPicker(panel, {
              label: t('Compaction strategy of this session'),
              note,
              choices: state.strategies,
              chosen: state.strategy,
              place: 'below',
              choose: (strategy) => panel.post({ type: 'chooseStrategy', strategy }),
              footer: html`<div class="popover-actions">
                ${forAll ? viewTextButton(forAll, choose({ strategy: state.strategy, forAll: true })) : nothing}
                ${back ? viewTextButton(back, choose({ strategy: '' })) : nothing}
                ${viewTextButton(t('Parameters of {0}…', strategy?.label ?? state.strategy), () =>
                  panel.popovers.leave({ type: 'openSettings', strategy: state.strategy }),
                )}
              </div>`,
            })
          : nothing
      }
    </header>
  `;
}

/** Names what stands above, for whom sees it for the first time. */
function viewLegend({ meter }: PanelState, strategy: Choice | undefined): TemplateResult | typeof nothing {
  if (!strategy) return nothing;
  const { label } = strategy;
  const chooses = meter.auto
    ? words('When it is full, the strategy “{0}” chooses what goes and what stays.', label)
    : words('When you compact it, the strategy “{0}” chooses what goes and what stays.', label);
  return html`<p class="legend">
    ${inPanelLanguage([...words('The bar is the context: all that the model sees.'), ...chooses])}
  </p>`;
}

function viewTitle(panel: Panel, state: PanelState): TemplateResult {
  const rename = () => {
    panel.renaming = state.title;
    panel.afterRender(() => panel.root.querySelector<HTMLElement>('.rename')?.focus());
  };
  return html`
    <h1 class="title clip">
      <button
        type="button"
        class="title-button clip"
        dir="auto"
        title="${state.title || t('New session')}&#10;${t('Rename session')}"
        ?disabled=${state.readOnly !== ''} @click=${rename}>
        ${state.title || t('New session')}
      </button>
    </h1>
  `;
}

function viewRename(panel: Panel, state: PanelState, title: string): TemplateResult {
  const close = (save: boolean) => {
    const changed = panel.renaming?.trim() ?? '';
    if (save && changed && changed !== state.title) {
      panel.post({ type: 'renameSession', sessionId: state.sessionId, title: changed.slice(0, 500) });
    }
    panel.renaming = null;
    panel.afterRender(() => panel.root.querySelector<HTMLElement>('.title-button')?.focus());
  };
  return html`
    <vscode-text-field
      class="rename grow"
      maxlength="500"
      .value=${title}
      @input=${(event: Event) => {
        panel.renaming = (event.target as HTMLInputElement).value;
      }}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key === 'Enter' && !isComposing(event)) close(true);
      }}
      @blur=${() => panel.renaming !== null && close(true)}
      >${t('Session title')}</vscode-text-field
    >
  `;
}

type Queued = PanelState['queue'][number];

/** Messages queued until the agent has answered: each can be edited, sent at once, or removed. */
function viewQueue(panel: Panel, state: PanelState): TemplateResult | typeof nothing {
  if (state.queue.length === 0) return nothing;
  return html`<section class="queue" aria-label=${t('Waiting messages')}>
    ${
      state.queue.some(({ kept }) => kept)
        ? html`<p class="queue-note">${t('Not sent before the session was closed: send, edit or remove it.')}</p>`
        : nothing
    }
    <ol>
      ${state.queue.map((message) => viewOne(panel, state, message))}
    </ol>
  </section>`;
}

function viewOne(panel: Panel, { status }: PanelState, { id, text, now, kept }: Queued): TemplateResult {
  const act = (what: 'send' | 'edit' | 'remove') => () => panel.post({ type: 'queued', id, act: what });
  const send = status === 'idle' ? t('Send') : now ? t('Stop the answer and send') : t('Send at the next step');
  const [icon, fate] = now
    ? ['arrow-up', t('goes out at the next step')]
    : kept || status === 'idle'
      ? ['debug-pause', t('waits for you to send it')]
      : ['clock', t('waits for the current answer')];
  return html`<li>
    <span class="codicon codicon-${icon}" role="img" aria-label=${fate} title=${fate}></span>
    <span class="clip grow" dir="auto" title=${text}>${text}</span>
    ${button('edit', t('Edit'), text, act('edit'))}
    ${button(now && status !== 'idle' ? 'run-above' : 'arrow-up', send, text, act('send'))}
    ${button('close', t('Remove'), text, act('remove'))}
  </li>`;
}

function button(icon: string, label: string, text: string, act: () => void): TemplateResult {
  return viewIconButton(icon, label, act, { name: t('{0}: {1}', label, text.slice(0, 60)) });
}

/** The todo list: one line above the composer that opens to the whole list. */
type Todo = PanelState['todo'][number];

const OPEN = 'todo';
const ICONS: Record<Todo['state'], string> = { open: 'circle-outline', doing: 'arrow-right', done: 'check' };
const STATES: Record<Todo['state'], Words> = { open: words('to do'), doing: words('in progress'), done: words('done') };

function viewTodo(panel: Panel, { todo }: PanelState): TemplateResult | typeof nothing {
  if (todo.length === 0) return nothing;
  const open = panel.open.has(OPEN);
  const done = todo.filter(({ state }) => state === 'done').length;
  const next = todo.find(({ state }) => state === 'doing') ?? todo.find(({ state }) => state === 'open');
  return html`<section class="todo" aria-label=${t('Todo list')}>
    <button
      type="button"
      class="todo-line"
      aria-expanded=${open}
      aria-controls=${open ? 'todo-list' : nothing}
      @click=${() => panel.toggle(OPEN)}
    >
      <span class="codicon ${open ? 'codicon-chevron-down' : 'codicon-chevron-right'}" aria-hidden="true"></span>
      <span class="todo-count">${t('{0} of {1} done', formatCount(done), formatCount(todo.length))}</span>
      ${next && !open ? html`<span class="clip" dir="auto" title=${next.text}>${next.text}</span>` : nothing}
    </button>
    ${open ? html`<ol id="todo-list" tabindex="0" aria-label=${t('Todo list')}>${todo.map(viewTodoItem)}</ol>` : nothing}
  </section>`;
}

function viewTodoItem({ text, state }: Todo): TemplateResult {
  const label = inPanelLanguage(STATES[state]);
  return html`<li class="todo-${state}" aria-current=${state === 'doing' ? 'step' : nothing}>
    <span class="codicon codicon-${ICONS[state]}" role="img" aria-label=${label} title=${label}></span>
    <span dir="auto">${text}</span>
  </li>`;
}
