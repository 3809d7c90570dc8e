/** Every tool, in the fixed order in which they are declared to the model, and the conditions for offering each. */

import type { WorkspaceTrust } from './approvals.ts';
import { askUser } from './builtIn/askUser.ts';
import { findReferences, findSymbols } from './builtIn/codeTools.ts';
import { compactContext } from './builtIn/compactContext.ts';
import { deleteFile } from './builtIn/deleteFile.ts';
import { editFile } from './builtIn/editFile.ts';
import { fetchUrl } from './builtIn/fetchUrl.ts';
import { findFiles, listFiles, searchText } from './builtIn/findFiles.ts';
import { gitChanges } from './builtIn/gitChanges.ts';
import { moveFile } from './builtIn/moveFile.ts';
import { presentPlan } from './builtIn/presentPlan.ts';
import { readFile } from './builtIn/readFile.ts';
import { readProblems } from './builtIn/readProblems.ts';
import { recall } from './builtIn/recall.ts';
import { reportToPast } from './builtIn/reportToPast.ts';
import { readOutput, runCommand, stopCommand } from './builtIn/runCommand.ts';
import { sendMessageToPast } from './builtIn/sendMessageToPast.ts';
import { task } from './builtIn/task.ts';
import { useSkill } from './builtIn/useSkill.ts';
import { writeFile } from './builtIn/writeFile.ts';
import { writeTodos } from './builtIn/writeTodos.ts';
import type { OfferSettings, Tool, ToolPorts } from './tool.ts';

/** Tools that work on the open folder. */
export const TOOLS = [
  readFile,
  listFiles,
  searchText,
  editFile,
  writeFile,
  runCommand,
  moveFile,
  deleteFile,
  readProblems,
  findSymbols,
  findReferences,
  gitChanges,
  readOutput,
  stopCommand,
  writeTodos,
  presentPlan,
  askUser,
  findFiles,
  fetchUrl,
] satisfies readonly Tool[];

/** Tools that work on the session itself, so they need no folder. */
const SESSION_TOOLS = [
  recall,
  compactContext,
  sendMessageToPast,
  task,
  useSkill,
  reportToPast,
] satisfies readonly Tool[];

export const BUILT_IN_TOOLS = [...TOOLS, ...SESSION_TOOLS] as const;

/** Null for the name of another agent's tool, as in an imported session. */
export function toolOf(name: string): Tool | null {
  return BUILT_IN_TOOLS.find((tool) => tool.name === name) ?? null;
}

/**
 * The tools that trust, settings and ports allow: read-only tools in an untrusted workspace, none of `tools` without a
 * folder.
 */
export function offerTools(
  tools: readonly Tool[],
  trust: WorkspaceTrust,
  settings: OfferSettings,
  ports: Partial<ToolPorts> = {},
): readonly Tool[] {
  const usable = tools.filter(
    ({ toolClass }) => trust === 'trusted' || (trust === 'untrusted' && toolClass === 'read'),
  );
  return [...usable, ...SESSION_TOOLS].filter((tool) => tool.offered?.(settings, ports) ?? true);
}
