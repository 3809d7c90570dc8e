/** Settings of compaction that a program gives in place of a configuration. */

import { inEnglish } from '../../words.ts';
import { type CompactionSettings, readCompactionSettings } from './compactionSettings.ts';

/**
 * `values` by key below `palimpsest.compaction.`; `strategy` overrides the one they choose. `section` holds the values
 * of a contributed strategy's own section.
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
  if (problem) throw new Error(inEnglish(problem.message));
  return settings;
}
