/** The tools the model is offered, in a fixed order, and which of them a workspace's trust leaves. */

import type { WorkspaceTrust } from './approvals.ts';
import { editFile } from './editFile.ts';
import { listFiles } from './listFiles.ts';
import { readFile } from './readFile.ts';
import { runCommand } from './runCommand.ts';
import { searchText } from './searchText.ts';
import type { Tool } from './tool.ts';
import { writeFile } from './writeFile.ts';

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
