/** Reads the report of `npm audit --json`: the faults of those packages that the product carries. */

import * as z from 'zod';

const REPORT = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string(), nodes: z.array(z.string()) }),
  ),
});
/** npm's output when it could not ask. */
const FAILURE = z.object({ message: z.string() });

/** `folders` as in the lock file. Throws where `report` is not one. */
export function listFaults(report: unknown, folders: readonly string[]): readonly string[] {
  const failure = FAILURE.safeParse(report);
  if (failure.success) throw new Error(failure.data.message);
  return Object.entries(REPORT.parse(report).vulnerabilities).flatMap(([name, { severity, range, nodes }]) =>
    nodes.filter((node) => folders.includes(node)).map((node) => `${name} ${range}: ${severity}, in ${node}`),
  );
}
