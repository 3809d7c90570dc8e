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
  limit: z.int().min(1).max(MOST_LINES).optional().describe('How many lines to read; by default all'),
});
type Input = z.infer<typeof input>;

export const readFile: Tool<Input> = {
  name: 'read_file',
  toolClass: 'read',
  description:
    'Read a file of the workspace: text, a notebook as its cells, or an image. Of a long text a part comes back, usually 2000 lines or 50 KB; read on with ' +
    'offset. The first line of the result says which lines follow; it is not part of the file.',
  input,
  async prepare({ path, offset, limit }, ports) {
    const source = await locate(path, ports);
    return {
      title: offset === 1 ? source.shown : `${source.shown}, from line ${offset}`,
      approval: null,
      changes: [],
      run: async ({ limits = TRUNCATION_DEFAULTS }) => {
        const bytes = await source.read();
        if (source.keptOutput) return { ...showLines(source.shown, bytes, { offset, limit }, limits), readBack: true };
        const image = readImage(bytes);
        return image
          ? showImage(source.shown, bytes, image)
          : showLines(source.shown, bytes, { offset, limit }, limits);
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

type Asked = Pick<Input, 'offset' | 'limit'>;

function showLines(shown: string, bytes: Uint8Array, { offset, limit }: Asked, limits: TruncationLimits): ToolOutcome {
  const decoded = decodeText(bytes);
  if (decoded.kind === 'binary') throw new ToolError(`${shown} cannot be read as text: ${decoded.reason}.`);
  if (decoded.text === '') return { text: `${shown}: empty file` };
  const notebook = /\.ipynb$/iu.test(shown) ? notebookText(decoded.text) : null;
  const lines = (notebook?.text ?? decoded.text.replaceAll('\r\n', '\n')).split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (offset > lines.length)
    throw new ToolError(`${shown} has ${lines.length} lines; offset ${offset} is beyond its end.`);
  const asked = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
  const part = takePart(asked, offset, limits);
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
    ...(last < lines.length ? [`read on with offset ${last + 1}`] : []),
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
  readonly cut: boolean;
}

/** As many whole lines as the limits allow; where none fits, a part of one. `first` is the number of the first line. */
function takePart(lines: readonly string[], first: number, limits: TruncationLimits): Part {
  const last = first + lines.length - 1;
  const text = lines.join('\n');
  // A line end at the end does not count as a line, so an empty last line gets another.
  const cut = cutText(lines.at(-1) === '' ? `${text}\n` : text, limits);
  if (!cut) return { text, ranges: [[first, last]], facts: [], cut: false };
  const tellLong = (line: number) => `line ${line} is ${lines[line - first]?.length} characters long and cut`;
  const { direction } = limits;
  const before: Part['ranges'] = direction === 'tail' ? [] : [[first, Math.max(first, first + cut.firstCut - 2)]];
  const after: Part['ranges'] = direction === 'head' ? [] : [[Math.min(last, first + cut.lastCut), last]];
  const gap = [first + cut.firstCut - 1, first + cut.lastCut - 1] as const;
  const leftOut = `lines ${gap.join('-')} are left out and can be read with offset ${gap[0]}`;
  return {
    text: [
      ...(direction === 'tail' ? [] : [cut.head]),
      ...(direction === 'middle' ? [`(${leftOut})`] : []),
      ...(direction === 'head' ? [] : [cut.tail]),
    ].join('\n'),
    ranges: [...before, ...after],
    facts: [
      ...(direction !== 'tail' && cut.firstCut === 1 ? [tellLong(first)] : []),
      ...(direction !== 'head' && cut.lastCut === lines.length ? [tellLong(last)] : []),
      ...(direction === 'head' ? [] : [leftOut]),
    ],
    cut: true,
  };
}
