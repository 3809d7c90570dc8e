/**
 * Rows that each get one of the same few options. One row of a list is a Tab stop: arrow keys go to the next row or
 * option, and a letter chooses in the row. A choice that cannot be made is said with the reason, and stands under its row.
 */

import { html, nothing, type TemplateResult } from 'lit';
import type { PageChoices } from '../../src/protocol/pages.ts';
import type { Pane } from './pane.ts';

type Row = PageChoices['rows'][number];

export function viewChoices(pane: Pane, { label, options, rows }: PageChoices): TemplateResult {
  return html`<ul class="choice-rows" aria-label=${label} @keydown=${(event: KeyboardEvent) => onKey(event, options)}>
    ${rows.map((row, at) => viewRow(pane, row, options, at === 0))}
  </ul>`;
}

function viewRow(pane: Pane, row: Row, options: PageChoices['options'], first: boolean): TemplateResult {
  const said = `${row.id}-said`;
  const state = [row.head && 'head', row.joined && 'joined', row.changed && 'changed', row.chosen].filter(Boolean);
  return html`<li class=${state.join(' ')}>
    <div class="choice-what">
      <span class="choice-title">${row.title}</span>
      <span class="note">${row.note}</span>
      ${row.text ? html`<span class="choice-excerpt">${row.text}</span>` : nothing}
    </div>
    <div class="choice-options" role="group" aria-label="${row.title} ${row.text}" aria-describedby=${row.said ? said : nothing}>
      ${options.map(({ id, label, key }, at) => {
        const reason = row.refused.find(([option]) => option === id)?.[1];
        const isChosen = row.chosen === id;
        return html`<button
          type="button"
          data-option=${key}
          aria-pressed=${isChosen}
          aria-disabled=${reason ? 'true' : nothing}
          tabindex=${first && at === 0 ? '0' : '-1'}
          title=${reason ?? `${label} (${key})`}
          @focus=${({ currentTarget }: Event) => makeTabStop(currentTarget)}
          @click=${() => pane.choose(row.id, id)}
        >${label}</button>`;
      })}
    </div>
    ${row.said ? html`<p class="choice-said" id=${said} role="alert">${row.said}</p>` : nothing}
  </li>`;
}

/** Where the focus was last is where Tab comes back to. */
function makeTabStop(button: EventTarget | null): void {
  if (!(button instanceof HTMLElement)) return;
  for (const other of button.closest('.choice-rows')?.querySelectorAll('button[tabindex="0"]') ?? [])
    other.setAttribute('tabindex', '-1');
  button.setAttribute('tabindex', '0');
}

function onKey(event: KeyboardEvent, options: PageChoices['options']): void {
  const { target, currentTarget } = event;
  if (!(target instanceof HTMLElement) || !(currentTarget instanceof HTMLElement)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const next = findNext(event.key, target, currentTarget);
  if (next) next.focus();
  else if (options.some(({ key }) => key === event.key)) buttonsOf(target).find(isFor(event.key))?.click();
  else return;
  event.preventDefault();
}

const isFor = (key: string) => (button: HTMLElement) => button.dataset.option === key;
const buttonsOf = (inRow: Element) => [...(inRow.closest('li')?.querySelectorAll<HTMLElement>('button') ?? [])];

function findNext(key: string, from: HTMLElement, list: HTMLElement): HTMLElement | undefined {
  const row = from.closest('li');
  const own = buttonsOf(from);
  const at = own.indexOf(from);
  const inRow = (found: Element | null | undefined) => found?.querySelectorAll<HTMLElement>('button')[at];
  switch (key) {
    case 'ArrowLeft':
      return own[at - 1];
    case 'ArrowRight':
      return own[at + 1];
    case 'ArrowUp':
      return inRow(row?.previousElementSibling);
    case 'ArrowDown':
      return inRow(row?.nextElementSibling);
    case 'Home':
      return inRow(list.firstElementChild);
    case 'End':
      return inRow(list.lastElementChild);
    default:
      return undefined;
  }
}
