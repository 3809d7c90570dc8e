/**
 * Opens a strategy from its file for programs without an editor: a module in JavaScript or TypeScript, or a program in any
 * language. The one door that the kit, the lab, `createAgent` and pi share; the file runs with all rights of who opens it.
 */

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DeclaredSettings } from '../../core/compaction/settings/declaredSettings.ts';
import type { AnyFactory } from '../../core/compaction/strategies/strategyEntry.ts';
import { UserFacingError } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import { compileStrategyFile, loadStrategyFile } from './loadStrategyFile.ts';
import { readStrategyFile } from './readStrategyFile.ts';

/**
 * The factory of the strategy in a file, by its path or `file:` address. `values`: settings that the file declares, which
 * take the place of their defaults. Rejects with an error that names the file, the line if known, and the reason; a fault
 * of a program shows when it first runs.
 */
export async function openStrategy(
  path: string | URL,
  values: Readonly<Record<string, unknown>> = {},
): Promise<AnyFactory> {
  const file = await readStrategyFile(resolve(path instanceof URL ? fileURLToPath(path) : path), []);
  const factory = await loadStrategyFile(file, await compileStrategyFile(file));
  return Object.keys(values).length === 0 ? factory : withDefaults(factory, file.path, values);
}

function withDefaults(factory: AnyFactory, path: string, values: Readonly<Record<string, unknown>>): AnyFactory {
  const declared = DeclaredSettings.of(factory);
  const settings: Record<string, unknown> = { ...factory.settings };
  for (const [name, value] of Object.entries(values)) {
    const fault = declared.findFault(name, value);
    if (fault)
      throw new UserFacingError([...words('its file {0} has no use for the setting {1}.', path, name), ...fault]);
    settings[name] = { ...factory.settings?.[name], default: value };
  }
  return Object.create(factory, { settings: { value: settings, enumerable: true } });
}
