/**
 * Which commands a person has allowed for good. A rule is one vector of a program and its arguments in one folder, and
 * covers nothing else.
 */

export interface CommandRule {
  /** The program and its arguments, as `readPlainCommand` makes them. */
  readonly argv: readonly string[];
  /** The absolute folder that it runs in. */
  readonly folder: string;
  /** It runs on after the call: allowed for that alone. */
  readonly background?: true;
}

/** Kept where neither a workspace nor the agent can write. */
export interface CommandRules {
  allows(rule: CommandRule): boolean;
  allow(rule: CommandRule): Promise<void>;
}

/** The same for the same rule, and different for any other. */
export function keyOfRule({ argv, folder, background }: CommandRule): string {
  return JSON.stringify([background === true, folder, ...argv]);
}
