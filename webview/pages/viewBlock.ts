/** The view of every kind of block: one function for each. */

import '../page/format.ts';
import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import type { Page, PageBlock, PageCell, PageChoices, PageField, PageTable } from '../../src/protocol/pages.ts';
import { isComposing } from '../page/composing.ts';
import { viewPart } from '../views/viewPart.ts';
import type { Pane } from './pane.ts';
import { viewChart } from './viewChart.ts';
import { viewMeter, WIDTH } from './viewMeter.ts';

/** A table with more columns than this may be wider than the page. */
const FEW = 4;

/** Explicit roles, because a table with another layout loses its own. */
function viewTable(pane: Pane, { label, columns, rows }: PageTable): TemplateResult {
  const side = (at: number) => {
    const { align, minor } = columns[at] ?? {};
    return `${align === 'right' ? 'number' : ''} ${minor ? 'minor' : ''}`;
  };
  const width = columns.length > FEW ? 'wide' : '';
  return html`<div class="along"><table class=${width} role="table" aria-label=${label}>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(({ title }, at) =>
          // A column of buttons has no name, and an empty heading is useless.
          title === ''
            ? html`<td role="cell" class=${side(at)}></td>`
            : html`<th role="columnheader" scope="col" class=${side(at)}>${title}</th>`,
        )}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row) =>
          html`<tr role="row">
            ${row.map((cell, at) =>
              typeof cell === 'object' && cell.rest
                ? html`<td role="cell" colspan=${columns.length - at} data-title="">${viewCell(pane, cell)}</td>`
                : html`<td role="cell" class=${side(at)} data-title=${columns[at]?.title ?? ''}>${viewCell(pane, cell)}</td>`,
            )}
          </tr>`,
      )}
    </tbody>
  </table></div>`;
}

function viewCell(pane: Pane, cell: PageCell): TemplateResult | typeof nothing {
  if (typeof cell === 'string') return cell === '' ? nothing : html`<span>${cell}</span>`;
  const { text, act, tone, share } = cell;
  const content =
    act === undefined
      ? html`<span>${text}</span>`
      : html`<button type="button" class="text-button" @click=${() => pane.act(act)}>${text}</button>`;
  if (share !== undefined)
    return html`<span class="share">
      <svg viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true">
        ${viewPart(tone ?? 'same', 0, share * 100)}
      </svg>${content}
    </span>`;
  return tone === undefined
    ? content
    : html`<span class="swatched"><span class="swatch ${tone}" aria-hidden="true"></span>${content}</span>`;
}

/** A text that the person may change, as high as its lines up to a limit. */
const LEAST_LINES = 3;
const MOST_LINES = 24;

function viewInput(pane: Pane, block: Extract<PageBlock, { kind: 'input' }>): TemplateResult {
  const text = pane.typed(block);
  const lines = Math.min(MOST_LINES, Math.max(LEAST_LINES, text.split('\n').length + 1));
  return html`<label class="written">
    <span>${block.label}</span>
    <textarea
      rows=${lines}
      spellcheck="false"
      .value=${live(text)}
      @input=${({ target }: Event) => target instanceof HTMLTextAreaElement && pane.type(block, target.value)}
      @blur=${() => pane.sendTyped()}
    ></textarea>
  </label>`;
}

/**
 * Values that the person sets on the page. A value is sent to the host when typing ends (Enter, or leaving the field);
 * an invalid one stays in its field with the reason below.
 */
function viewFields(pane: Pane, { label, fields }: Extract<PageBlock, { kind: 'fields' }>): TemplateResult {
  return html`<div class="fields" role="group" aria-label=${label}>${fields.map((field) => viewField(pane, field))}</div>`;
}

function viewField(pane: Pane, field: PageField): TemplateResult {
  const { id, label, description, problem } = field;
  const about = `about ${id}`.replaceAll(/\s/g, '-');
  return html`<div class="field ${problem ? 'faulty' : ''}">
    <label>${viewFieldInput(pane, field, about)}<span class="field-name">${label}</span></label>
    <p id=${about} class="quiet">${problem ? html`<span class="problem">${problem}</span> ` : nothing}${description}</p>
  </div>`;
}

function viewFieldInput(pane: Pane, { id, value, input, choices, problem }: PageField, about: string): TemplateResult {
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

/**
 * Rows with the same few options each. One row of a list is a Tab stop: arrow keys move between rows and options, and a
 * letter selects in the row. An impossible choice is announced with the reason, which also appears under its row.
 */
type Row = PageChoices['rows'][number];

function viewChoices(pane: Pane, { label, options, rows }: PageChoices): TemplateResult {
  return html`<ul class="choice-rows" aria-label=${label} @keydown=${(event: KeyboardEvent) => onKey(event, options)}>
    ${rows.map((row, at) => viewRow(pane, row, options, at === 0))}
  </ul>`;
}

function viewRow(pane: Pane, row: Row, options: PageChoices['options'], first: boolean): TemplateResult {
  const labelId = `${row.id}-said`;
  const state = [row.head && 'head', row.joined && 'joined', row.changed && 'changed', row.chosen].filter(Boolean);
  return html`<li class=${state.join(' ')}>
    <div class="choice-what">
      <span class="choice-title">${row.title}</span>
      <span class="note">${row.note}</span>
      ${row.text ? html`<span class="choice-excerpt">${row.text}</span>` : nothing}
    </div>
    <div class="choice-options" role="group" aria-label="${row.title} ${row.text}" aria-describedby=${row.said ? labelId : nothing}>
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
    ${row.said ? html`<p class="choice-said" id=${labelId} role="alert">${row.said}</p>` : nothing}
  </li>`;
}

/** Tab returns to the element focused last. */
function makeTabStop(button: EventTarget | null): void {
  if (!(button instanceof HTMLElement)) return;
  for (const other of button.closest('.choice-rows')?.querySelectorAll('button[tabindex="0"]') ?? [])
    other.setAttribute('tabindex', '-1');
  button.setAttribute('tabindex', '0');
}

function onKey(event: KeyboardEvent, options: PageChoices['options']): void {
  const { target, currentTarget } = event;
  if (!(target instanceof HTMLElement) || !(currentTarget instanceof HTMLElement)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || isComposing(event)) return;
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

type Of<K extends PageBlock['kind']> = Extract<PageBlock, { kind: K }>;

/** `level` of the headings in it. */
type View<K extends PageBlock['kind']> = (pane: Pane, block: Of<K>, level: number) => TemplateResult;

const VIEWS: { readonly [K in PageBlock['kind']]: View<K> } = {
  text: (_, { text, tone }) => html`<p class="text ${tone ?? ''}">${text}</p>`,
  facts: (_, { facts }) =>
    html`<dl class="facts">${facts.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`,
  list: (_, { items }) => html`<ul class="plain">${items.map((item) => html`<li>${item}</li>`)}</ul>`,
  code: (_, { text }) => html`<pre class="body" tabindex="0">${text}</pre>`,
  actions: (pane, { actions }) =>
    html`<div class="actions">
      ${actions.map(
        ({ id, label, primary, off = false }) =>
          html`<button
            type="button"
            class="action ${primary ? 'primary' : ''}"
            aria-disabled=${off ? 'true' : nothing}
            @click=${() => off || pane.act(id)}
          >
            ${label}
          </button>`,
      )}
    </div>`,
  fields: viewFields,
  table: viewTable,
  chart: viewChart,
  meter: viewMeter,
  choices: viewChoices,
  input: viewInput,
  pinned: (pane, { blocks }, level) =>
    html`<div class="pinned">${blocks.map((block) => viewBlock(pane, block, level))}</div>`,
  section: viewSection,
  beside: (pane, { blocks }, level) =>
    html`<div class="beside">${blocks.map((block) => html`<div>${viewBlock(pane, block, level)}</div>`)}</div>`,
};

/** Each keeps its own element when others are added or removed before it, so that typed text and focus stay. */
function viewBlocks(pane: Pane, blocks: readonly PageBlock[], level: number) {
  const seen = new Map<string, number>();
  const keys = new Map(
    blocks.map((block) => {
      const name = block.kind === 'section' ? `section ${block.id}` : block.kind;
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      return [block, `${name} ${count}`];
    }),
  );
  return repeat(
    blocks,
    (block) => keys.get(block),
    (block) => viewBlock(pane, block, level),
  );
}

function viewBlock(pane: Pane, block: PageBlock, level: number): TemplateResult {
  // The compiler knows that each row of the table takes its own blocks, but not that `block` selects its own row.
  const view = VIEWS[block.kind] as View<PageBlock['kind']>;
  return view(pane, block, level);
}

/** A closed block is not drawn: the bodies of a request may be very long. */
function viewSection(pane: Pane, { id, title, note, fold, blocks }: Of<'section'>, level: number): TemplateResult {
  const inner = () => viewBlocks(pane, blocks, level + 1);
  if (fold === 'none') return html`<section>${heading(title, note, level)}${inner()}</section>`;
  const begins = fold === 'open';
  const open = pane.isOpen(id, begins);
  return html`<details
    ?open=${open}
    @toggle=${(event: Event) => {
      // A nested section is toggled by itself.
      const { target, currentTarget } = event;
      if (target === currentTarget && target instanceof HTMLDetailsElement) pane.turn(id, begins, target.open);
    }}
  >
    <summary>${heading(title, note, level)}</summary>
    ${open ? html`<div class="inside">${inner()}</div>` : nothing}
  </details>`;
}

function heading(title: string, note: string | undefined, level: number): TemplateResult {
  const more = note ? html`<span class="unseen">, </span><span class="note">${note}</span>` : nothing;
  return level <= 2 ? html`<h2><span>${title}</span>${more}</h2>` : html`<h3><span>${title}</span>${more}</h3>`;
}

/** Pages that share an editor tab. Moving between them with the arrow keys shows each. */
function viewTabs(pane: Pane, { label, chosen, list }: NonNullable<Page['tabs']>): TemplateResult {
  const go = (event: KeyboardEvent) => {
    const { target, currentTarget } = event;
    if (!(target instanceof HTMLElement) || !(currentTarget instanceof HTMLElement)) return;
    const all = [...currentTarget.querySelectorAll<HTMLElement>('[role=tab]')];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = event.key === 'Home' ? 0 : event.key === 'End' ? -1 : step && (all.indexOf(target) + step) % all.length;
    const next = at === undefined ? undefined : all.at(at);
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    next.focus();
    next.click();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} @keydown=${go}>
    ${list.map(
      (tab) =>
        html`<button
          type="button"
          role="tab"
          id="tab-${tab.id}"
          aria-selected=${tab.id === chosen}
          aria-controls="tab-panel"
          tabindex=${tab.id === chosen ? '0' : '-1'}
          @click=${() => pane.showTab(tab.id)}
        >${tab.label}</button>`,
    )}
  </div>`;
}

/** A whole page: its title, then its blocks. */
export function viewPage(pane: Pane, { title, subtitle, blocks, tabs }: Page): TemplateResult {
  const page = html`
      <header>
        <div class="report-head">
          <h1 class="grow">${title}</h1>
          <button
            type="button"
            class="icon codicon codicon-go-to-file"
            title=${t('Open as text')}
            aria-label=${t('Open as text')}
            @click=${() => pane.openText()}
          ></button>
        </div>
        ${subtitle ? html`<p class="quiet">${subtitle}</p>` : nothing}
      </header>
      ${viewBlocks(pane, blocks, 2)}
  `;
  return html`
    <main class="report" tabindex="0" aria-label=${title}>
      ${
        tabs
          ? html`${viewTabs(pane, tabs)}
              <div role="tabpanel" id="tab-panel" aria-labelledby="tab-${tabs.chosen}">${page}</div>`
          : page
      }
    </main>
  `;
}
