/** Says in lines for the model what became of the processes that a command left in the background. Pure. */

import type { ShellResult } from '../../core/ports.ts';
import type { EndedGroup } from './processGroup.ts';

/** Processes that are named when they run on. */
const MOST_NAMED = 20;

/** Empty when there were none. */
export function describeLeft(result: ShellResult['ended'], { ended, left }: EndedGroup, drained: boolean): string {
  const lines = result === 'exit' && ended ? ['processes left in the background were ended'] : [];
  if (left.length > 0) {
    const why = result === 'exit' ? 'they left the command on purpose' : 'they could not be ended';
    lines.push(`processes still run, because ${why}: ${left.slice(0, MOST_NAMED).join(', ')}`);
    if (left.length > MOST_NAMED) lines.push(`and ${left.length - MOST_NAMED} more processes`);
  } else if (!drained) {
    lines.push('a process that left the command still holds its output; it could not be found');
  }
  return lines.map((line) => `\n… ${line}`).join('');
}
