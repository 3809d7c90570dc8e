/** A bar whose parts stand one after the other, with marks that they are compared with. The label says all of it in words. */

import { html, svg, type TemplateResult } from 'lit';
import type { PageMeter } from '../../src/protocol/pages.ts';
import type { Pane } from './pane.ts';

/** Of the drawing's own units; it is stretched to the width of the page. */
const WIDTH = 1_000;

export function viewMeter(_: Pane, { label, of, parts, marks }: PageMeter): TemplateResult {
  const px = (value: number) => Math.min(1, value / of) * WIDTH;
  let from = 0;
  const drawn = parts.map(({ value, tone }) => {
    const x = px(from);
    from += value;
    return svg`<rect class=${tone} x=${x} y="0" width=${Math.max(0, px(from) - x)} height="10"></rect>`;
  });
  return html`<div class="gauge">
    <svg viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true">
      ${drawn} ${marks.map(({ at }) => svg`<line x1=${px(at)} x2=${px(at)} y1="0" y2="10"></line>`)}
    </svg>
    <p role="status">${label}</p>
    <ul class="gauge-keys">
      ${parts.map((part) => html`<li class=${part.tone}>${part.label}</li>`)}
      ${marks.map((mark) => html`<li class="mark">${mark.label}</li>`)}
    </ul>
  </div>`;
}
