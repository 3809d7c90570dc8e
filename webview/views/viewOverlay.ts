/** A sheet over the conversation, with a title and a way out. */

import { html, type TemplateResult } from 'lit';
import type { Panel } from '../page/panel.ts';
import { strings } from '../words/strings.ts';

export function viewOverlay(panel: Panel, title: string, body: TemplateResult): TemplateResult {
  return html`
    <div class="overlay popover" role="dialog" aria-modal="true" aria-label=${title}>
      <div class="overlay-head">
        <h2 class="grow">${title}</h2>
        <button
          type="button"
          class="icon codicon codicon-close"
          title=${strings.close}
          aria-label=${strings.close}
          @click=${() => panel.showPopover('none')}
        ></button>
      </div>
      ${body}
    </div>
  `;
}
