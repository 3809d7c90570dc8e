/** `delete_file`: deletes one file, in exactly the state that the person approved. */

import * as z from 'zod';
import { defineTool } from '../tool.ts';
import { describeChange } from './prepareChange.ts';
import { readForRemoval } from './readForRemoval.ts';

export const deleteFile = defineTool({
  name: 'delete_file',
  toolClass: 'write',
  description: 'Delete one file. Folders, links and files with unsaved changes are not deleted.',
  input: z.strictObject({ path: z.string().describe('Workspace-relative path of the file') }),
  async prepare({ path }, { files }) {
    const { facts, shown, text, checkUnchanged } = await readForRemoval(path, files);
    return {
      title: shown,
      approval: {
        title: shown,
        detail: { kind: 'delete', path: facts.shown, before: text, size: facts.size },
        mayRemember: !facts.guarded,
      },
      changes: [facts.shown],
      async run({ signal }) {
        await checkUnchanged();
        signal.throwIfAborted();
        await files.remove(path, facts.real);
        return {
          text: `Deleted ${shown}.`,
          ...(text === null ? {} : { change: describeChange(facts.shown, text, null) }),
        };
      },
    };
  },
});
