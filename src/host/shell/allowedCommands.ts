/**
 * The commands that a person has permanently allowed, in the person's own state, which neither a workspace nor the
 * agent can write. Stored rules are validated like foreign data.
 */

import { type CommandRule, type CommandRules, keyOfRule, readPlainCommand } from '../../core/tools/commandRules.ts';

interface RuleMemory {
  get(): unknown;
  set(rules: readonly CommandRule[]): PromiseLike<void>;
}

/** Maximum stored; the oldest are dropped. */
const MOST = 500;

export class AllowedCommands implements CommandRules {
  readonly #memory: RuleMemory;

  constructor(memory: RuleMemory) {
    this.#memory = memory;
  }

  /** The oldest first. */
  get list(): readonly CommandRule[] {
    const stored = this.#memory.get();
    return Array.isArray(stored) ? stored.filter(isRule) : [];
  }

  allows(rule: CommandRule): boolean {
    return this.list.some((each) => keyOfRule(each) === keyOfRule(rule));
  }

  async allow(rule: CommandRule): Promise<void> {
    if (!isRule(rule)) throw new Error('Only a plain command can be allowed for good.');
    await this.#memory.set([...this.#without(rule), rule].slice(-MOST));
  }

  async remove(rule: CommandRule): Promise<void> {
    await this.#memory.set(this.#without(rule));
  }

  #without(rule: CommandRule): readonly CommandRule[] {
    return this.list.filter((each) => keyOfRule(each) !== keyOfRule(rule));
  }
}

/** Rules that are no longer allowed, because the checks became stricter, are ignored. */
function isRule(value: unknown): value is CommandRule {
  if (typeof value !== 'object' || value === null) return false;
  const { argv, folder, background } = value as Partial<Record<keyof CommandRule, unknown>>;
  if (typeof folder !== 'string' || folder === '' || !Array.isArray(argv)) return false;
  if (background !== undefined && background !== true) return false;
  if (!argv.every((word): word is string => typeof word === 'string')) return false;
  const read = readPlainCommand(argv.join(' '));
  return read !== null && read.length === argv.length && read.every((word, at) => word === argv[at]);
}
