/**
 * `git_changes`: differences from the last commit, as a list of files and as a diff. Later changes make a result
 * obsolete, so only the newest result for a file or folder stays in the context.
 */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import type { ChangedFile, NestedRepository } from '../../workspace/git.ts';
import { showHidden, showInOneLine } from '../text/showHidden.ts';
import { defineTool } from '../tool.ts';

const MOST_FILES = 200;

export const gitChanges = defineTool({
  name: 'git_changes',
  alsoCalled: ['changes'],
  toolClass: 'read',
  description:
    'See what differs from the last commit in git: the files with their state as in git status, then the diff, staged or ' +
    'not. Of files that git does not track only the names are told.',
  input: z.strictObject({
    path: z.string().optional().describe('Workspace-relative file or folder; without it, the workspace folder'),
  }),
  offered: (_, { git }) => git !== undefined,
  async prepare({ path }, { files, git }) {
    if (!git) throw new ToolError('There is no git here, or the workspace is not trusted.');
    const { shown, real } = await files.resolve(path ?? '.');
    const where = path === undefined ? 'the workspace' : showInOneLine(shown);
    return {
      title: path === undefined ? '' : where,
      approval: null,
      changes: [],
      async run({ signal }) {
        const { branch, files: changed, diff, cut, nested = [] } = await git.changes(real, signal);
        const from = branch === null ? 'In no repository itself' : `Branch ${showInOneLine(branch)}`;
        const head = `${from}, changes in ${where}: ${changed.length || 'none'}`;
        const lines = [...nested.map(describeNested), ...changed.slice(0, MOST_FILES).map(describeFile)];
        if (changed.length > MOST_FILES) lines.push(`… and ${changed.length - MOST_FILES} more`);
        const body = diff === '' ? [] : ['', showHidden(diff.trimEnd())];
        const note = cut ? ['(The diff is longer; name a file or folder.)'] : [];
        const ephemeral = { keepNewest: 1, of: 'call' } as const;
        return { text: [head, ...lines, ...body, ...note].join('\n'), ephemeral, headed: true };
      },
    };
  },
});

function describeNested(repository: NestedRepository): string {
  const name = `Repository ${showInOneLine(repository.path)}`;
  return 'branch' in repository
    ? `${name}: branch ${showInOneLine(repository.branch)}`
    : `${name}: ${repository.fault}`;
}

function describeFile({ state, path, filtered }: ChangedFile): string {
  const line = `${state} ${showInOneLine(path)}`;
  return filtered ? `${line} (not compared: git reads it through a filter, such as LFS, which is not run here)` : line;
}
