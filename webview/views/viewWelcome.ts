/** The empty session: the ways to a model while there is none, and a few first questions when there is. */

import { html, nothing, type TemplateResult } from 'lit';
import type { PanelState, ToHost } from '../../src/protocol/messages.ts';
import type { Panel } from '../page/panel.ts';
import { strings } from '../words/strings.ts';

type Command = Extract<ToHost, { type: 'command' }>['command'];

export function viewWelcome(panel: Panel, state: PanelState): TemplateResult {
  return html`
    <section class="welcome">
      <p class="welcome-name">Palimpsest</p>
      <h2>${strings.welcome}</h2>
      <p>${invitation(state)}</p>
      ${state.modelReady && state.demo ? html`<p class="demo-note"><span class="tag">${strings.demoTag}</span>${strings.demoNote}</p>` : nothing}
      ${state.modelReady ? viewExamples(panel, state) : viewOffers(panel)}
    </section>
  `;
}

function invitation(state: PanelState): string {
  if (!state.modelReady) return strings.welcomeStart;
  if (!state.folderOpen) return strings.welcomeNoFolder;
  return state.trusted ? strings.welcomeReady : strings.welcomeRestricted;
}

function viewOffers(panel: Panel): TemplateResult {
  const run = (command: Command) => () => panel.post({ type: 'command', command });
  const offer = (command: Command, icon: string, title: string, text: string) => html`
    <button type="button" class="offer" @click=${run(command)}>
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
      <span><span class="offer-title">${title}</span><span class="offer-text">${text}</span></span>
    </button>
  `;
  return html`
    <div class="offers">
      ${offer('useDemo', 'play', strings.offerDemo, strings.offerDemoText)}
      ${offer('setupEndpoint', 'plug', strings.offerEndpoint, strings.offerEndpointText)}
    </div>
    <div class="welcome-links">
      <button type="button" class="text-button" @click=${run('testConnection')}>${strings.testConnection}</button>
      <button type="button" class="text-button" @click=${run('setKey')}>${strings.setKey}</button>
      <button type="button" class="text-button" @click=${run('openSettings')}>${strings.settings}</button>
    </div>
  `;
}

function viewExamples(panel: Panel, state: PanelState): TemplateResult | typeof nothing {
  if (!state.folderOpen || state.readOnly) return nothing;
  return html`<div class="examples">
    ${strings.examples.map(
      (text) => html`<button
        type="button"
        class="example"
        @click=${() => {
          panel.propose(text);
          panel.focusComposer();
        }}
      >
        ${text}
      </button>`,
    )}
  </div>`;
}
