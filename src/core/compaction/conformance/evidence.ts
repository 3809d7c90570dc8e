/**
 * What an author needs to mend a broken rule: the messages that it names, as they were given and as they came back, and
 * what was thrown, with its stack and causes. A strategy's answer is never trusted: reading it must not throw.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { messageOf } from '../../errors.ts';
import type { Words } from '../../words.ts';

export interface OffendingMessage {
  /** As the strategy got it; null for what it added. */
  readonly given: ContextMessage | null;
  /** As it came back; undefined when it did not. */
  readonly returned: unknown;
}

/** One call of a strategy, as the kit saw it. */
export interface Seen {
  readonly history: readonly ContextMessage[];
  readonly returned: unknown;
}

/** The messages that `rule` names, by their ids or by their place in the answer. */
export function findOffending(rule: Words, { history, returned }: Seen): OffendingMessage[] {
  const list = listOf(returned);
  const found: OffendingMessage[] = [];
  for (const { text, values } of rule) {
    const entry = values[0];
    if (text.startsWith('entry {0}') && typeof entry === 'number') {
      const value = list[entry];
      found.push({ given: history.find(({ id }) => id === idOf(value)) ?? null, returned: value });
      continue;
    }
    for (const value of values) {
      const given = typeof value === 'string' ? history.find(({ id }) => id === value) : undefined;
      if (!given) continue;
      const named = text.includes('block of') ? history.filter(({ block }) => block === given.block) : [given];
      for (const each of named) found.push({ given: each, returned: list.find((value) => idOf(value) === each.id) });
    }
  }
  return found;
}

/** How much of an answer is looked at: a list may claim any length. */
const MOST_MESSAGES = 10_000;

/** A strategy answers with a list, or with an object that has one. */
function listOf(returned: unknown): readonly unknown[] {
  try {
    const list = Array.isArray(returned) ? returned : (returned as { messages?: unknown } | null)?.messages;
    return Array.isArray(list) ? Array.from({ length: Math.min(list.length, MOST_MESSAGES) }, (_, i) => list[i]) : [];
  } catch {
    return [];
  }
}

function idOf(value: unknown): unknown {
  try {
    return (value as { id?: unknown } | null | undefined)?.id;
  } catch {
    return undefined;
  }
}

/** Where it was thrown, and what caused that, each with its own stack. */
export function stackOf(thrown: unknown): string {
  const lines: string[] = [];
  for (let at = thrown, depth = 0; at !== undefined && depth < 5; depth++) {
    const { stack, cause } = readError(at);
    lines.push(`${depth > 0 ? 'Caused by: ' : ''}${stack}`);
    at = cause;
  }
  return lines.join('\n');
}

function readError(thrown: unknown): { readonly stack: string; readonly cause: unknown } {
  try {
    if (thrown instanceof Error && typeof thrown.stack === 'string')
      return { stack: thrown.stack, cause: thrown.cause };
  } catch {
    // It is a trap: only its text is left to tell.
  }
  return { stack: messageOf(thrown), cause: undefined };
}
