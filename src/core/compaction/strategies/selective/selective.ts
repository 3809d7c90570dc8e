/**
 * C2, C3, C5, C8, C9: goes through the kinds of items in the order of their priority, drops or truncates each, and stops
 * as soon as the target is reached; the summary comes last. Tool blocks go whole, newest ones stay with previews inside.
 */

import type { CompactionContext, ContextMessage, StrategyFactory } from '../../../../api/index.ts';
import { summariseBefore } from '../llmSummary.ts';
import { booleanSetting, numberSetting, recordSetting, type Section } from '../readSetting.ts';
import { type Rule, readRules } from './selectiveRules.ts';
import { previewArguments, previewText } from './shorten.ts';

type Count = (text: string) => number;

export const selective: StrategyFactory<'llm' | 'countTokens' | 'settings' | 'log'> = {
  needs: ['llm', 'countTokens', 'settings', 'log'],
  create: ({ countTokens, settings, log }) => ({
    compact: async (context) => {
      const section = settings();
      const chosen = select(context, section, countTokens, log);
      // Nothing is left when everything may go: that is no history to go on with.
      const result = chosen.changed && chosen.messages.length > 0 ? chosen.messages : null;
      if (chosen.tokens <= context.targetTokens) return result;
      if (!booleanSetting(section, 'fallbackToFullSummary', true)) return result;
      try {
        const summary = await summariseBefore(
          { ...context, history: chosen.messages },
          chosen.messages.length,
          section,
          countTokens,
          'comate',
        );
        log('info', 'selective compaction done, then a summary');
        return summary ?? result;
      } catch (thrown) {
        // C15: what was dropped without a model stays dropped when the summary fails.
        if (!result || context.signal.aborted) throw thrown;
        log(
          'warn',
          `the summary failed, the selective part stands: ${thrown instanceof Error ? thrown.message : thrown}`,
        );
        return result;
      }
    },
  }),
};

export interface Selection {
  readonly messages: readonly ContextMessage[];
  /** Of the messages as they are now: a cut one counts less than its `tokens` say. */
  readonly tokens: number;
  readonly changed: boolean;
}

/** The history after the rules that were needed. */
export function select(
  context: CompactionContext,
  section: Section,
  count: Count,
  log: (level: 'info', text: string) => void,
): Selection {
  const keepShare = context.attempt > 1 ? 2 : 1;
  const saved = new Map<string, number>();
  const facts: RuleFacts = { section, count, saved, guarded: guardedBlocks(context.history, section) };
  const tokensOf = (of: readonly ContextMessage[]) =>
    of.reduce((sum, message) => sum + message.tokens - (saved.get(message.id) ?? 0), 0);
  let messages = context.history;
  for (const rule of readRules(recordSetting(section, 'rules'))) {
    if (tokensOf(messages) <= context.targetTokens) break;
    if (rule.action === 'none') continue;
    const keep = rule.action === 'truncate' ? Math.floor(rule.keep / keepShare) : 0;
    const before = messages;
    const blocks = rule.kind === 'toolResult';
    messages = blocks ? truncateBlocks(messages, rule, keep, facts) : dropKind(messages, rule, keep, facts);
    const removed = blocks ? countBlocks(before) - countBlocks(messages) : before.length - messages.length;
    log('info', `${rule.action.toUpperCase()} ${blocks ? 'tool blocks' : rule.kind}: ${removed} removed`);
  }
  const changed = messages.length !== context.history.length || saved.size > 0;
  return { messages, tokens: tokensOf(messages), changed };
}

const countBlocks = (messages: readonly ContextMessage[]) =>
  messages.filter((message) => message.role === 'assistant' && message.toolCalls.length > 0).length;

interface RuleFacts {
  readonly section: Section;
  readonly count: Count;
  readonly guarded: Guarded;
  /** By id: tokens that a cut took from a message. */
  readonly saved: Map<string, number>;
}

interface Guarded {
  /** Blocks with a protected message: pins, the latest user message, reasoning in an open loop (C8). */
  readonly blocks: ReadonlySet<number>;
  /** C9: rounds from here on keep their user and assistant messages. */
  readonly fromRound: number;
}

function guardedBlocks(history: readonly ContextMessage[], section: Section): Guarded {
  const blocks = new Set<number>();
  for (const message of history) if (message.protected) blocks.add(message.block);
  const rounds = numberSetting(section, 'protectRecentRounds', 2);
  return { blocks, fromRound: (history.at(-1)?.round ?? 0) - rounds + 1 };
}

/** C3: the newest `keep` tool blocks stay, with long arguments and results cut to a preview; older ones go whole. */
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
  const kept = new Set(keep > 0 ? order.slice(-keep) : []);
  return messages.flatMap((message) => {
    if (!blocks.has(message.block) || facts.guarded.blocks.has(message.block)) return [message];
    if (!kept.has(message.block)) return [];
    return [rule.action === 'truncate' ? cutFields(message, facts) : message];
  });
}

function cutFields(message: ContextMessage, { section, count, saved }: RuleFacts): ContextMessage {
  const preview = numberSetting(section, 'previewTokens', 200);
  const cut = (before: string, after: string) => {
    // A preview as long as what it stands for saves nothing.
    if (count(after) >= count(before)) return before;
    saved.set(message.id, (saved.get(message.id) ?? 0) + count(before) - count(after));
    return after;
  };
  if (message.role === 'assistant') {
    const longest = numberSetting(section, 'argumentThreshold', 500);
    if (!message.toolCalls.some((call) => count(call.arguments) > longest)) return message;
    const toolCalls = message.toolCalls.map((call) => {
      if (count(call.arguments) <= longest) return call;
      return { ...call, arguments: cut(call.arguments, previewArguments(call.arguments, preview, count)) };
    });
    return { ...message, toolCalls };
  }
  // C11: what the formatter or an offload cut already is not cut again.
  if (message.role !== 'tool' || message.hidden || message.truncated) return message;
  if (count(message.text) <= numberSetting(section, 'resultThreshold', 600)) return message;
  return { ...message, text: cut(message.text, previewText(message.text, message.id, preview, count)) };
}

/** Lone messages of one kind: all but the newest `keep` go, recent rounds and protected ones excepted. */
function dropKind(
  messages: readonly ContextMessage[],
  { kind }: Rule,
  keep: number,
  { guarded }: RuleFacts,
): readonly ContextMessage[] {
  const recent = kind === 'user' || kind === 'assistant';
  const mayGo = messages.filter(
    (message) =>
      kindOf(message) === kind && !guarded.blocks.has(message.block) && !(recent && message.round >= guarded.fromRound),
  );
  const going = new Set(keep > 0 ? mayGo.slice(0, -keep) : mayGo);
  return messages.filter((message) => !going.has(message));
}

/** An assistant message with calls belongs to its block and goes with the tool results' rule. */
function kindOf(message: ContextMessage): string {
  if (message.role === 'user') return message.kind;
  if (message.role === 'tool') return 'toolResult';
  return message.toolCalls.length ? 'toolResult' : 'assistant';
}

export default selective;
