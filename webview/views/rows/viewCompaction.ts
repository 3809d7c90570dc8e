/** A compaction in one line: before and after, what went, details, undo and redo. */

import { html, nothing, type TemplateResult } from 'lit';
import type { RowOf } from '../../../src/protocol/rows.ts';
import type { Panel } from '../../page/panel.ts';
import { formatDuration, formatPercent, formatTokens, formatTrigger } from '../../words/format.ts';
import { type Strings, strings } from '../../words/strings.ts';
import type { RowPlace } from './rowKind.ts';

type CompactionRow = RowOf<'compaction'>;

export function viewCompaction(panel: Panel, row: CompactionRow, { fixed }: RowPlace): TemplateResult {
  const open = panel.open.has(row.id);
  const undone = row.state === 'undone';
  const numbers = strings.compacted(formatTokens(row.tokensBefore), formatTokens(row.tokensAfter));
  return html`
    <section class="row compaction ${row.state}" data-row=${row.id} aria-label=${strings.compactionLabel}>
      <div class="compaction-line">
        <button
          type="button"
          class="compaction-toggle"
          aria-expanded=${open}
          title="${listCounts(row, strings.counts).join(' · ')}&#10;${strings.details}"
          @click=${() => panel.toggle(row.id)}
        >
          <span class="codicon ${open ? 'codicon-chevron-down' : 'codicon-chevron-right'}" aria-hidden="true"></span>
          <span class="codicon codicon-fold" aria-hidden="true"></span>
          <span class="compaction-text">
            <span class="compaction-numbers">${numbers}</span>
            ${viewCounts(listCounts(row, strings.countsShort))}
            ${undone ? html`<span class="tag">${strings.undone}</span>` : nothing}
          </span>
        </button>
        ${fixed ? nothing : viewUndo(panel, row)}
      </div>
      ${open ? viewDetails(panel, row) : nothing}
    </section>
  `;
}

function viewCounts(counts: readonly string[]): TemplateResult[] {
  const last = counts.length - 1;
  return counts.map((text, index) => html`<span class="compaction-count">${text}${index < last ? ' ·' : ''}</span> `);
}

/** What went, such as `23 hidden` and `12 summarised`. */
function listCounts(row: CompactionRow, words: Strings['counts']): string[] {
  const gone = row.inserted > 0 ? words.summarised : words.dropped;
  return [
    ...(row.hidden > 0 ? [words.hidden(row.hidden)] : []),
    ...(row.dropped > 0 ? [gone(row.dropped)] : []),
    ...(row.shortened > 0 ? [words.shortened(row.shortened)] : []),
  ];
}

function viewUndo(panel: Panel, row: CompactionRow): TemplateResult | typeof nothing {
  const tokens = panel.state?.meter.tokens ?? 0;
  const freed = Math.max(0, row.tokensBefore - row.tokensAfter);
  if (row.canUndo) {
    const hint = strings.undoTo(formatTokens(tokens + freed));
    return button('discard', strings.undo, hint, () => panel.post({ type: 'undoCompaction' }));
  }
  if (row.canRedo) {
    const hint = strings.redoTo(formatTokens(Math.max(0, tokens - freed)));
    return button('redo', strings.redo, hint, () => panel.post({ type: 'redoCompaction' }));
  }
  return nothing;
}

/** `hint` says what comes of it. */
function button(icon: string, label: string, hint: string, act: () => void): TemplateResult {
  return html`<button
    type="button"
    class="icon codicon codicon-${icon}"
    title="${label}: ${hint}"
    aria-label="${label}: ${hint}"
    @click=${act}
  ></button>`;
}

function viewDetails(panel: Panel, row: CompactionRow): TemplateResult {
  const strategy = panel.state?.strategies.find(({ id }) => id === row.strategy);
  const freed = row.tokensBefore - row.tokensAfter;
  const fact = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const link = (text: string, command: 'showModelView' | 'previewCompaction') =>
    html`<button type="button" class="text-button" @click=${() => panel.post({ type: 'command', command })}>${text}</button>`;
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? nothing : html`<h3>${title}</h3><ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  return html`
    <div class="compaction-body">
      <dl class="facts">
        ${fact(strings.detailStrategy, strategy?.label ?? strings.ownStrategies[row.strategy] ?? row.strategyLabel)}
        ${fact(strings.detailCounts, listCounts(row, strings.counts).join(' · ') || strings.detailNothing)}
        ${fact(strings.detailTrigger, formatTrigger(row.trigger))}
        ${fact(strings.detailDuration, formatDuration(row.durationMs))}
        ${fact(strings.detailSaved, `${strings.detailTokens(formatTokens(freed))} (${formatPercent(freed / Math.max(row.tokensBefore, 1))})`)}
        ${
          row.summaryModel === null
            ? nothing
            : fact(
                strings.detailModel,
                row.summaryTokens === null
                  ? row.summaryModel
                  : `${row.summaryModel} · ${strings.detailTokens(formatTokens(row.summaryTokens))}`,
              )
        }
      </dl>
      ${list(strings.detailRepairs, row.repairs)} ${list(strings.detailLedger, row.ledger)}
      ${
        row.summary
          ? html`<h3>${strings.detailSummary}</h3>
              <pre class="summary" tabindex="0" role="group" aria-label=${strings.detailSummary}>${row.summary}</pre>`
          : nothing
      }
      <div class="notice-actions">
        ${link(strings.modelView, 'showModelView')} ${link(strings.preview, 'previewCompaction')}
      </div>
    </div>
  `;
}
