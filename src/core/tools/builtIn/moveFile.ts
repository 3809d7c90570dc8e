/**
 * `move_file`: renames one file or moves it to another folder. It never overwrites, and the content stays unchanged.
 */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { showInOneLine } from '../text/showHidden.ts';
import { defineTool } from '../tool.ts';
import { readForRemoval, refuseLink } from './readForRemoval.ts';

export const moveFile = defineTool({
  name: 'move_file',
  toolClass: 'write',
  description: 'Move or rename one file. What refers to it is not changed.',
  input: z.strictObject({
    path: z.string().describe('Workspace-relative path of the file'),
    new_path: z.string().describe('Where it should be; missing folders are created. There must be nothing yet'),
  }),
  async prepare({ path, new_path }, { files }) {
    const { facts, shown, checkUnchanged } = await readForRemoval(path, files);
    const found = await files.resolve(new_path);
    refuseLink(found);
    // A disk that ignores case finds the file itself under its new name.
    const respelled = found.written !== undefined && found.real === facts.real ? found.written : null;
    const target = respelled === null ? found : { ...found, shown: besides(found.shown, respelled) };
    const there = showInOneLine(target.shown);
    if (found.exists && respelled === null) {
      throw new ToolError(`${there} exists already. Choose another name, or ask the user.`);
    }
    const title = `${shown} → ${there}`;
    return {
      title,
      approval: {
        title,
        detail: { kind: 'move', from: facts.shown, to: target.shown },
        mayRemember: !facts.guarded && !target.guarded,
      },
      changes: [facts.shown, target.shown],
      async run({ signal }) {
        await checkUnchanged();
        signal.throwIfAborted();
        await files.move({ path, real: facts.real }, { path: new_path, real: target.real });
        return { text: `Moved ${shown} to ${there}.` };
      },
    };
  },
});

/** Another name in the same folder. */
const besides = (path: string, name: string) => path.slice(0, path.lastIndexOf('/') + 1) + name;
