/** The rows, what is asked at their end, and the way back to the end. Rows that did not change are not drawn again. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { PanelState } from '../../../src/protocol/messages.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import type { Panel } from '../../page/panel.ts';
import { viewWelcome } from '../viewWelcome.ts';
import { viewConsent } from './viewConsent.ts';
import { viewQuestion } from './viewQuestion.ts';
import { viewRow } from './viewRow.ts';
import { viewSending } from './viewSending.ts';

export function viewConversation(panel: Panel, state: PanelState): TemplateResult {
  const rows = panel.rows.all;
  return html`
    <main class="conversation-frame">
      <div
        class="conversation"
        role="log"
        aria-live="off"
        aria-label=${t('Conversation')}
        tabindex="0"
        @click=${(event: MouseEvent) => onClick(panel, event)}
        @keydown=${(event: KeyboardEvent) => onKey(panel, event)}
      >
        <div class="rows">
          ${panel.rows.more ? html`<p class="older">${t('Loading older messages…')}</p>` : nothing}
          ${rows.length === 0 ? viewWelcome(panel, state) : nothing}
          ${repeat(
            rows,
            (row) => row.id,
            (row, index) => {
              const continues = row.type === 'assistant' && hasSpoken(panel, index);
              const parts = [openParts(panel, row.id), callNow(panel, state, row)];
              return guard([row, ...parts, state.readOnly, sizeNow(state, row), continues], () =>
                viewRow(panel, row, { fixed: state.readOnly !== '', continues }),
              );
            },
          )}
          ${state.sending === null ? nothing : viewSending(state.sending, state)}
          ${state.question ? viewQuestion(panel, state.question) : nothing}
          ${state.consent ? viewConsent(panel, state.consent) : nothing}
        </div>
      </div>
      ${
        panel.reader.following || rows.length === 0
          ? nothing
          : html`<button type="button" class="latest" @click=${() => panel.reader.follow()}>
              <span class="codicon codicon-arrow-down" aria-hidden="true"></span>${t('Jump to latest')}
            </button>`
      }
    </main>
  `;
}

/** True when an answer before this row belongs to the same turn. Of rows not loaded yet it is taken for granted. */
function hasSpoken({ rows }: Panel, index: number): boolean {
  let at = index - 1;
  while (rows.all[at]?.type === 'tool') at--;
  return at < 0 ? rows.more : rows.all[at]?.type === 'assistant';
}

/** What a compaction's undo says beforehand depends on the context's size now. */
function sizeNow(state: PanelState, row: Row): number {
  return row.type === 'compaction' && (row.canUndo || row.canRedo) ? state.meter.tokens : 0;
}

/** Whether a call's lasting answer is looked at, and whether its command still runs. */
function callNow({ confirming }: Panel, state: PanelState, row: Row): string {
  if (row.type !== 'tool') return '';
  const { approval, detail } = row;
  const id = detail.kind === 'command' ? detail.background : undefined;
  return `${approval !== null && approval.id === confirming}${id !== undefined && state.background.includes(id)}`;
}

/** The parts of a row that the reader opened, as one comparable value. */
function openParts(panel: Panel, id: string): string {
  return ['', '/text', '/reasoning'].map((part) => Number(panel.open.has(id + part))).join('');
}

/** Links and code buttons inside of rendered Markdown, which has no listeners of its own. */
function onClick(panel: Panel, event: Event): void {
  const target = event.target instanceof Element ? event.target : null;
  const href = target?.closest<HTMLElement>('a[data-href]')?.dataset.href;
  if (href !== undefined) {
    event.preventDefault();
    panel.post({ type: 'openLink', href: href.slice(0, 4_000) });
    return;
  }
  const action = target?.closest<HTMLElement>('[data-action]');
  const code = action?.closest('.code')?.querySelector('pre')?.textContent;
  if (!action || code === null || code === undefined) return;
  if (action.dataset.action === 'insert') panel.post({ type: 'insert', text: code });
  else {
    panel.post({ type: 'copy', text: code });
    panel.announce(t('Copied'));
  }
}

function onKey(panel: Panel, event: KeyboardEvent): void {
  const link = event.target instanceof HTMLElement && event.target.matches('a[data-href]');
  if (link && (event.key === 'Enter' || event.key === ' ')) onClick(panel, event);
}
