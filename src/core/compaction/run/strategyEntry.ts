/** What the compactor knows of a strategy, built in or contributed. */

import type { CompactionContext, StrategyFactory, StrategyPorts } from '../../../api/index.ts';
import { type Words, words } from '../../words.ts';
import type { Leaves } from '../when/strategySay.ts';

export type AnyFactory = StrategyFactory<keyof StrategyPorts>;

/** What a picker shows of a strategy. */
export interface ListedStrategy {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Null for the built-in ones. */
  readonly publisher: string | null;
  /** Path of the person's own file that it was loaded from; absent for all others. */
  readonly file?: string;
}

export interface StrategyEntry extends ListedStrategy {
  readonly factory: AnyFactory;
  /** What it says about results that the window holds. Nothing when left out. */
  readonly lastWord?: (
    section: Readonly<Record<string, unknown>>,
    whole: Pick<CompactionContext, 'history' | 'maxContextSize'>,
  ) => LastWord;
  /** What a compaction of it leaves in a window of so many tokens; when left out, what compactions aim at. */
  readonly leaves?: (section: Readonly<Record<string, unknown>>, window: number) => Leaves;
}

export interface LastWord {
  /**
   * What stands as long as the window holds it, also where its trigger would fire again: what it gave first, or whatever it
   * answered, that there is nothing to do included. `none` when left out.
   */
  readonly resultStands?: 'none' | 'first' | 'every';
  /** Newest rounds that stay whole. */
  readonly wholeRounds?: number;
}

/** Its factory, or what is wrong with the module, in words. */
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

/**
 * The two forms of an id that no built-in strategy has: `publisher.extension/name` of an extension, and `file/name` of
 * a person's own file. An extension's id has a full stop, so neither can pass for the other.
 */
const FILE = 'file/';
const NAME = /^[a-z0-9-]{1,64}$/i;
export const CONTRIBUTED_ID = /^([a-z0-9-]+\.[a-z0-9-]+|file)\/[a-z0-9-]{1,64}$/i;

/** `publisher.extension` of an id. */
export function extensionOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}

export function isFileId(id: string): boolean {
  return id.startsWith(FILE);
}

/** `name` is the file's without its ending. Null when it has other characters than letters, digits and hyphens. */
export function fileId(name: string): string | null {
  return NAME.test(name) ? `${FILE}${name}` : null;
}
