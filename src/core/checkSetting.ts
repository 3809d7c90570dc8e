/** One setting's value against its schema. A value that does not fit is named, and the default is used in its place. */

import type * as z from 'zod';

export interface SettingProblem {
  /** With the `palimpsest.` prefix. */
  readonly key: string;
  /** Names the setting, the value, the reason and what is in force instead. */
  readonly message: string;
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
  problems.push(describeSettingProblem(key, value, parsed.error.issues[0]?.message ?? 'not valid', fallback));
  return null;
}

export function describeSettingProblem(key: string, value: unknown, reason: string, fallback: unknown): SettingProblem {
  const shown = JSON.stringify(value)?.slice(0, 200);
  return {
    key,
    message: `The setting ${key} has the value ${shown}, which cannot be used (${reason}). The default ${JSON.stringify(fallback)} is in force.`,
  };
}
