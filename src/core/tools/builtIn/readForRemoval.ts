/**
 * Shared by `move_file` and `delete_file`: a file that can be removed from its path, and the check that it is
 * unchanged.
 */

import { ToolError } from '../../errors.ts';
import type { FileFacts, Files } from '../../workspace/files.ts';
import { decodeFile, equalBytes, LARGEST_FILE } from '../text/decodeText.ts';
import { showInOneLine } from '../text/showHidden.ts';
import { changedMeanwhile, movedElsewhere } from './prepareChange.ts';

interface FileToRemove {
  readonly facts: FileFacts;
  readonly shown: string;
  /** Null when it is not text. */
  readonly text: string | null;
  /** Throws when the path now leads elsewhere, or the content has changed. */
  checkUnchanged(): Promise<void>;
}

export async function readForRemoval(path: string, files: Files): Promise<FileToRemove> {
  const facts = await files.resolve(path);
  const shown = showInOneLine(facts.shown);
  refuseLink(facts);
  if (!facts.exists) throw new ToolError(`${shown} does not exist. list_files shows what does.`);
  if (facts.type === 'folder') throw new ToolError(`${shown} is a folder; only single files are moved or deleted.`);
  if (facts.type !== 'file') throw new ToolError(`${shown} is not a regular file and is left alone.`);
  if (facts.size > LARGEST_FILE) {
    throw new ToolError(`${shown} has ${facts.size} bytes, more than the ${LARGEST_FILE} that are changed here.`);
  }
  if (facts.unsaved) {
    throw new ToolError(`${shown} has unsaved changes in the editor. Ask the user to save it or to take them back.`);
  }
  const bytes = await files.read(path);
  const decoded = await decodeFile(facts.real, bytes, files.text);
  return {
    facts,
    shown,
    text: decoded.kind === 'text' && !decoded.lossy ? decoded.text : null,
    async checkUnchanged() {
      const now = await files.resolve(path);
      if (now.real !== facts.real) throw movedElsewhere(shown);
      const same = now.exists && now.type === 'file' && !now.unsaved && equalBytes(await files.read(path), bytes);
      if (!same) throw changedMeanwhile(shown);
    },
  };
}

/** Moving or deleting a link could mean the link or its target. */
export function refuseLink({ linked, shown, real }: FileFacts): void {
  if (!linked) return;
  throw new ToolError(`${showInOneLine(`${shown} leads to ${real}`)}. Name that file by its own path.`);
}
