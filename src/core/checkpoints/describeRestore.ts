/** What became of the files of a restore, for a person: how many, and a line for each file. Pure. */

import { verbatim, type Words, words } from '../words.ts';
import type { RestoreOutcome } from './restoreFiles.ts';

type Files = Pick<RestoreOutcome, 'restored' | 'skipped'>;

export function countFiles({ restored, skipped }: Files): Words {
  const left = skipped.length;
  return [
    ...(restored.length === 1 ? words('One file was restored.') : words('{0} files were restored.', restored.length)),
    ...(left === 1 ? words('One was left as it is.') : left > 1 ? words('{0} were left as they are.', left) : []),
  ];
}

export function listFiles({ restored, skipped }: Files): Words[] {
  return [...restored.map(verbatim), ...skipped.map(({ path, reason }) => words('{0}: {1}', path, reason))];
}
