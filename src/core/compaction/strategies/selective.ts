/**
 * Goes through the kinds of items in order of priority, drops or truncates each, and stops as soon as the trigger's
 * threshold is met; a summary comes last. Tool blocks go whole; the newest ones stay, with previews inside.
 */

import * as z from 'zod';
import type { CompactionContext, ContextMessage } from '../../../api/index.ts';
import { choice, count, setting, type ValuesOf } from '../../setting.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { previewArguments, previewText } from '../draft/shortTexts.ts';
import { defineStrategy, type GeneralParameters } from './defineStrategy.ts';
import { findRecent } from './recentPart.ts';
import { RULES, type Rule, readRules } from './selectiveRules.ts';
import { summariseBefore } from './summariseBefore.ts';

type Count = (text: string) => number;

const SETTINGS = {
  rules: RULES,
  stopAt: choice(
    {
      threshold: [
        'At the threshold',
        'As soon as the context is below the trigger’s threshold again. A compaction that you start yourself applies all rules, and then the summary.',
      ],
      target: ['At the target', 'At `#palimpsest.compaction.targetRatio#`, the share that other strategies aim at.'],
    },
    'threshold',
    'When to stop applying rules; a summary follows only if the limit is still exceeded.',
  ),
  protectRecentRounds: setting(
    count(0, 1_000),
    2,
    'How many of the newest rounds keep their user and assistant messages while rules apply. A summary after the rules covers them, too.',
  ),
  argumentThreshold: setting(
    count(1),
    500,
    'Arguments of kept tool calls longer than this many tokens are cut to a preview.',
  ),
  resultThreshold: setting(
    count(1),
    600,
    'Results of kept tool calls longer than this many tokens are cut to a preview.',
  ),
  previewTokens: setting(
    count(1),
    200,
    'Length in tokens of the preview that arguments and results are cut to (`#palimpsest.compaction.selective.argumentThreshold#`, `#palimpsest.compaction.selective.resultThreshold#`).',
  ),
  fallbackToFullSummary: setting(
    z.boolean(),
    true,
    'Summarise the whole conversation when the rules were not enough, but for the newest part that `#palimpsest.compaction.keep.recent#` names. A compaction that you start yourself applies all rules and always ends with this summary, unless `#palimpsest.compaction.selective.stopAt#` is the target.',
  ),
};

type Values = ValuesOf<typeof SETTINGS>;

export const selective = defineStrategy({
  id: 'selective',
  label: 'Selective',
  description:
    'Drops the least important kinds of messages first, and summarises if that is not enough; by hand it does both.',
  title: 'Selective',
  section: 'selective',
  settings: SETTINGS,
  needs: ['llm', 'countTokens', 'log'],
  create: ({ countTokens, settings, log }) => ({
    compact: async (context) => {
      const values = settings();
      // A manual run passed no threshold: it is forced, through every rule and the summary.
      const byThreshold = context.trigger === 'manual' ? 0 : context.thresholdTokens;
      const enough = values.stopAt === 'threshold' ? byThreshold : context.targetTokens;
      const chosen = select(context, enough, values, countTokens, log);
      // If everything may go, nothing would remain: not a history to continue with.
      const result = chosen.changed && chosen.messages.length > 0 ? chosen.messages : null;
      if (chosen.tokens <= enough) return result;
      if (!values.fallbackToFullSummary) return result;
      // Removals made without a model are kept when the summary fails.
      if (result) context.soFar(result);
      const rest: CompactionContext = Object.create(context, { history: { value: chosen.messages } });
      try {
        const at = findRecent(rest, values.keepRecent, 1 / keepShare(context)) ?? chosen.messages.length;
        const summary = await summariseBefore(rest, at, values, countTokens, 'comate');
        log('info', 'selective compaction done, then a summary');
        return summary ?? result;
      } catch (thrown) {
        if (result) log('warn', 'the summary failed, the selective part stands');
        throw thrown;
      }
    },
  }),
});

/** A second attempt keeps half. */
const keepShare = ({ attempt }: CompactionContext) => (attempt > 1 ? 2 : 1);

interface Selection {
  readonly messages: readonly ContextMessage[];
  readonly tokens: number;
  readonly changed: boolean;
}

/** The history after the rules that were needed. */
function select(
  context: CompactionContext,
  enough: number,
  values: Values & GeneralParameters,
  count: Count,
  log: (level: 'info', text: string) => void,
): Selection {
  const less = keepShare(context);
  const untouchable = findUntouchable(context.history, values);
  const from = findRecent(context, values.keepRecent, 1 / less);
  const recent = from === null ? null : new Set(context.history.slice(from).map(({ block }) => block));
  const facts: RuleFacts = { values, count, tokensOf: context.tokensOf, untouchable, recent };
  let messages = context.history;
  for (const rule of readRules(values.rules)) {
    if (sumTokens(messages) <= enough) break;
    if (rule.action === 'none' || !hasKind(messages, rule)) continue;
    const keep = rule.action === 'truncate' ? Math.floor(rule.keep / less) : 0;
    const before = messages;
    const blocks = rule.kind === 'toolResult';
    messages = (blocks ? truncateBlocks : dropKind)(messages, rule, recent ? 0 : keep, facts);
    const removed = blocks ? countBlocks(before) - countBlocks(messages) : before.length - messages.length;
    log('info', `${rule.action.toUpperCase()} ${blocks ? 'tool blocks' : rule.kind}: ${removed} removed`);
  }
  const changed = messages.length !== context.history.length || messages.some((it, i) => it !== context.history[i]);
  return { messages, tokens: sumTokens(messages), changed };
}

const countBlocks = (messages: readonly ContextMessage[]) =>
  messages.filter((message) => message.role === 'assistant' && message.toolCalls.length > 0).length;

interface RuleFacts {
  readonly values: Values;
  readonly count: Count;
  readonly tokensOf: CompactionContext['tokensOf'];
  readonly untouchable: Untouchable;
  /** Blocks of the newest part, if configured: they stay, and older ones go. */
  readonly recent: ReadonlySet<number> | null;
}

interface Untouchable {
  /**
   * Blocks with a protected message (pins, the latest user message, reasoning in an open loop) or of a protected tool.
   */
  readonly blocks: ReadonlySet<number>;
  /** Rounds from here on keep their user and assistant messages. */
  readonly fromRound: number;
}

function findUntouchable(history: readonly ContextMessage[], values: Values & GeneralParameters): Untouchable {
  const { protectRecentRounds, protectedTools } = values;
  const blocks = new Set<number>();
  for (const message of history) {
    const isKept = message.role === 'tool' && protectedTools.includes(message.toolName);
    if (message.protected || isKept) blocks.add(message.block);
  }
  return { blocks, fromRound: (history.at(-1)?.round ?? 0) - protectRecentRounds + 1 };
}

/** The newest `keep` tool blocks stay, with long arguments and results cut to a preview; older ones go whole. */
function truncateBlocks(
  messages: readonly ContextMessage[],
  rule: Rule,
  keep: number,
  facts: RuleFacts,
): readonly ContextMessage[] {
  const blocks = new Set<number>();
  for (const message of messages)
    if (message.role === 'assistant' && message.toolCalls.length) blocks.add(message.block);
  const order = [...blocks];
  const kept = facts.recent ?? new Set(keep > 0 ? order.slice(-keep) : []);
  return messages.flatMap((message) => {
    if (!blocks.has(message.block) || facts.untouchable.blocks.has(message.block)) return [message];
    if (!kept.has(message.block)) return [];
    return [rule.action === 'truncate' ? cutFields(message, facts) : message];
  });
}

/** Long arguments and a long result, cut to a preview where that is shorter. */
function cutFields(message: ContextMessage, { values, count, tokensOf }: RuleFacts): ContextMessage {
  const { previewTokens: preview, argumentThreshold: longest } = values;
  const shorter = (before: string, after: string) => (count(after) < count(before) ? after : before);
  const recount = <M extends ContextMessage>(cut: M): M => ({ ...cut, tokens: tokensOf(cut) });
  if (message.role === 'assistant') {
    const toolCalls = message.toolCalls.map((call) => {
      const { arguments: json } = call;
      return count(json) > longest
        ? { ...call, arguments: shorter(json, previewArguments(json, preview, count)) }
        : call;
    });
    const isCut = toolCalls.some((call, i) => call.arguments !== message.toolCalls[i]?.arguments);
    return isCut ? recount({ ...message, toolCalls }) : message;
  }
  // Results already cut by the formatter or an offload are not cut again.
  if (message.role !== 'tool' || message.hidden || message.truncated) return message;
  if (count(message.text) <= values.resultThreshold) return message;
  const text = shorter(message.text, previewText(message.text, message.id, preview, count));
  return text === message.text ? message : recount({ ...message, text });
}

/** Lone messages of one kind: all but the newest `keep` go, except in recent rounds and protected ones. */
function dropKind(
  messages: readonly ContextMessage[],
  { kind }: Rule,
  keep: number,
  { untouchable, recent }: RuleFacts,
): readonly ContextMessage[] {
  const ofRounds = kind === 'user' || kind === 'assistant';
  const isRecent = ({ block, round }: ContextMessage) =>
    recent ? recent.has(block) : ofRounds && round >= untouchable.fromRound;
  const mayGo = messages.filter(
    (message) => kindOf(message) === kind && !untouchable.blocks.has(message.block) && !isRecent(message),
  );
  const going = new Set(keep > 0 ? mayGo.slice(0, -keep) : mayGo);
  return messages.filter((message) => !going.has(message));
}

/** A rule for a rare kind does nothing in a history without that kind. */
function hasKind(messages: readonly ContextMessage[], { kind }: Rule): boolean {
  return kind !== 'mention' || messages.some((message) => kindOf(message) === kind);
}

/** An assistant message with calls belongs to its block and follows the tool results' rule. */
function kindOf(message: ContextMessage): string {
  if (message.role === 'user') return message.kind;
  if (message.role === 'tool') return 'toolResult';
  return message.toolCalls.length ? 'toolResult' : 'assistant';
}
