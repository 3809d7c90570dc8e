/**
 * `read_file`: a text file, or a full output stored earlier, verbatim. Lines are not numbered, so that text copied into
 * `edit_file` matches the file; one line above the text gives the line range.
 */

import * as z from 'zod';
import { type ImageFacts, readImage } from '../../context/imageFacts.ts';
import { ToolError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { words } from '../../words.ts';
import { cutText, type TruncationLimits } from '../text/cutText.ts';
import { type DecodedFile, type DecodedText, decodeFile, decodeText, LARGEST_FILE } from '../text/decodeText.ts';
import { notebookText } from '../text/notebookText.ts';
import { showInOneLine } from '../text/showHidden.ts';
import { defineTool, type ToolOutcome, type ToolPorts } from '../tool.ts';
import { TRUNCATION_DEFAULTS } from '../toolSettings.ts';
import { OUTPUT_PREFIX } from '../truncateOutput.ts';

/** The most that a person can allow at once. */
const MOST_LINES = 100_000;

const input = z.strictObject({
  path: z.string().describe('Workspace-relative path, with forward slashes'),
  offset: z.int().min(1).default(1).describe('First line to read, from 1'),
  column: z.int().min(1).optional().describe('First character to read of that line, from 1; by default the whole line'),
  limit: z.int().min(1).max(MOST_LINES).optional().describe('How many lines to read; by default all'),
});

type Input = z.infer<typeof input>;

const withLines = z.strictObject({
  ...input.shape,
  start_line: z.int().min(1).optional(),
  end_line: z.int().min(1).optional(),
});

/** Other programs name the first and the last line. */
function fromLines({ start_line, end_line, ...own }: Json): Json {
  if (own.offset !== undefined && start_line !== undefined && own.offset !== start_line) return { ...own, start_line };
  const offset = own.offset ?? start_line;
  if (typeof end_line !== 'number') return { ...own, ...(offset === undefined ? {} : { offset }) };
  const limit = end_line - (typeof offset === 'number' ? offset : 1) + 1;
  if (limit < 1 || (own.limit !== undefined && own.limit !== limit)) return { ...own, end_line };
  return { ...own, ...(offset === undefined ? {} : { offset }), limit };
}

export const readFile = defineTool({
  name: 'read_file',
  alsoCalled: ['read', 'notebookread', 'readfile', 'read_many_files'],
  toolClass: 'read',
  opens: 'file',
  description:
    'Read a file of the workspace: text, a notebook as its cells, or an image. Of a long text a part comes back, usually 2000 lines or 50 KB; read on with ' +
    'offset, and within a long line with column. The first line of the result says which lines follow; it is not part of the file.',
  input,
  otherForms: { schema: withLines, toOwn: fromLines },
  async prepare({ path, offset, column, limit }, ports) {
    const source = await locate(path, ports);
    return {
      title: titleOf(source.shown, offset, column),
      approval: null,
      changes: [],
      run: async ({ limits = TRUNCATION_DEFAULTS }) => {
        const bytes = await source.read();
        // A request for a column wants the text after it, even where the end of a text is kept.
        const inForce = column === undefined ? limits : { ...limits, direction: 'head' as const };
        const image = source.keptOutput ? null : readImage(bytes);
        if (image) return showImage(source.shown, bytes, image);
        const lines = showLines(source.shown, bytes, await source.decode(bytes), { offset, column, limit }, inForce);
        return source.keptOutput ? { ...lines, readBack: true } : lines;
      },
    };
  },
});

interface Source {
  readonly shown: string;
  /** A stored output, not a file of the workspace. */
  readonly keptOutput: boolean;
  read(): Promise<Uint8Array>;
  decode(bytes: Uint8Array): Promise<DecodedFile>;
}

async function locate(path: string, { files, blobs }: ToolPorts): Promise<Source> {
  if (path.startsWith(OUTPUT_PREFIX)) {
    const name = path.slice(OUTPUT_PREFIX.length);
    if (!/^[0-9a-f]{64}$/u.test(name)) {
      throw new ToolError(`"${showInOneLine(path)}" names no kept output; copy the name from the result that was cut.`);
    }
    return {
      shown: `${OUTPUT_PREFIX}${name}`,
      keptOutput: true,
      async read() {
        const bytes = await blobs.get(name);
        if (!bytes) throw new ToolError(`The full output ${name} has expired. Run the tool again.`);
        return bytes;
      },
      decode: async (bytes) => decodeText(bytes),
    };
  }
  const { shown, exists, type, size, real } = await files.resolve(path);
  const visible = showInOneLine(shown);
  if (!exists) throw new ToolError(`${visible} does not exist. list_files shows what does.`);
  if (type === 'folder') throw new ToolError(`${visible} is a folder. Use list_files.`);
  if (type === 'other') throw new ToolError(`${visible} is not a regular file.`);
  if (size > LARGEST_FILE) {
    throw new ToolError(`${visible} has ${size} bytes, more than the ${LARGEST_FILE} that are read. Use search_text.`);
  }
  return {
    shown: visible,
    keptOutput: false,
    read: () => files.read(path),
    decode: (bytes) => decodeFile(real, bytes, files.text),
  };
}

function showImage(shown: string, bytes: Uint8Array, { mime, width, height }: ImageFacts): ToolOutcome {
  return {
    text: `${shown}: ${mime}, ${width} × ${height} pixels, ${bytes.length} bytes`,
    images: [{ name: shown, bytes }],
  };
}

/** In no language. */
function titleOf(shown: string, offset: number, column = 1): string {
  if (column > 1) return `${shown}:${offset}:${column}`;
  return offset === 1 ? shown : `${shown}:${offset}`;
}

type Asked = Pick<Input, 'offset' | 'column' | 'limit'>;

function showLines(
  shown: string,
  bytes: Uint8Array,
  decoded: DecodedFile,
  { offset, column = 1, limit }: Asked,
  limits: TruncationLimits,
): ToolOutcome {
  if (decoded.kind === 'binary') throw new ToolError(words('{0} cannot be read as text: {1}.', shown, decoded.reason));
  if (decoded.text === '') return { text: `${shown}: empty file` };
  const notebook = /\.ipynb$/iu.test(shown) ? notebookText(decoded.text) : null;
  const lines = (notebook?.text ?? decoded.text.replaceAll('\r\n', '\n')).split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (offset > lines.length)
    throw new ToolError(`${shown} has ${lines.length} lines; offset ${offset} is beyond its end.`);
  const asked = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
  const [begun = ''] = asked;
  if (column > Math.max(1, begun.length)) {
    throw new ToolError(
      `Line ${offset} of ${shown} has ${begun.length} characters; column ${column} is beyond its end.`,
    );
  }
  asked[0] = begun.slice(column - 1);
  const part = takePart(asked, { offset, column }, limits);
  const last = part.ranges.at(-1)?.[1] ?? offset;
  const facts = [
    `${shown}: lines ${part.ranges.map((range) => range.join('-')).join(' and ')} of ${lines.length}`,
    ...(notebook
      ? [
          `a notebook as the text of its ${notebook.cells} cells; edit_file takes pieces of this text, outputs apart. A line [new code cell] or [new markdown cell] in new_string begins a cell, and one whose line [cell …] is taken out is gone`,
        ]
      : describeStyle(decoded)),
    ...(decoded.lossy ? ['not valid UTF-8: U+FFFD stands for bad bytes, and it cannot be edited'] : []),
    ...part.facts,
    ...(part.next !== null ? [part.next] : last < lines.length ? [`read on with offset ${last + 1}`] : []),
  ];
  return {
    text: `${facts.join(', ')}\n${part.text}`,
    headed: true,
    // A requested part is complete.
    ...(part.cut
      ? {
          truncation: {
            by: 'formatter',
            direction: limits.direction,
            originalLines: lines.length,
            originalBytes: bytes.length,
          },
        }
      : {}),
  };
}

function describeStyle({ text, encoding, lineEnd, mixedLineEnds }: DecodedText): readonly string[] {
  return [
    ...(encoding === 'utf8' ? [] : [`in ${encoding}`]),
    ...(mixedLineEnds ? ['mixed LF and CRLF'] : lineEnd === '\n' ? [] : [lineEnd === '\r' ? 'CR' : 'CRLF']),
    ...(/[\r\n]$/u.test(text) ? [] : ['no final line end']),
  ];
}

interface Part {
  readonly text: string;
  /** First and last line numbers shown: two ranges where the middle is cut out. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly facts: readonly string[];
  /** Where the rest of an overlong line begins; null where whole lines follow. */
  readonly next: string | null;
  readonly cut: boolean;
}

/** As many whole lines as the limits allow; if none fits, a part of one. The first line starts at `column`. */
function takePart(
  lines: readonly string[],
  { offset: first, column }: { readonly offset: number; readonly column: number },
  limits: TruncationLimits,
): Part {
  const last = first + lines.length - 1;
  const text = lines.join('\n');
  const begun = column > 1 ? [`line ${first} is shown from character ${column} on`] : [];
  // A line break at the end does not count as a line, so an empty last line gets another.
  const cut = cutText(lines.at(-1) === '' ? `${text}\n` : text, limits);
  if (!cut) return { text, ranges: [[first, last]], facts: begun, next: null, cut: false };
  const { direction } = limits;
  const cutsFirst = direction !== 'tail' && cut.firstCut === 1;
  const cutsLast = direction !== 'head' && cut.lastCut === lines.length;
  const lengthOf = (line: number) => (lines[line - first]?.length ?? 0) + (line === first ? column - 1 : 0);
  const describeLong = (line: number, from: number, to: number) =>
    `line ${line} is ${lengthOf(line)} characters long, of which ${from}-${to} are shown`;
  const before: Part['ranges'] = direction === 'tail' ? [] : [[first, Math.max(first, first + cut.firstCut - 2)]];
  const after: Part['ranges'] = direction === 'head' ? [] : [[Math.min(last, first + cut.lastCut), last]];
  const gap = [first + cut.firstCut - 1, first + cut.lastCut - 1] as const;
  const end = column + cut.head.length;
  const rest = cutsFirst
    ? `offset ${first} and column ${end}`
    : cutsLast && direction === 'tail'
      ? `offset ${first} and column ${column}`
      : // Without a limit, the end would come back once more.
        `offset ${gap[0]}${direction === 'tail' ? ` and limit ${gap[1] - gap[0] + 1}` : ''}`;
  const leftOut = `lines ${gap.join('-')} are ${cutsFirst || cutsLast ? 'not whole' : 'left out'} and can be read with ${rest}`;
  return {
    text: [
      ...(direction === 'tail' ? [] : [cut.head]),
      ...(direction === 'middle' ? [`(${leftOut})`] : []),
      ...(direction === 'head' ? [] : [cut.tail]),
    ].join('\n'),
    ranges: [...before, ...after],
    facts: [
      ...(cutsFirst ? [describeLong(first, column, end - 1)] : begun),
      ...(cutsLast ? [describeLong(last, lengthOf(last) - cut.tail.length + 1, lengthOf(last))] : []),
      ...(direction === 'head' ? [] : [leftOut]),
    ],
    next: direction === 'head' && cutsFirst ? `read on with ${rest}` : null,
    cut: true,
  };
}
