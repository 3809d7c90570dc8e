/** Earlier sessions: search, open, and actions on whole sessions. Those of other folders are read-only. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { formatCount } from '../../src/core/figures.ts';
import { type Words, words } from '../../src/core/words.ts';
import type { PanelState, SessionInfo } from '../../src/protocol/messages.ts';
import { isComposing } from '../page/composing.ts';
import { type Age, ageOf, formatWhen, inPanelLanguage } from '../page/format.ts';
import type { Panel } from '../page/panel.ts';
import type { Popovers } from '../page/popovers.ts';
import { viewIconButton, viewTextButton } from './viewButton.ts';
import { viewOverlay } from './viewHelp.ts';
import { moveFocus } from './viewPicker.ts';

export function viewHistory(panel: Panel): TemplateResult {
  const search = (event: Event) => {
    panel.popovers.filter = (event.target as HTMLInputElement).value;
    panel.popovers.listSessions();
  };
  return viewOverlay(
    panel,
    t('Sessions'),
    html`
      <div class="overlay-tools" @keydown=${(event: KeyboardEvent) => onSearchKey(panel, event)}>
        <vscode-text-field
          data-first
          class="grow"
          placeholder=${t('Search sessions')}
          @input=${search}
        >
          ${t('Search sessions')}
          <span slot="start" class="codicon codicon-search" aria-hidden="true"></span>
        </vscode-text-field>
        ${viewIconButton('add', t('New session'), () => panel.popovers.leave({ type: 'newSession' }))}
      </div>
      ${viewScopes(panel)}
      <ul class="sessions" @keydown=${(event: KeyboardEvent) => onListKey(event)}>
        ${repeat(
          listByAge(panel.popovers.sessions ?? [], Date.now()),
          (item) => (typeof item === 'string' ? item : item.id),
          (item) =>
            typeof item === 'string'
              ? html`<li class="session-age"><h3>${inPanelLanguage(AGES[item])}</h3></li>`
              : viewSession(panel, item),
        )}
        ${
          panel.popovers.sessions?.length === 0
            ? html`<li class="nothing">${panel.popovers.filter ? t('No sessions match.') : t('No sessions yet.')}</li>`
            : nothing
        }
      </ul>
      <div class="popover-actions">
        ${viewTextButton(t('Import a session…'), () => panel.post({ type: 'importSession' }))}
        ${viewTextButton(t('Storage used…'), () => panel.post({ type: 'showStorage' }))}
      </div>
    `,
  );
}

type Heading = Age | 'favourite';

const AGES: Readonly<Record<Heading, Words>> = {
  favourite: words('Favourites'),
  today: words('Today'),
  yesterday: words('Yesterday'),
  week: words('Last 7 days'),
  month: words('Last 30 days'),
  older: words('Older'),
};

/** Each group below its heading, in the order of the list. */
function listByAge(sessions: readonly SessionInfo[], now: number): (Heading | SessionInfo)[] {
  let last: Heading | null = null;
  return sessions.flatMap((session) => {
    const heading = session.favourite ? 'favourite' : ageOf(session.time, now);
    const begins = heading !== last;
    last = heading;
    return begins ? [heading, session] : [session];
  });
}

/** From the search field to the first session, or into it. */
function onSearchKey(panel: Panel, event: KeyboardEvent): void {
  const { key, target } = event;
  if (isComposing(event) || !(target instanceof Element) || !target.matches('vscode-text-field')) return;
  if (key === 'ArrowDown') panel.root.querySelector<HTMLElement>('.session-open')?.focus();
  else if (key === 'Enter') panel.popovers.openFirst();
  else return;
  event.preventDefault();
}

/** Above the first session is the search field. */
function onListKey(event: KeyboardEvent): void {
  const { currentTarget: list, target, key } = event;
  if (!(list instanceof HTMLElement) || !(target instanceof Element) || target.matches('vscode-text-field')) return;
  if (key === 'ArrowUp' && target === list.querySelector('.session-open')) {
    list.closest('.overlay')?.querySelector<HTMLElement>('.overlay-tools vscode-text-field')?.focus();
    event.preventDefault();
  } else moveFocus(event, '.session-open');
}

function viewSession(panel: Panel, session: SessionInfo): TemplateResult {
  const key = `session/${session.id}`;
  const title = session.title || t('New session');
  const work = workOf(panel, session);
  const facts = [
    ...(work ? [inPanelLanguage(WORK[work].words)] : []),
    formatWhen(session.time, Date.now()),
    describeSize(session),
    ...(session.current ? [t('open now')] : []),
    ...(session.workspace ? [session.workspace] : []),
  ].join(' · ');
  if (panel.open.has(key)) return html`<li class="session">${viewRename(panel, session, key)}</li>`;
  return html`
    <li class="session ${session.current ? 'current' : ''}">
      <button
        type="button"
        class="session-open ${work ?? ''}"
        title="${title}&#10;${facts}"
        @click=${() => panel.popovers.openSession(session)}
      >
        <span class="session-title clip" dir="auto">${title}</span>
        <span class="session-facts clip"
          >${work ? html`<span class="codicon ${WORK[work].icon}" aria-hidden="true"></span> ` : nothing}${facts}</span
        >
        ${session.passage ? html`<span class="session-passage clip">${session.passage}</span>` : nothing}
      </button>
      ${viewActions(panel, session, title, key)}
    </li>
  `;
}

type Work = PanelState['others'][number]['state'];

const WORK: Readonly<Record<Work, { readonly icon: string; readonly words: Words }>> = {
  working: { icon: 'codicon-loading codicon-modifier-spin', words: words('Working') },
  waiting: { icon: 'codicon-bell-dot', words: words('Waits for your answer') },
  finished: { icon: 'codicon-pass', words: words('Finished') },
  stopped: { icon: 'codicon-warning', words: words('Stopped with a problem') },
};

/** The activity of the session, or its end since the person last looked at it; null for any other. */
function workOf({ state }: Panel, { id, current }: SessionInfo): Work | null {
  if (!current) return state?.others.find((other) => other.id === id)?.state ?? null;
  if (state?.sessionId !== id || state.status === 'idle') return null;
  return state.status === 'waiting' ? 'waiting' : 'working';
}

function describeSize({ problem, messages }: SessionInfo): string {
  if (problem) return inPanelLanguage(problem);
  return messages === 1 ? t('1 message') : t('{0} messages', formatCount(messages));
}

function viewScopes(panel: Panel): TemplateResult {
  const choose = (scope: Popovers['scope']) => () => {
    panel.popovers.scope = scope;
    panel.popovers.listSessions();
    panel.invalidate();
  };
  const button = (scope: Popovers['scope'], label: string) => html`<button
    type="button"
    class="scope"
    aria-pressed=${panel.popovers.scope === scope}
    @click=${choose(scope)}
  >${label}</button>`;
  return html`<div class="scopes" role="group" aria-label=${t('Which sessions')}>
    ${button('workspace', t('This folder'))}${button('all', t('All folders'))}
  </div>`;
}

function viewActions(panel: Panel, session: SessionInfo, title: string, key: string): TemplateResult {
  const sessionId = session.id;
  const action = (icon: string, label: string, act: () => void, lasting = false) =>
    viewIconButton(icon, label, act, { name: t('{0}: {1}', label, title), kind: lasting ? 'lasting' : '' });
  const exporting = action('export', t('Export…'), () => panel.post({ type: 'exportSession', sessionId }));
  const autopsy = session.compacted
    ? action('pulse', t('Open Autopsy…'), () => panel.post({ type: 'openAutopsy', sessionId }))
    : nothing;
  if (session.workspace) return html`<span class="session-actions">${autopsy}${exporting}</span>`;
  const { favourite } = session;
  const mark = () => {
    panel.post({ type: 'favourite', sessionId, favourite: !favourite });
  };
  const rename = () => {
    panel.toggle(key);
    panel.afterRender(() => panel.root.querySelector<HTMLElement>('.session vscode-text-field')?.focus());
  };
  return html`<span class="session-actions">
    ${autopsy}${action('edit', t('Rename session'), rename)} ${exporting}
    ${action('trash', t('Move to the trash'), () => panel.post({ type: 'deleteSession', sessionId }))}
    ${action(favourite ? 'star-full' : 'star-empty', favourite ? t('No longer a favourite') : t('Mark as favourite'), mark, favourite)}
  </span>`;
}

function viewRename(panel: Panel, session: SessionInfo, key: string): TemplateResult {
  const close = (title: string) => {
    if (!panel.open.has(key)) return;
    panel.toggle(key);
    if (!title || title === session.title) return;
    panel.popovers.sessions = (panel.popovers.sessions ?? []).map((one) =>
      one.id === session.id ? { ...one, title } : one,
    );
    panel.post({ type: 'renameSession', sessionId: session.id, title: title.slice(0, 500) });
  };
  return html`<vscode-text-field
    class="grow"
    maxlength="500"
    .value=${session.title}
    @keydown=${(event: KeyboardEvent) => {
      if (isComposing(event)) return;
      if (event.key === 'Enter') close((event.target as HTMLInputElement).value.trim());
      else if (event.key === 'Escape') close('');
      else return;
      event.preventDefault();
    }}
    @blur=${(event: Event) => close((event.target as HTMLInputElement).value.trim())}
    >${t('Session title')}</vscode-text-field
  >`;
}
