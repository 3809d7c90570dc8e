/** Rows for the reader alone: notices with a way out, checkpoints, and what the model told its own past. */

import { html, nothing, type TemplateResult } from 'lit';
import type { RowOf } from '../../../src/protocol/rows.ts';
import type { Panel } from '../../page/panel.ts';
import { dmailDetail, noticeText } from '../../words/noteText.ts';
import { strings } from '../../words/strings.ts';
import type { RowKind, RowPlace } from './rowKind.ts';

type NoticeRow = RowOf<'notice'>;

export const EVENTS: { readonly [T in 'notice' | 'dmail' | 'checkpoint']: RowKind<T> } = {
  notice: { view: viewNotice, spoken: (row) => noticeText(row).text },
  dmail: { view: viewDMail, spoken: ({ checkpoint }) => strings.dmail(checkpoint) },
  checkpoint: { view: viewCheckpoint },
};

function viewNotice(panel: Panel, row: NoticeRow): TemplateResult {
  const open = panel.open.has(row.id);
  const { text, detail } = noticeText(row);
  return html`
    <section class="row notice ${row.level}" data-row=${row.id}>
      <span class="codicon codicon-${row.level}" role="img" aria-label=${row.level}></span>
      <div class="grow">
        <p>${text}</p>
        ${open ? html`<pre tabindex="0">${detail}</pre>` : nothing}
        <div class="notice-actions">
          ${row.action === 'none' ? nothing : viewAction(panel, row.action, labelOf(row.action, row.level))}
          ${
            detail
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

type Action = Exclude<NoticeRow['action'], 'none'>;

/** After a pause nothing has failed, so nothing is tried again: the agent goes on. */
function labelOf(action: Action, level: NoticeRow['level']): string {
  return action === 'retry' && level !== 'error' ? strings.goOn : strings.actions[action];
}

function viewAction(panel: Panel, action: Action, label: string): TemplateResult {
  const act = () => panel.post(action === 'newSession' ? { type: 'newSession' } : { type: 'command', command: action });
  return html`<button type="button" class="text-button" @click=${act}>${label}</button>`;
}

/** What the model told its own past: its own words, and what became of the files. */
function viewDMail(panel: Panel, row: RowOf<'dmail'>): TemplateResult {
  const open = panel.open.has(row.id);
  return html`
    <section class="row notice dmail" data-row=${row.id} aria-label=${strings.dmail(row.checkpoint)}>
      <span class="codicon codicon-mail" aria-hidden="true"></span>
      <div class="grow">
        <p class="dmail-title">${strings.dmail(row.checkpoint)}</p>
        <p class="dmail-text">${row.text}</p>
        ${open ? html`<pre tabindex="0">${dmailDetail(row)}</pre>` : nothing}
        <div class="notice-actions">
          ${viewAction(panel, 'showBranches', strings.actions.showBranches)}
          <button type="button" class="text-button" aria-expanded=${open} @click=${() => panel.toggle(row.id)}>
            ${strings.details}
          </button>
        </div>
      </div>
    </section>
  `;
}

function viewCheckpoint(panel: Panel, row: RowOf<'checkpoint'>, { fixed }: RowPlace): TemplateResult {
  const restore = () => panel.post({ type: 'restore', checkpoint: row.checkpoint });
  const name = row.label ? strings.checkpoint(row.label) : strings.checkpointNumber(row.checkpoint);
  return html`<div class="row checkpoint" data-row=${row.id}>
    <span class="codicon codicon-bookmark" aria-hidden="true"></span>
    <span class="clip" title=${name}>${name}</span>
    ${
      fixed
        ? nothing
        : html`<button
            type="button"
            class="text-button row-actions restore"
            title=${strings.restoreHint}
            aria-label="${strings.restore} ${name}"
            @click=${restore}
          >${strings.restore}</button>`
    }
  </div>`;
}
