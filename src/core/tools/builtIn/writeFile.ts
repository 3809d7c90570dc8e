/** `write_file`: writes a new file, or replaces a text file as a whole in its previous encoding and line ends. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import type { Files, TextStyle } from '../../workspace/files.ts';
import { withLineEnds } from '../text/decodeText.ts';
import { defineTool } from '../tool.ts';
import { encodeAs, type FileBefore, newPlaceholder, prepareChange, readForChange } from './prepareChange.ts';

export const writeFile = defineTool({
  name: 'write_file',
  alsoCalled: ['edit', 'editfiles', 'patch', 'apply_patch', 'write', 'createfile'],
  toolClass: 'write',
  description: 'Create a text file, or replace a whole one. To change part of a file use edit_file.',
  input: z.strictObject({
    path: z.string().describe('Workspace-relative path; missing folders are created'),
    content: z.string().describe('The whole content'),
  }),
  describe: ({ path, content }) => ({ kind: 'edit', path, whole: true, pieces: [{ before: '', after: content }] }),
  async prepare({ path, content }, ports) {
    if (!content.isWellFormed()) throw new ToolError('content holds half of a surrogate pair. Write it without.');
    if (content.includes('\0')) throw new ToolError('content holds a NUL character; only text is written.');
    const before = await readForChange(path, ports.files);
    const { shown, decoded } = before;
    const style = await styleFor(content, before, ports.files);
    const text = withLineEnds(content, style.lineEnd);
    if (decoded?.text === text) throw new ToolError(`${shown} already has exactly this content.`);
    const placeholder = newPlaceholder(content, before);
    if (placeholder !== null) {
      throw new ToolError(
        `content holds “${placeholder}” in place of code. What is written is the whole file: write all of it${decoded ? ', or change a part with edit_file' : ''}. Nothing was written.`,
      );
    }
    const bytes = await encodeAs(text, style, shown, ports.files);
    const after = { text, bytes, style };
    const facts = [`${bytes.length} bytes`, ...describeStyle(style)].join(', ');
    const done = `${decoded ? 'Replaced' : 'Created'} ${shown} (${facts}).`;
    return prepareChange(path, before, after, ports, done);
  },
});

const PLAIN: TextStyle = { encoding: 'utf8', bom: false, lineEnd: '\n' };

/** An existing file keeps its style; a file without line ends gets those of a new one. */
export async function styleFor(
  content: string,
  { facts, decoded }: { readonly facts: Pick<FileBefore['facts'], 'real'>; readonly decoded: FileBefore['decoded'] },
  files: Files,
): Promise<TextStyle> {
  if (decoded && /[\r\n]/u.test(decoded.text)) return decoded;
  const style = (await files.text?.styleOfNew(facts.real)) ?? PLAIN;
  // A script with CRLF in its first line does not start.
  const lineEnd = content.startsWith('#!') ? '\n' : style.lineEnd;
  return decoded ? { ...decoded, lineEnd } : { ...style, lineEnd };
}

/** Mentions what differs from UTF-8 with LF. */
function describeStyle({ encoding, lineEnd }: TextStyle): readonly string[] {
  return [
    ...(encoding === 'utf8' ? [] : [`in ${encoding}`]),
    ...(lineEnd === '\n' ? [] : [lineEnd === '\r' ? 'CR' : 'CRLF']),
  ];
}
