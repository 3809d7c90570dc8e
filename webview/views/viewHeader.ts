/** Title, strategy and context meter: the identity and the size of this session. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { PanelState } from '../../src/protocol/messages.ts';
import type { Panel } from '../page/panel.ts';
import { viewMeter } from './viewMeter.ts';
import { viewPicker } from './viewPicker.ts';

export function viewHeader(panel: Panel, state: PanelState): TemplateResult {
  const strategy = state.strategies.find((choice) => choice.id === state.strategy);
  return html`
    <header class="head">
      <div class="title-row">
        ${panel.renaming === null ? viewTitle(panel, state) : viewRename(panel, state, panel.renaming)}
        <button
          type="button"
          class="picker-button"
          title=${t('{0}: {1}', t('Compaction strategy'), strategy?.description ?? state.strategy)}
          aria-label=${t('{0}: {1}', t('Compaction strategy'), strategy?.label ?? state.strategy)}
          aria-haspopup="dialog"
          aria-expanded=${panel.popovers.open === 'strategy'}
          @click=${() => panel.popovers.show('strategy')}
        >
          <span class="codicon codicon-fold" aria-hidden="true"></span>
          <span class="clip">${strategy?.label ?? state.strategy}</span>
          <span class="codicon codicon-chevron-down" aria-hidden="true"></span>
        </button>
      </div>
      ${viewMeter(panel, state)}
      ${
        panel.popovers.open === 'strategy'
          ? viewPicker(panel, {
              label: t('Compaction strategy'),
              choices: state.strategies,
              chosen: state.strategy,
              place: 'below',
              choose: (strategy) => panel.post({ type: 'chooseStrategy', strategy }),
              footer: html`<div class="popover-actions">
                <button
                  type="button"
                  class="text-button"
                  @click=${() => {
                    panel.popovers.show('none');
                    panel.post({ type: 'openSettings', strategy: state.strategy });
                  }}
                >
                  ${t('Parameters of {0}…', strategy?.label ?? state.strategy)}
                </button>
              </div>`,
            })
          : nothing
      }
    </header>
  `;
}

function viewTitle(panel: Panel, state: PanelState): TemplateResult {
  const rename = () => {
    panel.renaming = state.title;
    panel.afterRender(() => panel.root.querySelector<HTMLElement>('.rename')?.focus());
  };
  return html`
    <h1 class="title clip">
      <button
        type="button"
        class="title-button clip"
        dir="auto"
        title="${state.title || t('New session')}&#10;${t('Rename session')}"
        ?disabled=${state.readOnly !== ''} @click=${rename}>
        ${state.title || t('New session')}
      </button>
    </h1>
  `;
}

function viewRename(panel: Panel, state: PanelState, title: string): TemplateResult {
  const close = (save: boolean) => {
    const changed = panel.renaming?.trim() ?? '';
    if (save && changed && changed !== state.title) {
      panel.post({ type: 'renameSession', sessionId: state.sessionId, title: changed.slice(0, 500) });
    }
    panel.renaming = null;
    panel.afterRender(() => panel.root.querySelector<HTMLElement>('.title-button')?.focus());
  };
  return html`
    <vscode-text-field
      class="rename grow"
      maxlength="500"
      .value=${title}
      @input=${(event: Event) => {
        panel.renaming = (event.target as HTMLInputElement).value;
      }}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key === 'Enter' && !event.isComposing) close(true);
      }}
      @blur=${() => panel.renaming !== null && close(true)}
      >${t('Session title')}</vscode-text-field
    >
  `;
}
