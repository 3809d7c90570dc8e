/**
 * The modes of a session, which limit what the agent may do. A mode is the person's choice for the session, so it does not
 * change when the head moves.
 */

import { type Words, words } from './words.ts';

export const MODES = ['ask', 'plan', 'act'] as const;

export type Mode = (typeof MODES)[number];

export const DEFAULT_MODE: Mode = 'act';

export function isMode(value: unknown): value is Mode {
  return MODES.some((mode) => mode === value);
}

export function nextMode(mode: Mode): Mode {
  return MODES[(MODES.indexOf(mode) + 1) % MODES.length] ?? DEFAULT_MODE;
}

/** For the person. */
export const MODE_WORDS: Readonly<Record<Mode, { readonly label: Words; readonly description: Words }>> = {
  ask: { label: words('Ask'), description: words('Reads and answers. Nothing is changed or run.') },
  plan: { label: words('Plan'), description: words('Reads and makes a plan, which you approve, change or refuse.') },
  act: { label: words('Act'), description: words('Does the work, and asks you before it writes or runs anything.') },
};
