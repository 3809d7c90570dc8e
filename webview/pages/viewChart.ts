/**
 * Lines over a common axis. The drawing is for the eye: its figures stand in a table beside it, and what can be chosen in
 * it are buttons with names.
 */

import { html, nothing, svg, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { PageChart } from '../../src/protocol/pages.ts';
import { formatTokens } from '../words/format.ts';
import type { Pane } from './pane.ts';

/** Of the drawing's own units; it is stretched to the width of the page. */
const WIDTH = 1_000;
const HEIGHT = 240;

type Point = readonly [number, number];

export function viewChart(pane: Pane, { label, x, y, series, levels, marks }: PageChart): TemplateResult {
  const points = series.flatMap((each) => each.points);
  if (points.length === 0) return html``;
  const xs = [...points.map(([at]) => at), ...marks.map((mark) => mark.x)];
  const from = Math.min(...bounds(xs));
  const to = Math.max(...bounds(xs), from + 1);
  const top = Math.max(1, ...bounds([...points.map(([, at]) => at), ...levels.map((level) => level.y)])) * 1.08;
  const px = (at: number) => ((at - from) / (to - from)) * WIDTH;
  const py = (at: number) => HEIGHT - (at / top) * HEIGHT;
  const place = (at: number) => `${((at - from) / (to - from)) * 100}%`;
  return html`<figure class="chart" aria-label=${label}>
    <div class="plot">
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
        ${levels.map((level) => svg`<line class="level" x1="0" x2=${WIDTH} y1=${py(level.y)} y2=${py(level.y)}></line>`)}
        ${series.map((each, at) => viewSeries(each, at, px, py))}
        ${marks.map((mark) => svg`<line class="moment ${mark.faded ? 'faded' : ''}" x1=${px(mark.x)} x2=${px(mark.x)} y1="0" y2=${HEIGHT}></line>`)}
      </svg>
      ${levels.map(
        (level) => html`<span class="level-name" ${at('bottom', `${(level.y / top) * 100}%`)}>${level.label}</span>`,
      )}
      ${marks.map((mark) => {
        const { act } = mark;
        return act === undefined
          ? nothing
          : html`<button
              type="button"
              class="moment-button codicon codicon-fold ${mark.faded ? 'faded' : ''}"
              title=${mark.label}
              aria-label=${mark.label}
              ${at('left', place(mark.x))}
              @click=${() => pane.act(act)}
            ></button>`;
      })}
    </div>
    <figcaption>
      <span>${y}: 0 – ${formatTokens(top)}</span>
      ${
        series.length > 1
          ? series.map((each, at) => html`<span class="key key-${at % KEYS}">${each.label}</span>`)
          : nothing
      }
      <span>${x}</span>
    </figcaption>
  </figure>`;
}

/** Colours of lines, in turn. */
const KEYS = 5;

function viewSeries(
  { shape, points }: PageChart['series'][number],
  at: number,
  px: (x: number) => number,
  py: (y: number) => number,
) {
  const name = `key-${at % KEYS}`;
  if (shape === 'dots')
    return points.map(([x, y]) => svg`<circle class="dot ${name}" cx=${px(x)} cy=${py(y)} r="4"></circle>`);
  const shown = thin(points);
  const path = shown
    .map(([x, y], index) => {
      const to = `${px(x).toFixed(1)},${py(y).toFixed(1)}`;
      if (index === 0) return `M${to}`;
      const before = shown[index - 1]?.[1] ?? y;
      return shape === 'step' ? `L${px(x).toFixed(1)},${py(before).toFixed(1)}L${to}` : `L${to}`;
    })
    .join('');
  return svg`<path class="line ${name}" d=${path}></path>`;
}

/** At most two points for each unit of the drawing's width: the highest and the lowest. */
function thin(points: readonly Point[]): readonly Point[] {
  if (points.length <= WIDTH * 2) return points;
  const size = Math.ceil(points.length / WIDTH);
  const shown: Point[] = [];
  for (let at = 0; at < points.length; at += size) {
    const part = points.slice(at, at + size);
    const low = part.reduce((a, b) => (b[1] < a[1] ? b : a));
    const high = part.reduce((a, b) => (b[1] > a[1] ? b : a));
    shown.push(...(low[0] <= high[0] ? [low, high] : [high, low]));
  }
  return shown;
}

/** The smallest and the largest; arguments of a call are limited in number. */
function bounds(values: readonly number[]): [number, number] {
  let [low, high] = [values[0] ?? 0, values[0] ?? 0];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** The page's policy allows no `style` attribute; a property set by script is none. */
const at = (side: 'left' | 'bottom', value: string) =>
  ref((element) => element instanceof HTMLElement && element.style.setProperty(side, value));
