/** The result of a check, in figures and faults to fix. */

import type { BrokenRule, ConformanceReport, OffendingMessage } from '../../../api/conformance.ts';
import type { ContextMessage } from '../../../api/index.ts';
import { messageOf } from '../../errors.ts';
import type { Words } from '../../words.ts';

const MOST_RULES = 20;
const LONGEST_TEXT = 100;

/** How a case is run alone, in the words of the kit's options. */
type Alone = (seed: number, only: string) => string;

const asOptions: Alone = (seed, only) => `the options { seed: ${seed}, only: '${only}' }`;

/** For an error message: each kind of broken rule once, with its first place and the known details. */
export function describeBroken({ broken }: Pick<ConformanceReport, 'broken'>, alone = asOptions): string {
  const kinds = new Map<string, { readonly first: BrokenRule; count: number }>();
  for (const each of broken) {
    const kind = each.rule.replace(/\b[mc]\d+(\.\d+)?\b|\d+/g, '');
    const known = kinds.get(kind);
    if (known) known.count++;
    else kinds.set(kind, { first: each, count: 1 });
  }
  const lines = [...kinds.values()].slice(0, MOST_RULES).map(({ first, count }) => describeOne(first, count, alone));
  const more = kinds.size > MOST_RULES ? [`… and ${kinds.size - MOST_RULES} other rules.`] : [];
  return [`The strategy breaks the rules in ${broken.length} of its calls:`, ...lines, ...more].join('\n');
}

function describeOne(
  { rule, where, alone: { seed, only }, messages, stack }: BrokenRule,
  count: number,
  alone: Alone,
): string {
  return [
    `- ${where}: ${rule}${count > 1 ? ` (and ${count - 1} more like it)` : ''}`,
    ...(only === undefined ? [] : [`  run it alone with ${alone(seed, only)}`]),
    ...messages.slice(0, 6).map((message) => `  ${describeMessage(message)}`),
    ...(stack === undefined ? [] : [stack.replace(/^/gm, '  ')]),
  ].join('\n');
}

function describeMessage({ given, returned }: OffendingMessage): string {
  if (given === null) return `came back: ${excerpt(returned)}`;
  const { id, role, block, text } = given;
  const facts = [...(given.protected ? ['protected'] : []), ...(given.hidden ? ['hidden'] : [])];
  const what = [id, role, `in block ${block}`, ...facts].join(' ');
  if (returned === given) return `${what}: came back as it was`;
  return `${what}: ${excerpt(text)} ${returned === undefined ? 'did not come back' : `came back as ${excerpt(returned)}`}`;
}

function excerpt(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = 'something that cannot be shown';
  }
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}…` : text;
}

/** One call of a strategy, as observed by the kit. */
export interface Seen {
  readonly history: readonly ContextMessage[];
  readonly returned: unknown;
}

/**
 * The messages that `rule` concerns, by their ids or by their position in the answer. A strategy's answer is never trusted:
 * reading it must not throw.
 */
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

/** Maximum messages of an answer that are examined: a list may claim any length. */
const MOST_MESSAGES = 10_000;

/** A strategy answers with a list, or with an object that contains one. */
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

/** The error's stack and those of its causes. */
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
    // A hostile object: only its text is reported.
  }
  return { stack: messageOf(thrown), cause: undefined };
}
