/**
 * Decides whether a command runs without a question. Pure: everything that is known about the line, the person's
 * permissions and the disk is given. Whatever is not certain is a question, and each question says why it is asked.
 */

import { type Words, words } from '../../words.ts';
import type { CommandRule } from '../commandRules.ts';

/** Why one part of a line needs no question. */
export type PartGround =
  /** The person allowed exactly these words in this folder, permanently or for this session. */
  | 'always'
  | 'session'
  /** It is on the list of commands that only read, and the person allowed that list. */
  | 'reads'
  /** It only shortens, sorts or counts the output of the command before it, or goes into an open folder. */
  | 'harmless';

export interface CommandPart {
  readonly argv: readonly string[];
  /** As written, without redirections. */
  readonly text: string;
  /** Where it runs; absolute. */
  readonly folder: string;
  /** Null if it is not allowed yet. */
  readonly ground: PartGround | null;
  /** The permission that would cover exactly this part; null if it may be allowed only once. */
  readonly rule: CommandRule | null;
  /** The list of commands that only read would cover it. */
  readonly reads: boolean;
  /** Why more than a permission is missing, such as what it reads; null if it is merely not allowed yet. */
  readonly fault: Words | null;
}

/** The facts about a command line. */
export type KnownCommand =
  | { readonly kind: 'parts'; readonly parts: readonly CommandPart[] }
  /** `why`: a short phrase, such as "command substitution". */
  | { readonly kind: 'unclear'; readonly why: Words };

/** Runs without a question for a reason that has nothing to do with the words of the line. */
export type OtherGround = 'sandbox';

export type CommandDecision =
  | { readonly kind: 'allow'; readonly because: 'parts' | OtherGround }
  /** `because` is one sentence for the person. */
  | { readonly kind: 'ask'; readonly because: Words };

export function decideCommand(known: KnownCommand, other: OtherGround | null = null): CommandDecision {
  if (other !== null) return { kind: 'allow', because: other };
  if (known.kind === 'unclear') {
    return { kind: 'ask', because: words('It cannot be read with certainty: {0}.', known.why) };
  }
  const open = known.parts.filter(({ ground }) => ground === null);
  const [first] = open;
  if (!first) return { kind: 'allow', because: 'parts' };
  const faulty = open.find(({ fault }) => fault !== null);
  if (faulty?.fault) return { kind: 'ask', because: faulty.fault };
  if (onlyReads(known)) {
    return { kind: 'ask', because: words('It only reads. Commands that only read are not allowed yet.') };
  }
  return { kind: 'ask', because: explainOpen(first, open.length - 1) };
}

function explainOpen({ text }: CommandPart, others: number): Words {
  if (others === 0) return words('Not allowed yet: {0}', text);
  return words('Not allowed yet: {0}, and {1} more', text, others);
}

/** The permissions that would cover the whole line from now on; null if it may be allowed only once. */
export function rulesFor(known: KnownCommand): readonly CommandRule[] | null {
  if (known.kind === 'unclear') return null;
  const open = known.parts.filter(({ ground }) => ground === null);
  const rules = open.flatMap(({ rule }) => rule ?? []);
  return rules.length === open.length ? rules : null;
}

/** The list of commands that only read would cover what is not allowed yet. */
export function onlyReads(known: KnownCommand): boolean {
  if (known.kind === 'unclear') return false;
  const open = known.parts.filter(({ ground }) => ground === null);
  return open.length > 0 && open.every(({ reads }) => reads);
}
