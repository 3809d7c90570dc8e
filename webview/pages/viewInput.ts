/** A text that the person may change, as high as its lines up to a limit. */

import { html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { PageBlock } from '../../src/protocol/pages.ts';
import type { Pane } from './pane.ts';

const LEAST_LINES = 3;
const MOST_LINES = 24;

export function viewInput(pane: Pane, block: Extract<PageBlock, { kind: 'input' }>): TemplateResult {
  const text = pane.typed(block);
  const lines = Math.min(MOST_LINES, Math.max(LEAST_LINES, text.split('\n').length + 1));
  return html`<label class="written">
    <span>${block.label}</span>
    <textarea
      rows=${lines}
      spellcheck="false"
      .value=${live(text)}
      @input=${({ target }: Event) => target instanceof HTMLTextAreaElement && pane.type(block, target.value)}
      @blur=${() => pane.sayTyped()}
    ></textarea>
  </label>`;
}
