/** Settings of compaction that a program gives in place of a configuration. */

import { inEnglish } from '../../words.ts';
import { type CompactionSettings, compactionKeys, readCompactionSettings } from './compactionSettings.ts';

/**
 * `values` by key below `palimpsest.compaction.`; `strategy` overrides the one they choose. `section` holds the values
 * of a contributed strategy's own section. Throws for a value that cannot be used.
 */
export function givenSettings(
  values: Readonly<Record<string, unknown>>,
  strategy?: string,
  section: Readonly<Record<string, unknown>> = {},
): CompactionSettings {
  const read = (key: string) => {
    const value = values[key.replace(/^compaction\./, '')];
    return { value, explicit: value !== undefined };
  };
  const { settings, problems } = readCompactionSettings(read, () => section, strategy);
  const [problem] = problems;
  // The last sentence says what goes on in its place; here nothing does.
  if (problem) throw new Error(inEnglish(problem.message.slice(0, -1)));
  return settings;
}

/** Throws for a key that is no setting. */
export function refuseUnknownKeys(values: Readonly<Record<string, unknown>>): void {
  const known = compactionKeys();
  for (const key of Object.keys(values))
    if (!known.has(key)) throw new Error(`palimpsest.compaction.${key} is no setting.`);
}
