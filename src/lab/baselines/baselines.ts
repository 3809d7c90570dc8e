/**
 * The plain strategies of the lab's table by id, and what others have published, restated without a model. They are
 * yardsticks and are not offered to users.
 */

import { type Baseline, TRIGGER } from '../contender.ts';
import { headLength, type PreparedSession } from '../prepareSession.ts';
import { messageTokens, range } from '../request.ts';
import { digest, hideThenDigest } from './digest.ts';
import { episodes } from './episodes.ts';
import { hideBatched, hideEachStep, oracle, pruneEachStep } from './hiding.ts';
import { dropQueue, pruneByRules, transparent } from './pruning.ts';

/** Plain strategies that remove old messages: none at all, a sliding window, and truncation in large steps. */
const NEWEST_MESSAGES = 40;
const TRUNCATE_TO = 0.5;
const none: Baseline = () => ({ request: (step) => ({ parts: range(0, step) }) });

/** The head, then the newest whole groups within 40 messages. */
const last40: Baseline = (prepared) => {
  const head = headLength(prepared);
  return {
    request: (step) => ({
      parts: [...range(0, Math.min(head, step)), ...range(Math.max(head, newestWithin(prepared, step)), step)],
    }),
  };
};

/** Over 0.8 W the oldest groups after the head go until 0.5 W is reached. */
const truncate8050: Baseline = (prepared, window) => {
  const head = headLength(prepared);
  const { groupStarts, groups } = prepared;
  let from = head;
  return {
    request: (step) => {
      const parts = () => [...range(0, Math.min(head, step)), ...range(from, step)];
      if (messageTokens(prepared, parts()) > TRIGGER * window) {
        let group = groups[from] ?? 0;
        while (from < step && messageTokens(prepared, parts()) > TRUNCATE_TO * window) {
          group++;
          from = Math.min(groupStarts[group] ?? step, step);
        }
      }
      return { parts: parts() };
    },
  };
};

function newestWithin({ groups, groupStarts }: PreparedSession, step: number): number {
  for (let group = (groups[step] ?? 0) - 1; group >= 0; group--) {
    const start = groupStarts[group] ?? 0;
    if (start < step - NEWEST_MESSAGES) return groupStarts[group + 1] ?? step;
  }
  return 0;
}

export const BASELINES: ReadonlyMap<string, Baseline> = new Map([
  ['none', none],
  ['last-40', last40],
  ['truncate-80-50', truncate8050],
  ['hide-5-each-step', hideEachStep],
  ['hide-5-batched', hideBatched],
  ['prune-each-step', pruneEachStep],
  ['digest', digest],
  ['hide-then-digest', hideThenDigest],
  ['oracle', oracle],
  ['transparent', transparent],
  ['pruning-rules', pruneByRules],
  ['drop-queue', dropQueue],
  ['episodes', episodes],
]);

/** Their ids. */
export const PLAIN_STRATEGIES: readonly string[] = [...BASELINES.keys()];
