/**
 * `move_file`: renames one file or moves it to another folder. It never overwrites, and the content stays unchanged.
 */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import type { FileFacts, Files } from '../../workspace/files.ts';
import { decodeFile, equalBytes, LARGEST_FILE } from '../text/decodeText.ts';
import { showInOneLine } from '../text/showHidden.ts';
import { defineTool } from '../tool.ts';
import { changedMeanwhile, describeChange, movedElsewhere } from './prepareChange.ts';

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

/** `delete_file`: deletes one file, in exactly the state that the person approved. */

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

/** Another name in the same folder. */
const besides = (path: string, name: string) => path.slice(0, path.lastIndexOf('/') + 1) + name;

/**
 * Shared by `move_file` and `delete_file`: a file that can be removed from its path, and the check that it is
 * unchanged.
 */
interface FileToRemove {
  readonly facts: FileFacts;
  readonly shown: string;
  /** Null when it is not text. */
  readonly text: string | null;
  /** Throws when the path now leads elsewhere, or the content has changed. */
  checkUnchanged(): Promise<void>;
}

async function readForRemoval(path: string, files: Files): Promise<FileToRemove> {
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
function refuseLink({ linked, shown, real }: FileFacts): void {
  if (!linked) return;
  throw new ToolError(`${showInOneLine(`${shown} leads to ${real}`)}. Name that file by its own path.`);
}
