/** Waiting times between attempts, in milliseconds. */
export const FIRST_WAIT = 100;
export const LONGEST_WAIT = 5_000;

/** How long to wait after the given number of failures: doubled each time, up to the longest wait. */
export function waitAfter(failures) {
  const wait = FIRST_WAIT * 2 * failures;
  return Math.min(wait, LONGEST_WAIT);
}

/**
 * Calls `attempt` until it succeeds or has failed `limit` times. The last error is thrown on.
 */
export async function retry(attempt, { limit = 5, clock }) {
  for (let failures = 0; ; ) {
    try {
      return await attempt();
    } catch (error) {
      failures += 1;
      if (failures >= limit) throw error;
      await clock.sleep(waitAfter(failures));
    }
  }
}
