/** Makes git ready to read in one folder: nothing outside of the open folders, and through no filter. */

import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { words } from '../../core/words.ts';
import { type Located, locateRepository, type OpenFolders, type Reach } from './locateRepository.ts';
import { cannotTell, type GitInput, type GitPlace, type GitResult, type RepositoryPlace, runGit } from './runGit.ts';

/** Git in one folder, ready to run. */
export interface PreparedGit {
  readonly folder: string;
  /** Path from the top of the work tree to the folder; ends with a slash unless empty. */
  readonly prefix: string;
  /** Names of the filters, which are switched off. */
  readonly filters: ReadonlySet<string>;
  readonly run: (args: readonly string[], more?: Omit<GitInput, 'settings'>) => Promise<GitResult>;
  /** The repository of a folder below. */
  readonly submodule: (path: string) => Promise<Located>;
}

/**
 * Throws `ToolError` with the reason where git cannot tell, could run something of the repository's, or would read what
 * lies outside of the open folders.
 */
export async function prepareGit(at: GitPlace, open: OpenFolders, signal: AbortSignal): Promise<PreparedGit> {
  const located = await locateRepository(at, open, signal);
  if (located.kind === 'none') throw cannotTell(located.complaint, null);
  if (located.kind === 'elsewhere') throw new ToolError(words('{0} Git is not run there unasked.', located.why));
  const { repository, prefix, reach } = located;
  const place = { ...at, repository };
  const filters = await readFilters(place, signal);
  const settings = [...filters.off, ...(await findUnreadable(place, reach, signal))];
  return {
    folder: at.folder,
    prefix,
    filters: filters.names,
    run: (args, more) => runGit(place, args, signal, { ...more, settings }),
    submodule: (path) => locateRepository({ ...at, folder: join(at.folder, path) }, open, signal),
  };
}

/** Files that git reads because a setting names them. */
const NAMED_FILES = '^core\\.(attributesfile|excludesfile)$';

/** Settings that remove those that are not regular files, and those outside that the repository itself names. */
async function findUnreadable(
  place: GitPlace & { readonly repository: RepositoryPlace },
  reach: Reach,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const args = ['config', '-z', '--type=path', '--show-scope', '--get-regexp', NAMED_FILES];
  const { output, code, complaint } = await runGit(place, args, signal);
  // 1: none set.
  if (code !== 0 && code !== 1) throw cannotTell(complaint, code);
  const fields = output.split('\0');
  const off: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope = '', entry = ''] = [fields[at], fields[at + 1]];
    const [key = '', ...name] = entry.split('\n');
    const path = resolve(place.repository.top, name.join('\n'));
    const facts = await stat(path).catch(() => null);
    const isOwn = scope === 'system' || scope === 'global';
    if (facts && !(facts.isFile() && (isOwn || (await reach(path))))) off.push(`${key}=`);
  }
  return off;
}

interface Filters {
  readonly names: ReadonlySet<string>;
  /** The settings that disable all of them. */
  readonly off: readonly string[];
}

const MOST_FILTERS = 100;
const FILTER = /^filter\.(?<name>.+)\.(?:clean|smudge|process|required)$/su;

/**
 * A filter is a program that reading a changed file would run: each is set to nothing. If a key might not be cleared
 * reliably, git is not run at all.
 */
async function readFilters(place: GitPlace, signal: AbortSignal): Promise<Filters> {
  const { output, cut, code, complaint } = await runGit(
    place,
    ['config', '-z', '--name-only', '--get-regexp', '^filter\\.'],
    signal,
  );
  // 1: none set.
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
    `filter.${name}.clean=`,
    `filter.${name}.smudge=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ]);
  return { names, off };
}

/** Excludes names that git prints for "no filter", and bytes that are not valid text. */
function canBeNamed(name: string): boolean {
  return !/[=\n\uFFFD]/u.test(name) && !['set', 'unset', 'unspecified'].includes(name);
}
