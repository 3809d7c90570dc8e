/** Every kind of block that a page is made of: one function for each. */

import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { PageBlock } from '../../src/protocol/pages.ts';
import type { Pane } from './pane.ts';
import { viewChart } from './viewChart.ts';
import { viewChoices } from './viewChoices.ts';
import { viewFields } from './viewFields.ts';
import { viewInput } from './viewInput.ts';
import { viewMeter } from './viewMeter.ts';
import { viewTable } from './viewTable.ts';

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

/** Each finds its own element again when others come or go before it, so that what is typed or in focus stays. */
export function viewBlocks(pane: Pane, blocks: readonly PageBlock[], level: number) {
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

export function viewBlock(pane: Pane, block: PageBlock, level: number): TemplateResult {
  // The compiler knows that each line of the table takes its own blocks, but not that `block` finds its own line.
  const view = VIEWS[block.kind] as View<PageBlock['kind']>;
  return view(pane, block, level);
}

/** What is closed is not drawn: the bodies of a request may be very long. */
function viewSection(pane: Pane, { id, title, note, fold, blocks }: Of<'section'>, level: number): TemplateResult {
  const inner = () => viewBlocks(pane, blocks, level + 1);
  if (fold === 'none') return html`<section>${heading(title, note, level)}${inner()}</section>`;
  const begins = fold === 'open';
  const open = pane.isOpen(id, begins);
  return html`<details
    ?open=${open}
    @toggle=${(event: Event) => {
      // A section inside of this one is turned by itself.
      const { target, currentTarget } = event;
      if (target === currentTarget && target instanceof HTMLDetailsElement) pane.turn(id, begins, target.open);
    }}
  >
    <summary>${heading(title, note, level)}</summary>
    ${open ? html`<div class="inside">${inner()}</div>` : nothing}
  </details>`;
}

function heading(title: string, note: string | undefined, level: number): TemplateResult {
  const more = note ? html`<span class="note">${note}</span>` : nothing;
  return level <= 2 ? html`<h2><span>${title}</span>${more}</h2>` : html`<h3><span>${title}</span>${more}</h3>`;
}
