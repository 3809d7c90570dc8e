/**
 * Files as the last commit holds them, for a review of all that differs from it. What was reviewed in this session after
 * that commit counts as reviewed here, too.
 */

import type { Base, BaseSource } from '../../core/checkpoints/changeList.ts';
import { reviewedAfter } from '../../core/checkpoints/changeList.ts';
import type { RestorePorts } from '../../core/checkpoints/restoreFiles.ts';
import type { CommittedFile } from '../../node/files/openGit.ts';
import type { Workspace } from '../workspace.ts';

/** `folders`: absolute paths of the open folders that lie in a repository. */
export function sinceLastCommit(
  folders: readonly string[],
  workspace: () => Pick<Workspace, 'git' | 'files'>,
  ports: RestorePorts,
): BaseSource {
  return {
    targets: () => null,
    bases: async () => {
      const { git, files } = workspace();
      const bases = new Map<string, Base>();
      let incomplete = false;
      for (const folder of folders) {
        const { signal } = new AbortController();
        const commit = await git.lastCommit(folder, signal);
        if (!commit) continue;
        const reviewed = reviewedAfter(commit.time, ports);
        const since = await git.sinceCommit(folder, signal);
        incomplete ||= since.cut;
        for (const file of since.files) {
          const path = await files.shownOf(file.path);
          if (path !== null) bases.set(path, reviewed.get(path) ?? baseOf(path, file, ports));
        }
        for (const each of since.left) {
          const path = await files.shownOf(each);
          if (path !== null) bases.set(path, { ...unreadable, path });
        }
      }
      return { bases: [...bases.values()], incomplete };
    },
  };
}

const unreadable: Omit<Base, 'path'> = {
  key: 'unreadable',
  newFolder: null,
  renamedFrom: null,
  byCommands: false,
  load: async () => {
    throw new Error('It is a link, a submodule, or kept by a filter of git.');
  },
};

function baseOf(path: string, { before, read }: CommittedFile, { files }: RestorePorts): Base {
  return {
    path,
    newFolder: null,
    renamedFrom: null,
    byCommands: false,
    key: `commit ${before?.blob} ${before?.executable}`,
    load: async () => {
      if (before === null) return null;
      const executable = before.executable && process.platform !== 'win32';
      const written = await read('written');
      // Git may be told to write other line ends than the file now has: with both it counts as unchanged.
      if (!hasReturns(written)) return { bytes: written, executable };
      const now = await files.read(path, written.length * 2 + 1_000, 'editor');
      const fits = now.kind !== 'held' || hasReturns(now.bytes);
      return { bytes: fits ? written : await read('held'), executable };
    },
  };
}

const [CR, LF] = [13, 10];
const hasReturns = (bytes: Uint8Array) => bytes.some((byte, at) => byte === CR && bytes[at + 1] === LF);
