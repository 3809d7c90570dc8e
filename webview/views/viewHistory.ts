/** Earlier sessions: search, open, and actions on whole sessions. Those of other folders are read-only. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { SessionInfo } from '../../src/protocol/messages.ts';
import { formatWhen, tell } from '../page/format.ts';
import type { Panel } from '../page/panel.ts';
import type { Popovers } from '../page/popovers.ts';
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
      <div class="overlay-tools">
        <vscode-text-field
          data-first
          class="grow"
          placeholder=${t('Search sessions')}
          @input=${search}
        >
          ${t('Search sessions')}
          <span slot="start" class="codicon codicon-search" aria-hidden="true"></span>
        </vscode-text-field>
        <button
          type="button"
          class="icon codicon codicon-add"
          title=${t('New session')}
          aria-label=${t('New session')}
          @click=${() => {
            panel.popovers.show('none');
            panel.post({ type: 'newSession' });
          }}
        ></button>
      </div>
      ${viewScopes(panel)}
      <ul class="sessions" @keydown=${(event: KeyboardEvent) => moveFocus(event, '.session-open')}>
        ${repeat(
          panel.popovers.sessions ?? [],
          (session) => session.id,
          (session) => viewSession(panel, session),
        )}
        ${
          panel.popovers.sessions?.length === 0
            ? html`<li class="nothing">${panel.popovers.filter ? t('No sessions match.') : t('No sessions yet.')}</li>`
            : nothing
        }
      </ul>
      <div class="popover-actions">
        <button type="button" class="text-button" @click=${() => panel.post({ type: 'importSession' })}>
          ${t('Import a session…')}
        </button>
        <button type="button" class="text-button" @click=${() => panel.post({ type: 'showStorage' })}>
          ${t('Storage used…')}
        </button>
      </div>
    `,
  );
}

function viewSession(panel: Panel, session: SessionInfo): TemplateResult {
  const key = `session/${session.id}`;
  const title = session.title || t('New session');
  const facts = [
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
        class="session-open"
        title="${title}&#10;${facts}"
        @click=${() => {
          const hit = hitOf(panel.popovers, session);
          panel.popovers.show('none');
          panel.post({ type: 'openSession', sessionId: session.id, ...hit });
        }}
      >
        <span class="session-title clip" dir="auto">${title}</span>
        <span class="session-facts clip">${facts}</span>
        ${session.passage ? html`<span class="session-passage clip">${session.passage}</span>` : nothing}
      </button>
      ${viewActions(panel, session, title, key)}
    </li>
  `;
}

/** The search hit in the session. */
function hitOf({ filter }: Popovers, { hit }: SessionInfo): { hit?: { entry: number; text: string } } {
  const text = filter.trim().slice(0, 1_000);
  return hit === null || text === '' ? {} : { hit: { entry: hit, text } };
}

function describeSize({ problem, messages }: SessionInfo): string {
  if (problem) return tell(problem);
  return messages === 1 ? t('1 message') : t('{0} messages', messages);
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
  return html`<div class="scopes" role="group" aria-label=${t('Whose sessions')}>
    ${button('workspace', t('This folder'))}${button('all', t('All folders'))}
  </div>`;
}

function viewActions(panel: Panel, session: SessionInfo, title: string, key: string): TemplateResult {
  const sessionId = session.id;
  const action = (icon: string, label: string, act: () => void, lasting = false) => html`<button
    type="button"
    class="icon codicon codicon-${icon} ${lasting ? 'lasting' : ''}"
    title=${label}
    aria-label="${label}: ${title}"
    @click=${act}
  ></button>`;
  const exporting = action('export', t('Export…'), () => panel.post({ type: 'exportSession', sessionId }));
  if (session.workspace) return html`<span class="session-actions">${exporting}</span>`;
  const { favourite } = session;
  const mark = () => {
    panel.post({ type: 'favourite', sessionId, favourite: !favourite });
  };
  const rename = () => {
    panel.toggle(key);
    panel.afterRender(() => panel.root.querySelector<HTMLElement>('.session vscode-text-field')?.focus());
  };
  return html`<span class="session-actions">
    ${action('edit', t('Rename session'), rename)} ${exporting}
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
      if (event.isComposing) return;
      if (event.key === 'Enter') close((event.target as HTMLInputElement).value.trim());
      else if (event.key === 'Escape') close('');
      else return;
      event.preventDefault();
    }}
    @blur=${(event: Event) => close((event.target as HTMLInputElement).value.trim())}
    >${t('Session title')}</vscode-text-field
  >`;
}
