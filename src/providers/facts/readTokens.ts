/** Numbers of tokens in somebody else's answer: only one that a model can have is taken. */

import { asText } from '../../core/json.ts';

/** A smaller number is no model's context or answer, but a flag or a mistake. */
const SMALLEST = 256;
const LARGEST = 1_000_000_000;

/** Undefined for anything but a plausible number. Some servers write it as text. */
export function readTokens(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= SMALLEST && (number as number) <= LARGEST
    ? (number as number)
    : undefined;
}

/** Whether the list names it; undefined where there is no list. */
export function names(list: unknown, ...wanted: readonly string[]): boolean | undefined {
  return Array.isArray(list) ? list.some((each) => wanted.includes(asText(each))) : undefined;
}

type Known<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that nothing was said of. */
export function known<T extends object>(fields: T): Known<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Known<T>;
}
