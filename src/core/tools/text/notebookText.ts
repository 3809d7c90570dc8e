/**
 * A notebook as text: its cells with number, kind and source, and the beginning of each output. Images and other rich
 * outputs are named, with their size. Edits are made in the text in which the model reads it.
 */

import { type Node, parseTree } from 'jsonc-parser';
import { ToolError } from '../../errors.ts';
import { asRecord, asText, type Json, listOf, objectOf, parseObject } from '../../json.ts';
import type { Replacement } from './findText.ts';
import { showInOneLine } from './showHidden.ts';
import { stripControls } from './stripControls.ts';

interface NotebookText {
  readonly text: string;
  readonly cells: number;
}

/** For one output. */
const MOST_NOTEBOOK_LINES = 20;
const MOST_CHARACTERS = 2_000;
const MOST_OUTPUTS = 50;
const LONGEST_NAME = 100;

/** Null unless it is a notebook of format 4. */
export function notebookText(json: string): NotebookText | null {
  const notebook = parseObject(json);
  if (notebook?.nbformat !== 4 || !Array.isArray(notebook.cells)) return null;
  const cells = notebook.cells.map(objectOf);
  return { text: cells.map(cellText).join('\n\n'), cells: cells.length };
}

/** The line above a cell's source. */
function cellHead(cell: Json, index: number): string {
  const run = typeof cell.execution_count === 'number' ? `, run ${cell.execution_count}` : '';
  return `[cell ${index + 1}: ${short(cell.cell_type)}${run}]`;
}

function cellSource(cell: Json): string {
  return joined(cell.source).replaceAll('\r\n', '\n').trimEnd();
}

function cellText(cell: Json, index: number): string {
  const number = index + 1;
  const outputs = listOf(cell.outputs).map(objectOf);
  const left = outputs.length - MOST_OUTPUTS;
  return [
    cellHead(cell, index),
    ...unlessEmpty(cellSource(cell)),
    ...outputs.slice(0, MOST_OUTPUTS).flatMap((output) => outputText(output, number)),
    ...(left > 0 ? [`[${left} more outputs of cell ${number}]`] : []),
  ].join('\n');
}

function outputText(output: Json, cell: number): readonly string[] {
  const head = `[output of cell ${cell}`;
  switch (output.output_type) {
    case 'stream': {
      const name = output.name === 'stderr' ? ', stderr' : '';
      return [`${head}${name}]`, ...unlessEmpty(shorten(joined(output.text)))];
    }
    case 'error': {
      const traceback = listOf(output.traceback).map(asText).join('\n');
      const message = traceback || `${asText(output.ename)}: ${asText(output.evalue)}`;
      return [`${head}, error]`, shorten(message, 'end')];
    }
    default: {
      const data = objectOf(output.data);
      const plain = shorten(joined(data['text/plain']));
      const rich = Object.keys(data).filter((mime) => mime !== 'text/plain');
      const named = rich.map((mime) => `${head}: ${short(mime)}, ${sizeOf(mime, data[mime])}, not shown]`);
      return [...(plain === '' ? [] : [`${head}]`, plain]), ...named];
    }
  }
}

/** The beginning; for an error the end, which holds its reason. */
function shorten(text: string, part: 'start' | 'end' = 'start'): string {
  const lines = stripControls(text).trimEnd().split('\n');
  const some = part === 'start' ? lines.slice(0, MOST_NOTEBOOK_LINES) : lines.slice(-MOST_NOTEBOOK_LINES);
  const whole = some.join('\n');
  const kept = part === 'start' ? whole.slice(0, MOST_CHARACTERS) : whole.slice(-MOST_CHARACTERS);
  if (kept.length === whole.length && some.length === lines.length) return kept;
  const note = `(shortened; ${lines.length} lines in all)`;
  return part === 'start' ? `${kept}\n${note}` : `${note}\n${kept}`;
}

/** A text, or a list of lines. */
function joined(value: unknown): string {
  return Array.isArray(value) ? value.map(asText).join('') : asText(value);
}

const unlessEmpty = (text: string): readonly string[] => (text === '' ? [] : [text]);

const short = (value: unknown): string => showInOneLine(asText(value).slice(0, LONGEST_NAME));

/** Images are stored in base64. */
function sizeOf(mime: string, value: unknown): string {
  const length = (asRecord(value) ? JSON.stringify(value) : joined(value)).length;
  const bytes = mime.startsWith('image/') && mime !== 'image/svg+xml' ? Math.ceil((length * 3) / 4) : length;
  return `${Math.ceil(bytes / 1024)} KB`;
}

/*
 * Edits, made in the same text. In the file only the sources that change, and cells that are new or gone, get other bytes:
 * order of keys, indents, ids, metadata and outputs stay.
 */

interface Cell {
  readonly node: Node;
  readonly head: string;
  readonly source: string;
  /** Of its head in the text, and the beginning of the next one's. */
  readonly from: number;
  readonly headEnd: number;
  readonly to: number;
}

/** A cell of the notebook as it is to become; `before` is null for a new one. */
interface Built {
  readonly before: Cell | null;
  readonly type: string;
  text: string;
}

const NEW = /^\[new (code|markdown|raw) cell\]$/u;
const GIVEN = /^\[(?:cell \d+: |output of cell \d+|\d+ more outputs of cell )/u;

export interface OpenNotebook {
  /** Heads and sources of the cells. */
  readonly text: string;
  /** The cell of a line of the text, from 1. */
  cellAt(line: number): number;
  /** The file, and what has changed for the model. Throws `ToolError` with the reason. The replacements do not overlap. */
  rewrite(replacements: readonly Replacement[]): { readonly json: string; readonly summary: string };
}

/** Null unless it is a notebook of format 4 with cells. */
export function openNotebook(json: string): OpenNotebook | null {
  const notebook = parseObject(json);
  const root = notebook?.nbformat === 4 ? parseTree(json) : undefined;
  const list = root && valueNode(root, 'cells');
  const nodes = list?.type === 'array' ? (list.children ?? []) : [];
  if (!notebook || !list || nodes.length === 0) return null;
  const given = notebook.cells as readonly unknown[];
  const cells: Cell[] = [];
  let text = '';
  for (const [index, node] of nodes.entries()) {
    const facts = objectOf(given[index]);
    const [head, source] = [cellHead(facts, index), cellSource(facts)];
    const from = text.length;
    text += [head, ...(source === '' ? [] : [source])].join('\n') + (index === nodes.length - 1 ? '' : '\n\n');
    cells.push({ node, head, source, from, headEnd: from + head.length, to: text.length });
  }
  const hasIds = Number(notebook.nbformat_minor) >= 5;
  return {
    text,
    cellAt(line) {
      const at = text.split('\n', line - 1).join('\n').length;
      return cells.findLastIndex(({ from }) => from <= at) + 1;
    },
    rewrite(replacements) {
      const built = buildCells(text, cells, replacements);
      return writeCells(json, { list, cells, hasIds }, built);
    },
  };
}

function buildCells(text: string, cells: readonly Cell[], replacements: readonly Replacement[]): readonly Built[] {
  const built: Built[] = [];
  const begin = (before: Cell | null, type: string) => {
    const last = built.findLast((each) => each.before !== null)?.before;
    if (before && last && last.from >= before.from) throw new ToolError(`${before.head} cannot be moved or repeated.`);
    built.push({ before, type, text: '' });
  };
  const addPart = (part: string) => {
    const last = built.at(-1);
    if (last) last.text += part;
    else if (part.trim() !== '') throw new ToolError('Text in front of the first cell would be in no cell.');
  };
  const keep = (from: number, to: number) => {
    let at = from;
    for (const cell of cells) {
      if (cell.from < from || cell.headEnd > to) continue;
      addPart(text.slice(at, cell.from));
      begin(cell, '');
      at = cell.headEnd;
    }
    addPart(text.slice(at, to));
  };
  let at = 0;
  for (const { from, to, text: given } of replacements.toSorted((one, other) => one.from - other.from)) {
    keep(at, from);
    const cut = cells.find(
      (cell) => from < cell.headEnd && to > cell.from && !(from <= cell.from && to >= cell.headEnd),
    );
    if (cut) throw new ToolError(`${cut.head} is a line about the cell. Take all of it into old_string, or nothing.`);
    const covered = cells.filter((cell) => cell.from >= from && cell.headEnd <= to);
    const beginsLine = from === 0 || text[from - 1] === '\n';
    for (const [index, line] of given.split(/\r?\n/u).entries()) {
      const lead = index > 0 ? '\n' : '';
      const isWhole = index > 0 || beginsLine;
      const head = isWhole ? covered.find((cell) => cell.head === line) : undefined;
      const type = isWhole ? NEW.exec(line)?.[1] : undefined;
      if (head ?? type) {
        addPart(lead);
        begin(head ?? null, type ?? '');
      } else if (isWhole && GIVEN.test(line) && !text.includes(`\n${line}`)) {
        throw new ToolError(
          `${line} is not part of old_string, so it cannot be in new_string. A cell begins with [new code cell].`,
        );
      } else addPart(lead + line);
    }
    at = to;
  }
  keep(at, text.length);
  return built;
}

interface Written {
  readonly list: Node;
  readonly cells: readonly Cell[];
  readonly hasIds: boolean;
}

function writeCells(
  json: string,
  { list, cells, hasIds }: Written,
  built: readonly Built[],
): ReturnType<OpenNotebook['rewrite']> {
  const form = formOf(json);
  const old = new Map(cells.map(({ node }, index) => [node, leadOf(json, list, cells, index)]));
  const ids = new Set(cells.map(({ node }) => valueNode(node, 'id')?.value));
  const changed: number[] = [];
  const added: number[] = [];
  const parts = built.map(({ before, type, text }, index) => {
    const source = text.trim() === '' ? '' : text.replace(/^\n/u, '').trimEnd();
    if (!before) {
      added.push(index + 1);
      const id = hasIds ? newId(`${index}${source}`, ids) : null;
      const lead = form.unit === null ? (index === 0 ? '' : form.gap) : form.newLine(2);
      return lead + newCell(type, source, id, form);
    }
    const lead = old.get(before.node) ?? '';
    const own = sliceOf(json, before.node);
    if (source === before.source) return lead + own;
    changed.push(index + 1);
    const node = valueNode(before.node, 'source');
    if (!node) throw new ToolError(`${before.head} has no source that could be changed.`);
    const at = node.offset - before.node.offset;
    return lead + own.slice(0, at) + sourceOf(source, form, node, json) + own.slice(at + node.length);
  });
  const gone = cells.filter((cell) => built.every(({ before }) => before !== cell)).length;
  const lastNode = cells.at(-1)?.node;
  const end = list.offset + list.length - 1;
  const tail = lastNode ? json.slice(lastNode.offset + lastNode.length, end) : '';
  const changes = [
    ...(changed.length > 0 ? [`changed ${nameCells(changed)}`] : []),
    ...(added.length > 0 ? [`added ${nameCells(added)}`] : []),
    ...(gone > 0 ? [`deleted ${gone === 1 ? '1 cell' : `${gone} cells`}`] : []),
  ].join(', ');
  const renumbered = added.length + gone > 0 ? ' The cells are numbered anew.' : '';
  return {
    json: json.slice(0, list.offset + 1) + parts.join(',') + tail + json.slice(end),
    summary: `${changes}.${renumbered}`,
  };
}

const nameCells = (numbers: readonly number[]) => `cell${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}`;

/** The white space in front of a cell. */
function leadOf(json: string, list: Node, cells: readonly Cell[], index: number): string {
  const previous = cells[index - 1]?.node;
  const from = previous ? previous.offset + previous.length : list.offset + 1;
  return json.slice(from, cells[index]?.node.offset).replace(',', '');
}

interface Form {
  /** One step of indent; null for a file in one line. */
  readonly unit: string | null;
  /** After a comma or colon within a line. */
  readonly gap: string;
  readonly newLine: (depth: number) => string;
}

function formOf(json: string): Form {
  const [, lineEnd = '\n', unit = null] = /^\s*\{(\r?\n)([ \t]+)"/u.exec(json) ?? [];
  const gap = unit !== null || /^\s*\{"\w+": /u.test(json) ? ' ' : '';
  return { unit, gap, newLine: (depth) => (unit === null ? '' : lineEnd + unit.repeat(depth)) };
}

/** In the shape of `node`, whose lines are written as they were where they stay. */
function sourceOf(source: string, form: Form, node: Node | null, json = ''): string {
  if (node && node.type !== 'array') return JSON.stringify(source);
  const known = new Map((node?.children ?? []).map((line) => [line.value, sliceOf(json, line)]));
  const lines = source === '' ? [] : source.split(/(?<=\n)/u).map((line) => known.get(line) ?? JSON.stringify(line));
  if (lines.length === 0) return '[]';
  const between = form.unit === null ? form.gap : '';
  return `[${lines.map((line, index) => `${form.newLine(4)}${index > 0 ? between : ''}${line}`).join(',')}${form.newLine(3)}]`;
}

/** Keys in the order in which notebooks are saved. */
function newCell(type: string, source: string, id: string | null, form: Form): string {
  const isCode = type === 'code';
  const entries = [
    `"cell_type":${form.gap}${JSON.stringify(type)}`,
    ...(isCode ? [`"execution_count":${form.gap}null`] : []),
    ...(id === null ? [] : [`"id":${form.gap}${JSON.stringify(id)}`]),
    `"metadata":${form.gap}{}`,
    ...(isCode ? [`"outputs":${form.gap}[]`] : []),
    `"source":${form.gap}${sourceOf(source, form, null)}`,
  ];
  const between = form.unit === null ? form.gap : '';
  return `{${entries.map((entry, index) => `${form.newLine(3)}${index > 0 ? between : ''}${entry}`).join(',')}${form.newLine(2)}}`;
}

/** Eight hexadecimal digits that no cell has, the same for the same edit. */
function newId(seed: string, taken: Set<unknown>): string {
  let hash = 0x811c9dc5;
  for (const character of seed) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  let id = hash.toString(16).padStart(8, '0');
  while (taken.has(id)) {
    hash = (hash + 1) >>> 0;
    id = hash.toString(16).padStart(8, '0');
  }
  taken.add(id);
  return id;
}

const sliceOf = (json: string, { offset, length }: Node) => json.slice(offset, offset + length);

function valueNode({ children = [] }: Node, name: string): Node | undefined {
  return children.find(({ children: [key] = [] }) => key?.value === name)?.children?.[1];
}
