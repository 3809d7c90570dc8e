/** One part of a bar: in its colour, and with its texture where colours may not be told apart. */

import { svg, type TemplateResult } from 'lit';

/** `name`: one of `styles/parts.css`. `x` and `width` in percent of the bar. */
export function viewPart(name: string, x: number, width: number): TemplateResult {
  return svg`<rect class="part ${name}" x="${x}%" y="0" width="${width}%" height="100%"></rect>
    <line class="texture ${name}" x1="${x}%" x2="${x + width}%" y1="50%" y2="50%"></line>`;
}
