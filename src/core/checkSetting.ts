/** One setting's value against its schema. A value that does not fit is named, and the default is used in its place. */

import type * as z from 'zod';
import { verbatim, type Words, words } from './words.ts';

export interface SettingProblem {
  /** With the `palimpsest.` prefix. */
  readonly key: string;
  /** Names the setting, the value, the reason and what is in force instead. */
  readonly said: Words;
}

/** `key` with the `palimpsest.` prefix; a problem is added to `problems`. Null when the value does not fit. */
export function checkSetting<Value>(
  key: string,
  value: unknown,
  { schema, fallback }: { readonly schema: z.ZodType<Value>; readonly fallback: unknown },
  problems: SettingProblem[],
): { readonly value: Value } | null {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { value: parsed.data };
  problems.push(
    describeSettingProblem(key, value, verbatim(`${parsed.error.issues[0]?.message ?? 'Not valid'}.`), fallback),
  );
  return null;
}

export function describeSettingProblem(key: string, value: unknown, reason: Words, fallback: unknown): SettingProblem {
  const shown = JSON.stringify(value)?.slice(0, 200) ?? 'undefined';
  return {
    key,
    said: [
      ...words('The setting {0} has the value {1}, which cannot be used.', key, shown),
      ...reason,
      ...words('The default {0} is in force.', JSON.stringify(fallback)),
    ],
  };
}
