/**
 * The table of strategies in `docs/strategies.md`. Its rows are written by hand; one that a new strategy lacks begins with
 * what the strategy says of itself.
 */

import { BUILT_IN_STRATEGIES } from '../../src/core/compaction/strategies/builtIn.ts';

/** The page with a row for each built-in strategy, in their order. */
export function addStrategyRows(page: string, strategies = BUILT_IN_STRATEGIES): string {
  const lines = page.split('\n');
  let last = -1;
  for (const { id, description, factory } of strategies) {
    const at = lines.findIndex((line) => line.startsWith(`| \`${id}\` `));
    if (at >= 0) last = at;
    else if (last >= 0) {
      last += 1;
      lines.splice(
        last,
        0,
        `| \`${id}\` | ${factory.needs.includes('llm') ? 'sometimes' : 'no'} | ${description} | | |`,
      );
    }
  }
  return lines.join('\n');
}
