/** A part of `npm test`: something that runs tests and counts them; and how one is run, once more where that is asked for. */

export interface Counts {
  readonly passed: number;
  /** A suite that broke off counts as at least one. */
  readonly failed: number;
  readonly skipped: number;
  /** Where it ran, or why it did not; may be empty. */
  readonly note: string;
  /** The tests that failed, as far as they have names. */
  readonly failures: readonly Failure[];
}

/** The everyday part of `npm test`, the rest of it, or all. */
export type Which = 'everyday' | 'rest' | 'all';

export interface Failure {
  /** The whole name, with those of its groups. */
  readonly name: string;
  readonly file: string;
}

/**
 * Runs the tests whose name contains `filter`, all when it is empty; with `failures` only those. Throws when it cannot run
 * at all.
 */
export type Part = (filter: string, failures?: readonly Failure[]) => Promise<Counts>;

export interface Outcome extends Counts {
  /** Tests that failed at first and passed when repeated. */
  readonly unsteady: readonly string[];
}

/** `again`: what failed runs once more, and nothing else does; a part that broke off before any test failed runs as a whole. */
export async function runPart(part: Part, filter: string, again: boolean): Promise<Outcome> {
  const first = await attempt(part, filter);
  if (!again || first.failed === 0) return { ...first, unsteady: [] };
  const { failures } = first;
  console.log(`\n== once more: ${failures.map(({ name }) => `'${name}'`).join(', ') || 'the whole part'}`);
  const whole = failures.length === 0;
  const second = whole ? await attempt(part, filter) : await attempt(part, filter, failures);
  const still = new Set(second.failures.map(keyOf));
  const unsteady = second.failed > 0 && still.size === 0 ? [] : failures.filter((each) => !still.has(keyOf(each)));
  return {
    ...second,
    passed: whole ? second.passed : first.passed + second.passed,
    skipped: whole ? second.skipped : first.skipped,
    note: second.failed > 0 ? second.note : first.note,
    unsteady: whole && second.failed === 0 ? ['the whole part'] : unsteady.map(({ name }) => name),
  };
}

const keyOf = ({ name, file }: Failure): string => `${file}\n${name}`;

async function attempt(part: Part, filter: string, failures?: readonly Failure[]): Promise<Counts> {
  try {
    const counts = await part(filter, failures);
    if (counts.passed + counts.failed > 0) return counts;
    return {
      ...counts,
      failed: 1,
      note: filter === '' ? 'no test ran' : `no test ran: is there one named '${filter}'?`,
    };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1, skipped: 0, note: 'could not run: see above', failures: [] };
  }
}
