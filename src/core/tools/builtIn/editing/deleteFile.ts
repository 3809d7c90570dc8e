/** `delete_file`: deletes one file, exactly as it was when the person was asked. */

import * as z from 'zod';
import type { Tool } from '../../tool.ts';
import { describeChange } from '../prepareChange.ts';
import { readForRemoval } from './readForRemoval.ts';

const input = z.strictObject({ path: z.string().describe('Workspace-relative path of the file') });
type Input = z.infer<typeof input>;

export const deleteFile: Tool<Input> = {
  name: 'delete_file',
  toolClass: 'write',
  description: 'Delete one file. Folders, links and files with unsaved changes are not deleted.',
  input,
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
};
