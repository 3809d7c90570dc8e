/**
 * Changes of the workspace's files by git. Only what lies in the workspace folder is told, wherever the repository says
 * that its files are, and nothing of folders that tools do not touch.
 */

import { realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
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
/** Characters of names that one command is given: Windows takes no more than 32,767 of a whole line. */
const MOST_NAMED = 20_000;

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
      const filters = await readFilters(place, signal);
      const { output } = checked(await runGit(place, [], ['rev-parse', '--show-prefix'], signal));
      const prefix = output.replace(/\n$/u, '');
      const without = await findEndless(
        place,
        join(
          folder,
          ...prefix
            .split('/')
            .filter(Boolean)
            .map(() => '..'),
        ),
        signal,
      );
      const settings = [...filters.off, ...without];
      const run = (args: readonly string[], input?: string) => runGit(place, settings, args, signal, input);

      const status = checked(await run([...STATUS, '--', `:(literal)${path}`]));
      const { branch, files } = readStatus(status.output, prefix);
      if (files.some((file) => isDenied(join(folder, file.path), denied))) {
        throw new ToolError('Some of it lies where sessions or the editor’s own data are kept. Name a smaller folder.');
      }
      const filtered = await findFiltered(files, filters.names, run);
      const excluded = [...filtered].map((each) => `:(exclude,literal)${each}`);
      if (excluded.join(' ').length > MOST_NAMED) {
        throw new ToolError(
          'Too many of the changed files pass through a filter of git (such as LFS). Name a smaller folder.',
        );
      }
      const born = (await run(['rev-parse', '--verify', '--quiet', 'HEAD'])).code === 0;
      const against = born ? 'HEAD' : '--cached';
      const diff = checked(await run([...DIFF, against, '--', `:(literal)${path}`, ...excluded]));
      const told = files.map((file) => (filtered.has(file.path) ? { ...file, filtered: true as const } : file));
      return { branch, files: told, diff: diff.output, cut: diff.cut || status.cut };
    },
  };
}

/** Files that git reads because a setting names them. */
const NAMED_FILES = '^core\\.(attributesfile|excludesfile)$';

/** Settings that take away those of them that are no regular files. `top`: where a relative name begins. */
async function findEndless(place: GitPlace, top: string, signal: AbortSignal): Promise<readonly string[]> {
  const args = ['config', '-z', '--type=path', '--get-regexp', NAMED_FILES];
  const { output, code, complaint } = await runGit(place, [], args, signal);
  // 1: there is none.
  if (code !== 0 && code !== 1) throw cannotTell(complaint, code);
  const off = output.split('\0').map(async (each) => {
    const [key = '', ...name] = each.split('\n');
    if (key === '') return [];
    const facts = await stat(resolve(top, name.join('\n'))).catch(() => null);
    return facts === null || facts.isFile() ? [] : [`${key}=`];
  });
  return (await Promise.all(off)).flat();
}

interface Filters {
  readonly names: ReadonlySet<string>;
  /** The settings that switch all of them off. */
  readonly off: readonly string[];
}

const MOST_FILTERS = 100;
const FILTER = /^filter\.(?<name>.+)\.(?:clean|smudge|process|required)$/su;

/**
 * A filter is a program that reading a changed file would run: each is set to nothing. A key of which it is not sure that
 * setting it to nothing works means that git is not run at all.
 */
async function readFilters(place: GitPlace, signal: AbortSignal): Promise<Filters> {
  const { output, cut, code, complaint } = await runGit(
    place,
    [],
    ['config', '-z', '--name-only', '--get-regexp', '^filter\\.'],
    signal,
  );
  // 1: there is none.
  if (code !== 0 && code !== 1 && !cut) throw cannotTell(complaint, code);
  const keys = output.split('\0').filter((key) => key !== '');
  const names = new Set<string>();
  for (const key of keys) {
    const name = FILTER.exec(key)?.groups?.name;
    if (name === undefined || !canBeNamed(name)) {
      throw new ToolError(
        `git is configured with ${showInOneLine(key.slice(0, 200))}, which cannot be switched off here, so it is not run. Use run_command instead.`,
      );
    }
    names.add(name);
  }
  if (cut || names.size > MOST_FILTERS) {
    throw new ToolError(`git is configured with more than ${MOST_FILTERS} filters, so it is not run.`);
  }
  const off = [...names].flatMap((name) => [
    ...[`filter.${name}.clean=`, `filter.${name}.smudge=`, `filter.${name}.process=`, `filter.${name}.required=false`],
  ]);
  return { names, off };
}

/** What git says where a file has no filter, and bytes that came as no text, would be taken for something else. */
function canBeNamed(name: string): boolean {
  return !/[=\n\uFFFD]/u.test(name) && !['set', 'unset', 'unspecified'].includes(name);
}

/** Those that one of the filters stands before, wherever the attribute comes from. */
async function findFiltered(
  files: readonly ChangedFile[],
  filters: ReadonlySet<string>,
  run: (args: readonly string[], input: string) => Promise<GitResult>,
): Promise<ReadonlySet<string>> {
  if (files.length === 0 || filters.size === 0) return new Set();
  const names = files.map(({ path }) => `${path}\0`).join('');
  const { output } = checked(await run(['check-attr', '-z', '--stdin', 'filter'], names));
  // Three fields for each: the path, the attribute, its value.
  const fields = output.split('\0');
  const filtered = fields.filter((_, at) => at % 3 === 0 && filters.has(fields[at + 2] ?? ''));
  return new Set(filtered);
}

function checked(result: GitResult): GitResult {
  if (result.code === 0 || result.cut) return result;
  throw cannotTell(result.complaint, result.code);
}

function cannotTell(complaint: string, code: number | null): ToolError {
  return new ToolError(`git cannot tell (${showInOneLine(complaint.slice(0, 500)) || `exit code ${code}`}).`);
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
