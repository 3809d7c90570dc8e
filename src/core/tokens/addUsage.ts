/** Adds up what several requests used. */

import type { Usage } from '../context/message.ts';

export function addUsage(a: Usage, b: Usage): Usage {
  const sum = {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
  const known = a.written !== undefined || b.written !== undefined;
  return known ? { ...sum, written: (a.written ?? 0) + (b.written ?? 0) } : sum;
}
