/**
 * N2 to N6: prune old tool output first, look again, and summarise only when it is still too much. Newer turns, the
 * newest output and protected tools are left; what was pruned keeps its call and says when it went.
 */

import type { CompactionContext, ContextMessage, StrategyFactory, ToolMessage } from '../../../api/index.ts';
import { summariseBefore } from './llmSummary.ts';
import { booleanSetting, listSetting, numberSetting, recordSetting, type Section } from './readSetting.ts';

export const pruneThenSummary: StrategyFactory<'llm' | 'countTokens' | 'settings'> = {
  needs: ['llm', 'countTokens', 'settings'],
  create: ({ countTokens, settings }) => ({
    compact: async (context) => {
      const section = settings();
      const pruned = booleanSetting(section, 'pruningEnabled', true) ? prune(context, section) : null;
      if (pruned && context.attempt === 1 && !isStillOver(context, pruned, section)) return pruned.messages;
      try {
        return await summariseBefore(context, context.history.length, section, countTokens, 'comate');
      } catch (thrown) {
        // Pruning needs no model: what it gained is not thrown away because the summary failed.
        if (pruned && !context.signal.aborted) return pruned.messages;
        throw thrown;
      }
    },
  }),
};

export interface Pruning {
  readonly messages: readonly ContextMessage[];
  /** Tokens of the pruned output. */
  readonly pruned: number;
}

/** N2. Null when not more than `minimumPrune` tokens would go. */
export function prune({ history, hide, attempt }: CompactionContext, section: Section): Pruning | null {
  const halves = attempt > 1 ? 2 : 1;
  const protectTurns = numberSetting(section, 'protectTurns', 2);
  const threshold = numberSetting(section, 'protectThreshold', 40_000) / halves;
  const minimum = numberSetting(section, 'minimumPrune', 20_000) / halves;
  const protectedTools = new Set(listSetting(section, 'protectedTools', ['skill', 'task']));
  const perTool = recordSetting(section, 'toolThresholds');
  const newestRound = history.at(-1)?.round ?? 0;
  const going = new Set<ToolMessage>();
  const seenOfTool = new Map<string, number>();
  let seen = 0;
  let pruned = 0;
  for (let i = history.length - 1; i >= 0; i--) {
    const message = history[i] as ContextMessage;
    if (message.round > newestRound - protectTurns || message.role !== 'tool') continue;
    // What lies before an already pruned result was looked at when that one went.
    if (message.hidden) break;
    if (protectedTools.has(message.toolName) || message.protected) continue;
    const own = perTool[message.toolName];
    if (own === 'never') continue;
    const ofTool = (seenOfTool.get(message.toolName) ?? 0) + message.tokens;
    seenOfTool.set(message.toolName, ofTool);
    seen += message.tokens;
    // N7: a tool with a threshold of its own is pruned by that one alone.
    const limit = typeof own === 'string' && /^\d+$/.test(own) ? Number(own) : null;
    if (limit === null ? seen <= threshold : ofTool <= limit) continue;
    going.add(message);
    pruned += message.tokens;
  }
  if (pruned <= minimum) return null;
  return {
    messages: history.map((message) => (going.has(message as ToolMessage) ? hide(message, 'pruned') : message)),
    pruned,
  };
}

/** N4: the same figure as the trigger's, less what was pruned. By hand pruning is enough when it did something. */
function isStillOver(context: CompactionContext, { pruned }: Pruning, section: Section): boolean {
  const left = context.tokenCount - pruned;
  if (context.trigger === 'manual') return false;
  if (context.trigger === 'overflow') {
    const history = context.history.reduce((sum, message) => sum + message.tokens, 0);
    return history - pruned > context.targetTokens;
  }
  return context.maxContextSize > 0 && left > context.maxContextSize * numberSetting(section, 'triggerRatio', 0.7);
}

export default pruneThenSummary;
