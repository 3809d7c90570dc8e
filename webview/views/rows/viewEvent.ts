/** Rows only for the reader: notices with remedies, checkpoints, and the model's messages to its own past. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatCosts } from '../../../src/core/cost/formatMoney.ts';
import { formatCount } from '../../../src/core/figures.ts';
import { type Words, words } from '../../../src/core/words.ts';
import type { PanelCommand } from '../../../src/protocol/commands.ts';
import type { Row, RowOf } from '../../../src/protocol/rows.ts';
import { formatDuration, inPanelLanguage, linesInPanelLanguage } from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import { viewTextButton } from '../viewButton.ts';
import type { RowKinds, RowPlace } from './rowKinds.ts';

type NoticeRow = RowOf<'notice'>;

export const EVENTS: RowKinds<'notice' | 'dmail' | 'checkpoint' | 'changes'> = {
  notice: {
    view: viewNotice,
    drawnFrom: (panel, row) => String(waysNow(panel, row).map(({ label }) => label)),
    height: () => 48,
    name: ({ text }) => inPanelLanguage(text),
    spoken: ({ text }) => inPanelLanguage(text),
  },
  dmail: { view: viewDMail, height: () => 72, name: nameDMail, spoken: nameDMail },
  checkpoint: { view: viewCheckpoint, height: () => 26, name: nameCheckpoint },
  changes: {
    view: viewChanges,
    drawnFrom: (panel, row) => [canUndo(panel, row), ...waitingNow(panel, row)].join(),
    height: () => 26,
    name: ({ text }) => inPanelLanguage(text),
  },
};

function nameCheckpoint({ checkpoint, label }: RowOf<'checkpoint'>): string {
  return label ? t('Checkpoint · {0}', label) : t('Checkpoint {0}', formatCount(checkpoint));
}

function viewNotice(panel: Panel, row: NoticeRow): TemplateResult {
  const open = panel.open.has(row.id);
  return html`
    <section class="row notice ${row.level}" data-row=${row.id}>
      <span class="codicon codicon-${row.level}" role="img" aria-label=${row.level}></span>
      <div class="grow">
        <p>${inPanelLanguage(row.text)}</p>
        ${open ? html`<pre tabindex="0">${linesInPanelLanguage(row.detail)}</pre>` : nothing}
        <div class="notice-actions">
          ${waysNow(panel, row).map(({ action, label }) => viewAction(panel, action, label, row))}
          ${row.detail.length > 0 ? viewTextButton(t('Details'), () => panel.toggle(row.id), open) : nothing}
        </div>
      </div>
    </section>
  `;
}

type Action = Exclude<NoticeRow['action'], 'none'>;

/** The notice's present buttons and their names. */
function waysNow(panel: Panel, row: NoticeRow): readonly { readonly action: Action; readonly label: string }[] {
  return [row.action, ...row.also].flatMap((action) =>
    action === 'none' || !helpsNow(panel, row, action) ? [] : [{ action, label: labelOf(panel, action, row) }],
  );
}

const offers = (row: Row, way: Action): boolean => row.type === 'notice' && [row.action, ...row.also].includes(way);

/** *Retry* belongs to the newest failure, as long as there is something to retry. */
function helpsNow({ state, rows }: Panel, row: NoticeRow, action: Action): boolean {
  if (action !== 'retry' && action !== 'compact') return true;
  if (action === 'retry' ? state?.retry !== 'possible' : state?.status !== 'idle') return false;
  const newest = rows.all.findLast(
    (each) => each.id === row.id || each.type === 'user' || each.type === 'assistant' || offers(each, action),
  );
  return newest?.id === row.id;
}

/** A turn that its host did not live to end has no notice with a way on. */
export function viewUnfinished(panel: Panel): TemplateResult | typeof nothing {
  if (panel.state?.retry !== 'possible') return nothing;
  const newest = panel.rows.all.findLast(
    (row) => row.type === 'user' || row.type === 'assistant' || offers(row, 'retry'),
  );
  if (newest?.type === 'notice') return nothing;
  return html`
    <section class="row notice info">
      <span class="codicon codicon-info" role="img" aria-label="info"></span>
      <div class="grow">
        <p>${t('The agent did not finish here.')}</p>
        <div class="notice-actions">${viewTextButton(t('Continue'), () => panel.post({ type: 'retry' }))}</div>
      </div>
    </section>
  `;
}

/** After a pause nothing has failed, so nothing is retried: the agent continues. */
function labelOf(panel: Panel, action: Action, { level, action: first, retryAt }: NoticeRow): string {
  if (action === 'compact' && first === 'compact') return t('Try again');
  if (action !== 'retry') return inPanelLanguage(ACTIONS[action]);
  if (level !== 'error') return t('Continue');
  const left = Math.ceil(((retryAt ?? 0) - Date.now()) / 1_000);
  if (left <= 0) return inPanelLanguage(ACTIONS.retry);
  panel.invalidateIn(left > 120 ? 30_000 : 1_000);
  return left > 120
    ? t('Try again (in {0} min)', formatCount(Math.ceil(left / 60)))
    : t('Try again (in {0} s)', formatCount(left));
}

const ACTIONS: Readonly<Record<Action, Words>> = {
  setKey: words('Set API key'),
  chooseModel: words('Choose a model'),
  openSettings: words('Open settings'),
  openProxySettings: words('Open the proxy’s settings'),
  openFolder: words('Open a folder'),
  trust: words('Manage trust'),
  retry: words('Try again'),
  compact: words('Compact'),
  newSession: words('New session'),
  showBranches: words('Show branches'),
  undoRestore: words('Undo the restore'),
  redoRestore: words('Restore again'),
  openSession: words('Open that session'),
};

/** The command of each remedy, which journals name differently. */
const COMMANDS_OF = {
  setKey: 'setApiKey',
  chooseModel: 'chooseModel',
  openSettings: 'openSettings',
  openProxySettings: 'openProxySettings',
  openFolder: 'openFolder',
  trust: 'manageTrust',
  retry: 'retry',
  compact: 'compact',
  newSession: 'newSession',
  showBranches: 'showBranches',
} as const satisfies Readonly<Record<Exclude<Action, 'openSession' | 'undoRestore' | 'redoRestore'>, PanelCommand>>;

function viewAction(
  panel: Panel,
  action: Action,
  label: string,
  { id, session = '' }: { readonly id: string; readonly session?: string | undefined },
): TemplateResult {
  const act = () => {
    if (action === 'openSession') return panel.post({ type: action, sessionId: session });
    // A note of an earlier restore undoes that one: its id has the number of its entry.
    if (action === 'undoRestore' || action === 'redoRestore')
      return panel.post({ type: 'undoRestore', since: Number(id.slice(1)) });
    return panel.post({ type: COMMANDS_OF[action] });
  };
  return viewTextButton(label, act);
}

/** A message from the model to its past: its text, and what became of the files. */
function viewDMail(panel: Panel, row: RowOf<'dmail'>): TemplateResult {
  const open = panel.open.has(row.id);
  const name = nameDMail(row);
  return html`
    <section class="row notice dmail" data-row=${row.id}>
      <span class="codicon codicon-mail" aria-hidden="true"></span>
      <div class="grow">
        <p class="dmail-title">${name}</p>
        <p class="dmail-text" dir="auto">${row.text}</p>
        ${open ? html`<pre tabindex="0">${linesInPanelLanguage(row.detail)}</pre>` : nothing}
        <div class="notice-actions">
          ${viewAction(panel, 'showBranches', t('Show branches'), row)}
          ${viewTextButton(t('Details'), () => panel.toggle(row.id), open)}
        </div>
      </div>
    </section>
  `;
}

function nameDMail({ checkpoint, from }: RowOf<'dmail'>): string {
  return from
    ? t(
        'The subagent {0} sent its report to checkpoint {1}, and the agent went on from there',
        from,
        formatCount(checkpoint),
      )
    : t('The agent sent itself a message to checkpoint {0} and went on from there', formatCount(checkpoint));
}

function viewCheckpoint(panel: Panel, row: RowOf<'checkpoint'>, { fixed }: RowPlace): TemplateResult {
  const restore = () => panel.post({ type: 'restoreCheckpoint', checkpoint: row.checkpoint });
  const name = nameCheckpoint(row);
  return html`<div class="row checkpoint" data-row=${row.id}>
    <span class="codicon codicon-bookmark" aria-hidden="true"></span>
    <span class="clip" title=${name}>${name}</span>
    ${
      fixed
        ? nothing
        : html`<button
            type="button"
            class="text-button row-actions restore"
            title=${t('Go back to here: conversation, files or both. You see first what would change.')}
            aria-label="${t('Restore…')} ${name}"
            @click=${restore}
          >${t('Restore…')}</button>`
    }
  </div>`;
}

/** The end of a turn that changed files: what it changed and took, and what waits. */
function viewChanges(panel: Panel, row: RowOf<'changes'>, { fixed }: RowPlace): TemplateResult {
  const notice = inPanelLanguage(row.text);
  const facts = [
    row.ms === null ? '' : formatDuration(row.ms),
    row.costs === null ? '' : formatCosts(row.costs),
    ...waitingNow(panel, row),
  ].filter(Boolean);
  return html`<div class="row changes" data-row=${row.id}>
    <span class="codicon codicon-diff-multiple" aria-hidden="true"></span>
    <span>${notice}</span>
    <button
      type="button"
      class="text-button"
      title=${t('Look at what this turn changed in files, and take back what you do not want.')}
      aria-label="${t('Review')} ${notice}"
      @click=${() => panel.post({ type: 'reviewChanges', since: row.since })}
    >${t('Review')}</button>
    ${
      fixed || !canUndo(panel, row)
        ? nothing
        : html`<button
            type="button"
            class="text-button"
            title=${t('Give the files back what they held before this turn. You see first what would change.')}
            aria-label="${t('Undo')} ${notice}"
            @click=${() => panel.post({ type: 'undoChanges', since: row.since })}
          >${t('Undo')}</button>`
    }
    <span class="taken">${facts.join(' · ')}</span>
  </div>`;
}

/** The row stands at the end of the newest turn, and none is running. */
function isEnd({ state, rows }: Panel, row: RowOf<'changes'>): boolean {
  const newest = rows.all.findLast(({ type }) => type === 'changes' || type === 'user');
  return state?.status === 'idle' && newest?.id === row.id;
}

/** An earlier turn's files have been changed again since. A restore of the conversation alone names no files. */
function canUndo(panel: Panel, row: RowOf<'changes'>): boolean {
  const undone = panel.rows.all.findLast(
    (each) =>
      each.type === 'notice' && (offers(each, 'undoRestore') || offers(each, 'redoRestore')) && each.detail.length > 0,
  );
  return isEnd(panel, row) && (undone?.time ?? 0) < row.time;
}

function waitingNow(panel: Panel, row: RowOf<'changes'>): readonly string[] {
  if (!isEnd(panel, row) || !panel.state) return [];
  const { queue, background } = panel.state;
  return [
    queue.length === 0 ? '' : t('waiting messages: {0}', formatCount(queue.length)),
    background.length === 0 ? '' : t('commands that still run: {0}', formatCount(background.length)),
  ].filter(Boolean);
}
