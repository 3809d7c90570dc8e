/** `write_file`: a new file, or a text file replaced as a whole. The content is written exactly as given. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { encodeText } from '../text/decodeText.ts';
import type { Tool } from '../tool.ts';
import { newPlaceholder, prepareChange, readForChange } from './prepareChange.ts';

const input = z.strictObject({
  path: z.string().describe('Workspace-relative path; missing folders are created'),
  content: z.string().describe('The whole content'),
});
type Input = z.infer<typeof input>;

export const writeFile: Tool<Input> = {
  name: 'write_file',
  toolClass: 'write',
  description: 'Create a text file, or replace a whole one. To change part of a file use edit_file.',
  input,
  describe: ({ path, content }) => ({ kind: 'edit', path, pieces: [{ before: '', after: content }] }),
  async prepare({ path, content }, ports) {
    if (!content.isWellFormed()) throw new ToolError('content holds half of a surrogate pair. Write it without.');
    if (content.includes('\0')) throw new ToolError('content holds a NUL character; only text is written.');
    const before = await readForChange(path, ports.files);
    const { shown, decoded } = before;
    if (decoded?.text === content) throw new ToolError(`${shown} already has exactly this content.`);
    const placeholder = newPlaceholder(content, before);
    if (placeholder !== null) {
      throw new ToolError(
        `content holds “${placeholder}” in place of code. What is written is the whole file: write all of it${decoded ? ', or change a part with edit_file' : ''}. Nothing was written.`,
      );
    }
    const after = { text: content, bytes: encodeText(content, decoded?.bom ?? false) };
    const done = `${decoded ? 'Replaced' : 'Created'} ${shown} (${after.bytes.length} bytes).`;
    return prepareChange(path, before, after, ports, done);
  },
};
