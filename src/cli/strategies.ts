/**
 * The strategies that a run compares, some of them in files that a person names, and their settings: `--set key=value` of
 * the command line. `mine.longest=1,2,3` is a setting of the file `mine.js`, and every value of a list makes a row of its
 * own: the strategy is replayed once with each.
 */

import { basename, extname, resolve } from 'node:path';
import { StrategyRegistry } from '../core/compaction/hosting/registry.ts';
import { compactionKeys } from '../core/compaction/settings/compactionSettings.ts';
import { DeclaredSettings } from '../core/compaction/settings/declaredSettings.ts';
import { BUILT_IN_STRATEGIES } from '../core/compaction/strategies/builtIn.ts';
import { inEnglish } from '../core/words.ts';
import { PLAIN_STRATEGIES } from '../lab/baselines/baselines.ts';
import type { Variant } from '../lab/replay.ts';
import { openStrategy } from '../node/strategyFiles/openStrategy.ts';

type Values = Readonly<Record<string, unknown>>;

interface Given {
  readonly key: string;
  /** One, or several to sweep. */
  readonly values: readonly unknown[];
}

const MOST = 64;

/** The settings that hold for all, and what is replayed: an id, or a strategy with settings of its own. */
export function readSets(
  texts: readonly string[],
  strategies: readonly string[],
): { readonly settings: Values; readonly variants: readonly (string | Variant)[] } {
  const files = strategies.filter(isStrategyPath).map(nameOf);
  const known = compactionKeys();
  const given = texts.map((text) => readSet(text, files));
  for (const { key } of given) if (!known.has(key) && !ofFile(key, files)) throw new Error(unknownKey(key, files));
  const single = given.filter(({ key, values }) => values.length === 1 && !ofFile(key, files));
  const settings = Object.fromEntries(single.map(({ key, values }) => [key, values[0]]));
  const variants = strategies.flatMap((id): readonly (string | Variant)[] => variantsOf(id, settings, given, files));
  if (variants.length > MOST)
    throw new Error(`--set asks for ${variants.length} rows; ${MOST} are the most. Give fewer values.`);
  return { settings, variants };
}

/** Values of the settings of one file, by name: `mine.longest=3` for `mine.py`. */
export function readOwnSets(texts: readonly string[], path: string): Values {
  const files = [nameOf(path)];
  const own = texts.map((text) => readSet(text, files));
  for (const { key, values } of own) {
    if (!ofFile(key, files)) throw new Error(`--set ${key}: expected a setting of the file, ${files[0]}.name=value.`);
    if (values.length > 1) throw new Error(`--set ${key}: expected one value.`);
  }
  return Object.fromEntries(own.map(({ key, values }) => [key.slice(key.lastIndexOf('.') + 1), values[0]]));
}

/** Throws for a value that a strategy's file does not declare, or cannot use. */
export function checkSets(variants: readonly (string | Variant)[], registry: StrategyRegistry): void {
  for (const variant of variants) {
    if (typeof variant === 'string' || !isStrategyPath(variant.strategy)) continue;
    const declared = DeclaredSettings.of(registry.get(variant.strategy)?.factory);
    for (const [name, value] of Object.entries(variant.section ?? {})) {
      const fault = declared.findFault(name, value);
      if (fault) throw new Error(`--set ${nameOf(variant.strategy)}.${name}=${String(value)}: ${inEnglish(fault)}`);
    }
  }
}

export const idOf = (asked: string | Variant): string => (typeof asked === 'string' ? asked : asked.strategy);

export const titleOf = (asked: string | Variant): string => (typeof asked === 'string' ? asked : asked.name);

function variantsOf(
  id: string,
  settings: Values,
  given: readonly Given[],
  files: readonly string[],
): readonly (string | Variant)[] {
  const own = given.filter(({ key, values }) => concerns(key, id, files) && (values.length > 1 || ofFile(key, files)));
  if (own.length === 0) return [id];
  let variants: Variant[] = [{ name: '', strategy: id, settings, section: {} }];
  for (const { key, values } of own) {
    const name = key.slice(key.lastIndexOf('.') + 1);
    variants = variants.flatMap((variant) =>
      values.map((value) => ({
        ...variant,
        name: [variant.name, `${name} ${String(value)}`].filter(Boolean).join(', '),
        ...(ofFile(key, files)
          ? { section: { ...variant.section, [name]: value } }
          : { settings: { ...variant.settings, [key]: value } }),
      })),
    );
  }
  return variants.map((variant) => ({ ...variant, name: `${id} (${variant.name})` }));
}

/** Whether a setting changes what the strategy does: one of a file or of a built-in strategy is only for that one. */
function concerns(key: string, id: string, files: readonly string[]): boolean {
  if (ofFile(key, files)) return isStrategyPath(id) && nameOf(id) === sectionOf(key);
  if (PLAIN_STRATEGIES.includes(id)) return false;
  const owner = BUILT_IN_STRATEGIES.find(({ section }) => section.name === `compaction.${sectionOf(key)}`);
  return !owner || owner.id === id;
}

function readSet(text: string, files: readonly string[]): Given {
  const at = text.indexOf('=');
  if (at < 1) throw new Error(`--set ${text}: expected key=value, such as trigger.ratio=0.7.`);
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  const whole = parse(value);
  if (typeof whole !== 'string' || !value.includes(',')) return { key, values: [whole] };
  const parts = value.split(',').map(parse);
  // A text of the product's own settings may have commas in it.
  const isList = ofFile(key, files) || parts.every((part) => typeof part !== 'string');
  return { key, values: isList ? parts : [whole] };
}

/** JSON, or else a bare word. */
function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const nameOf = (path: string) => basename(path, extname(path));
const sectionOf = (key: string) => key.slice(0, key.indexOf('.'));
const ofFile = (key: string, files: readonly string[]) => files.includes(sectionOf(key));

function unknownKey(key: string, files: readonly string[]): string {
  const own = files.length > 0 ? `, and no file of --strategies has that name (${files.join(', ')})` : '';
  return `--set ${key}: palimpsest.compaction.${key} is no setting${own}.`;
}

/** A path, as opposed to the name of a strategy. */
export function isStrategyPath(asked: string): boolean {
  return /\.m?[jt]s$/i.test(asked) || /[\\/]/.test(asked) || /\.\w+$/.test(asked);
}

/**
 * The product's strategies, and those of `asked` that are paths, loaded by the product's own rules for such files: a path
 * is the id. Throws what is wrong with a file.
 */
export async function openStrategies(asked: readonly string[]): Promise<StrategyRegistry> {
  const registry = new StrategyRegistry();
  for (const id of new Set(asked.filter(isStrategyPath))) {
    const factory = await openStrategy(id);
    registry.register({ id, label: id, description: '', publisher: null, file: resolve(id), factory });
  }
  return registry;
}
