/** Strategies and models that match what was typed: every word occurs in the id or the label. */

import type { Choice } from '../../src/protocol/messages.ts';

export function matchChoices(choices: readonly Choice[], typed: string): readonly Choice[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return choices.filter(({ id, label }) => words.every((word) => `${id} ${label}`.toLowerCase().includes(word)));
}
