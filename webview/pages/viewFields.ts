/**
 * Values that the person sets on the page. What was typed goes to the host when it is done (Enter, or leaving the field);
 * a value that cannot be used stays in its field with the reason under it.
 */

import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { PageBlock, PageField } from '../../src/protocol/pages.ts';
import type { Pane } from './pane.ts';

export function viewFields(pane: Pane, { label, fields }: Extract<PageBlock, { kind: 'fields' }>): TemplateResult {
  return html`<div class="fields" role="group" aria-label=${label}>${fields.map((field) => viewField(pane, field))}</div>`;
}

function viewField(pane: Pane, field: PageField): TemplateResult {
  const { id, label, description, problem } = field;
  const about = `about ${id}`.replaceAll(/\s/g, '-');
  return html`<div class="field ${problem ? 'faulty' : ''}">
    <label>${viewInput(pane, field, about)}<span class="field-name">${label}</span></label>
    <p id=${about} class="quiet">${problem ? html`<span class="problem">${problem}</span> ` : nothing}${description}</p>
  </div>`;
}

function viewInput(pane: Pane, { id, value, input, choices, problem }: PageField, about: string): TemplateResult {
  const set = (event: Event) => pane.write(id, (event.target as HTMLInputElement | HTMLSelectElement).value);
  switch (input) {
    case 'check':
      return html`<input
        type="checkbox"
        aria-describedby=${about}
        .checked=${live(value === 'true')}
        @change=${(event: Event) => pane.write(id, String((event.target as HTMLInputElement).checked))}
      />`;
    case 'choice':
      return html`<select aria-describedby=${about} @change=${set}>
        ${choices.map((choice) => html`<option value=${choice.value} ?selected=${choice.value === value}>${choice.label}</option>`)}
      </select>`;
    case 'number':
    case 'text':
      return html`<input
        type="text"
        inputmode=${input === 'number' ? 'decimal' : 'text'}
        spellcheck="false"
        aria-describedby=${about}
        aria-invalid=${problem ? 'true' : 'false'}
        .value=${live(value)}
        @change=${set}
      />`;
  }
}
