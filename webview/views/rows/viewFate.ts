/** How a row's message stands with the model: the mark of what it no longer sees whole, pin and expand. */

import { html, nothing, type TemplateResult } from 'lit';
import type { Fate } from '../../../src/protocol/rows.ts';
import type { Panel } from '../../page/panel.ts';
import { strings } from '../../words/strings.ts';

interface Standing {
  readonly fate: Fate;
  readonly pinned: boolean;
}

export function viewFateMark({ fate, pinned }: Standing): TemplateResult | typeof nothing {
  if (pinned) {
    return html`<span class="mark codicon codicon-pinned" role="img" title=${strings.pinned} aria-label=${strings.pinned}></span>`;
  }
  if (fate === 'seen') return nothing;
  const icon = fate === 'shortened' ? 'codicon-fold' : 'codicon-eye-closed';
  const text = strings.fates[fate];
  return html`<span class="mark codicon ${icon}" role="img" title=${text} aria-label=${text}></span>`;
}

/** Buttons that show on hover and focus. */
export function viewFateActions(panel: Panel, itemId: string, { fate, pinned }: Standing): TemplateResult {
  const pin = pinned ? strings.unpin : strings.pin;
  return html`
    ${
      fate === 'seen'
        ? nothing
        : html`<button
            type="button"
            class="icon codicon codicon-unfold"
            title=${strings.expand}
            aria-label=${strings.expand}
            @click=${() => panel.post({ type: 'expand', itemId, expanded: true })}
          ></button>`
    }
    <button
      type="button"
      class="icon codicon ${pinned ? 'codicon-pinned' : 'codicon-pin'}"
      title=${pin}
      aria-label=${pin}
      aria-pressed=${pinned}
      @click=${() => panel.post({ type: 'pin', itemId, pinned: !pinned })}
    ></button>
  `;
}
