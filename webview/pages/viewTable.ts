/** A table. Where it has no room, each row becomes a small list of its own with the names of the columns. */

import { html, nothing, type TemplateResult } from 'lit';
import type { PageTable } from '../../src/protocol/pages.ts';
import type { Pane } from './pane.ts';

/** With more columns than this a narrow page shows rows as lists. */
const FEW = 4;
/** With more than this they are read by going along them: the first column stays in sight. */
const MANY = 8;

/** Roles are named, because a table that is laid out in another way loses its own. */
export function viewTable(pane: Pane, { label, columns, rows }: PageTable): TemplateResult {
  const side = (at: number) => (columns[at]?.align === 'right' ? 'number' : '');
  const width = columns.length > MANY ? 'wide widest' : columns.length > FEW ? 'wide' : '';
  return html`<div class="along"><table class=${width} role="table" aria-label=${label}>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(({ title }, at) =>
          // A column of buttons has no name, and an empty heading says nothing.
          title === ''
            ? html`<td role="cell"></td>`
            : html`<th role="columnheader" scope="col" class=${side(at)}>${title}</th>`,
        )}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row) =>
          html`<tr role="row">
            ${row.map((cell, at) => {
              const text = typeof cell === 'string' ? cell : cell.text;
              return html`<td role="cell" class=${side(at)} data-title=${columns[at]?.title ?? ''}>
                ${
                  typeof cell === 'string'
                    ? text === ''
                      ? nothing
                      : html`<span>${text}</span>`
                    : html`<button type="button" class="text-button" @click=${() => pane.act(cell.act)}>${text}</button>`
                }
              </td>`;
            })}
          </tr>`,
      )}
    </tbody>
  </table></div>`;
}
