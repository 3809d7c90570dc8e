/** The composer: a growing text field, commands with completion, the model, and send or stop. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { PanelCommand } from '../../src/protocol/commands.ts';
import type { PanelState } from '../../src/protocol/messages.ts';
import type { Completion } from '../page/commands.ts';
import { type Composer, MAX_MESSAGE } from '../page/composer.ts';
import { mayDrop, onDrop, onInsert, onPaste } from '../page/draftImages.ts';
import { formatTokens, warnOfLoss } from '../page/format.ts';
import type { Panel } from '../page/panel.ts';
import { viewIconButton, viewTextButton } from './viewButton.ts';
import { keysOf } from './viewHelp.ts';
import { viewDraftImages } from './viewImages.ts';
import { viewPicker } from './viewPicker.ts';
import { viewTokens } from './viewTokens.ts';

export function viewComposer(panel: Panel, state: PanelState): TemplateResult {
  const running = state.status !== 'idle';
  const placeholder = state.readOnly
    ? t('This session is read-only')
    : state.modelReady
      ? t('Ask anything. @ adds context, / runs commands')
      : t('Choose a model first');
  const { name, list: completions } = panel.composer.completions(state);
  const leave = (type: PanelCommand) => () => panel.popovers.leave({ type });
  return html`
    <footer class="composer">
      ${running ? viewActivity(panel, state) : nothing}
      ${panel.composer.hint ? html`<p class="hint" role="alert">${panel.composer.hint}</p>` : nothing}
      ${viewCompletions(panel.composer, name, completions)}
      <div
        class="composer-box"
        @paste=${(event: ClipboardEvent) => onPaste(panel.composer, event)}
        @dragover=${(event: DragEvent) => mayDrop(event) && event.preventDefault()}
        @drop=${(event: DragEvent) => onDrop(panel.composer, event)}
      >
        ${viewSelection(panel)} ${viewDraftImages(panel, panel.composer, state)}
        ${viewField(panel, panel.composer, t('Message'), placeholder, state, completions)}
        <div class="composer-bar">
          ${viewAddContext(panel.composer, state)}
          ${viewAttach(panel, panel.composer, state)}
          ${viewModel(panel, state)}
          ${state.agent === '' ? nothing : viewAgent(panel, state)}
          ${viewMode(panel, state)}
          <span class="grow"></span>
          ${running && panel.composer.draft.trim() !== '' ? viewEnqueue(panel, state) : nothing}
          ${running ? viewStop(panel) : viewSend(panel.composer, state)}
        </div>
      </div>
      ${
        panel.popovers.open === 'model'
          ? viewPicker(panel, {
              label: t('Model'),
              note: warnOfLoss(state),
              choices: state.models,
              chosen: state.model,
              place: 'above',
              choose: (model) => panel.post({ type: 'chooseModel', model }),
              footer: html`<div class="popover-actions">
                ${viewTextButton(t('Set up an endpoint'), leave('setUpEndpoint'))}
                ${viewTextButton(t('Models of other extensions…'), leave('chooseExtensionModel'))}
                ${state.endpoints ? viewTextButton(t('Manage endpoints'), leave('manageEndpoints')) : nothing}
              </div>`,
            })
          : nothing
      }
      ${
        panel.popovers.open === 'mode'
          ? viewPicker(panel, {
              label: t('Mode'),
              choices: state.modes,
              chosen: state.mode,
              place: 'above',
              choose: (mode) => panel.post({ type: 'chooseMode', mode }),
            })
          : nothing
      }
    </footer>
  `;
}

/** The field for the text; the list of completions belongs to it. */
export function viewField(
  panel: Panel,
  composer: Composer,
  label: string,
  placeholder: string,
  state: PanelState,
  completions: readonly Completion[],
): TemplateResult {
  const open = completions.length > 0;
  return html`<textarea
    rows="1"
    dir="auto"
    role="combobox"
    aria-label=${label}
    aria-expanded=${open}
    aria-autocomplete="list"
    aria-controls=${open ? composer.idOf(-1) : nothing}
    aria-activedescendant=${open ? composer.idOf(composer.completion) : nothing}
    placeholder=${placeholder}
    maxlength=${MAX_MESSAGE}
    ?disabled=${state.readOnly !== ''}
    .value=${live(composer.draft)}
    @focus=${() => {
      panel.writing = composer;
    }}
    @beforeinput=${(event: InputEvent) => onInsert(composer, event)}
    @input=${({ target }: Event) => {
      const { value, selectionStart } = target as HTMLTextAreaElement;
      composer.onInput(value, selectionStart);
    }}
    @keydown=${(event: KeyboardEvent) => composer.onKey(event)}
    @keyup=${(event: Event) => onCursor(composer, event)}
    @click=${(event: Event) => onCursor(composer, event)}
  ></textarea>`;
}

/** The editor's selection: it goes along, or was left out and can be added again. */
function viewSelection(panel: Panel): TemplateResult | typeof nothing {
  const { selection } = panel.composer;
  if (!selection) return nothing;
  const { name, tokens, on, isNew } = selection;
  const label = on ? t('Leave the selection out, now and later') : t('Send the selection along, now and later');
  const title = on
    ? t('Sent with your message: {0} ({1} tokens)', name, formatTokens(tokens))
    : t('Not sent: {0}', name);
  return html`<div class="selection ${on ? '' : 'off'}" role="group" aria-label=${title}>
    <span class="chip" title=${title}>
      <span class="codicon codicon-selection" aria-hidden="true"></span>
      <span class="clip path"><bdi dir="ltr">${name}</bdi></span>
      ${on ? viewTokens(tokens, 'mention-tokens') : nothing}
      ${viewIconButton(on ? 'close' : 'add', label, () => panel.composer.keepSelection(!on))}
    </span>
    ${isNew ? html`<span class="selection-note">${t('What you select in the editor is sent with your message.')}</span>` : nothing}
  </div>`;
}

function viewActivity(panel: Panel, state: PanelState): TemplateResult {
  const fallback = {
    running: t('Working…'),
    compacting: t('Compacting…'),
    waiting: t('Waiting for your answer'),
    idle: '',
  };
  const text = state.activity || fallback[state.status];
  return html`<div class="activity">
    ${
      state.status === 'waiting'
        ? html`<span class="codicon codicon-bell" aria-hidden="true"></span>`
        : html`<span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true"></span>`
    }
    <span class="clip grow" title=${text}>${text}</span>
    ${state.retry === 'waiting' ? viewTextButton(t('Try now'), () => panel.post({ type: 'retry' })) : nothing}
  </div>`;
}

function onCursor(composer: Composer, { target }: Event): void {
  composer.followCursor((target as HTMLTextAreaElement).selectionStart);
}

export function viewAddContext(composer: Composer, { readOnly }: PanelState): TemplateResult {
  const disabled = readOnly !== '';
  return viewIconButton('mention', t('Add context (@)'), () => composer.insert('@'), { disabled });
}

export function viewCompletions(
  composer: Composer,
  name: string,
  completions: readonly Completion[],
): TemplateResult | typeof nothing {
  if (completions.length === 0) return nothing;
  return html`<div class="completions" id=${composer.idOf(-1)} role="listbox" aria-label=${name}>
    ${completions.map(
      (completion, index) => html`<div
        id=${composer.idOf(index)}
        class="completion ${completion.tall ? 'tall' : ''}"
        role="option"
        title=${completion.detail}
        aria-selected=${index === composer.completion}
        @mousedown=${(event: MouseEvent) => {
          event.preventDefault();
          composer.choose(completion);
        }}
      >
        ${
          completion.icon === undefined
            ? nothing
            : html`<span class="codicon codicon-${completion.icon}" aria-hidden="true"></span>`
        }
        <span class="completion-label">${completion.label}</span>
        <span class="completion-text">${completion.detail}</span>
      </div>`,
    )}
  </div>`;
}

function viewModel(panel: Panel, state: PanelState): TemplateResult {
  const model = state.models.find((choice) => choice.id === state.model);
  const label = model?.label ?? (state.model || t('No model'));
  return html`<button
    type="button"
    class="picker-button"
    title=${t('{0}: {1}', t('Model'), [label, model?.group ?? model?.description].filter(Boolean).join(' · '))}
    aria-label=${t('{0}: {1}', t('Model'), label)}
    aria-haspopup="dialog"
    aria-expanded=${panel.popovers.open === 'model'}
    ?disabled=${state.readOnly !== ''}
    @click=${() => panel.popovers.show('model')}
  >
    <span class="clip">${label}</span>
    <span class="codicon codicon-chevron-down" aria-hidden="true"></span>
  </button>`;
}

function viewAgent(panel: Panel, { agent, readOnly }: PanelState): TemplateResult {
  return html`<button
    type="button"
    class="picker-button"
    title=${t('{0}: {1}', t('Agent'), agent)}
    aria-label=${t('{0}: {1}', t('Agent'), agent)}
    ?disabled=${readOnly !== ''}
    @click=${() => panel.post({ type: 'chooseAgent' })}
  >
    <span class="codicon codicon-account" aria-hidden="true"></span>
    <span class="clip">${agent}</span>
  </button>`;
}

function viewMode(panel: Panel, state: PanelState): TemplateResult {
  const mode = state.modes.find(({ id }) => id === state.mode);
  const label = mode?.label ?? state.mode;
  return html`<button
    type="button"
    class="picker-button mode-${state.mode}"
    title="${t('Mode')}: ${label}. ${mode?.description ?? ''} (${keysOf('nextMode').join()})"
    aria-label=${t('{0}: {1}', t('Mode'), label)}
    aria-haspopup="dialog"
    aria-expanded=${panel.popovers.open === 'mode'}
    ?disabled=${state.readOnly !== ''}
    @click=${() => panel.popovers.show('mode')}
  >
    <span>${label}</span>
    <span class="codicon codicon-chevron-down" aria-hidden="true"></span>
  </button>`;
}

export function viewAttach(panel: Panel, composer: Composer, { readOnly }: PanelState): TemplateResult {
  const attach = () => {
    panel.writing = composer;
    panel.post({ type: 'attachImage' });
  };
  const disabled = readOnly !== '';
  return viewIconButton('file-media', t('Attach an image (or paste or drop it)'), attach, { disabled });
}

function viewStop(panel: Panel): TemplateResult {
  return html`<button
    type="button"
    class="send stop codicon codicon-debug-stop"
    title=${t('Stop (Esc)')}
    aria-label=${t('Stop (Esc)')}
    @click=${() => panel.post({ type: 'stop' })}
  ></button>`;
}

function viewEnqueue(panel: Panel, state: PanelState): TemplateResult {
  return html`<button
    type="button"
    class="send codicon codicon-send"
    title=${t('Send after the answer (Enter), or stop it and send (Ctrl+Enter)')}
    aria-label=${t('Send after the answer (Enter), or stop it and send (Ctrl+Enter)')}
    @click=${() => panel.composer.submit(state)}
  ></button>`;
}

export function viewSend(composer: Composer, state: PanelState): TemplateResult {
  return html`<button
    type="button"
    class="send codicon codicon-send"
    title=${t('Send (Enter)')}
    aria-label=${t('Send (Enter)')}
    ?disabled=${(composer.draft.trim() === '' && composer.images.length === 0) || state.readOnly !== ''}
    @click=${() => composer.submit(state)}
  ></button>`;
}
