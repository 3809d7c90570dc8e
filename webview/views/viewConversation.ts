/** The rows, the questions at their end, and the button that leads back to the end. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { countFates } from '../../src/core/fates.ts';
import { formatCount } from '../../src/core/figures.ts';
import { nameTool } from '../../src/core/tools/toolNames.ts';
import type { PanelCommand } from '../../src/protocol/commands.ts';
import type { PanelState } from '../../src/protocol/messages.ts';
import type { Row, RowOf } from '../../src/protocol/rows.ts';
import { fileInComment, fileOfLink, filesInText } from '../markdown/namedFile.ts';
import { listFates } from '../page/format.ts';
import type { Panel } from '../page/panel.ts';
import { type Drawing, type ShownList, windowed } from '../page/rowWindow.ts';
import { copyWithMark } from './copyWithMark.ts';
import { EntryList, type RowEntry } from './entryList.ts';
import { onFocusIn, onRowKey } from './rowKeys.ts';
import { viewConsent } from './rows/viewConsent.ts';
import { viewUnfinished } from './rows/viewEvent.ts';
import { viewQuestion } from './rows/viewQuestion.ts';
import { drawnFrom, nameRow, viewRow } from './rows/viewRow.ts';
import { viewTextButton } from './viewButton.ts';
import { viewElsewhere } from './viewElsewhere.ts';
import { viewIdea } from './viewIdea.ts';
import { viewTokens } from './viewTokens.ts';

export function viewConversation(panel: Panel, state: PanelState): TemplateResult {
  const rows = panel.rows.all;
  return html`
    <main class="conversation-frame">
      <div
        class="conversation"
        role="log"
        aria-live="off"
        aria-label=${t('Conversation')}
        tabindex="0"
        @click=${(event: MouseEvent) => onClick(panel, event)}
        @keydown=${(event: KeyboardEvent) => onKey(panel, event)}
        @focusin=${(event: FocusEvent) => onFocusIn(panel, event)}
      >
        <div class="rows">
          ${panel.rows.more ? html`<p class="older">${t('Loading older messages…')}</p>` : nothing}
          ${rows.length === 0 ? viewWelcome(panel, state) : nothing}
          <div class="row-list" ${windowed(panel.reader.window, listEntries(panel, state))}></div>
          <div class="rows-end" tabindex="-1"></div>
          ${viewUnfinished(panel)}
          ${viewMore(panel, state)}
          ${state.sending === null ? nothing : viewSending(state.sending, state)}
          ${state.question ? viewQuestion(panel, state.question) : nothing}
          ${state.consent ? viewConsent(panel, state.consent) : nothing}
        </div>
      </div>
      ${
        panel.reader.following || rows.length === 0
          ? nothing
          : html`<button type="button" class="latest" title=${panel.news?.text ?? nothing} @click=${() => panel.showLatest()}>
              <span class="codicon codicon-arrow-down" aria-hidden="true"></span>
              <span class="clip">${panel.news ? t('Jump to latest: {0}', panel.news.text) : t('Jump to latest')}</span>
            </button>`
      }
    </main>
  `;
}

/** Handles links and code buttons in rendered Markdown, which has no listeners of its own. */
function onClick(panel: Panel, event: Event): void {
  const target = event.target instanceof Element ? event.target : null;
  const href = target?.closest<HTMLElement>('a[data-href]')?.dataset.href;
  if (href !== undefined) {
    event.preventDefault();
    const file = fileOfLink(href.slice(0, 4_000));
    panel.post(file ? { type: 'openFile', ...file } : { type: 'openLink', href: href.slice(0, 4_000) });
    return;
  }
  const action = target?.closest<HTMLElement>('[data-action]');
  const block = action?.closest('.code');
  const code = block?.querySelector('pre')?.textContent;
  if (!action || code === null || code === undefined) return;
  switch (action.dataset.action) {
    case 'insert':
      panel.post({ type: 'insert', text: code });
      break;
    case 'apply':
      panel.post({ type: 'applyCode', text: code, ...filesOf(block, code), language: languageOf(block) });
      break;
    case 'newFile':
      panel.post({
        type: 'newFile',
        text: code,
        language: languageOf(block),
      });
      break;
    default:
      copyWithMark(panel, code, action);
  }
}

function languageOf(block: Element | null | undefined): string {
  return block?.querySelector('.code-language')?.textContent.slice(0, 100) ?? '';
}

/** Files that the block names itself, and those named in the preceding paragraph, the nearest first. */
function filesOf(block: Element | null | undefined, code: string): { named: string[]; near: string[] } {
  const info = block instanceof HTMLElement ? (block.dataset.info ?? '') : '';
  const comment = fileInComment(code);
  const before = block?.previousElementSibling?.textContent.slice(-400) ?? '';
  return {
    named: [...filesInText(info), ...(comment === null ? [] : [comment])].slice(0, 3),
    near: filesInText(before).reverse().slice(0, 5),
  };
}

function onKey(panel: Panel, event: KeyboardEvent): void {
  const link = event.target instanceof HTMLElement && event.target.matches('a[data-href]');
  if (link && (event.key === 'Enter' || event.key === ' ')) onClick(panel, event);
  else onRowKey(panel, event);
}

/** How each entry of the conversation is drawn, and which changes redraw it. */
const lists = new WeakMap<Panel, EntryList>();

function listEntries(panel: Panel, state: PanelState): ShownList {
  const list = lists.get(panel) ?? new EntryList();
  lists.set(panel, list);
  const entries = list.of(panel.rows, panel.open, state.status !== 'idle', state.sessionId);
  return { entries, more: panel.rows.more, describe: (index) => describe(panel, state, entries[index] as RowEntry) };
}

function describe(panel: Panel, state: PanelState, entry: RowEntry): Drawing {
  return entry.kind === 'head' ? describeGroup(panel, entry) : describeRow(panel, state, entry);
}

function describeGroup(panel: Panel, { key, members }: RowEntry): Drawing {
  const rows = members.map((id) => panel.rows.get(id)).filter((row) => row?.type === 'tool');
  const open = panel.open.has(key);
  return { parts: [open, ...rows], label: nameGroup(rows), draw: () => viewGroup(panel, key, rows, open) };
}

function describeRow(panel: Panel, state: PanelState, { rowIds: [id = ''], kind }: RowEntry): Drawing {
  const row = panel.rows.get(id);
  if (!row) return { parts: [], label: '', draw: () => html`` };
  const isAnswer = row.type === 'assistant';
  const place = {
    fixed: state.readOnly !== '',
    continues: isAnswer && hasSpoken(panel, row),
    ends: isAnswer && !goesOn(panel, state, row),
    kind,
  };
  return {
    parts: [row, openParts(panel, id), drawnFrom(panel, row), ...Object.values(place)],
    label: nameRow(row),
    draw: () => viewRow(panel, row, place),
  };
}

/** True when an earlier answer belongs to the same turn. Assumed for rows not loaded yet. */
function hasSpoken({ rows }: Panel, { id }: Row): boolean {
  let at = (rows.indexOf(id) ?? 0) - 1;
  while (rows.all[at]?.type === 'tool') at--;
  return at < 0 ? rows.more : rows.all[at]?.type === 'assistant';
}

/** True when calls or answers of the same turn follow, or may follow. */
function goesOn({ rows }: Panel, { status }: PanelState, { id }: Row): boolean {
  const next = rows.all[(rows.indexOf(id) ?? 0) + 1]?.type;
  return next === undefined ? status !== 'idle' : next === 'tool' || next === 'assistant';
}

/** The parts of a row that the reader opened, as one comparable value. */
function openParts(panel: Panel, id: string): string {
  return ['', '/text', '/reasoning'].map((part) => Number(panel.open.has(id + part))).join('');
}

/** A message waiting for its preparations, such as a compaction, with the current activity. */
function viewSending(text: string, { status, activity }: PanelState): TemplateResult {
  const compacting = status === 'compacting' ? activity || t('Compacting…') : '';
  const doing = status === 'waiting' ? t('Waiting for your answer') : compacting;
  return html`
    <section class="row user sending" aria-label=${t('You')}>
      <div class="user-text folded" dir="auto">${text}</div>
      ${
        doing
          ? html`<p class="sending-note">
              <span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true"></span>${doing}
            </p>`
          : nothing
      }
    </section>
  `;
}

/** Many read-only calls as one line that opens to all of them. */
type Calls = readonly RowOf<'tool'>[];

/** Maximum tools named in the line. */
const MOST_NAMES = 3;

function viewGroup(panel: Panel, key: string, rows: Calls, open: boolean): TemplateResult {
  const failed = rows.filter(({ status }) => status === 'failed').length;
  const changed = rows.filter(({ fate }) => fate !== 'kept').map(({ fate }) => ({ fate, whole: true }));
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  return html`
    <div class="row group">
      <div class="tool-line">
        <button type="button" class="tool-toggle" aria-expanded=${open} @click=${() => panel.toggle(key)}>
          <span class="codicon ${open ? 'codicon-chevron-down' : 'codicon-chevron-right'}" aria-hidden="true"></span>
          <span class="codicon codicon-checklist" aria-hidden="true"></span>
          <span class="clip">${nameGroup(rows)}</span>
        </button>
        ${failed > 0 ? html`<span class="tool-outcome bad">${t('{0} failed', formatCount(failed))}</span>` : nothing}
        ${listFates(countFates(changed)).map((text) => html`<span class="tool-outcome">${text}</span>`)}
        ${tokens > 0 ? viewTokens(tokens, 'tool-facts group-tokens') : nothing}
      </div>
    </div>
  `;
}

function nameGroup(rows: Calls): string {
  const counts = new Map<string, number>();
  for (const { toolName } of rows) counts.set(toolName, (counts.get(toolName) ?? 0) + 1);
  if (rows.every(({ opens }) => opens === 'file')) {
    const files = new Set(rows.map(({ title }) => title)).size;
    return files === 1
      ? t('Read one file {0} times', formatCount(rows.length))
      : t('Read {0} files', formatCount(files));
  }
  const names = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => (count > 1 ? `${formatCount(count)} × ${nameTool(name, t)}` : nameTool(name, t)));
  const more = names.length > MOST_NAMES ? ', …' : '';
  return t('{0}: {1}', t('{0} calls', formatCount(rows.length)), `${names.slice(0, MOST_NAMES).join(', ')}${more}`);
}

/** The empty session: ways to set up a model, or an example of a request if there is one. */
function viewWelcome(panel: Panel, state: PanelState): TemplateResult {
  return html`
    <section class="welcome">
      <p class="welcome-name">Palimpsest</p>
      <h2>${t('A coding agent whose context you can see, choose and undo')}</h2>
      ${viewIdea()}
      <p>${invitation(state)}</p>
      ${state.modelReady && state.demo ? html`<p class="demo-note"><span class="tag">${t('scripted')}</span>${t('The demo model follows a script. It runs the real tools, and it does not think.')}</p>` : nothing}
      ${state.modelReady ? html`${viewExamples(panel, state)}${viewElsewhere(panel, state)}` : viewOffers(panel, state)}
    </section>
  `;
}

function invitation(state: PanelState): string {
  if (!state.modelReady) return t('Choose a model to begin.');
  if (!state.folderOpen)
    return t('Open a folder, so that the agent has files to work with. Questions can be asked without one.');
  return state.trusted
    ? t('Ask about the code in this folder, or ask for a change. Edits and commands wait for your approval.')
    : t('Ask about the code in this folder. In Restricted Mode nothing is changed or run.');
}

function viewOffers(panel: Panel, state: PanelState): TemplateResult {
  const run = (type: PanelCommand) => () => panel.post({ type });
  const tour = () => {
    panel.post({ type: 'useDemo' });
    if (state.folderOpen) panel.composer.ask(t('Show me around'), state);
  };
  const offer = (command: PanelCommand, icon: string, title: string, text: string, act = run(command)) => html`
    <button type="button" class="offer" @click=${act}>
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
      <span><span class="offer-title">${title}</span><span class="offer-text">${text}</span></span>
    </button>
  `;
  return html`
    <div class="offers">
      ${offer('useDemo', 'play', t('Take the tour'), t('A scripted tour with real tools. No key needed.'), tour)}
      ${viewElsewhere(panel, state)}
      ${offer('findLocalServers', 'device-desktop', t('Find models on this machine'), t('Ollama, LM Studio, llama.cpp, vLLM; asked only when you choose this.'))}
      ${offer('setUpEndpoint', 'plug', t('Set up an endpoint'), t('A known provider or any OpenAI-compatible URL, with a key of its own.'))}
      ${offer('chooseExtensionModel', 'extensions', t('Use a model of another extension'), t('A model that another extension offers to VS Code, used with your consent.'))}
    </div>
    <div class="welcome-links">
      ${viewTextButton(t('Get started'), run('openWalkthrough'))}
      ${state.endpoints ? viewTextButton(t('Test connection'), run('testConnection')) : nothing}
      ${state.endpoints ? viewTextButton(t('Set API key'), run('setApiKey')) : nothing}
      ${viewTextButton(t('Settings'), run('openSettings'))}
    </div>
  `;
}

/** The demo tells the least by itself, and the rest to whom asks for it. */
function viewMore(panel: Panel, state: PanelState): TemplateResult | typeof nothing {
  const isOver = state.status === 'idle' && panel.rows.all.some(({ type }) => type === 'assistant');
  if (!state.demo || !isOver || !state.folderOpen || state.readOnly) return nothing;
  const more = t('More…');
  return html`<p class="more"><button type="button" class="example" @click=${() => panel.composer.ask(more, state)}>${more}</button></p>`;
}

function viewExamples(panel: Panel, state: PanelState): TemplateResult | typeof nothing {
  if (!state.folderOpen || state.readOnly) return nothing;
  const { composer } = panel;
  const example = state.demo ? t('Show me around') : t('What does this project do?');
  // A script needs no better words. What a model is asked may be changed first.
  const use = () => {
    if (state.demo) composer.ask(example, state);
    else composer.propose(example);
    composer.focus();
  };
  return html`<button type="button" class="example" @click=${use}>${example}</button>`;
}
