/** The tools the model is offered, in a fixed order, and which of them a workspace's trust leaves. */

import type { WorkspaceTrust } from './approvals.ts';
import { editFile } from './builtIn/editFile.ts';
import { listFiles } from './builtIn/listFiles.ts';
import { readFile } from './builtIn/readFile.ts';
import { runCommand } from './builtIn/runCommand.ts';
import { searchText } from './builtIn/searchText.ts';
import { writeFile } from './builtIn/writeFile.ts';
import type { Tool } from './tool.ts';

export const TOOLS: readonly Tool[] = [readFile, listFiles, searchText, editFile, writeFile, runCommand];

/** Reading only in an untrusted workspace, nothing without a folder. */
export function selectTools(tools: readonly Tool[], trust: WorkspaceTrust): readonly Tool[] {
  switch (trust) {
    case 'trusted':
      return tools;
    case 'untrusted':
      return tools.filter(({ toolClass }) => toolClass === 'read');
    case 'noFolder':
      return [];
  }
}
