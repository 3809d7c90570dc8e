/**
 * Whether a sandbox refused something to a command that failed. Programs say it in their own words, so this is a judgement:
 * it only decides whether a person is asked, never whether something is allowed.
 */

import { showCommandInOneLine } from '../../core/tools/text/showHidden.ts';
import { type Words, words } from '../../core/words.ts';
import type { ShellResult } from '../../core/workspace/shell.ts';
import { findProgram, type System } from '../shell/findProgram.ts';

const SIGNS: readonly (readonly [RegExp, Words])[] = [
  [/Read-only file system|EROFS/iu, words('writing outside of the open folders or to a guarded name')],
  [
    /Network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND|name resolution|Could not resolve|Name or service not known|Connection refused|ECONNREFUSED|nodename nor servname/iu,
    words('the network'),
  ],
  [/Operation not permitted|EPERM|Permission denied|EACCES/iu, words('a right that it does not give')],
];

/** `bash: line 1: fnm: command not found`, `sh: 1: tsc: not found`, `env: ‘node’: No such file or directory`. */
const MISSING =
  /(?:^|[\s:])([\w.+@-]{1,100}): (?:command )?not found|^\S*env: ['‘"]?([\w.+@-]{1,100})['’"]?: No such file or directory/gmu;
const NOT_FOUND = 127;
const MOST_LOOKED_AT = 20;

/** `system` is that outside of the sandbox. Null when nothing points at the sandbox. */
export function explainRefusal(
  { ended, exitCode, output }: Pick<ShellResult, 'ended' | 'exitCode' | 'output'>,
  system: System,
): Words | null {
  if (ended !== 'exit' || exitCode === 0) return null;
  const named = [...output.matchAll(MISSING)].slice(0, MOST_LOOKED_AT).map(([, name, ofEnv]) => name ?? ofEnv ?? '');
  const outside = named.map((name) => findProgram(name, '/', system)).find((path) => path !== null);
  if (outside !== undefined) {
    return words(
      'The sandbox does not show {0}, which the command needs. The command has already half run. If you allow it, it runs again from the start, outside of the sandbox.',
      showCommandInOneLine(outside),
    );
  }
  const sign = SIGNS.find(([pattern]) => pattern.test(output))?.[1];
  // Not there outside either.
  if (sign === undefined && exitCode === NOT_FOUND && named.length > 0) return null;
  const refused = sign ?? (exitCode === NOT_FOUND ? words('a program or a file that it does not show') : undefined);
  if (refused === undefined) return null;
  return words(
    'The sandbox refused {0}. The command has already half run. If you allow it, it runs again from the start, outside of the sandbox.',
    refused,
  );
}
