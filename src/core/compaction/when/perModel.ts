/**
 * Thresholds for some models: by name or pattern, a short text such as `ratio 0.7, reserve 4000`. The most specific one
 * that fits is in force, and what it does not say stays as it is.
 */

import * as z from 'zod';
import { describeIssue } from '../../settings/describeIssue.ts';
import { type Setting, type Settings, setting } from '../../settings/setting.ts';
import { type Words, words } from '../../words.ts';

type Rules = Readonly<Record<string, string>>;

const RULE_PATTERN = /^\w+ [\w.]+(, \w+ [\w.]+)*$/;

/** `fields` are the settings that a rule may name. */
export function perModelSetting(fields: Settings): Setting<Rules> {
  const rules = z
    .record(z.string().min(1).max(200), z.string().max(500).regex(RULE_PATTERN))
    .superRefine((given, context) => {
      for (const rule of Object.values(given)) {
        const reason = findFault(rule, fields);
        if (reason) context.addIssue({ code: 'custom', params: { reason } });
      }
    });
  return setting(
    rules,
    {},
    "Other thresholds for some models: by the model's name or a pattern with `*`, what differs, for example `ratio 0.7, reserve 4000`. Each setting of this group but this one and `holdGrowth` can be named. They go before what is set in general and for a strategy. Of several that fit, a whole name goes first, then the longest pattern.",
    { patternHint: 'Give names and values, for example `ratio 0.7, reserve 4000`.' },
  );
}

/** What is said for the model, and by which name or pattern; null when nothing is. */
export function ruleFor(
  rules: Rules,
  model: string,
): { readonly name: string; readonly values: Readonly<Record<string, unknown>> } | null {
  const [name] = Object.keys(rules)
    .filter((pattern) => fits(pattern, model))
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
      return words('There is no threshold {0}. These can be given: {1}.', name, Object.keys(fields).join(', '));
    if (seen.has(name)) return words('{0} is said twice.', name);
    seen.add(name);
    const { error } = field.schema.safeParse(value);
    if (error) return [...words('{0} cannot be used.', `${name} ${value}`), ...describeIssue(error.issues[0])];
  }
  return null;
}

/** `*` stands for any text, also for none. */
function fits(pattern: string, model: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === model;
  if (!model.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = model.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return model.length - last.length >= at && model.endsWith(last);
}

/** A whole name is more than any pattern. */
function weigh(pattern: string): number {
  const stars = pattern.split('*').length - 1;
  return stars === 0 ? Number.POSITIVE_INFINITY : pattern.length - stars;
}
