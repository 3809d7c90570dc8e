/**
 * A page as one HTML file that needs nothing else: no script, no font, no address. Every text of the page is escaped, so
 * that a recorded session cannot add markup. Pure.
 */

import type { Page, PageBlock, PageCell } from '../../protocol/pages.ts';

type Chart = Extract<PageBlock, { kind: 'chart' }>;
type Meter = Extract<PageBlock, { kind: 'meter' }>;
type Table = Extract<PageBlock, { kind: 'table' }>;

const POLICY = `default-src 'none'; style-src 'unsafe-inline'`;

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --quiet: #777; --same: #3b7dd8; --gone: #c95f4a; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2, h3, h4 { margin: 1.6rem 0 .4rem; }
.quiet { color: var(--quiet); } .warning { border-left: 4px solid var(--gone); padding-left: .6rem; }
table { border-collapse: collapse; margin: .5rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .7rem; text-align: left; vertical-align: top; }
.right { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #8881; padding: .6rem; overflow-x: auto; white-space: pre-wrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; } dt { color: var(--quiet); } dd { margin: 0; }
details { margin: .6rem 0; } summary { cursor: pointer; font-weight: 600; }
.meter { display: flex; height: 1rem; background: #8882; border-radius: .2rem; overflow: hidden; }
.same { background: var(--same)} .gone { background: var(--gone); }
.beside { display: grid; grid-auto-flow: column; gap: 1rem; }
`;

/** `language`: of the page's texts, such as `en`. */
export function pageHtml({ title, subtitle, blocks }: Page, language: string): string {
  return `<!doctype html>
<html lang="${escapeText(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeText(title)}</h1>
<p class="quiet">${escapeText(subtitle)}</p>
${blocks.map((block) => htmlOf(block, 2)).join('\n')}
</body>
</html>
`;
}

function htmlOf(block: PageBlock, level: number): string {
  switch (block.kind) {
    case 'text':
      return `<p${block.tone ? ` class="${block.tone}"` : ''}>${escapeText(block.text)}</p>`;
    case 'facts':
      return `<dl>${block.facts.map(({ name, value }) => `<dt>${escapeText(name)}</dt><dd>${escapeText(value)}</dd>`).join('')}</dl>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escapeText(item)}</li>`).join('')}</ul>`;
    case 'code':
      return `<pre>${escapeText(block.text)}</pre>`;
    case 'table':
      return tableOf(block);
    case 'meter':
      return meterOf(block);
    case 'chart':
      return chartOf(block);
    case 'section':
      return sectionOf(block, level);
    case 'beside':
      return `<div class="beside">${block.blocks.map((inner) => `<div>${htmlOf(inner, level)}</div>`).join('')}</div>`;
    case 'pinned':
      return block.blocks.map((inner) => htmlOf(inner, level)).join('\n');
    // A file answers nothing, so that buttons, choices and fields are left out.
    case 'actions':
    case 'choices':
    case 'fields':
    case 'input':
      return '';
  }
}

function sectionOf(block: Extract<PageBlock, { kind: 'section' }>, level: number): string {
  const title = [block.title, block.note].filter(Boolean).map(String).map(escapeText).join(' · ');
  const inner = block.blocks.map((each) => htmlOf(each, level + 1)).join('\n');
  if (block.fold === 'none') return `<section><h${level}>${title}</h${level}>\n${inner}</section>`;
  return `<details${block.fold === 'open' ? ' open' : ''}><summary>${title}</summary>\n${inner}</details>`;
}

function tableOf({ label, columns, rows }: Table): string {
  const side = (at: number) => (columns[at]?.align ? ' class="right"' : '');
  const head = columns.map(({ title }, at) => `<th scope="col"${side(at)}>${escapeText(title)}</th>`).join('');
  const body = rows.map(
    (row) =>
      `<tr>${row.map((cell, at) => `<td${isRest(cell) ? ` colspan="${columns.length - at}"` : side(at)}>${escapeText(textOf(cell))}</td>`).join('')}</tr>`,
  );
  return `<table aria-label="${escapeText(label)}"><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
}

function meterOf({ label, of, bars }: Meter): string {
  const drawn = bars.map(({ name, parts }) => {
    const shown = parts.map(({ label: part, value, tone }) => {
      const width = ((100 * value) / of).toFixed(2);
      return `<span class="${tone}" style="width:${width}%" title="${escapeText(part)}"></span>`;
    });
    return `${escapeText(name)}<div class="meter" role="img" aria-label="${escapeText(label)}">${shown.join('')}</div>`;
  });
  return `${drawn.join('')}<p class="quiet">${escapeText(label)}</p>`;
}

/** Dots only: a table has the figures of lines. */
function chartOf({ label, x, y, series }: Chart): string {
  const dots = series.filter(({ shape }) => shape === 'dots');
  if (dots.length === 0) return '';
  const [width, height, edge] = [640, 320, 40];
  const points = dots.flatMap(({ label: name, points: own }) => own.map(([px, py]) => ({ name, px, py })));
  const scale = (values: readonly number[], from: number, to: number) => {
    const [low, high] = [Math.min(...values) - 2, Math.max(...values) + 2];
    return (value: number) => from + ((to - from) * (value - low)) / (high - low);
  };
  const toX = scale(
    points.map(({ px }) => px),
    edge,
    width - 120,
  );
  const toY = scale(
    points.map(({ py }) => py),
    height - edge,
    edge / 2,
  );
  const drawn = points.map(({ name, px, py }) => {
    const [cx, cy] = [toX(px).toFixed(1), toY(py).toFixed(1)];
    return `<circle cx="${cx}" cy="${cy}" r="4" fill="var(--same)"/><text x="${cx}" y="${cy}" dx="8" dy="4">${escapeText(name)}</text>`;
  });
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${escapeText(label)}" font-size="12" fill="currentColor">
<path d="M${edge} ${edge / 2}V${height - edge}H${width}" stroke="var(--line)" fill="none"/>
<text x="${width / 2}" y="${height - 8}" text-anchor="middle">${escapeText(x)}</text>
<text x="12" y="${height / 2}" transform="rotate(-90 12 ${height / 2})" text-anchor="middle">${escapeText(y)}</text>
${drawn.join('\n')}
</svg>`;
}

const isRest = (cell: PageCell) => typeof cell === 'object' && cell.rest === true;

const textOf = (cell: PageCell) => (typeof cell === 'string' ? cell : cell.text);

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
