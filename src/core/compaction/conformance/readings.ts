/**
 * The readings with which a strategy is asked whether it is time: every moment, and every figure that may be missing.
 */

import type { ContextReading } from '../../../api/index.ts';

const READING: ContextReading = {
  moment: 'beforeCall',
  tokenCount: 6_000,
  comingTokens: 0,
  maxContextSize: 8_000,
  triggerTokens: 6_800,
  due: false,
  messages: 30,
  idleMs: 1_000,
  cacheLivesMs: 300_000,
  reported: { input: 5_500, cached: 5_000, output: 200 },
};

export const READINGS: readonly ContextReading[] = [
  READING,
  { ...READING, moment: 'beforeMessage', comingTokens: 900, tokenCount: 7_900, due: true },
  { ...READING, moment: 'afterResponse', idleMs: 0 },
  { ...READING, moment: 'later' },
  { ...READING, maxContextSize: 0, triggerTokens: null },
  { ...READING, reported: null, idleMs: null, cacheLivesMs: null },
  { ...READING, tokenCount: 900_000, maxContextSize: 1_000_000, messages: 4_000, idleMs: 86_400_000 },
  { ...READING, tokenCount: 0, messages: 0, triggerTokens: null, reported: null, idleMs: null },
];
