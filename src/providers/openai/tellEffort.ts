/** Says that a model does not take the reasoning effort that was chosen for it. */

import type { Effort } from '../../core/ports.ts';
import { type Words, words } from '../../core/words.ts';

export function tellEffort(model: string, effort: Effort): Words {
  return words(
    '{0} does not take the reasoning effort “{1}”: requests go out without it. Choose another in the setting palimpsest.effort.',
    model,
    effort,
  );
}
