/**
 * Lines or dots over common axes. Levels are named below it, where no line or sign lies over a name. The drawing is
 * visual: a table next to it has the figures, and selectable marks are buttons with names. Lines are stretched to the
 * width of the page; shapes that must not be distorted are placed by percentages. Series differ in colour and form, so
 * that they can be distinguished without colours.
 */

import { nice, ticks } from 'd3-array';
import { curveStepAfter, line, symbol, symbolsFill } from 'd3-shape';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { PageChart } from '../../src/protocol/pages.ts';
import { formatTokens } from '../page/format.ts';
import type { Pane } from './pane.ts';

/** In the lines' own units; they are stretched to the width of the page. */
const WIDTH = 1_000;
const HEIGHT = 240;
/** Approximate number of grid lines. */
const TICKS = 5;
/** Number of colours, used in turn. */
const KEYS = 5;
/** Area of a symbol in square pixels. */
const SYMBOL = 64;
/** Half the width of a bar, of the room that it has. */
const BAR = 0.4;

type Point = readonly [number, number];
type Series = PageChart['series'][number];

interface Axis {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
  /** 0 at its beginning, 1 at its end. */
  share(value: number): number;
}

export function viewChart(pane: Pane, chart: PageChart): TemplateResult {
  const { label, series, levels, marks } = chart;
  const points = series.flatMap((each) => each.points);
  if (points.length === 0) return html``;
  const fitted = series.every(({ shape }) => shape === 'dots');
  const spans = series.flatMap((each) => each.spans ?? []);
  const bars = series.filter(({ shape }) => shape === 'bars');
  const across = axisOf(
    [
      ...points.map(([x]) => x),
      // A bar has half its width on either side.
      ...bars.flatMap(({ points }) => points.flatMap(([x]) => [x - 0.5, x + 0.5])),
      ...marks.map(({ x }) => x),
      ...spans.map(([left]) => left),
      ...spans.map(([, right]) => right),
    ],
    fitted,
  );
  const up = axisOf(
    [
      ...(fitted ? [] : [0]),
      ...points.map(([, y]) => y),
      ...stack(bars).map(({ to }) => to),
      ...levels.map(({ y }) => y),
      ...spans.flatMap(([, , a, b]) => [a, b]),
    ],
    true,
  );
  return html`<figure class="chart" aria-label=${label}>
    <p class="axis-name" aria-hidden="true">${chart.y}</p>
    <div class="plot">
      <svg class="stretched" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
        ${up.ticks.map((y) => levelLine(up, y, 'grid'))} ${levels.map(({ y, limit }) => levelLine(up, y, limit ? 'level limit' : 'level'))}
        ${stack(series).map((bar) => viewBar(bar, across, up))}
        ${series.map((each, at) => (each.shape === 'dots' || each.shape === 'bars' ? nothing : viewLine(each, at, across, up)))}
        ${marks.map(({ x, faded }) => {
          const px = across.share(x) * WIDTH;
          return svg`<line class="moment ${faded ? 'faded' : ''}" x1=${px} x2=${px} y1="0" y2=${HEIGHT}></line>`;
        })}
      </svg>
      <svg class="placed" aria-hidden="true">
        ${series.map((each, at) => (each.shape === 'dots' ? viewDots(each, at, across, up) : nothing))}
      </svg>
      ${up.ticks.map((y) => html`<span class="tick up" aria-hidden="true" ${at('bottom', up.share(y))}>${show(y)}</span>`)}
      ${across.ticks.map(
        (x) => html`<span class="tick across" aria-hidden="true" ${at('left', across.share(x))}>${show(x)}</span>`,
      )}
      ${marks.map((mark) => viewMark(pane, mark, across))}
    </div>
    <figcaption>
      <span class="axis-name">${chart.x}</span>
      ${
        series.length > 1 || levels.length > 0
          ? html`<span class="keys"
              >${series.map((each, at) => html`<span class="key key-${at % KEYS}">${viewKey(each, at)}${each.label}</span>`)}
              ${levels.map((level) => html`<span><span class="level-key ${level.limit ? 'limit' : ''}" aria-hidden="true"></span>${level.label}</span>`)}</span
            >`
          : nothing
      }
    </figcaption>
  </figure>`;
}

/** `rounded`: it begins and ends at round numbers. */
function axisOf(values: readonly number[], rounded: boolean): Axis {
  let [from, to] = bounds(values);
  if (from === to) [from, to] = from === 0 ? [0, 1] : [from - Math.abs(from) * 0.1, to + Math.abs(to) * 0.1];
  if (rounded) [from, to] = nice(from, to, TICKS);
  const all = ticks(from, to, TICKS);
  // Requests are counted in whole numbers.
  const whole = all.filter(Number.isInteger);
  return { from, to, ticks: whole.length > 1 ? whole : all, share: (value) => (value - from) / (to - from) };
}

function levelLine(up: Axis, y: number, name: string) {
  const py = HEIGHT - up.share(y) * HEIGHT;
  return svg`<line class=${name} x1="0" x2=${WIDTH} y1=${py} y2=${py}></line>`;
}

function viewLine({ shape, points }: Series, at: number, across: Axis, up: Axis) {
  const draw = line<Point>(
    ([x]) => across.share(x) * WIDTH,
    ([, y]) => HEIGHT - up.share(y) * HEIGHT,
  ).digits(1);
  if (shape === 'step') draw.curve(curveStepAfter);
  return svg`<path class="line key-${at % KEYS} form-${at % DASHES}" d=${draw(thin(points)) ?? ''}></path>`;
}

interface Bar {
  readonly x: number;
  readonly from: number;
  readonly to: number;
  readonly series: number;
  readonly name: string;
}

/** The bars of those series that have any, each above the ones before it at the same place. */
function stack(series: readonly Series[]): Bar[] {
  const tops = new Map<number, number>();
  return series.flatMap(({ shape, points, label }, at) =>
    shape !== 'bars'
      ? []
      : points.map(([x, y]) => {
          const from = tops.get(x) ?? 0;
          tops.set(x, from + y);
          return { x, from, to: from + y, series: at, name: `${x} · ${label}: ${show(y)}` };
        }),
  );
}

function viewBar({ x, from, to, series, name }: Bar, across: Axis, up: Axis) {
  const [left, right] = [x - BAR, x + BAR].map((edge) => across.share(edge) * WIDTH);
  const middle = across.share(x) * WIDTH;
  const [bottom, top] = [from, to].map((y) => HEIGHT - up.share(y) * HEIGHT);
  return svg`<rect class="bar key-${series % KEYS}" x=${left} y=${top} width=${(right ?? 0) - (left ?? 0)} height=${(bottom ?? 0) - (top ?? 0)}>
    <title>${name}</title>
  </rect>
  <line class="texture key-${series % KEYS}" x1=${middle} x2=${middle} y1=${bottom} y2=${top} stroke-width=${(right ?? 0) - (left ?? 0)}></line>`;
}

/** Number of dash patterns in the style sheet. With that of the colours it has no common divisor. */
const DASHES = 6;

function viewDots({ label, points, spans = [] }: Series, index: number, across: Axis, up: Axis) {
  const percent = (share: number) => `${(share * 100).toFixed(2)}%`;
  const x = (value: number) => percent(across.share(value));
  const y = (value: number) => percent(1 - up.share(value));
  return svg`<g class="key-${index % KEYS}">
    <title>${label}</title>
    ${spans.map(([left, right, lower, upper], at) => {
      const [px = 0, py = 0] = points[at] ?? [];
      return svg`<line class="span" x1=${x(left)} x2=${x(right)} y1=${y(py)} y2=${y(py)}></line>
        <line class="span" x1=${x(px)} x2=${x(px)} y1=${y(lower)} y2=${y(upper)}></line>`;
    })}
    ${points.map(([px, py]) => svg`<svg class="dot" x=${x(px)} y=${y(py)}><path d=${form(index)}></path></svg>`)}
  </g>`;
}

const form = (index: number) => symbol(symbolsFill[index % symbolsFill.length], SYMBOL)() ?? '';

function viewKey({ shape }: Series, at: number) {
  return shape === 'dots'
    ? html`<svg class="sample" viewBox="-8 -8 16 16" aria-hidden="true"><path d=${form(at)}></path></svg>`
    : shape === 'bars'
      ? html`<svg class="sample" viewBox="0 0 20 10" aria-hidden="true"><rect class="bar" width="20" height="10"></rect
        ><line class="texture" x1="10" x2="10" y1="10" y2="0" stroke-width="20"></line
      ></svg>`
      : html`<svg class="sample" viewBox="0 0 20 4" aria-hidden="true"
        ><line class="line form-${at % DASHES}" x1="0" x2="20" y1="2" y2="2"></line
      ></svg>`;
}

function viewMark(pane: Pane, { x, label, act, faded, warning }: PageChart['marks'][number], across: Axis) {
  if (act === undefined && !warning) return nothing;
  if (act === undefined)
    return html`<span
      class="moment-button codicon codicon-warning"
      role="img"
      title=${label}
      aria-label=${label}
      ${at('left', across.share(x))}
    ></span>`;
  return html`<button
    type="button"
    class="moment-button codicon ${faded ? 'codicon-discard faded' : 'codicon-fold'}"
    title=${label}
    aria-label=${label}
    ${at('left', across.share(x))}
    @click=${() => pane.act(act)}
  ></button>`;
}

const show = (value: number) => (Number.isInteger(value) ? formatTokens(value) : String(Number(value.toPrecision(3))));

/** At most two points for each unit of the drawing's width: the highest and the lowest. */
function thin(points: readonly Point[]): Point[] {
  if (points.length <= WIDTH * 2) return [...points];
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

/** The smallest and the largest; `Math.min` would fail on long lists. */
function bounds(values: readonly number[]): [number, number] {
  let [low, high] = [values[0] ?? 0, values[0] ?? 0];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** The page's policy forbids `style` attributes, but not properties set by script. */
const at = (side: 'left' | 'bottom', share: number) =>
  ref((element) => element instanceof HTMLElement && element.style.setProperty(side, `${share * 100}%`));
