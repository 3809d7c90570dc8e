/**
 * Judges whether a sandbox refused something to a command that failed. Programs say it in their own words, so this is a
 * judgement: it only decides whether a person is asked, never whether something is allowed. Pure.
 */

import type { ShellResult } from '../../core/ports.ts';
import { type Words, words } from '../../core/words.ts';
import type { SetAside } from './guardNames.ts';

const SIGNS: readonly (readonly [RegExp, Words])[] = [
  [/Read-only file system|EROFS/iu, words('writing outside of the open folders or to a guarded name')],
  [
    /Network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND|name resolution|Could not resolve|Name or service not known|Connection refused|ECONNREFUSED|nodename nor servname/iu,
    words('the network'),
  ],
  [/Operation not permitted|EPERM|Permission denied|EACCES/iu, words('a right that it does not give')],
];
const HIDDEN = words('a program or a file that it does not show');
const NOT_FOUND = 127;

/** Null when nothing points at the sandbox. */
export function explainRefusal(
  { ended, exitCode, output }: Pick<ShellResult, 'ended' | 'exitCode' | 'output'>,
  taken: readonly SetAside[],
): Words | null {
  if (taken.length > 0) {
    const names = taken.map(({ path, kept }) => (kept === null ? path : `${path} → ${kept}`)).join(', ');
    return words(
      'The command wrote guarded names in the sandbox, which were taken out of the folder again: {0}. All else that it did is done. If you allow it, it runs again from the start, outside of the sandbox.',
      names.slice(0, 1_000),
    );
  }
  if (ended !== 'exit' || exitCode === 0) return null;
  const sign = SIGNS.find(([pattern]) => pattern.test(output))?.[1] ?? (exitCode === NOT_FOUND ? HIDDEN : null);
  if (sign === null) return null;
  return words(
    'The sandbox refused {0}. The command has already half run. If you allow it, it runs again from the start, outside of the sandbox.',
    sign,
  );
}
