/** How many tokens a prompt should have by our own estimate, with the bounds within which a server may count it. */

import type { ExpectedPrompt, ModelRequest } from '../core/model/modelClient.ts';
import { HIGHEST_FACTOR, LOWEST_FACTOR } from '../core/tokens/calibrate.ts';
import { countTokens } from '../core/tokens/estimate.ts';

/** Characters that are counted: a request is examined after each answer, and the bounds are wide. */
const SAMPLE = 65_536;

export function expectSent({ messages, tools }: ModelRequest): ExpectedPrompt {
  const inMessages = estimate(messages.map(({ text }) => text));
  // Not every server counts the tools.
  const tokens = inMessages + (tools.length > 0 ? estimate([JSON.stringify(tools)]) : 0);
  return { tokens, grown: 0, least: Math.round(inMessages * LOWEST_FACTOR), most: Math.round(tokens * HIGHEST_FACTOR) };
}

/** Tokens new in this request: the last answer, and what follows it. */
export function expectAdded({ messages }: ModelRequest): number {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const behind = estimate(messages.slice(at + 1).map(({ text }) => text));
  const answer = messages[at];
  if (answer?.role !== 'assistant') return behind;
  const calls = (answer.toolCalls ?? []).map((call) => call.name + call.arguments);
  return behind + estimate([answer.text, answer.reasoning?.text ?? '', ...calls]);
}

/** From the beginning of each text, in proportion to its length. */
export function estimate(texts: readonly string[]): number {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const share = Math.min(1, SAMPLE / Math.max(1, characters));
  const counted = texts.reduce((sum, text) => sum + countTokens(text.slice(0, Math.ceil(text.length * share))), 0);
  return Math.round(counted / share);
}
