/**
 * The commands that a person has permanently allowed, in the person's own state, which neither a workspace nor the
 * agent can write. Stored rules are validated like foreign data.
 */

import { type CommandRule, type CommandRules, isRule, keyOfRule } from '../../core/tools/commandRules.ts';

interface RuleMemory {
  get(): unknown;
  set(stored: readonly Stored[]): PromiseLike<void>;
}

/** `reading`: the commands on the list of those that only read. */
type Stored = CommandRule | { readonly reading: true };

/** Maximum stored; the oldest are dropped. */
const MOST = 500;

export class AllowedCommands implements CommandRules {
  readonly #memory: RuleMemory;

  constructor(memory: RuleMemory) {
    this.#memory = memory;
  }

  /** The oldest first. */
  get list(): readonly CommandRule[] {
    return this.#stored().filter(isStoredRule);
  }

  get allowsReading(): boolean {
    return this.#stored().some(isReading);
  }

  allows(rule: CommandRule): boolean {
    return this.list.some((each) => keyOfRule(each) === keyOfRule(rule));
  }

  async allow(rule: CommandRule): Promise<void> {
    if (!isRule(rule)) throw new Error('Only a command of known words can be allowed for good.');
    await this.#set([...this.#without(rule), rule].slice(-MOST));
  }

  async remove(rule: CommandRule): Promise<void> {
    await this.#set(this.#without(rule));
  }

  async allowReading(allowed = true): Promise<void> {
    await this.#set(this.list, allowed);
  }

  #stored(): readonly unknown[] {
    const stored = this.#memory.get();
    return Array.isArray(stored) ? stored : [];
  }

  async #set(rules: readonly CommandRule[], reading = this.allowsReading): Promise<void> {
    await this.#memory.set(reading ? [{ reading: true }, ...rules] : rules);
  }

  #without(rule: CommandRule): readonly CommandRule[] {
    return this.list.filter((each) => keyOfRule(each) !== keyOfRule(rule));
  }
}

/** Rules that are no longer allowed, because the checks became stricter, are ignored. */
function isStoredRule(value: unknown): value is CommandRule {
  if (typeof value !== 'object' || value === null) return false;
  const { argv, folder, background } = value as Partial<Record<keyof CommandRule, unknown>>;
  if (typeof folder !== 'string' || !Array.isArray(argv)) return false;
  if (background !== undefined && background !== true) return false;
  if (!argv.every((word): word is string => typeof word === 'string')) return false;
  return isRule({ argv, folder });
}

const isReading = (value: unknown) =>
  typeof value === 'object' && value !== null && (value as { reading?: unknown }).reading === true;
