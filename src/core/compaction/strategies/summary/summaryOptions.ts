/** Reads how a strategy's section wants its summaries: style, prompt, form, length, generations. */

import type { CompactionContext } from '../../../../api/index.ts';
import { booleanSetting, numberSetting, type Section, stringSetting } from '../readSetting.ts';
import type { SummaryRequest } from './summariseHistory.ts';
import { SUMMARY_STYLES, type SummaryStyle } from './summaryPrompts.ts';

/** `own` is the style of the strategy's source, used unless another was chosen. */
export function readSummaryOptions(
  context: CompactionContext,
  section: Section,
  own: SummaryStyle,
  count: (text: string) => number,
): SummaryRequest {
  const style = stringSetting(section, 'summaryStyle', own);
  return {
    style: SUMMARY_STYLES[style in SUMMARY_STYLES ? (style as SummaryStyle) : own],
    customPrompt: stringSetting(section, 'summaryPrompt', ''),
    structured: booleanSetting(section, 'summaryStructured', false),
    ...(context.instructions !== undefined ? { instructions: context.instructions } : {}),
    outputTokenMax: numberSetting(section, 'outputTokenMax', 4096),
    // A second attempt must get smaller: what was frozen is merged after all.
    maxGenerations: context.attempt > 1 ? Number.POSITIVE_INFINITY : numberSetting(section, 'maxSummaryGenerations', 3),
    signal: context.signal,
    count,
    report: context.report,
  };
}
