/**
 * Prunes old tool output first, checks again, and summarises only when the context is still too large. Newer turns, the
 * newest output and protected tools are left alone; pruned output keeps its call and notes the time of pruning.
 */

import * as z from 'zod';
import type { CompactionContext, ContextMessage, ToolMessage } from '../../../api/index.ts';
import { choice, count, setting, share, type ValuesOf } from '../../setting.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { isPruned } from '../draft/stub.ts';
import { BASES } from '../sections/generalSettings.ts';
import { defineStrategy, type GeneralParameters } from './defineStrategy.ts';
import { beginsRound, countRecent, findRecent } from './recentPart.ts';
import { summariseBefore } from './summariseBefore.ts';

const SETTINGS = {
  triggerRatio: setting(
    share(0.5, 0.9),
    0.7,
    'Share of the window above which this strategy runs, unless only `#palimpsest.compaction.trigger.ratio#` is set.',
  ),
  triggerBasis: choice(
    BASES,
    'input',
    'The figure that this strategy compares, unless only `#palimpsest.compaction.trigger.basis#` is set.',
  ),
  pruningEnabled: setting(z.boolean(), true, 'Prune before summarising.'),
  protectTurns: setting(count(0, 1_000), 2, 'How many of the newest turns are not pruned.'),
  protectThreshold: setting(count(), 40_000, 'Tokens of the newest tool output that stay.'),
  minimumPrune: setting(count(), 20_000, 'Prune only when more tokens than this would be freed.'),
  protectedTools: setting(
    z.array(z.string()),
    ['skill', 'task'],
    'Tools whose output is never pruned, unless only `#palimpsest.compaction.keep.protectedTools#` is set.',
  ),
  toolThresholds: setting(
    z.record(z.string(), z.string().regex(/^(never|\d{1,8})$/)),
    {},
    'A different limit for a tool: how many tokens of its newest output to keep, or `never` to leave it alone.',
    { patternHint: 'Enter a number of tokens, or never.' },
  ),
};

type Values = ValuesOf<typeof SETTINGS>;

export const pruneThenSummary = defineStrategy({
  id: 'prune-then-summary',
  label: 'Prune, then summary',
  description: 'Prunes the output of older tool calls first, and summarises only when it is still too much.',
  title: 'Prune, Then Summary',
  section: 'pruneThenSummary',
  more: true,
  defaults: { 'compaction.trigger.reserve': 0 },
  settings: SETTINGS,
  needs: ['llm', 'countTokens'],
  create: ({ countTokens, settings }) => ({
    compact: async (context) => {
      const values = settings();
      const pruned = values.pruningEnabled ? prune(context, values) : null;
      if (pruned && context.attempt === 1 && !isStillOver(context, pruned)) return pruned;
      // Pruning needs no model: its gain is kept when the summary fails.
      if (pruned) context.soFar(pruned);
      // Pruned output is not read again for the summary.
      const left: CompactionContext = pruned ? Object.create(context, { history: { value: pruned } }) : context;
      const at = findRecent(left, values.keepRecent, context.attempt > 1 ? 0.5 : 1) ?? left.history.length;
      return summariseBefore(left, at, values, countTokens, 'comate');
    },
  }),
});

/** The history after pruning. Null when no more than `minimumPrune` tokens would go. */
function prune(context: CompactionContext, values: Values & GeneralParameters): readonly ContextMessage[] | null {
  const { history, hide, attempt } = context;
  const turns = countRecent(context, values.keepRecent, values.protectTurns, beginsRound);
  const halves = attempt > 1 ? 2 : 1;
  const threshold = values.protectThreshold / halves;
  const minimum = values.minimumPrune / halves;
  const protectedTools = new Set(values.protectedTools);
  const newestRound = history.at(-1)?.round ?? 0;
  const going = new Set<ToolMessage>();
  const seenOfTool = new Map<string, number>();
  let seen = 0;
  let pruned = 0;
  for (let i = history.length - 1; i >= 0; i--) {
    const message = history[i] as ContextMessage;
    if (message.round > newestRound - turns || message.role !== 'tool') continue;
    // Output before an already pruned result was examined when that one was pruned. Other placeholders do not imply
    // that.
    if (message.hidden && isPruned(message)) break;
    if (message.hidden) continue;
    if (protectedTools.has(message.toolName) || message.protected) continue;
    const own = values.toolThresholds[message.toolName];
    if (own === 'never') continue;
    const ofTool = (seenOfTool.get(message.toolName) ?? 0) + message.tokens;
    seenOfTool.set(message.toolName, ofTool);
    seen += message.tokens;
    // A tool with its own threshold is pruned by that threshold alone.
    if (typeof own === 'string' ? ofTool <= Number(own) : seen <= threshold) continue;
    going.add(message);
    pruned += message.tokens;
  }
  if (pruned <= minimum) return null;
  return history.map((message) => (going.has(message as ToolMessage) ? hide(message, 'pruned') : message));
}

/** By the trigger's measure. In a manual compaction any pruning is enough. */
function isStillOver(context: CompactionContext, pruned: readonly ContextMessage[]): boolean {
  if (context.trigger === 'manual') return false;
  return sumTokens(pruned) > (context.trigger === 'overflow' ? context.targetTokens : context.thresholdTokens);
}
