/**
 * What an escape is: a script that a command could run, and the sign by which the outside notices it. Scripts are bash.
 * They find their way by the variables that `world.ts` says, and never know the secret themselves.
 */

/**
 * How the outside notices: the secret was read; something that must not change did; a server outside was reached, or a
 * server inside was; a process lived on; a process outside was ended or stopped.
 */
export type Sign = 'secret' | 'changed' | 'reached' | 'met' | 'alive' | 'harmed';

export interface Escape {
  readonly name: string;
  /** Who published the idea; null for our own. */
  readonly from: string | null;
  readonly sign: Sign;
  readonly script: string;
  /**
   * Without a sandbox, this case too needs a program or a kernel that a machine may lack. It counts only where it
   * escapes.
   */
  readonly mayLack?: true;
  /** What the person does before any command runs. */
  readonly before?: string;
  /** What the person or their editor does while the command runs, once it made the file `ready`. */
  readonly meanwhile?: string;
  /** Another command at the same time: it makes the file `ready` when it is, and ends when `enough` is there. */
  readonly beside?: string;
  /** What the person or their editor does after the end. */
  readonly after?: string;
  /** Plain files of the open folder that must not change either. */
  readonly watched?: readonly string[];
}

type Row = readonly [name: string, sign: Sign, script: string, mayLack?: 'mayLack'];

/** A group of cases whose idea is one source's. */
export function escapesFrom(from: string | null, rows: readonly Row[]): readonly Escape[] {
  return rows.map(([name, sign, script, mayLack]) => ({
    name,
    from,
    sign,
    script,
    ...(mayLack ? { mayLack: true } : {}),
  }));
}
