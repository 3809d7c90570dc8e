/** Finds what a command that only reads would meet on this disk: secrets, programs of the workspace, armed repositories. */

import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isSystemError, ToolError } from '../../core/errors.ts';
import { isSecretName } from '../../core/mentions/locateMention.ts';
import type { CommandDisk, RepositoryFacts } from '../../core/tools/commands/knowCommand.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { type Words, words } from '../../core/words.ts';
import { findProgram, type System } from '../shell/commandEnvironment.ts';
import type { GitOptions } from './openGit.ts';
import { isInside } from './pathGuard.ts';
import { type GitPlace, runGit } from './runGit.ts';

/** Names looked at in one search. */
const MOST_NAMES = 20_000;
const MOST_MS = 5_000;

/** Its files are published. */
const PACKAGES = 'node_modules';

export function openCommandDisk({
  folders,
  environment,
  git,
  system,
}: Pick<GitOptions, 'folders' | 'environment' | 'git'> & { readonly system: System }): CommandDisk {
  return {
    secretUnder: findSecret,
    expand: expandPattern,
    async repository(folder) {
      const program = await git();
      if (program === null) return { fault: words('git is not installed.'), top: null, secret: null };
      return inspectRepository({ git: program, folder, environment }, AbortSignal.timeout(MOST_MS));
    },
    async isForeign(name, folder) {
      const found = findProgram(name, folder, system);
      if (found === null) return false;
      const real = await realpath(found);
      const roots = await Promise.all(folders.map((each) => realpath(each)));
      return [found, real].some((path) => [...folders, ...roots].some((root) => isInside(path, root)));
    },
  };
}

async function findSecret(top: string, hidden: boolean): ReturnType<CommandDisk['secretUnder']> {
  const waiting = [top];
  let seen = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await listNames(folder);
    seen += entries.length;
    if (seen > MOST_NAMES) return 'tooMany';
    for (const entry of entries) {
      if (entry.name.startsWith('.') && !hidden) continue;
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      // The inside of a repository holds addresses with passwords.
      if (isFolder ? entry.name === '.git' : isSecretName(path)) return { name: path.slice(top.length + 1) };
      if (isFolder && entry.name !== PACKAGES) waiting.push(path);
    }
  }
  return null;
}

/** More names than that are a question. */
const MOST_EXPANDED = 150;

/** Names in any case match, and `**` matches folders at any depth, since some shells are set to do so. */
async function expandPattern(pattern: string, folder: string): Promise<readonly string[] | null> {
  const [first = '', ...rest] = pattern.split(/(?<=\/)/u);
  let found = [''];
  for (const part of [first, ...rest]) {
    const next = part.includes('**') ? await listFolders(found, folder) : found;
    if (next === null) return null;
    found = part.search(/[*?]/u) < 0 ? next.map((path) => path + part) : await matchNames(part, next, folder);
    if (found.includes(LINK) || found.length > MOST_EXPANDED) return null;
  }
  return found;
}

/** In place of a name: a link where a folder is meant. */
const LINK = '\0';

async function matchNames(part: string, places: readonly string[], folder: string): Promise<string[]> {
  const isLast = !part.endsWith('/');
  const name = isLast ? part : part.slice(0, -1);
  const source = name
    .replace(/[.+^${}()|[\]\\]/gu, '\\$&')
    .replace(/\*+/gu, '.*')
    .replaceAll('?', '.');
  const matches = new RegExp(`^${source}$`, 'iu');
  const found: string[] = [];
  for (const place of places) {
    for (const entry of await listNames(resolve(folder, place))) {
      if (!matches.test(entry.name) || (entry.name.startsWith('.') && !name.startsWith('.'))) continue;
      if (isLast) found.push(place + entry.name);
      else if (entry.isSymbolicLink()) found.push(LINK);
      else if (entry.isDirectory()) found.push(`${place}${entry.name}/`);
    }
  }
  return found;
}

/** The same folders and all below them; null if there are too many. */
async function listFolders(places: readonly string[], folder: string): Promise<string[] | null> {
  const all = [...places];
  for (const place of all) {
    for (const entry of await listNames(resolve(folder, place))) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) all.push(`${place}${entry.name}/`);
    }
    if (all.length > MOST_EXPANDED) return null;
  }
  return all;
}

/** A folder that cannot be read here cannot be read by the command. */
async function listNames(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (thrown) {
    if (isSystemError(thrown)) return [];
    throw thrown;
  }
}

// Finds all that a reading command of git would do in a folder besides reading. A repository can name programs in many
// ways, so every key of its own configuration must be known to name none. The person's own configuration is theirs.

/** Keys that name neither a program, another file, nor another place. */
const HARMLESS_KEYS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|longpaths|quotepath|abbrev|protectntfs|protecthfs|checkstat|trustctime|hookspath)$/u,
  /^remote\.[^\n]+\.(?:url|pushurl|fetch|push|tagopt|prune|mirror|gh-resolved|skipfetchall)$/u,
  /^branch\.[^\n]+\.(?:remote|pushremote|merge|rebase|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)$/u,
  /^branch\.(?:autosetupmerge|autosetuprebase|sort)$/u,
  /^(?:user\.(?:name|email)|commit\.gpgsign|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote))$/u,
  /^(?:fetch\.prune|merge\.ff|rebase\.(?:autostash|autosquash|updaterefs)|rerere\.(?:enabled|autoupdate)|gc\.auto|pack\.threads)$/u,
  /^(?:extensions\.(?:objectformat|refstorage|worktreeconfig)|lfs\.repositoryformatversion|color\.[a-z.]+|diff\.(?:renames|renamelimit|algorithm|colormoved|context)|status\.[a-z]+)$/u,
];

/** Of the person's variables, these lead git to another repository. */
const STEERS_GIT =
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_.*|NAMESPACE|CEILING_.*|ATTR_SOURCE)$/iu;

/** Runs whenever git has refreshed its index, also after reading. */
const INDEX_HOOK = 'post-index-change';

const GITLINK = '160000';

/** In bytes: the names of some 200,000 files. */
const MOST_INDEX = 20 * 1024 * 1024;

export async function inspectRepository(place: GitPlace, signal: AbortSignal): Promise<RepositoryFacts> {
  const unknown = (fault: Words): RepositoryFacts => ({ fault, top: null, secret: null });
  const steering = Object.keys(place.environment).find((name) => STEERS_GIT.test(name));
  if (steering !== undefined) return unknown(words('The variable {0} leads git elsewhere.', steering));
  try {
    const where = await runGit(place, ['rev-parse', '--show-toplevel', '--absolute-git-dir'], signal);
    const [top = '', gitFolder = ''] = where.output.split('\n');
    if (where.code !== 0 || top === '' || gitFolder === '') return { fault: null, top: null, secret: null };
    const config = await runGit(place, ['config', '--list', '--show-scope', '-z'], signal);
    if (config.code !== 0 || config.cut) return unknown(words('The configuration of its repository cannot be read.'));
    const { odd, hooks } = readConfig(config.output);
    if (odd !== null) {
      return unknown(
        words('The configuration of its repository may start programs: {0}', showInOneLine(odd.slice(0, 100))),
      );
    }
    if (await hasHook(hooks === null ? join(gitFolder, 'hooks') : hooks, top)) {
      return unknown(words('Its repository has a hook that reading starts: {0}', INDEX_HOOK));
    }
    const files = await runGit({ ...place, folder: top }, ['ls-files', '--stage', '-z'], signal, {
      mostBytes: MOST_INDEX,
    });
    if (files.code !== 0 || files.cut) return unknown(words('Its repository is too large to be looked at.'));
    const { hasSubmodule, secret } = readFiles(files.output);
    if (hasSubmodule) return unknown(words('Its repository holds others, whose configuration git would follow.'));
    return { fault: null, top, secret };
  } catch (thrown) {
    if (thrown instanceof ToolError) return unknown(words('The configuration of its repository cannot be read.'));
    throw thrown;
  }
}

/** `odd`: the first key that may name a program; `hooks`: the folder of its hooks, if it names one. */
function readConfig(output: string): { readonly odd: string | null; readonly hooks: string | null } {
  const fields = output.split('\0');
  let hooks: string | null = null;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, entry = ''] = [fields[at], fields[at + 1]];
    // `command`: what this product itself adds to switch programs off.
    if (scope === 'system' || scope === 'global' || scope === 'command') continue;
    const end = entry.indexOf('\n');
    const key = end < 0 ? entry : entry.slice(0, end);
    if (!HARMLESS_KEYS.some((each) => each.test(key))) return { odd: key, hooks };
    if (key === 'core.hookspath') hooks = end < 0 ? '' : entry.slice(end + 1);
  }
  return { odd: null, hooks };
}

async function hasHook(hooks: string, top: string): Promise<boolean> {
  // Git itself resolves a name such as `~/hooks`.
  if (hooks === '' || hooks.startsWith('~') || hooks.startsWith('%')) return true;
  try {
    await stat(join(resolve(top, hooks), INDEX_HOOK));
    return true;
  } catch (thrown) {
    if (isSystemError(thrown)) return false;
    throw thrown;
  }
}

function readFiles(output: string): { readonly hasSubmodule: boolean; readonly secret: string | null } {
  const files = output.split('\0').filter((line) => line !== '');
  const hasSubmodule = files.some((line) => line.startsWith(GITLINK));
  const secret = files.map((line) => line.slice(line.indexOf('\t') + 1)).find(isSecretName);
  return { hasSubmodule, secret: secret ?? null };
}
