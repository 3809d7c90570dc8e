/** A list to choose from: filter on top, descriptions below the names, arrows and Enter. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { Choice } from '../../src/protocol/messages.ts';
import { isComposing } from '../page/composing.ts';
import { matchChoices } from '../page/matchChoices.ts';
import type { Panel } from '../page/panel.ts';

interface Picker {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: string;
  readonly place: 'below' | 'above';
  readonly choose: (id: string) => void;
  /** Says what a choice changes, or costs; empty without such. */
  readonly note?: string;
  /** Buttons below the list. */
  readonly footer?: TemplateResult;
}

/** Fewer choices than this need no filter. */
const FILTER_FROM = 9;

export function viewPicker(panel: Panel, picker: Picker): TemplateResult {
  const filtering = picker.choices.length >= FILTER_FROM;
  const all = matchChoices(picker.choices, panel.popovers.filter);
  const few = all.filter(({ id, more }) => !more || panel.popovers.filter !== '' || id === picker.chosen);
  // Below the others, which stay where they are under the pointer.
  const others = all.filter((choice) => !few.includes(choice));
  const found = panel.popovers.more ? [...few, ...others] : few;
  // A single heading over everything would be useless.
  const headed = new Set(picker.choices.map(({ group }) => group)).size > 1;
  const choose = (id: string) => {
    picker.choose(id);
    panel.popovers.show('none');
  };
  return html`
    <div
      class="popover picker ${picker.place}"
      role="dialog"
      aria-label=${picker.label}
      @keydown=${(event: KeyboardEvent) => moveFocus(event, '.choice')}
    >
      <p class="popover-title">${picker.label}</p>
      ${picker.note ? html`<p class="fact">${picker.note}</p>` : nothing}
      ${
        filtering
          ? html`<vscode-text-field
              data-first
              class="filter"
              placeholder=${t('Filter')}
              @input=${(event: Event) => {
                panel.popovers.filter = (event.target as HTMLInputElement).value;
                panel.invalidate();
              }}
              @keydown=${(event: KeyboardEvent) => {
                const first = found[0];
                if (event.key === 'Enter' && !isComposing(event) && first) choose(first.id);
              }}
              >${t('Filter')}: ${picker.label}</vscode-text-field
            >`
          : nothing
      }
      <div class="choices">
        ${found.map((choice, index) => {
          const chosen = choice.id === picker.chosen;
          return html`
            ${
              headed && choice.group !== undefined && choice.group !== found[index - 1]?.group
                ? html`<h3 class="choice-group">${choice.group}</h3>`
                : nothing
            }
            <button
              type="button"
              class="choice"
              aria-pressed=${chosen}
              ?data-first=${!filtering && (chosen || (index === 0 && !found.some(({ id }) => id === picker.chosen)))}
              @click=${() => choose(choice.id)}
            >
              <span class="codicon ${chosen ? 'codicon-check' : 'codicon-blank'}" aria-hidden="true"></span>
              <span class="choice-text">
                <span class="choice-label">${choice.label}</span>
                ${choice.description ? html`<span class="choice-description">${choice.description}</span>` : nothing}
              </span>
            </button>
          `;
        })}
        ${found.length < all.length ? viewMore(panel, few.length) : nothing}
        ${found.length === 0 ? html`<p class="nothing">${t('Nothing found')}</p>` : nothing}
      </div>
      ${picker.footer ?? nothing}
    </div>
  `;
}

/** `first` is the index of the first additional choice, which then gets the focus. */
function viewMore(panel: Panel, first: number): TemplateResult {
  const show = () => {
    panel.popovers.more = true;
    panel.afterRender(() => panel.root.querySelectorAll<HTMLElement>('.picker .choice')[first]?.focus());
  };
  return html`
    <button type="button" class="choice" aria-expanded="false" @click=${show}>
      <span class="codicon codicon-chevron-right" aria-hidden="true"></span>
      <span class="choice-label">${t('More…')}</span>
    </button>
  `;
}

/** Arrow keys in a list: moves the focus to the next or previous element that matches `selector`. */
export function moveFocus(event: KeyboardEvent, selector: string): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || isComposing(event) || !(event.currentTarget instanceof HTMLElement)) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)];
  const at = document.activeElement instanceof HTMLElement ? items.indexOf(document.activeElement) : -1;
  const next = items[at < 0 ? (step > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + step, 0), items.length - 1)];
  next?.focus();
  event.preventDefault();
}
