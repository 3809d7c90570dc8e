/** A strategy as the compactor knows it, built in or contributed. */

import type { CompactionContext, StrategyFactory, StrategyPorts } from '../../../api/index.ts';
import { type Words, words } from '../../words.ts';
import type { Leaves } from '../when/earlyRule.ts';

export type AnyFactory = StrategyFactory<keyof StrategyPorts>;

/** A strategy as a picker shows it. */
export interface ListedStrategy {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Null for built-in ones. */
  readonly publisher: string | null;
  /** Path of the person's own file that it was loaded from; absent for others. */
  readonly file?: string;
}

export interface StrategyEntry extends ListedStrategy {
  readonly factory: AnyFactory;
  /** Its rules for results that the window holds. Default: none. */
  readonly resultPolicy?: (
    section: Readonly<Record<string, unknown>>,
    whole: Pick<CompactionContext, 'history' | 'maxContextSize'>,
  ) => ResultPolicy;
  /** Tokens that its compaction leaves in a window of this size; default: the target of compactions. */
  readonly leaves?: (section: Readonly<Record<string, unknown>>, window: number) => Leaves;
}

export interface ResultPolicy {
  /**
   * Which results are final as long as the window holds them, even if its trigger would fire again: the first result,
   * or every answer, including that there is nothing to do. Default: `none`.
   */
  readonly finalResult?: 'none' | 'first' | 'every';
  /** Newest rounds that stay whole. */
  readonly wholeRounds?: number;
}

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

/**
 * The two forms of ids of strategies that are not built in: `publisher.extension/name` for an extension, and
 * `file/name` for a person's own file. An extension's id contains a full stop, so the two cannot be confused.
 */
const FILE = 'file/';
const NAME = /^[a-z0-9-]{1,64}$/i;
export const CONTRIBUTED_ID = /^([a-z0-9-]+\.[a-z0-9-]+|file)\/[a-z0-9-]{1,64}$/i;

/** The `publisher.extension` part of an id. */
export function extensionOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}

export function isFileId(id: string): boolean {
  return id.startsWith(FILE);
}

/** The name of the file of such an id, without extension. */
export function fileNameOf(id: string): string {
  return id.slice(FILE.length);
}

/** `name` is the file name without extension. Null when it has characters other than letters, digits and hyphens. */
export function fileId(name: string): string | null {
  return NAME.test(name) ? `${FILE}${name}` : null;
}
