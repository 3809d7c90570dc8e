/** The names of what was done without a strategy: a compaction's entry has their ids in a strategy's place. */

import { type Words, words } from '../words.ts';

export const STEP_NAMES: Readonly<Record<string, Words>> = {
  fallback: words('Fallback without a model'),
  partial: words('Part done before a failure'),
  'drop-oldest': words('Drop oldest'),
  ephemeral: words('Expired results'),
  recorded: words('By the program that recorded it'),
  'branch-summary': words('Summary of a branch'),
  'session-summary': words('Summary of a session'),
};
