/** What the agent intends and has done: one line above the composer that opens to the list. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { type Words, words } from '../../src/core/words.ts';
import type { PanelState } from '../../src/protocol/messages.ts';
import type { Panel } from '../page/panel.ts';
import { tell } from '../words/tell.ts';

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
    ${open ? html`<ol id="todo-list" tabindex="0" aria-label=${t('Todo list')}>${todo.map(viewOne)}</ol>` : nothing}
  </section>`;
}

function viewOne({ text, state }: Todo): TemplateResult {
  const label = tell(STATES[state]);
  return html`<li class="todo-${state}" aria-current=${state === 'doing' ? 'step' : nothing}>
    <span class="codicon codicon-${ICONS[state]}" role="img" aria-label=${label} title=${label}></span>
    <span dir="auto">${text}</span>
  </li>`;
}
