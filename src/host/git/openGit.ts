/**
 * Changes of the workspace's files by git. Only what lies in the workspace folder is told, wherever the repository says
 * that its files are, and nothing of folders that tools do not touch.
 */

import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import type { ChangedFile, Git } from '../../core/ports.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { isDenied, isInside } from '../files/pathGuard.ts';
import { type GitPlace, type GitResult, runGit } from './runGit.ts';

export interface GitOptions {
  readonly folders: readonly string[];
  /** Folders that no tool may touch. */
  readonly denied: readonly string[];
  readonly environment: GitPlace['environment'];
  /** Absolute path of git; null when there is none. */
  readonly git: () => Promise<string | null>;
}

const STATUS = [
  'status',
  '--porcelain=v1',
  '-z',
  '--branch',
  '--no-renames',
  '--ignore-submodules=dirty',
  '--untracked-files=normal',
];
const DIFF = [
  ...['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=dirty'],
  ...['--src-prefix=a/', '--dst-prefix=b/', '--relative'],
];

export function openGit({ folders, denied, environment, git }: GitOptions): Git {
  return {
    async changes(real, signal) {
      const program = await git();
      if (program === null) throw new ToolError('git is not installed.');
      const roots = await Promise.all(folders.map((folder) => realpath(folder)));
      const folder = roots.find((root) => isInside(real, root));
      if (folder === undefined) throw new ToolError('The path lies outside of the workspace folder.');
      const path = relative(folder, real).split(sep).join('/') || '.';
      const place = { git: program, folder, environment };
      const settings = await disarmFilters(place, signal);
      const run = (args: readonly string[]) => runGit(place, settings, args, signal);

      const prefix = checked(await run(['rev-parse', '--show-prefix'])).output.replace(/\n$/u, '');
      const status = checked(await run([...STATUS, '--', path]));
      const { branch, files } = readStatus(status.output, prefix);
      if (files.some((file) => isDenied(join(folder, file.path), denied))) {
        throw new ToolError('Some of it lies where sessions or the editor’s own data are kept. Name a smaller folder.');
      }
      const born = (await run(['rev-parse', '--verify', '--quiet', 'HEAD'])).code === 0;
      const diff = checked(await run([...DIFF, born ? 'HEAD' : '--cached', '--', path]));
      return { branch, files, diff: diff.output, cut: diff.cut || status.cut };
    },
  };
}

/** Filters of a repository are programs that reading a changed file would run: all of them are set to nothing. */
async function disarmFilters(place: GitPlace, signal: AbortSignal): Promise<string[]> {
  const { output, cut } = await runGit(
    place,
    [],
    ['config', '-z', '--name-only', '--get-regexp', '^filter\\.'],
    signal,
  );
  const names = new Set(output.split('\0').flatMap((key) => /^filter\.(.+)\.[^.]*$/su.exec(key)?.[1] ?? []));
  if (cut || names.size > 100 || [...names].some((name) => /[=\n]/u.test(name))) {
    throw new ToolError('The filters that git is configured with cannot be switched off here, so it is not run.');
  }
  return [...names].flatMap((name) => [
    ...[`filter.${name}.clean=`, `filter.${name}.smudge=`, `filter.${name}.process=`, `filter.${name}.required=false`],
  ]);
}

function checked(result: GitResult): GitResult {
  if (result.code === 0 || result.cut) return result;
  const why = showInOneLine(result.complaint.slice(0, 500)) || `exit code ${result.code}`;
  throw new ToolError(`git cannot tell (${why}).`);
}

/** `prefix` is the way from the top of the repository to the workspace folder. */
function readStatus(output: string, prefix: string): { branch: string; files: ChangedFile[] } {
  const [head = '', ...entries] = output.split('\0');
  const files = entries.flatMap((entry) => {
    const path = entry.slice(3);
    return entry.length > 3 && path.startsWith(prefix)
      ? [{ state: entry.slice(0, 2), path: path.slice(prefix.length) }]
      : [];
  });
  return { branch: head.replace(/^## /u, ''), files };
}
