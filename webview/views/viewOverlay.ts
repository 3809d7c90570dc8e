/** A sheet over the conversation, with a title and a way out. */

import { t } from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { Panel } from '../page/panel.ts';

export function viewOverlay(panel: Panel, title: string, body: TemplateResult): TemplateResult {
  return html`
    <div class="overlay popover" role="dialog" aria-modal="true" aria-label=${title}>
      <div class="overlay-head">
        <h2 class="grow">${title}</h2>
        <button
          type="button"
          class="icon codicon codicon-close"
          title=${t('Close')}
          aria-label=${t('Close')}
          @click=${() => panel.showPopover('none')}
        ></button>
      </div>
      ${body}
    </div>
  `;
}
