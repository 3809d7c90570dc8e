/** Endpoints' reports about their models, stored for one test. */

import type { Clock } from '../../../src/core/clock.ts';
import { forgetfulMemory, LearnedWindows, type WindowMemory } from '../../../src/core/tokens/learnedWindows.ts';
import { ServedFacts } from '../../../src/node/models/servedFacts.ts';
import { testClock } from './testClock.ts';

export function memoryFacts(
  clock: Clock = testClock(),
  memory: WindowMemory = forgetfulMemory(),
  windows = new LearnedWindows(forgetfulMemory(), clock),
): ServedFacts {
  return new ServedFacts(memory, windows, clock);
}
