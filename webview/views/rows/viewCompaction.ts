/** A compaction in one line: size before and after, removed items, details, undo and redo. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatMoney } from '../../../src/core/cost/formatMoney.ts';
import { fateWords } from '../../../src/core/fates.ts';
import { formatCount } from '../../../src/core/figures.ts';
import { type Words, words } from '../../../src/core/words.ts';
import type { RowOf } from '../../../src/protocol/rows.ts';
import {
  formatBoth,
  formatDuration,
  formatShare,
  formatTokens,
  inPanelLanguage,
  listFates,
  warnOfLoss,
} from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import { viewIconButton, viewTextButton } from '../viewButton.ts';
import { viewCount, viewTokens } from '../viewTokens.ts';
import type { RowKinds, RowPlace } from './rowKinds.ts';
import { fateShares, viewFateBar } from './viewFateBar.ts';

type CompactionRow = RowOf<'compaction'>;

export const COMPACTIONS: RowKinds<'compaction'> = {
  compaction: {
    view: viewCompaction,
    // The warning before an undo depends on the present size of the context.
    drawnFrom: ({ state }, { canUndo, canRedo }) =>
      canUndo || canRedo ? `${state?.meter.tokens} ${warnOfLoss(state)}` : '',
    height: () => 44,
    name: () => t('Compaction'),
    spoken: ({ tokensBefore, tokensAfter }) =>
      t('{0}: {1}', t('Compaction'), t('{0} → {1}', ...formatBoth(tokensBefore, tokensAfter))),
  },
};

function viewCompaction(panel: Panel, row: CompactionRow, { fixed }: RowPlace): TemplateResult {
  const open = panel.open.has(row.id);
  const undone = row.state === 'undone';
  const carried = CARRIED.get(row.trigger);
  const numbers = t('{0} → {1}', ...formatBoth(row.tokensBefore, row.tokensAfter));
  return html`
    <section class="row compaction ${row.state}" data-row=${row.id}>
      <div class="compaction-line">
        <button
          type="button"
          class="compaction-toggle"
          aria-expanded=${open}
          title="${nameDoer(panel, row)}&#10;${t('Details')}"
          @click=${() => panel.toggle(row.id)}
        >
          <span class="codicon ${open ? 'codicon-chevron-down' : 'codicon-chevron-right'}" aria-hidden="true"></span>
          <span class="codicon ${carried?.icon ?? 'codicon-fold'}" aria-hidden="true"></span>
          <span class="compaction-text">
            ${viewCount(numbers, t('{0} tokens', numbers), 'compaction-numbers')}
            ${viewCounts(listFacts(panel, row))}
            ${undone ? html`<span class="tag">${t('undone')}</span>` : nothing}
          </span>
        </button>
        ${fixed ? nothing : html`<span class="compaction-acts">${viewAutopsy(panel, row)}${viewUndo(panel, row)}</span>`}
      </div>
      ${viewBar(row)}
      ${open ? viewDetails(panel, row) : nothing}
    </section>
  `;
}

/** None where nothing was taken, or where too many messages were for a row to look at each. */
const viewBar = ({ trigger, tokensBefore, lost }: CompactionRow) =>
  CARRIED.has(trigger) || lost.length === 0 ? nothing : viewFateBar(fateShares(tokensBefore, lost));

/** The text after the row's numbers. */
function listFacts(panel: Panel, row: CompactionRow): string[] {
  const carried = CARRIED.get(row.trigger);
  return [
    // Nobody saw it happen.
    ...(row.trigger === 'cooling' ? [t('while you were away')] : []),
    ...(carried ? [inPanelLanguage(carried.name)] : [nameStrategy(panel, row), ...listCounts(row)]),
    ...(!carried && row.changed.length > 0 ? [t('changed by hand')] : []),
    ...(row.cost ? [formatMoney(row.cost)] : []),
    ...(row.repeated ? [nameRepeated(row.repeated)] : []),
  ];
}

/** Such as `3 reads repeated, 4,100 tokens`. */
function nameRepeated({ reads, runs, tokens }: NonNullable<CompactionRow['repeated']>): string {
  const counts = [
    ...plural(reads, t('1 read repeated'), t('{0} reads repeated', formatCount(reads))),
    ...plural(runs, t('1 command repeated'), t('{0} commands repeated', formatCount(runs))),
  ];
  return [...counts, t('{0} tokens', formatTokens(tokens))].join(', ');
}

/** No line begins with a dot: the blank before it does not break. */
function viewCounts(counts: readonly string[]): TemplateResult[] {
  const last = counts.length - 1;
  return counts.map(
    (text, index) => html`<span class="compaction-count">${text}${index < last ? '\u00a0·' : ''}</span> `,
  );
}

/** A compaction that removed nothing and only added a summary. */
const CARRIED: ReadonlyMap<string, { icon: string; name: Words; undo: Words; redo: Words }> = new Map(
  Object.entries({
    branch: {
      icon: 'codicon-git-branch',
      name: words('summary of a branch'),
      undo: words('Remove the summary of the branch'),
      redo: words('Restore the summary of the branch'),
    },
    handoff: {
      icon: 'codicon-arrow-swap',
      name: words('summary of the earlier session'),
      undo: words('Remove the summary of the earlier session'),
      redo: words('Restore the summary of the earlier session'),
    },
  }),
);

const labelOf = ({ state }: Panel, strategy: string) => state?.strategies.find(({ id }) => id === strategy)?.label;

/** The strategy, or the step that ran without one. */
function nameStrategy(panel: Panel, { strategy, strategyName, asked, inPart }: CompactionRow): string {
  if (inPart && asked !== '') return t('{0}, in part', labelOf(panel, asked) ?? asked);
  return labelOf(panel, strategy) ?? inPanelLanguage(strategyName);
}

/** The same, with the strategy that was to run, or what became of it. */
function nameDoer(panel: Panel, row: CompactionRow): string {
  const name = nameStrategy(panel, row);
  if (row.asked === '') return name;
  if (row.inPart) return `${name} · ${inPanelLanguage(row.strategyName)}`;
  return t('{0}, in place of {1}', name, labelOf(panel, row.asked) ?? row.asked);
}

/** The fates of the messages, such as `23 hidden` and `12 read by the summary`. */
function listCounts({ fates, ledger }: CompactionRow): string[] {
  return [
    ...listFates(fates),
    ...plural(ledger.length, t('1 fact kept'), t('{0} facts kept', formatCount(ledger.length))),
  ];
}

function plural(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [count === 1 ? one : many];
}

/** A model's summary is in the context. */
const isSummarised = ({ fates, trigger }: CompactionRow) =>
  CARRIED.has(trigger) || fates.some(({ fate }) => fate === 'read');

function viewUndo(panel: Panel, row: CompactionRow): TemplateResult | typeof nothing {
  const tokens = panel.state?.meter.tokens ?? 0;
  const freed = row.tokensBefore - row.tokensAfter;
  const carried = CARRIED.get(row.trigger);
  if (row.canUndo) {
    const hint = t('back to {0}', formatTokens(Math.max(0, tokens + freed)));
    const label = carried ? inPanelLanguage(carried.undo) : t('Undo this compaction');
    return button('discard', label, [hint, warnOfLoss(panel.state)].filter(Boolean).join('. '), () =>
      panel.post({ type: 'undoCompaction' }),
    );
  }
  if (row.canRedo) {
    const after = formatTokens(Math.max(0, tokens - freed));
    const hint = carried ? t('up to {0}', after) : t('down to {0}', after);
    const label = carried ? inPanelLanguage(carried.redo) : t('Redo this compaction');
    return button('redo', label, hint, () => panel.post({ type: 'redoCompaction' }));
  }
  return nothing;
}

/** In sight while the row is pointed at or has the focus. */
function viewAutopsy(panel: Panel, { trigger, state }: CompactionRow): TemplateResult | typeof nothing {
  const sessionId = panel.state?.sessionId;
  if (!sessionId || CARRIED.has(trigger) || state === 'undone') return nothing;
  const hint = t('what was lost, and what other strategies would have kept');
  return html`<span class="row-actions">
    ${button('pulse', t('Open Autopsy…'), hint, () => panel.post({ type: 'openAutopsy', sessionId }))}
  </span>`;
}

/** `hint` describes the effect. */
function button(icon: string, label: string, hint: string, act: () => void): TemplateResult {
  return viewIconButton(icon, t('{0}: {1}', label, hint), act);
}

/** How much the next request had to read again, because its beginning was no longer cached. */
function describeCache({ read, input, again, cost }: NonNullable<CompactionRow['cache']>): string {
  const found = t('the next request read {0} of {1} tokens from the cache', formatTokens(read), formatTokens(input));
  if (again === 0) return found;
  const extra = cost ? ` (+${formatMoney(cost)})` : '';
  return `${t('{0} tokens read again', formatTokens(again))}${extra} · ${found}`;
}

/** Side by side, in tokens as the meter counts them. */
function viewLostAndKept(row: CompactionRow): TemplateResult | typeof nothing {
  if (row.lost.length === 0) return nothing;
  const left = row.lost.reduce((sum, each) => sum + each.left, 0);
  const rest = Math.max(0, row.tokensAfter - row.added - left);
  const line = (name: string, tokens: number) => html`<li><span class="grow">${name}</span>${viewTokens(tokens)}</li>`;
  return html`<div class="lost-and-kept">
    <div>
      <h2>${t('Lost')}</h2>
      <ul>${row.lost.map((each) => line(t('{0}: {1}', inPanelLanguage(KINDS[each.kind]), inPanelLanguage(fateWords(each))), each.tokens))}</ul>
    </div>
    <div>
      <h2>${t('Kept')}</h2>
      <ul>
        ${row.added > 0 ? line(isSummarised(row) ? t('Summary and notes') : t('Notes in place of them'), row.added) : nothing}
        ${left > 0 ? line(t('Placeholders and shortened texts'), left) : nothing}
        ${line(t('Everything else, word for word'), rest)}
      </ul>
    </div>
  </div>`;
}

const KINDS: Readonly<Record<CompactionRow['lost'][number]['kind'], Words>> = {
  user: words('Your messages'),
  assistant: words('Answers'),
  toolResult: words('Tool results'),
  summary: words('Summaries'),
  other: words('Other'),
};

function viewDetails(panel: Panel, row: CompactionRow): TemplateResult {
  const freed = row.tokensBefore - row.tokensAfter;
  const text = isSummarised(row) ? t('Summary the model sees') : t('Text the model sees');
  const fact = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const link = (text: string, type: 'showModelView' | 'previewCompaction' | 'showContextTimeline') =>
    viewTextButton(text, () => panel.post({ type }));
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? nothing : html`<h2>${title}</h2><ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  return html`
    <div class="compaction-body">
      <dl class="facts">
        ${fact(t('Strategy'), nameDoer(panel, row))}
        ${CARRIED.get(row.trigger) ? nothing : fact(t('What changed'), listCounts(row).join(' · ') || t('nothing'))}
        ${row.rounds ? fact(t('Rounds compacted'), String(row.rounds)) : nothing}
        ${row.changed.length > 0 ? fact(t('By hand'), inPanelLanguage(row.changed)) : nothing}
        ${fact(t('Trigger'), inPanelLanguage(row.triggerName))}
        ${fact(t('Duration'), formatDuration(row.durationMs))}
        ${CARRIED.get(row.trigger) ? fact(t('Added'), t('{0} tokens', formatTokens(-freed))) : fact(t('Freed'), `${t('{0} tokens', formatTokens(freed))} (${formatShare(freed, row.tokensBefore)})`)}
        ${
          row.summaryModel === null
            ? nothing
            : fact(
                isSummarised(row) ? t('Summarised by') : t('Asked, without a summary in the end'),
                row.summaryTokens === null
                  ? row.summaryModel
                  : `${row.summaryModel} · ${t('{0} tokens', formatTokens(row.summaryTokens))}`,
              )
        }
        ${row.read === null ? nothing : fact(t('Read by the summary'), t('{0} of {1} tokens', ...formatBoth(row.read.tokens, row.read.of)))}
        ${row.preparedMs === null ? nothing : fact(t('Prepared'), t('in the background, in {0}', formatDuration(row.preparedMs)))}
        ${row.cost ? fact(t('Cost of the summary'), formatMoney(row.cost)) : nothing}
        ${row.repeated === null ? nothing : fact(t('Repeated since'), nameRepeated(row.repeated))}
        ${row.cache === null ? nothing : fact(t('Cache cost'), describeCache(row.cache))}
      </dl>
      ${CARRIED.get(row.trigger) ? nothing : viewLostAndKept(row)}
      ${list(t('Corrections'), row.repairs.map(inPanelLanguage))}
      ${
        row.summary
          ? html`<h2>${text}</h2>
              <pre class="summary" tabindex="0" role="group" aria-label=${text}>${row.summary}</pre>`
          : nothing
      }
      ${viewReasons(row.reasons.map(inPanelLanguage))}
      ${list(t('Key facts kept'), row.ledger.map(inPanelLanguage))}
      <div class="notice-actions">
        ${link(t('What the model sees…'), 'showModelView')} ${link(t('Preview…'), 'previewCompaction')}
        ${link(t('Timeline…'), 'showContextTimeline')} ${viewExpand(panel, row)}
      </div>
    </div>
  `;
}

/** Offered when repeats pile up: what else it took would be read again as well. */
function viewExpand(panel: Panel, { repeated, state }: CompactionRow): TemplateResult | typeof nothing {
  const gone = repeated?.gone ?? [];
  const [first, ...others] = gone;
  if (!first || state === 'undone') return nothing;
  const tokens = formatTokens(gone.reduce((sum, each) => sum + each.tokens, 0));
  return html`<button
    type="button"
    class="text-button"
    @click=${() =>
      panel.post({
        type: 'expand',
        itemId: first.itemId,
        also: others.map(({ itemId }) => itemId),
        expanded: true,
      })}
  >
    ${
      gone.length === 1
        ? t('Expand: one more result comes back, {0} tokens', tokens)
        : t('Expand: {0} more results come back, {1} tokens', formatCount(gone.length), tokens)
    }
  </button>`;
}

/** Initially closed: there may be hundreds of lines. */
function viewReasons(reasons: readonly string[]) {
  if (reasons.length === 0) return nothing;
  return html`<details class="reasons">
    <summary>${plural(reasons.length, t('Why 1 line was kept'), t('Why {0} lines were kept', formatCount(reasons.length)))}</summary>
    <ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
  </details>`;
}
