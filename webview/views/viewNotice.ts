/** Lines for the reader alone: notices with a way out, and checkpoints. */

import { html, nothing, type TemplateResult } from 'lit';
import type { Row } from '../../src/protocol/rows.ts';
import type { Panel } from '../panel.ts';
import { strings } from '../strings.ts';

type NoticeRow = Extract<Row, { type: 'notice' }>;
type CheckpointRow = Extract<Row, { type: 'checkpoint' }>;

export function viewNotice(panel: Panel, row: NoticeRow): TemplateResult {
  const open = panel.open.has(row.id);
  return html`
    <section class="row notice ${row.level}" data-row=${row.id}>
      <span class="codicon codicon-${row.level}" role="img" aria-label=${row.level}></span>
      <div class="grow">
        <p>${row.text}</p>
        ${open ? html`<pre tabindex="0">${row.detail}</pre>` : nothing}
        <div class="notice-actions">
          ${row.action === 'none' ? nothing : viewAction(panel, row.action)}
          ${
            row.detail
              ? html`<button type="button" class="text-button" aria-expanded=${open} @click=${() => panel.toggle(row.id)}>
                  ${strings.details}
                </button>`
              : nothing
          }
        </div>
      </div>
    </section>
  `;
}

function viewAction(panel: Panel, action: Exclude<NoticeRow['action'], 'none'>): TemplateResult {
  const act = () => panel.post(action === 'newSession' ? { type: 'newSession' } : { type: 'command', command: action });
  return html`<button type="button" class="text-button" @click=${act}>${strings.actions[action]}</button>`;
}

export function viewCheckpoint(row: CheckpointRow): TemplateResult {
  return html`<div class="row checkpoint" data-row=${row.id}>
    <span class="codicon codicon-bookmark" aria-hidden="true"></span>${strings.checkpoint(row.label)}
  </div>`;
}
