/** Every tool, in the fixed order in which they are declared to the model, and which of them are offered when. */

import type { WorkspaceTrust } from './approvals.ts';
import { findReferences } from './builtIn/code/findReferences.ts';
import { findSymbols } from './builtIn/code/findSymbols.ts';
import { gitChanges } from './builtIn/code/gitChanges.ts';
import { readProblems } from './builtIn/code/readProblems.ts';
import { compactContext } from './builtIn/compactContext.ts';
import { editFile } from './builtIn/editFile.ts';
import { deleteFile } from './builtIn/editing/deleteFile.ts';
import { moveFile } from './builtIn/editing/moveFile.ts';
import { listFiles } from './builtIn/listFiles.ts';
import { readFile } from './builtIn/readFile.ts';
import { findFiles } from './builtIn/reading/findFiles.ts';
import { readOutput } from './builtIn/readOutput.ts';
import { recall } from './builtIn/recall.ts';
import { runCommand } from './builtIn/runCommand.ts';
import { searchText } from './builtIn/searchText.ts';
import { sendMessageToPast } from './builtIn/sendMessageToPast.ts';
import { askUser } from './builtIn/session/askUser.ts';
import { presentPlan } from './builtIn/session/presentPlan.ts';
import { reportToPast } from './builtIn/session/reportToPast.ts';
import { writeTodos } from './builtIn/session/writeTodos.ts';
import { stopCommand } from './builtIn/stopCommand.ts';
import { task } from './builtIn/task.ts';
import { useSkill } from './builtIn/useSkill.ts';
import { fetchUrl } from './builtIn/web/fetchUrl.ts';
import { writeFile } from './builtIn/writeFile.ts';
import type { OfferSettings, OptionalPorts, Tool } from './tool.ts';

/** They work on the open folder. */
export const TOOLS: readonly Tool[] = [
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
];

/** They work on the session itself, so they need no folder. */
const SESSION_TOOLS: readonly Tool[] = [recall, compactContext, sendMessageToPast, task, useSkill, reportToPast];

/** Null for the name of another agent's tool, as in an imported session. */
export function toolOf(name: string): Tool | null {
  return [...TOOLS, ...SESSION_TOOLS].find((tool) => tool.name === name) ?? null;
}

/** The tools that trust, settings and ports allow: only reading in an untrusted workspace, none of `tools` without a folder. */
export function offerTools(
  tools: readonly Tool[],
  trust: WorkspaceTrust,
  settings: OfferSettings,
  ports: OptionalPorts = {},
): readonly Tool[] {
  const usable = tools.filter(
    ({ toolClass }) => trust === 'trusted' || (trust === 'untrusted' && toolClass === 'read'),
  );
  return [...usable, ...SESSION_TOOLS].filter((tool) => tool.offered?.(settings, ports) ?? true);
}
