/**
 * A notebook as text: its cells with number, kind and source, and the beginning of each output. Images and other rich
 * outputs are named, with their size.
 */

import { asRecord, asText, type Json, listOf, objectOf, parseObject } from '../../json.ts';
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
export function cellHead(cell: Json, index: number): string {
  const run = typeof cell.execution_count === 'number' ? `, run ${cell.execution_count}` : '';
  return `[cell ${index + 1}: ${short(cell.cell_type)}${run}]`;
}

export function cellSource(cell: Json): string {
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
      const said = traceback || `${asText(output.ename)}: ${asText(output.evalue)}`;
      return [`${head}, error]`, shorten(said, 'end')];
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
