/** Memoises a function by message or call: they never change, and a long session is compacted often. */

export function once<K extends object, V>(find: (of: K) => V): (of: K) => V {
  const found = new WeakMap<K, { readonly value: V }>();
  return (of) => {
    const known = found.get(of) ?? { value: find(of) };
    found.set(of, known);
    return known.value;
  };
}
