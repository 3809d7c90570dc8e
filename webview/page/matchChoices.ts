/** Strategies and models that match what was typed: every word occurs in the id, the label or the heading. */

import type { Choice } from '../../src/protocol/messages.ts';

export function matchChoices(choices: readonly Choice[], typed: string): readonly Choice[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ id, label, group = '' }: Choice) => `${id} ${label} ${group}`.toLowerCase();
  return choices.filter((choice) => words.every((word) => textOf(choice).includes(word)));
}
