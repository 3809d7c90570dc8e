/**
 * `read_file`: a text file, or a full output kept earlier, as it is. Lines are not numbered, so that what the model
 * copies into `edit_file` is what the file holds; one line above the text says which lines follow.
 */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { cutHead, utf8Length } from '../text/cutText.ts';
import { decodeText } from '../text/decodeText.ts';
import { showInOneLine } from '../text/showHidden.ts';
import { OUTPUT_PREFIX, TRUNCATION_DEFAULTS } from '../text/truncateOutput.ts';
import type { Tool, ToolOutcome, ToolPorts } from '../tool.ts';
import { LARGEST_FILE } from './prepareChange.ts';

const MOST_LINES = TRUNCATION_DEFAULTS.maxLines;
/** Room is left for the line above the text. */
const MOST_BYTES = TRUNCATION_DEFAULTS.maxBytes - 1024;

const input = z.strictObject({
  path: z.string().describe('Workspace-relative path, with forward slashes'),
  offset: z.int().min(1).default(1).describe('First line to read, from 1'),
  limit: z.int().min(1).max(MOST_LINES).default(MOST_LINES).describe('How many lines to read'),
});
type Input = z.infer<typeof input>;

export const readFile: Tool<Input> = {
  name: 'read_file',
  toolClass: 'read',
  description:
    `Read a text file of the workspace. At most ${MOST_LINES} lines or 49 KB come back at once; read on with offset. ` +
    'The first line of the result says which lines follow; it is not part of the file.',
  input,
  async prepare({ path, offset, limit }, ports) {
    const source = await locate(path, ports);
    return {
      title: offset === 1 ? source.shown : `${source.shown}, from line ${offset}`,
      approval: null,
      changes: [],
      run: async () => ({
        ...showLines(source.shown, await source.read(), offset, limit),
        ...(source.keptOutput ? { readBack: true } : {}),
      }),
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

function showLines(shown: string, bytes: Uint8Array, offset: number, limit: number): ToolOutcome {
  const decoded = decodeText(bytes);
  if (decoded.kind === 'binary') throw new ToolError(`${shown} cannot be read as text: ${decoded.reason}.`);
  if (decoded.text === '') return { text: `${shown}: empty file` };
  const lines = decoded.text.replaceAll('\r\n', '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (offset > lines.length)
    throw new ToolError(`${shown} has ${lines.length} lines; offset ${offset} is beyond its end.`);
  const asked = lines.slice(offset - 1, offset - 1 + limit);
  const body = takeWholeLines(asked);
  const last = offset + body.lines - 1;
  const facts = [
    `${shown}: lines ${offset}-${last} of ${lines.length}`,
    ...(decoded.mixedLineEnds ? ['mixed LF and CRLF'] : decoded.lineEnd === '\r\n' ? ['CRLF'] : []),
    ...(/[\r\n]$/u.test(decoded.text) ? [] : ['no final line end']),
    ...(decoded.lossy ? ['not valid UTF-8: U+FFFD stands for bad bytes, and it cannot be edited'] : []),
    ...(body.cutLine ? [`line ${last} is ${asked[0]?.length} characters long and cut`] : []),
    ...(last < lines.length ? [`read on with offset ${last + 1}`] : []),
  ];
  const whole = offset === 1 && last === lines.length && !body.cutLine;
  return {
    text: `${facts.join(', ')}\n${body.text}`,
    headed: true,
    ...(whole
      ? {}
      : {
          truncation: {
            by: 'formatter',
            direction: 'head',
            originalLines: lines.length,
            originalBytes: bytes.length,
          },
        }),
  };
}

/** As many lines as fit; the first is cut when even it alone does not. */
function takeWholeLines(lines: readonly string[]): { text: string; lines: number; cutLine: boolean } {
  const first = lines[0] ?? '';
  if (utf8Length(first) > MOST_BYTES) return { text: cutHead(first, MOST_BYTES), lines: 1, cutLine: true };
  let used = 0;
  let count = 0;
  for (const line of lines) {
    used += utf8Length(line) + 1;
    if (used > MOST_BYTES && count > 0) break;
    count += 1;
  }
  return { text: lines.slice(0, count).join('\n'), lines: count, cutLine: false };
}
