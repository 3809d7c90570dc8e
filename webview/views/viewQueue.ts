/** Messages queued until the agent has answered: each can be edited, sent at once, or removed. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { type Words, words } from '../../src/core/words.ts';
import type { PanelState } from '../../src/protocol/messages.ts';
import { tell } from '../page/format.ts';
import type { Panel } from '../page/panel.ts';

type Queued = PanelState['queue'][number];

export function viewQueue(panel: Panel, state: PanelState): TemplateResult | typeof nothing {
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
    ${button(now ? 'run-above' : 'arrow-up', send, text, act('send'))}
    ${button('close', t('Remove'), text, act('remove'))}
  </li>`;
}

function button(icon: string, label: string, text: string, act: () => void): TemplateResult {
  return html`<button
    type="button"
    class="icon codicon codicon-${icon}"
    title=${label}
    aria-label=${t('{0}: {1}', label, text.slice(0, 60))}
    @click=${act}
  ></button>`;
}

/** The todo list: one line above the composer that opens to the whole list. */
type Todo = PanelState['todo'][number];

const OPEN = 'todo';
const ICONS: Record<Todo['state'], string> = { open: 'circle-outline', doing: 'arrow-right', done: 'check' };
const STATES: Record<Todo['state'], Words> = { open: words('to do'), doing: words('in progress'), done: words('done') };

export function viewTodo(panel: Panel, { todo }: PanelState): TemplateResult | typeof nothing {
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
      <span class="todo-count">${t('{0} of {1} done', done, todo.length)}</span>
      ${next && !open ? html`<span class="clip" dir="auto" title=${next.text}>${next.text}</span>` : nothing}
    </button>
    ${open ? html`<ol id="todo-list" tabindex="0" aria-label=${t('Todo list')}>${todo.map(viewTodoItem)}</ol>` : nothing}
  </section>`;
}

function viewTodoItem({ text, state }: Todo): TemplateResult {
  const label = tell(STATES[state]);
  return html`<li class="todo-${state}" aria-current=${state === 'doing' ? 'step' : nothing}>
    <span class="codicon codicon-${ICONS[state]}" role="img" aria-label=${label} title=${label}></span>
    <span dir="auto">${text}</span>
  </li>`;
}
