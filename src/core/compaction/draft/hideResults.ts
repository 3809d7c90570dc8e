/** Hides tool results behind stubs, oldest first. */

import type { ContextMessage } from '../../../api/index.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { words } from '../../words.ts';
import { type Decision, type Draft, imageTokens, textTokens } from './draft.ts';
import { makeStub, type Stamp } from './stub.ts';

/** Number of newest tool groups whose results stay: the agent is working with them. */
const RECENT_GROUPS = 2;

interface Which {
  /** Only results of rounds up to this one. */
  readonly upTo?: number;
  readonly only?: ReadonlySet<number>;
  readonly but?: readonly string[];
  /** Includes results protected only by an open loop of reasoning: providers verify the reasoning, not the results. */
  readonly inOpenLoop?: boolean;
}

/** Oldest results first, until the draft has `target` tokens. */
export function hideResults(draft: Draft, target: number, stamp: Stamp, which: Which = {}): Draft {
  const { upTo = Number.POSITIVE_INFINITY, but = [], only, inOpenLoop = false } = which;
  const groups = new Set<number>();
  draft.visit(({ role, block }) => role === 'tool' && groups.add(block));
  const recent = new Set([...groups].slice(-RECENT_GROUPS));
  const hidden: [number, Decision][] = [];
  let { tokens } = draft;
  draft.visit((message, index) => {
    if (tokens <= target || message.role !== 'tool' || message.hidden || recent.has(message.block)) return;
    if (only?.has(index) === false) return;
    if (message.round > upTo || but.includes(message.toolName) || draft.at(index).kind !== 'undecided') return;
    if (message.protected && !(inOpenLoop && !draft.history.items[index]?.pinned)) return;
    const stub = makeStub(message, 'hidden', stamp);
    const saved = textTokens(message) + imageTokens(message) - countTokens(stub.text);
    if (saved <= 0) return;
    tokens -= saved;
    hidden.push([index, { kind: 'hide', stub }]);
  });
  if (hidden.length === 0) return draft;
  const done = only
    ? words('File reads hidden because later reads replace them: {0}.', hidden.length)
    : words('Older tool results hidden: {0}.', hidden.length);
  return draft.decide(hidden).repaired(done);
}

/** Hides results that their tools no longer want, except protected ones. */
export function expireResults(draft: Draft, expired: readonly number[], stamp: Stamp): Draft {
  const hidden = expired.flatMap((index): [number, Decision][] => {
    const message = draft.history.messages[index] as ContextMessage;
    return message.protected ? [] : [[index, { kind: 'hide', stub: makeStub(message, 'hidden', stamp) }]];
  });
  return draft.decide(hidden).repaired(words('Short-lived tool results expired: {0}.', expired.length));
}
