/** Random numbers that are the same for the same seed on every machine. */

/** Numbers from 0 up to, not including, 1. */
export type Random = () => number;

/** Mulberry32: small, fast, well spread. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
