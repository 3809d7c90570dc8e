/**
 * The options of the conformance kit, validated before anything runs: an invalid option must not look like a passed
 * check.
 */

import type { KitOptions as PublishedOptions } from '../../../api/conformance.ts';
import type { Message } from '../../context/message.ts';

/** As published, but for histories, which the product types more closely. */
export type KitOptions = Omit<PublishedOptions, 'histories'> & {
  readonly histories?: readonly (readonly Message[])[];
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

interface OptionRule {
  readonly is: (value: unknown) => boolean;
  readonly wanted: string;
}

const CHECKS: { readonly [K in keyof Required<KitOptions>]: OptionRule } = {
  cases: { is: isCount, wanted: 'a whole number, 0 or more' },
  seed: { is: isCount, wanted: 'a whole number, 0 or more' },
  only: {
    is: (value) => typeof value === 'string' && CASE.test(value),
    wanted: "the name of a case, such as 'generated 57' or 'recorded 0'",
  },
  histories: {
    is: (value) => Array.isArray(value) && value.every(isHistory),
    wanted: 'a list of histories, each a list of messages as readRecorded returns them',
  },
  settings: {
    is: (value) => isObject(value) && !Array.isArray(value),
    wanted: 'an object of settings and their values',
  },
  answer: { is: (value) => typeof value === 'string' && value.trim() !== '', wanted: 'a text that is not blank' },
  deadlineMs: { is: (value) => Number.isFinite(value) && (value as number) > 0, wanted: 'milliseconds, more than 0' },
};

const CASE = /^(generated|recorded) (\d+)$/;

/** Throws `TypeError` naming the option, its value, and the allowed values. */
export function checkOptions(given: KitOptions): void {
  if (!isObject(given)) throw new TypeError(`The options of the kit are ${show(given)}, not an object.`);
  for (const [name, value] of Object.entries(given)) {
    const check = CHECKS[name as keyof KitOptions];
    if (!check || !Object.hasOwn(CHECKS, name)) {
      const meant = nearest(name);
      const instead = meant ? `did you mean ${meant}?` : `it has ${Object.keys(CHECKS).join(', ')}.`;
      throw new TypeError(`The kit has no option ${name}: ${instead}`);
    }
    if (value !== undefined && !check.is(value))
      throw new TypeError(`The option ${name} is ${show(value)}. It must be ${check.wanted}.`);
  }
  const [, kind, number] = CASE.exec(given.only ?? '') ?? [];
  const { histories = [] } = given;
  if (kind === 'recorded' && Number(number) >= histories.length) {
    const there = histories.length
      ? `${histories.length} histories are given, from recorded 0 on`
      : 'no histories are given';
    throw new TypeError(`There is no case ${given.only}: ${there}.`);
  }
}

/** Throws `TypeError` when `factory` is not a factory at all; faults inside a factory are broken rules. */
export function checkFactory(factory: unknown): void {
  if (factory instanceof Promise)
    throw new TypeError('The factory is a promise. Await it first: the kit takes { needs, create }.');
  if (typeof factory === 'function')
    throw new TypeError('The factory is a function. The kit takes an object { needs, create }.');
  if (!isObject(factory)) throw new TypeError(`The factory is ${show(factory)}. The kit takes { needs, create }.`);
}

function isHistory(history: unknown): boolean {
  return (
    Array.isArray(history) &&
    history.every(
      (message) => isObject(message) && 'role' in message && 'text' in message && typeof message.text === 'string',
    )
  );
}

/** The most similar option name, if it is similar enough. */
function nearest(name: string): string | null {
  const letters = (text: string) => [...text.toLowerCase()].sort().join('');
  const found = Object.keys(CHECKS).find((known) => {
    const [a, b] = [known.toLowerCase(), name.toLowerCase()];
    return a.startsWith(b.slice(0, 4)) || b.startsWith(a.slice(0, 4)) || letters(a) === letters(b);
  });
  return found ?? null;
}

export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : String(value);
}
