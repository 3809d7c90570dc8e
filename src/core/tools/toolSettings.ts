/** The settings of the tools: how much of a result the model sees, and what it may read back or ask for. */

import * as z from 'zod';
import { choice, count, type SectionValues, section, setting } from '../settings/setting.ts';
import type { TruncationLimits } from './text/cutText.ts';

/** How much of a tool's output the model sees. */
export type OutputLimits = Pick<TruncationLimits, 'maxLines' | 'maxBytes'> & Partial<TruncationLimits>;

export const OUTPUT = section('agent.output', {
  maxLines: setting(
    count(10, 100_000),
    2_000,
    'Lines of a tool result that the model sees; the full output is kept for seven days and named in what it sees.',
  ),
  maxKilobytes: setting(count(1, 10_000), 50, 'Kilobytes of a tool result that the model sees.'),
  direction: choice(
    {
      tool: ['As the tool prefers', 'The beginning; of a command’s output both ends.'],
      head: ['Beginning', 'The first lines stay.'],
      tail: ['End', 'The last lines stay.'],
      middle: ['Both ends', 'The first and the last lines stay; the middle is cut out.'],
    },
    'tool',
    'Which part of a result that is too long stays.',
  ),
});

/** A direction left out is the tool's own. */
export function limitsOf({ maxLines, maxKilobytes, direction }: SectionValues<typeof OUTPUT>): OutputLimits {
  return { maxLines, maxBytes: maxKilobytes * 1024, ...(direction === 'tool' ? {} : { direction }) };
}

export const RECALL = section('compaction.recall', {
  tokensPerTurn: setting(
    count(),
    8_000,
    'Tokens of hidden content that the model may read back in one turn with the `recall` tool. 0 switches it off.',
  ),
});

export const COMPACTION_TOOL = section('compaction', {
  agentTool: setting(
    z.boolean(),
    false,
    'Offer the model a tool to ask for a compaction itself, for instance when a long task is finished.',
  ),
});
