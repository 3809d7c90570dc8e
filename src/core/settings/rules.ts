/**
 * Settings that differ for some names: by name or pattern, a short text such as `ratio 0.7, reserve 4000`. The most
 * specific one that fits is in force.
 */

import * as z from 'zod';
import { type Words, words } from '../words.ts';
import { describeIssue } from './describeIssue.ts';
import type { Settings } from './setting.ts';

export type Rules = Readonly<Record<string, string>>;

const RULE_PATTERN = /^\w+ [\w.]+(, \w+ [\w.]+)*$/;

/** `fields` are the settings that a rule may name. */
export function rulesSchema(fields: Settings): z.ZodType<Rules> {
  return z.record(z.string().min(1).max(200), z.string().max(500).regex(RULE_PATTERN)).superRefine((given, context) => {
    for (const rule of Object.values(given)) {
      const reason = findFault(rule, fields);
      if (reason) context.addIssue({ code: 'custom', params: { reason } });
    }
  });
}

/** What is said for the name, and by which name or pattern; null when nothing is. */
export function ruleFor(
  rules: Rules,
  asked: string,
): { readonly name: string; readonly values: Readonly<Record<string, unknown>> } | null {
  const [name] = Object.keys(rules)
    .filter((pattern) => fitsPattern(pattern, asked))
    .sort((a, b) => weigh(b) - weigh(a));
  return name === undefined ? null : { name, values: Object.fromEntries(readRule(rules[name] ?? '')) };
}

/** Numbers as numbers; all else as text. */
function readRule(rule: string): (readonly [name: string, value: unknown])[] {
  return rule.split(', ').map((part) => {
    const [name = '', value = ''] = part.split(' ');
    return [name, Number.isNaN(Number(value)) ? value : Number(value)];
  });
}

/** Null when there is none. */
function findFault(rule: string, fields: Settings): Words | null {
  const seen = new Set<string>();
  for (const [name, value] of readRule(rule)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field)
      return words('There is no setting {0} here. These can be given: {1}.', name, Object.keys(fields).join(', '));
    if (seen.has(name)) return words('{0} is given twice.', name);
    seen.add(name);
    const { error } = field.schema.safeParse(value);
    if (error) return [...words('{0} cannot be used.', `${name} ${value}`), ...describeIssue(error.issues[0])];
  }
  return null;
}

/** `*` stands for any text, also for none. */
export function fitsPattern(pattern: string, asked: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === asked;
  if (!asked.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = asked.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return asked.length - last.length >= at && asked.endsWith(last);
}

/** A whole name is more than any pattern. */
function weigh(pattern: string): number {
  const stars = pattern.split('*').length - 1;
  return stars === 0 ? Number.POSITIVE_INFINITY : pattern.length - stars;
}
