/**
 * `read_file`: a text file, or a full output kept earlier, as it is. Lines are not numbered, so that what the model
 * copies into `edit_file` is what the file holds; one line above the text says which lines follow.
 */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { type ImageFacts, readImage } from '../../images/readImage.ts';
import { cutText, type TruncationLimits } from '../text/cutText.ts';
import { type DecodedFile, decodeText } from '../text/decodeText.ts';
import { showInOneLine } from '../text/showHidden.ts';
import { OUTPUT_PREFIX, TRUNCATION_DEFAULTS } from '../text/truncateOutput.ts';
import type { Tool, ToolOutcome, ToolPorts } from '../tool.ts';
import { LARGEST_FILE } from './prepareChange.ts';
import { notebookText } from './reading/notebookText.ts';

/** The most that a person can let through at once. */
const MOST_LINES = 100_000;

const input = z.strictObject({
  path: z.string().describe('Workspace-relative path, with forward slashes'),
  offset: z.int().min(1).default(1).describe('First line to read, from 1'),
  column: z.int().min(1).optional().describe('First character to read of that line, from 1; by default the whole line'),
  limit: z.int().min(1).max(MOST_LINES).optional().describe('How many lines to read; by default all'),
});
type Input = z.infer<typeof input>;

export const readFile: Tool<Input> = {
  name: 'read_file',
  toolClass: 'read',
  description:
    'Read a file of the workspace: text, a notebook as its cells, or an image. Of a long text a part comes back, usually 2000 lines or 50 KB; read on with ' +
    'offset, and within a long line with column. The first line of the result says which lines follow; it is not part of the file.',
  input,
  async prepare({ path, offset, column, limit }, ports) {
    const source = await locate(path, ports);
    return {
      title: titleOf(source.shown, offset, column),
      approval: null,
      changes: [],
      run: async ({ limits = TRUNCATION_DEFAULTS }) => {
        const bytes = await source.read();
        // Who names a character wants what follows it, also where the end of a text is kept.
        const inForce = column === undefined ? limits : { ...limits, direction: 'head' as const };
        const lines = () => showLines(source.shown, bytes, { offset, column, limit }, inForce);
        if (source.keptOutput) return { ...lines(), readBack: true };
        const image = readImage(bytes);
        return image ? showImage(source.shown, bytes, image) : lines();
      },
    };
  },
};

interface Source {
  readonly shown: string;
  /** Put aside earlier, as opposed to a file of the workspace. */
  readonly keptOutput: boolean;
  read(): Promise<Uint8Array>;
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
    };
  }
  const { shown, exists, type, size } = await files.resolve(path);
  const visible = showInOneLine(shown);
  if (!exists) throw new ToolError(`${visible} does not exist. list_files shows what does.`);
  if (type === 'folder') throw new ToolError(`${visible} is a folder. Use list_files.`);
  if (type === 'other') throw new ToolError(`${visible} is not a regular file.`);
  if (size > LARGEST_FILE) {
    throw new ToolError(`${visible} has ${size} bytes, more than the ${LARGEST_FILE} that are read. Use search_text.`);
  }
  return { shown: visible, keptOutput: false, read: () => files.read(path) };
}

function showImage(shown: string, bytes: Uint8Array, { mime, width, height }: ImageFacts): ToolOutcome {
  return {
    text: `${shown}: ${mime}, ${width} × ${height} pixels, ${bytes.length} bytes`,
    images: [{ name: shown, bytes }],
  };
}

function titleOf(shown: string, offset: number, column = 1): string {
  if (column > 1) return `${shown}, line ${offset} from character ${column}`;
  return offset === 1 ? shown : `${shown}, from line ${offset}`;
}

type Asked = Pick<Input, 'offset' | 'column' | 'limit'>;

function showLines(
  shown: string,
  bytes: Uint8Array,
  { offset, column = 1, limit }: Asked,
  limits: TruncationLimits,
): ToolOutcome {
  const decoded = decodeText(bytes);
  if (decoded.kind === 'binary') throw new ToolError(`${shown} cannot be read as text: ${decoded.reason}.`);
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
          `a notebook as the text of its ${notebook.cells} cells; edit_file changes its JSON, whose lines search_text shows`,
        ]
      : tellLineEnds(decoded)),
    ...(decoded.lossy ? ['not valid UTF-8: U+FFFD stands for bad bytes, and it cannot be edited'] : []),
    ...part.facts,
    ...(part.next !== null ? [part.next] : last < lines.length ? [`read on with offset ${last + 1}`] : []),
  ];
  return {
    text: `${facts.join(', ')}\n${part.text}`,
    headed: true,
    // A part that was asked for is whole.
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

function tellLineEnds({ text, lineEnd, mixedLineEnds }: Extract<DecodedFile, { kind: 'text' }>): readonly string[] {
  return [
    ...(mixedLineEnds ? ['mixed LF and CRLF'] : lineEnd === '\r\n' ? ['CRLF'] : []),
    ...(/[\r\n]$/u.test(text) ? [] : ['no final line end']),
  ];
}

interface Part {
  readonly text: string;
  /** Numbers of the first and last line of what is shown: two where the middle is cut out. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly facts: readonly string[];
  /** Where the rest of a line that does not fit begins; null where whole lines follow. */
  readonly next: string | null;
  readonly cut: boolean;
}

/** As many whole lines as the limits allow; where none fits, a part of one. The first line is there from `column` on. */
function takePart(
  lines: readonly string[],
  { offset: first, column }: { readonly offset: number; readonly column: number },
  limits: TruncationLimits,
): Part {
  const last = first + lines.length - 1;
  const text = lines.join('\n');
  const begun = column > 1 ? [`line ${first} is shown from character ${column} on`] : [];
  // A line end at the end does not count as a line, so an empty last line gets another.
  const cut = cutText(lines.at(-1) === '' ? `${text}\n` : text, limits);
  if (!cut) return { text, ranges: [[first, last]], facts: begun, next: null, cut: false };
  const { direction } = limits;
  const cutsFirst = direction !== 'tail' && cut.firstCut === 1;
  const cutsLast = direction !== 'head' && cut.lastCut === lines.length;
  const lengthOf = (line: number) => (lines[line - first]?.length ?? 0) + (line === first ? column - 1 : 0);
  const tellLong = (line: number, from: number, to: number) =>
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
      ...(cutsFirst ? [tellLong(first, column, end - 1)] : begun),
      ...(cutsLast ? [tellLong(last, lengthOf(last) - cut.tail.length + 1, lengthOf(last))] : []),
      ...(direction === 'head' ? [] : [leftOut]),
    ],
    next: direction === 'head' && cutsFirst ? `read on with ${rest}` : null,
    cut: true,
  };
}
