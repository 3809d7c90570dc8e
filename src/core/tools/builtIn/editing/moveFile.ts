/** `move_file`: gives one file another name or folder. Nothing is ever overwritten, and the content stays as it is. */

import * as z from 'zod';
import { ToolError } from '../../../errors.ts';
import { showInOneLine } from '../../text/showHidden.ts';
import type { Tool } from '../../tool.ts';
import { readForRemoval, refuseLink } from './readForRemoval.ts';

const input = z.strictObject({
  path: z.string().describe('Workspace-relative path of the file'),
  new_path: z.string().describe('Where it should be; missing folders are created. There must be nothing yet'),
});
type Input = z.infer<typeof input>;

export const moveFile: Tool<Input> = {
  name: 'move_file',
  toolClass: 'write',
  description: 'Move or rename one file. What refers to it is not changed.',
  input,
  async prepare({ path, new_path }, { files }) {
    const { facts, shown, checkUnchanged } = await readForRemoval(path, files);
    const target = await files.resolve(new_path);
    refuseLink(target);
    const there = showInOneLine(target.shown);
    if (target.exists) throw new ToolError(`${there} exists already. Choose another name, or ask the user.`);
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
};
