/** Choices of a list that fit what was typed. */

import type { Choice, PanelState } from '../../src/protocol/messages.ts';

/** An exact id, else the only match. */
export function matchOne(choices: PanelState['models'], typed: string): string | null {
  const exact = choices.find(({ id, label }) => id === typed || label === typed);
  const found = matchChoices(choices, typed);
  return exact?.id ?? (found.length === 1 ? (found[0]?.id ?? null) : null);
}

/** Strategies and models that match the typed text: every word occurs in the id, the label or the heading. */
export function matchChoices(choices: readonly Choice[], typed: string): readonly Choice[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ id, label, group = '' }: Choice) => `${id} ${label} ${group}`.toLowerCase();
  return choices.filter((choice) => words.every((word) => textOf(choice).includes(word)));
}
