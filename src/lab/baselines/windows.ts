/** Plain strategies that let old messages go: none at all, a sliding window, and truncation in large steps. */

import type { PreparedSession } from '../prepareSession.ts';
import { type Baseline, headLength, messageTokens, range, TRIGGER } from './baseline.ts';

const NEWEST_MESSAGES = 40;
const TRUNCATE_TO = 0.5;

export const none: Baseline = () => ({ request: (step) => ({ parts: range(0, step) }) });

/** The head, then the newest whole groups within 40 messages. */
export const last40: Baseline = (prepared) => {
  const head = headLength(prepared);
  return {
    request: (step) => ({
      parts: [...range(0, Math.min(head, step)), ...range(Math.max(head, newestWithin(prepared, step)), step)],
    }),
  };
};

/** Over 0.8 W the oldest groups after the head go until 0.5 W is reached. */
export const truncate8050: Baseline = (prepared, window) => {
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
