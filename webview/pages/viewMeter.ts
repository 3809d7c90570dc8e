/** Bars of one scale, with consecutive parts and reference marks. The label describes all of it in words. */

import '../page/format.ts';
import { html, nothing, svg, type TemplateResult } from 'lit';
import type { PageMeter } from '../../src/protocol/pages.ts';
import { viewPart } from '../views/viewPart.ts';
import type { Pane } from './pane.ts';

/** In the drawing's own units; it is stretched to the width of the page. */
export const WIDTH = 1_000;

export function viewMeter(_: Pane, { label, of, bars, marks }: PageMeter): TemplateResult {
  const percent = (value: number) => Math.min(1, value / of) * 100;
  const px = (value: number) => percent(value) * (WIDTH / 100);
  const named = bars.flatMap(({ parts }) => parts).filter((part) => part.label !== '');
  const lines = marks.map(
    ({ at, limit }) => svg`<line class=${limit ? 'limit' : ''} x1=${px(at)} x2=${px(at)} y1="0" y2="10"></line>`,
  );
  const viewBar = ({ name, parts }: PageMeter['bars'][number]) => {
    let from = 0;
    const drawn = parts.map(({ value, tone }) => {
      const x = percent(from);
      from += value;
      return viewPart(tone, x, Math.max(0, percent(from) - x));
    });
    return html`${name === '' ? nothing : html`<span>${name}</span>`}
      <svg viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true">${drawn} ${lines}</svg>`;
  };
  return html`<div class="gauge">
    <div class="gauge-bars ${bars.some(({ name }) => name !== '') ? '' : 'one'}">${bars.map(viewBar)}</div>
    <p role="status">${label}</p>
    <ul class="gauge-keys">
      ${named.map((part) => html`<li><span class="swatch ${part.tone}" aria-hidden="true"></span>${part.label}</li>`)}
      ${marks.map((mark) => html`<li><span class="mark ${mark.limit ? 'limit' : ''}" aria-hidden="true"></span>${mark.label}</li>`)}
    </ul>
  </div>`;
}
