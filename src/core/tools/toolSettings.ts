/** Settings of the tools: how much of a result the model sees, and what it may read back or request. */

import * as z from 'zod';
import {
  advancedSection,
  completeValues,
  count,
  ruleFor,
  rulesSchema,
  type SectionValues,
  setting,
} from '../setting.ts';
import type { TruncationLimits } from './text/cutText.ts';

/** How much of a tool's output the model sees. */
type OutputLimits = Pick<TruncationLimits, 'maxLines' | 'maxBytes'> & Partial<TruncationLimits>;

const LIMITS = {
  maxLines: setting(
    count(10, 100_000),
    2_000,
    'Lines of a tool result that the model sees; the full output is kept for a while (`#palimpsest.agent.output.days#`), and the model is told where.',
  ),
  maxKilobytes: setting(count(1, 10_000), 50, 'Kilobytes of a tool result that the model sees.'),
};

/** Set by a rule only, for some tools or with `*` for all. */
const BY_RULE = {
  direction: setting(z.enum(['tool', 'head', 'tail', 'middle']), 'tool', 'The part of a long result that stays.'),
};

export const OUTPUT = advancedSection('agent.output', {
  ...LIMITS,
  perTool: setting(
    rulesSchema({ ...LIMITS, ...BY_RULE }),
    {},
    'Different limits for some tools: by the tool’s name or a pattern with `*`, what differs, for example `maxLines 400, direction tail` for `run_command`. `direction` is the part of a long result that stays: `head`, `tail`, `middle` for both ends, or `tool` for what the tool prefers. If several match, a whole name wins, then the longest pattern.',
    { patternHint: 'Give names and values, for example `maxLines 400, direction tail`.' },
  ),
  days: setting(
    count(1, 3_650),
    7,
    'Days to keep the full outputs of a session’s tools after it was last opened, if the model saw only part of them.',
  ),
});

/** Without a direction, the tool's own applies. */
export function limitsOf(output: SectionValues<typeof OUTPUT>, tool: string): OutputLimits {
  const { maxLines, maxKilobytes, direction } = completeValues(
    { ...LIMITS, ...BY_RULE },
    {
      ...output,
      ...ruleFor(output.perTool, tool)?.values,
    },
  );
  return { maxLines, maxBytes: maxKilobytes * 1024, ...(direction === 'tool' ? {} : { direction }) };
}

export const RECALL = advancedSection('compaction.recall', {
  tokensPerTurn: setting(
    count(),
    8_000,
    'Tokens of hidden content that the model may read back in one turn with the `recall` tool. 0 switches it off.',
  ),
});

export const COMPACTION_TOOL = advancedSection('compaction', {
  agentTool: setting(
    z.boolean(),
    false,
    'Offer the model a tool to ask for a compaction itself, for instance when a long task is finished.',
  ),
});

/** Default limits. */
export const TRUNCATION_DEFAULTS: TruncationLimits = {
  maxLines: OUTPUT.fields.maxLines.default,
  maxBytes: OUTPUT.fields.maxKilobytes.default * 1024,
  direction: 'head',
};
