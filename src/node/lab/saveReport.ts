/** The figures of a replay as files: a table of values, and the chart. Pure. */

import { nice, ticks } from 'd3-array';
import type { Translate } from '../../core/words.ts';
import type { Figures, LabReport } from '../../lab/makeReport.ts';

/** A line for each strategy. */
export function labCsv(report: LabReport): string {
  const keys = Object.keys(report.strategies[0]?.interval ?? {}) as (keyof Figures)[];
  const quote = (value: string) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const lines = [
    ['strategy', ...keys.flatMap((key) => [key, `${key}Low`, `${key}High`])],
    ...report.strategies.map((row) => [
      row.id,
      ...keys.flatMap((key) => [row[key], ...(row.interval[key] ?? [null, null])].map((value) => String(value ?? ''))),
    ]),
  ];
  return `${lines.map((cells) => cells.map(quote).join(',')).join('\n')}\n`;
}

const WIDTH = 800;
const HEIGHT = 500;
const EDGE = 60;
const TICKS = 6;

/** Cost against recall with its intervals, in black on white. */
export function labSvg(report: LabReport, t: Translate): string {
  const points = report.strategies.flatMap(({ id, costPercent: cost, longRangeRecall: recall, interval }) =>
    recall === null
      ? []
      : [
          {
            id,
            cost: [cost, ...(interval.costPercent ?? [cost, cost])] as const,
            recall: [recall, ...(interval.longRangeRecall ?? [recall, recall])] as const,
          },
        ],
  );
  const [left, right] = around(points.flatMap(({ cost }) => cost));
  const [low, high] = around(points.flatMap(({ recall }) => recall));
  const x = (cost: number) => (EDGE + ((cost - left) / (right - left)) * (WIDTH - 2 * EDGE)).toFixed(1);
  const y = (recall: number) => (HEIGHT - EDGE - ((recall - low) / (high - low)) * (HEIGHT - 2 * EDGE)).toFixed(1);
  const line = (x1: string, x2: string, y1: string, y2: string, colour: string) =>
    `<line x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}" stroke="${colour}"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    ...ticks(low, high, TICKS).flatMap((value) => [
      line(x(left), x(right), y(value), y(value), '#ddd'),
      `<text x="${EDGE - 8}" y="${y(value)}" text-anchor="end" dominant-baseline="middle">${value}</text>`,
    ]),
    ...ticks(left, right, TICKS).map(
      (value) => `<text x="${x(value)}" y="${HEIGHT - EDGE + 18}" text-anchor="middle">${value}</text>`,
    ),
    `<path d="M${EDGE},${EDGE}V${HEIGHT - EDGE}H${WIDTH - EDGE}" fill="none" stroke="black"/>`,
    `<text x="${WIDTH / 2}" y="${HEIGHT - 16}" text-anchor="middle">${toXml(t('Cost, % of no compaction'))}</text>`,
    `<text x="16" y="${EDGE - 16}">${toXml(t('Recall, %'))}</text>`,
    ...points.flatMap(({ id, cost, recall }) => [
      line(x(cost[1]), x(cost[2]), y(recall[0]), y(recall[0]), '#888'),
      line(x(cost[0]), x(cost[0]), y(recall[1]), y(recall[2]), '#888'),
      `<circle cx="${x(cost[0])}" cy="${y(recall[0])}" r="4"/>`,
      `<text x="${x(cost[0])}" y="${y(recall[0])}" dx="8" dy="-6">${toXml(id)} ${cost[0].toFixed(1)} / ${recall[0].toFixed(1)}</text>`,
    ]),
    '</svg>\n',
  ].join('\n');
}

/** Round bounds that include all of them. */
function around(values: readonly number[]): [number, number] {
  const [from, to] = [Math.min(...values), Math.max(...values)];
  return from < to ? nice(from, to, TICKS) : [from - 1, to + 1];
}

const toXml = (source: string) =>
  source.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
