/**
 * Whether two strategies solve unlike numbers of the same tasks, and how many tasks show a difference. Pure.
 *
 * Sources: Q. McNemar, Psychometrika 12 (1947), for the test; R. J. Connor, Biometrics 43 (1987), for the number of pairs.
 */

/**
 * The exact two-sided probability that chance alone splits the tasks on which two strategies differ so unevenly or more:
 * with one try for each task the exact McNemar test, with several a sign test over tasks. 1 where they never differ.
 */
export function exactTest(better: number, worse: number): number {
  const all = better + worse;
  let sum = 0;
  let term = 2 ** -all;
  // From about a thousand on the first terms are 0, as is what they would add.
  if (term === 0) return normalTest(better, worse);
  for (let k = 0; k <= Math.min(better, worse); k++) {
    sum += term;
    term *= (all - k) / (k + 1);
  }
  return Math.min(1, 2 * sum);
}

/** The same by the normal curve, with the correction for continuity. */
function normalTest(better: number, worse: number): number {
  const z = Math.max(0, Math.abs(better - worse) - 1) / Math.sqrt(better + worse);
  return Math.min(1, 2 * upperTail(z));
}

/** Abramowitz and Stegun 26.2.17, off by less than 10⁻⁷. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const [a, b, c, d, e] = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429] as const;
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * t * (a + t * (b + t * (c + t * (d + t * e))));
}

/** Quantiles of the normal curve: 5 % error on both sides, 80 % power. */
const Z_ERROR = 1.959964;
const Z_POWER = 0.841621;

/**
 * Tasks that are needed so that a true difference in solve rates is found four times in five. Both are shares: `discordance`
 * is that of the tasks which only one of the two strategies solves, and not less than the difference.
 */
export function tasksNeeded(difference: number, discordance: number): number {
  const spread = Z_ERROR * Math.sqrt(discordance) + Z_POWER * Math.sqrt(discordance - difference ** 2);
  return Math.ceil((spread / difference) ** 2);
}
