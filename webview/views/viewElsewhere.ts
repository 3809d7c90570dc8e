/**
 * Sessions that other programs recorded in this folder, offered in an empty session: looked for after a click, and gone on
 * with after another. Their titles are foreign text.
 */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatCount } from '../../src/core/figures.ts';
import type { PanelState, SessionFound } from '../../src/protocol/messages.ts';
import { formatAge } from '../page/format.ts';
import type { Panel } from '../page/panel.ts';
import { viewTextButton } from './viewButton.ts';
import { moveFocus } from './viewPicker.ts';

export function viewElsewhere(panel: Panel, state: PanelState): TemplateResult | typeof nothing {
  if (!state.folderOpen || state.readOnly) return nothing;
  const { elsewhere } = panel;
  return elsewhere.found === null ? viewOffer(panel) : viewFound(panel, elsewhere.found);
}

function viewOffer({ elsewhere }: Panel): TemplateResult {
  const { looking } = elsewhere;
  return html`<button
    type="button"
    class="offer elsewhere-offer"
    aria-busy=${looking}
    aria-disabled=${looking}
    @click=${() => elsewhere.look()}
  >
    <span class="codicon ${looking ? 'codicon-loading codicon-modifier-spin' : 'codicon-history'}" aria-hidden="true"></span>
    <span
      ><span class="offer-title">${t('Go on with a session of another program')}</span
      ><span class="offer-text"
        >${
          looking
            ? t('Looking for sessions…')
            : t('Claude Code, Codex, Copilot, Cline and others, in this folder; looked for only when you choose this.')
        }</span
      ></span
    >
  </button>`;
}

/** Sessions that are listed at first. */
const FEW = 6;

function viewFound(
  panel: Panel,
  { sessions, problems, more }: NonNullable<Panel['elsewhere']['found']>,
): TemplateResult {
  const shown = panel.elsewhere.all ? sessions : sessions.slice(0, FEW);
  return html`<section class="elsewhere" aria-label=${t('Sessions of other programs in this folder')}>
    <h3>${t('Sessions of other programs in this folder')}</h3>
    ${
      sessions.length === 0
        ? html`<p class="nothing">${t('None was found.')}</p>`
        : html`<ul class="elsewhere-list" @keydown=${(event: KeyboardEvent) => moveFocus(event, '.session-open')}>
            ${shown.map((session) => viewSession(panel, session))}
          </ul>`
    }
    ${problems.map(
      (problem) =>
        html`<p class="fact" dir="auto"><span class="codicon codicon-warning" aria-hidden="true"></span><span>${problem}</span></p>`,
    )}
    ${more ? html`<p class="nothing">${t('There may be older ones.')}</p>` : nothing}
    <div class="welcome-links">
      ${
        shown.length < sessions.length
          ? viewTextButton(t('Show all {0}', formatCount(sessions.length)), () => panel.elsewhere.showAll())
          : nothing
      }
      ${viewTextButton(t('Look again'), () => panel.elsewhere.look())}
      ${viewTextButton(t('Import a session…'), () => panel.post({ type: 'importSession' }))}
    </div>
  </section>`;
}

function viewSession(panel: Panel, { id, program, title, time, folder, here }: SessionFound): TemplateResult {
  const now = Date.now();
  const name = title || t('Without a title');
  const facts = [program, formatAge(time, now), ...(folder ? [folder] : []), ...describeHere(here)].join(' · ');
  return html`<li class="session">
    <button
      type="button"
      class="session-open"
      title="${here === 'no' ? t('Go on with this session here. Its file is not changed.') : t('Open the session that goes on with it here.')}&#10;${name}&#10;${facts}"
      @click=${() => panel.post({ type: 'continueFound', foundId: id })}
    >
      <span class="session-title clip" dir="auto">${name}</span>
      <span class="session-facts clip">${facts}</span>
    </button>
    ${
      here === 'older'
        ? html`<button
            type="button"
            class="text-button"
            aria-label=${t('Go on anew with all that {0} has of it: {1}', program, name)}
            @click=${() => panel.post({ type: 'continueFound', foundId: id, anew: true })}
          >${t('Go on anew')}</button>`
        : nothing
    }
  </li>`;
}

function describeHere(here: SessionFound['here']): readonly string[] {
  if (here === 'no') return [];
  return here === 'whole' ? [t('already goes on here')] : [t('already goes on here'), t('went on there since')];
}
