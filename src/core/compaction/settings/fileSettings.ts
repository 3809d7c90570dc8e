/**
 * The values that a person gives to the settings of their strategy files, all in one flat object, `"mine.longest": 3`.
 * It is foreign: each value that does not fit is named.
 */

import type { SettingProblem } from '../../setting.ts';
import { words } from '../../words.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import { fileNameOf } from '../strategies/strategyIds.ts';
import { DeclaredSettings } from './declaredSettings.ts';

export class FileSettings {
  readonly #flat: Readonly<Record<string, unknown>>;

  /** `flat`: by `name.setting`. */
  constructor(flat: Readonly<Record<string, unknown>>) {
    this.#flat = flat;
  }

  /** The values for one strategy, by the names of its settings. */
  valuesFor(id: string): Record<string, unknown> {
    const prefix = `${fileNameOf(id)}.`;
    const own = Object.entries(this.#flat).filter(([key]) => key.startsWith(prefix));
    return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value]));
  }

  /**
   * Faults in the values. A strategy that is not loaded has declared nothing yet, so its values are not judged. `key`: the
   * setting that holds the object, with its prefix. `names`: of the files.
   */
  findFaults(
    key: string,
    names: readonly string[],
    find: (id: string) => Pick<StrategyEntry, 'factory'> | null,
  ): SettingProblem[] {
    return Object.entries(this.#flat).flatMap(([full, value]) => {
      const [file = '', name = ''] = full.split('.');
      if (!names.includes(file)) {
        const message = words('The setting {0} names {1}, but no strategy file is called {2}.', key, full, file);
        return [{ key, message }];
      }
      const entry = find(`file/${file}`);
      const reason = entry && DeclaredSettings.of(entry.factory).findFault(name, value);
      if (!reason) return [];
      return [{ key, message: [...words('The setting {0} cannot be used for {1}.', key, full), ...reason] }];
    });
  }
}
