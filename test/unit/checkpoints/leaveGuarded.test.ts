import { expect, test } from 'vitest';
import { leaveGuarded } from '../../../src/core/checkpoints/fileHistory.ts';
import type { RestoreStep } from '../../../src/core/checkpoints/restorePlan.ts';
import { inEnglish } from '../../../src/core/words.ts';

const UNASKED = 'it configures an agent or a tool, so it is written only when you were asked';

const write = (path: string): RestoreStep => ({
  path,
  now: 'a',
  kind: 'write',
  blob: 'b',
  executable: false,
  conflict: null,
});
const remove = (path: string): RestoreStep => ({ path, now: 'a', kind: 'remove', newFolder: null, conflict: null });
const same = (path: string): RestoreStep => ({ path, now: 'a', kind: 'same' });

test('what a person must be asked about is left as it is, whatever the journal says it held', { tags: ['M4'] }, () => {
  const free = [write('src/a.ts'), remove('b.md'), same('.vscode/settings.json')];
  const guarded = [write('.vscode/tasks.json'), write('sub/.GIT/config'), remove('AGENTS.md')];
  const { steps, left } = leaveGuarded([...guarded, ...free]);
  expect([steps, left.map(({ path, reason }) => [path, inEnglish(reason)])]).toEqual([
    free,
    [
      ['.vscode/tasks.json', UNASKED],
      ['sub/.GIT/config', UNASKED],
      ['AGENTS.md', UNASKED],
    ],
  ]);
});
