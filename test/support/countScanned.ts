/**
 * Counts the work on texts, where time would depend on the machine: the characters of all strings on which a method was
 * called that reads or copies them.
 */

const METHODS = ['indexOf', 'split', 'slice', 'replace', 'search', 'trim', 'startsWith', 'match'] as const;

/** `characters`: the sum over all calls while the work ran. A text that is looked at twice counts twice. */
export async function countScanned<T>(work: () => Promise<T>): Promise<{ readonly characters: number; result: T }> {
  let characters = 0;
  const prototype = String.prototype as unknown as Record<string, (...given: unknown[]) => unknown>;
  const originals = METHODS.map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals) {
    prototype[name] = function (this: string, ...given) {
      characters += this.length;
      return original?.apply(this, given);
    };
  }
  try {
    return { result: await work(), characters };
  } finally {
    for (const [name, original] of originals) if (original) prototype[name] = original;
  }
}
