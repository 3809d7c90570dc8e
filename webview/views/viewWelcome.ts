/** The empty session: ways to set up a model, or a few example requests if there is one. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { PanelCommand } from '../../src/protocol/commands.ts';
import type { PanelState } from '../../src/protocol/messages.ts';
import type { Panel } from '../page/panel.ts';

export function viewWelcome(panel: Panel, state: PanelState): TemplateResult {
  return html`
    <section class="welcome">
      <p class="welcome-name">Palimpsest</p>
      <h2>${t('A coding agent whose context you can see, choose and undo')}</h2>
      <p>${invitation(state)}</p>
      ${state.modelReady && state.demo ? html`<p class="demo-note"><span class="tag">${t('scripted')}</span>${t('The demo model follows a script. It runs the real tools, and it does not think.')}</p>` : nothing}
      ${state.modelReady ? viewExamples(panel, state) : viewOffers(panel, state)}
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
      ${offer('findLocalServers', 'device-desktop', t('Find models on this machine'), t('Ollama, LM Studio, llama.cpp, vLLM; asked only when you choose this.'))}
      ${offer('setUpEndpoint', 'plug', t('Set up an endpoint'), t('A known provider or any OpenAI-compatible URL, with a key of its own.'))}
      ${offer('chooseExtensionModel', 'extensions', t('Use a model of another extension'), t('A model that another extension offers to VS Code, used with your consent.'))}
    </div>
    <div class="welcome-links">
      <button type="button" class="text-button" @click=${run('openWalkthrough')}>${t('Get started')}</button>
      ${
        state.endpoints
          ? html`<button type="button" class="text-button" @click=${run('testConnection')}>${t('Test connection')}</button>
              <button type="button" class="text-button" @click=${run('setApiKey')}>${t('Set API key')}</button>`
          : nothing
      }
      <button type="button" class="text-button" @click=${run('openSettings')}>${t('Settings')}</button>
    </div>
  `;
}

function viewExamples(panel: Panel, state: PanelState): TemplateResult | typeof nothing {
  if (!state.folderOpen || state.readOnly) return nothing;
  const { composer } = panel;
  const examples = state.demo
    ? [t('Show me around')]
    : [
        t('What does this project do?'),
        t('Find TODO comments and sort them by urgency'),
        t('Why might the tests be slow?'),
      ];
  // A script needs no better words. What a model is asked may be changed first.
  const use = (text: string) => () => {
    if (state.demo) composer.ask(text, state);
    else composer.propose(text);
    composer.focus();
  };
  return html`<div class="examples">
    ${examples.map((text) => html`<button type="button" class="example" @click=${use(text)}>${text}</button>`)}
  </div>`;
}
