/** The texts of facts, by whole texts and by how they begin: a ledger cuts long ones. */

import { neutraliseNotes } from '../../tools/text/neutralise.ts';

/** Characters by which beginnings are found; a shorter beginning is compared with every text. */
const KEY = 24;

export class KnownTexts {
  readonly #texts = new Set<string>();
  /** Texts as a ledger shows them, by their beginnings. Filled when one is first asked for. */
  readonly #byBeginning = new Map<string, string[]>();
  #unsorted: string[] = [];

  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    this.#unsorted.push(text);
  }

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  /** Whether a text begins so. */
  begins(beginning: string): boolean {
    for (const text of this.#unsorted) {
      const shown = neutraliseNotes(text);
      const key = shown.slice(0, KEY);
      const others = this.#byBeginning.get(key);
      if (others) others.push(shown);
      else this.#byBeginning.set(key, [shown]);
    }
    this.#unsorted = [];
    if (beginning.length >= KEY)
      return (this.#byBeginning.get(beginning.slice(0, KEY)) ?? []).some((text) => text.startsWith(beginning));
    for (const key of this.#byBeginning.keys()) if (key.startsWith(beginning)) return true;
    return false;
  }
}
