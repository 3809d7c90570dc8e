/**
 * Finds all that a reading command of git would do in a folder besides reading there. A repository can name programs in
 * many ways, so every key of its own configuration must be known to name none. The person's own configuration is theirs.
 */

import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isSystemError, ToolError } from '../../core/errors.ts';
import { isSecretPath } from '../../core/secrets/secretPaths.ts';
import type { RepositoryFacts } from '../../core/tools/commands/commandDisk.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { type Words, words } from '../../core/words.ts';
import { locateRepository, type OpenFolders } from './locateRepository.ts';
import { GITLINK, type GitPlace, runGit } from './runGit.ts';

/** Keys that name neither a program, another file, nor another place, but for those that `locateRepository` has looked at. */
const HARMLESS_KEYS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|longpaths|quotepath|abbrev|protectntfs|protecthfs|checkstat|trustctime|hookspath|worktree)$/u,
  /^remote\.[^\n]+\.(?:url|pushurl|fetch|push|tagopt|prune|mirror|gh-resolved|skipfetchall)$/u,
  /^branch\.[^\n]+\.(?:remote|pushremote|merge|rebase|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)$/u,
  /^branch\.(?:autosetupmerge|autosetuprebase|sort)$/u,
  /^(?:user\.(?:name|email)|commit\.gpgsign|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote))$/u,
  /^(?:fetch\.prune|merge\.ff|rebase\.(?:autostash|autosquash|updaterefs)|rerere\.(?:enabled|autoupdate)|gc\.auto|pack\.threads)$/u,
  /^(?:extensions\.(?:objectformat|refstorage|worktreeconfig|relativeworktrees|preciousobjects)|lfs\.repositoryformatversion|color\.[a-z.]+|diff\.(?:renames|renamelimit|algorithm|colormoved|context)|status\.[a-z]+)$/u,
];

/** Of the person's variables, these lead git to another repository. */
const STEERS_GIT =
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_.*|NAMESPACE|CEILING_.*|ATTR_SOURCE|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|REF.*|DISCOVERY_.*)$/iu;

/** The hook of every refresh of the index, also after reading. */
const INDEX_HOOK = 'post-index-change';

/** In bytes: the names of some 200,000 files. */
const MOST_INDEX = 20 * 1024 * 1024;

export async function inspectRepository(
  place: GitPlace,
  open: OpenFolders,
  signal: AbortSignal,
): Promise<RepositoryFacts> {
  const unknown = (fault: Words): RepositoryFacts => ({ fault, top: null, secret: null });
  const steering = Object.keys(place.environment).find((name) => STEERS_GIT.test(name));
  if (steering !== undefined) return unknown(words('The variable {0} leads git elsewhere.', steering));
  try {
    const located = await locateRepository(place, open, signal);
    if (located.kind === 'none') return { fault: null, top: null, secret: null };
    if (located.kind === 'elsewhere') return unknown(located.why);
    const { top, commonFolder } = located.repository;
    const config = await runGit(place, ['config', '--list', '--show-scope', '-z'], signal);
    if (config.code !== 0 || config.cut) return unknown(words('The configuration of its repository cannot be read.'));
    const { odd, hooks } = readConfig(config.output);
    if (odd !== null) {
      return unknown(
        words('The configuration of its repository may start programs: {0}', showInOneLine(odd.slice(0, 100))),
      );
    }
    if (await hasHook(hooks === null ? join(commonFolder, 'hooks') : hooks, top)) {
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
  const secret = files.map((line) => line.slice(line.indexOf('\t') + 1)).find(isSecretPath);
  return { hasSubmodule, secret: secret ?? null };
}
