/** A tool call in one line that opens to its arguments and result. A call that needs approval is always open. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatCount } from '../../../src/core/figures.ts';
import { nameTool } from '../../../src/core/tools/toolNames.ts';
import { type Words, words } from '../../../src/core/words.ts';
import type { RowOf } from '../../../src/protocol/rows.ts';
import { announceQuestion } from '../../page/announcer.ts';
import { formatDuration, formatQuestion, inPanelLanguage } from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import { viewIconButton, viewTextButton } from '../viewButton.ts';
import { picturesNow, viewImages } from '../viewImages.ts';
import { viewCount, viewTokens } from '../viewTokens.ts';
import { describeCall } from './callVerb.ts';
import { followEnd } from './followEnd.ts';
import type { RowKinds, RowPlace } from './rowKinds.ts';
import { openPath, viewApproval, viewOpen } from './viewApproval.ts';
import { stepOf } from './viewCard.ts';
import { viewDiff } from './viewDiff.ts';
import { viewFateActions, viewFateMark } from './viewFate.ts';

type ToolRow = RowOf<'tool'>;

const ICONS: Record<ToolRow['status'], string> = {
  waiting: 'circle-outline',
  approval: 'question',
  running: 'loading codicon-modifier-spin',
  done: 'check',
  failed: 'error',
  denied: 'circle-slash',
  abandoned: 'debug-disconnect',
};

const STATUS: Record<ToolRow['status'], Words> = {
  waiting: words('waiting'),
  approval: words('needs your approval'),
  running: words('running'),
  done: words('done'),
  failed: words('failed'),
  denied: words('declined'),
  abandoned: words('did not finish'),
};

const NOT_RUN: Record<NonNullable<ToolRow['notRun']>, Words> = {
  person: words('not run: you stopped the agent'),
  message: words('not run: your message went first'),
  window: words('not run: the window was closed'),
  session: words('not run: the session was closed'),
  timeLimit: words('not run: a time limit ended the turn'),
  program: words('not run: the turn was stopped'),
};

export const TOOLS: RowKinds<'tool'> = {
  tool: {
    view: viewTool,
    drawnFrom: (panel, row) => `${callNow(panel, row)}${picturesNow(panel, row.images)}`,
    height: () => 26,
    name: (row) => `${describeCall(row) || row.toolName} ${row.title}`,
    spoken: ({ approval }) =>
      approval ? announceQuestion(`${formatQuestion(approval.detail)} ${approval.title}`) : '',
  },
};

/** The answer to a call's question that is being confirmed, and whether its command is still running. */
function callNow(panel: Panel, row: ToolRow): string {
  return `${row.approval && stepOf(panel, row.approval.hash)} ${runningId(panel, row)}`;
}

/** The id of a command that still runs in the background; empty for any other call. */
function runningId({ state }: Panel, { detail }: ToolRow): string {
  const id = detail.kind === 'command' ? (detail.background ?? '') : '';
  return state?.background.includes(id) ? id : '';
}

function viewTool(panel: Panel, row: ToolRow, { fixed }: RowPlace): TemplateResult {
  const open = panel.open.has(row.id);
  const { detail } = row;
  const isRunning = runningId(panel, row) !== '';
  const now = isRunning ? 'running' : row.status;
  const status = inPanelLanguage(row.notRun ? NOT_RUN[row.notRun] : STATUS[now]);
  const verb = describeCall(row, isRunning);
  const path = pathOf(row);
  const openRow = () => panel.post({ type: 'openRow', rowId: row.id });
  const reviewed = detail.kind === 'edit' && !row.approval && row.status !== 'abandoned';
  const marks = fixed || row.tokens === 0 ? 0 : row.fate === 'kept' ? 1 : 2;
  const actions = Number(path !== null) + Number(reviewed) + Number(row.opens === 'session') + marks;
  return html`
    <section class="row tool status-${row.status} fate-${row.fate}" data-row=${row.id}>
      <div class="tool-line actions-${actions} ${row.tokens > 0 ? 'counted' : ''}">
        <button
          type="button"
          class="tool-toggle"
          aria-expanded=${open}
          title="${nameTool(row.toolName, t)} ${row.title}"
          @click=${() => panel.toggle(row.id)}
        >
          <span class="codicon ${open ? 'codicon-chevron-down' : 'codicon-chevron-right'}" aria-hidden="true"></span>
          <span class="status codicon codicon-${ICONS[now]}" role="img" aria-label=${status} title=${status}></span>
          ${verb ? html`<span class="tool-verb">${verb}</span>` : html`<span class="tool-name">${row.toolName}</span>`}
          <span class="tool-title ${detail.kind === 'command' ? 'code-title' : ''}">${viewTitle(row.title)}</span>
        </button>
        ${viewFateMark(row)} ${viewOutcome(row)} ${viewDuration(row)}
        <span class="row-actions">
          ${row.tokens > 0 ? viewTokens(row.tokens, 'row-tokens') : nothing} ${viewBackground(panel, row)}
          ${path === null ? nothing : viewOpen(panel, path)}
          ${reviewed ? namedButton('diff', t('Review'), detail.path, openRow) : nothing}
          ${
            row.opens === 'session' && row.status !== 'waiting'
              ? namedButton('open-preview', t('Open what the subagent said and did'), row.title, openRow)
              : nothing
          }
          ${fixed || row.tokens === 0 ? nothing : viewFateActions(panel, row.itemId, row)}
        </span>
      </div>
      ${row.approval ? viewApproval(panel, row.id, row.approval) : nothing}
      ${viewImages(panel, row.images)}
      ${open ? viewBody(panel, row) : nothing}
      ${!open && row.status === 'running' && row.result ? html`<pre class="tail" aria-hidden="true">${lastLines(row.result)}</pre>` : nothing}
    </section>
  `;
}

/** A background command can be viewed and stopped where it was started. */
function viewBackground(panel: Panel, row: ToolRow): TemplateResult | typeof nothing {
  const id = runningId(panel, row);
  const { title } = row;
  if (id === '') return nothing;
  return html`<span class="background" role="group" aria-label=${t('running')}>
    ${namedButton('output', t('Show its output'), title, () => panel.post({ type: 'showBackground', id }))}
    ${namedButton('debug-stop', t('Stop'), title, () => panel.post({ type: 'stopBackground', id }))}
  </span>`;
}

function namedButton(icon: string, label: string, name: string, act: () => void): TemplateResult {
  return viewIconButton(icon, label, act, { name: t('{0}: {1}', label, name) });
}

/** The server is the important part of an address, the end that of a path, which is therefore cut at its beginning. */
function viewTitle(title: string): TemplateResult {
  return /^(?!https?:)\S*\/\S+$/.test(title)
    ? html`<span class="clip path"><bdi dir="ltr">${title}</bdi></span>`
    : html`<span class="clip" dir="auto">${title}</span>`;
}

/** The outcome of the call; it stays visible next to the buttons. */
function viewOutcome({ detail, notRun }: ToolRow): TemplateResult | typeof nothing {
  if (notRun) return html`<span class="tool-outcome" title=${inPanelLanguage(NOT_RUN[notRun])}>${t('not run')}</span>`;
  if (detail.kind === 'command' && detail.exitCode !== null) {
    const { exitCode } = detail;
    return html`<span class="tool-outcome ${exitCode === 0 ? '' : 'bad'}">${t('exit {0}', String(exitCode))}</span>`;
  }
  if (detail.kind !== 'edit') return nothing;
  const { added, removed, effect, takenBack = false } = detail;
  if (added + removed === 0 && effect !== 'created' && effect !== 'overwritten' && !takenBack) return nothing;
  return html`<span class="tool-outcome ${takenBack ? 'taken-back' : ''}">
    ${takenBack ? html`<span class="tag">${t('undone')}</span>` : nothing}
    ${effect === 'created' || effect === 'overwritten' ? html`<span class="tag">${effect === 'created' ? t('new') : t('overwritten')}</span>` : nothing}
    ${added + removed > 0 ? html`${viewCount(`+${added}`, t('lines added: {0}', formatCount(added)), 'added')} ${viewCount(`−${removed}`, t('lines removed: {0}', formatCount(removed)), 'removed')}` : nothing}
  </span>`;
}

const viewDuration = ({ durationMs }: ToolRow) =>
  durationMs === null ? nothing : html`<span class="tool-facts">${formatDuration(durationMs)}</span>`;

/** The file of a call. */
function pathOf({ opens, detail, arguments: given }: ToolRow): string | null {
  if (detail.kind === 'edit') return detail.path || null;
  const path = opens === 'file' ? /"path": "((?:[^"\\]|\\.)+)"/.exec(given)?.[1] : undefined;
  return path === undefined ? null : String(JSON.parse(`"${path}"`));
}

function viewBody(panel: Panel, row: ToolRow): TemplateResult {
  const { detail } = row;
  const running = row.status === 'running';
  return html`
    <div class="tool-body">
      ${
        detail.kind === 'command'
          ? row.approval
            ? nothing
            : html`<pre class="command" tabindex="0">${detail.command}</pre>`
          : detail.kind === 'edit' && !row.approval
            ? html`<h2>${viewPath(panel, detail.path)}${detail.effect === 'none' ? html` · ${t('not changed; this was asked for')}` : nothing}</h2>
                ${viewDiff(detail.diff, t('Changes to {0}', detail.path), (line) => openPath(panel, detail.path, line))}`
            : row.arguments && row.arguments !== '{}'
              ? html`<h2>${t('Arguments')}</h2><pre tabindex="0">${row.arguments}</pre>`
              : nothing
      }
      ${
        row.result || !['waiting', 'approval'].includes(row.status)
          ? html`<h2>${running ? t('Output so far') : t('Result')}</h2>
            ${row.result ? html`<pre class="result" tabindex="0" ${running ? followEnd() : nothing}>${row.result}</pre>` : html`<p class="nothing">${t('No output.')}</p>`}`
          : nothing
      }
      <div class="tool-more">
        <span>${nameTool(row.toolName, t)}</span>
        ${row.resultTruncated ? html`<span>${t('Truncated here.')}</span>` : nothing}
        ${viewTextButton(t('Open in editor'), () => panel.post({ type: 'openRow', rowId: row.id }))}
      </div>
    </div>
  `;
}

function viewPath(panel: Panel, path: string): TemplateResult {
  return html`<button type="button" class="text-button file" title=${t('Open {0}', path)} @click=${() => openPath(panel, path)}>
    <bdi dir="ltr">${path}</bdi>
  </button>`;
}

/** The last output of a running command. */
function lastLines(text: string): string {
  return text.slice(-2_000).trimEnd().split('\n').slice(-4).join('\n');
}
