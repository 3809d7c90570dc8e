/** Reads the factory of a strategy from a module that a person or an extension wrote. */

import { type Words, words } from '../../words.ts';
import type { AnyFactory } from './strategyEntry.ts';

/** Its factory, or what is wrong with the module. */
export function readStrategyModule(module: unknown): AnyFactory | Words {
  const factory = field(module, 'default');
  if (factory === undefined) return words('it has no default export');
  if (!Array.isArray(field(factory, 'needs')) || typeof field(factory, 'create') !== 'function')
    return words('its default export is not a factory with needs and create');
  return factory as AnyFactory;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
