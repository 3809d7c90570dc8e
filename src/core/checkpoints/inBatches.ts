/** Works on many files a few at a time: one at a time is slow, and all at once fills the memory. */

const AT_ONCE = 8;

/** Results in the order of the items. Stops before the next few when `goOn` says no. */
export async function inBatches<T, R>(
  items: readonly T[],
  act: (item: T) => Promise<R>,
  goOn: () => boolean = () => true,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length && goOn(); at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(act))));
  }
  return results;
}
