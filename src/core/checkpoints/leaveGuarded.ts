/** What a restore may do when no person is asked: a name that configures an agent or a tool is never written unasked. */

import { isGuarded } from '../tools/guardedNames.ts';
import { words } from '../words.ts';
import type { SkippedFile } from './restoreFiles.ts';
import type { RestoreStep } from './restorePlan.ts';

export interface UnaskedSteps {
  readonly steps: readonly RestoreStep[];
  readonly left: readonly SkippedFile[];
}

export function leaveGuarded(steps: readonly RestoreStep[]): UnaskedSteps {
  const changes = ({ kind }: RestoreStep) => kind === 'write' || kind === 'remove';
  const guarded = steps.filter((step) => changes(step) && isGuarded(step.path));
  return {
    steps: steps.filter((step) => !guarded.includes(step)),
    left: guarded.map(({ path }) => ({
      path,
      reason: words('it configures an agent or a tool, so it is written only when you were asked'),
    })),
  };
}
