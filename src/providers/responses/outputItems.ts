/**
 * The output items of one response, in their order. What is kept of them goes back with the next request: reasoning
 * unread and unchanged, and a mark for each text and call, so that the order between them is known.
 */

import { asText, type Json, listOf } from '../../core/json.ts';

interface OpenItem {
  item: Json;
  /** Characters of text or arguments that were told of it. */
  told: number;
  closed: boolean;
}

/** An item costs room, whatever it holds. */
const ITEM_CHARACTERS = 20;

export class OutputItems {
  /** By `output_index`; a server that leaves it out gets one for each item's id. */
  readonly #items = new Map<number, OpenItem>();
  readonly #indexes = new Map<string, number>();
  /** The last index that was opened; -1 before the first. */
  #last = -1;
  /** Length of what is not told as text or arguments. */
  characters = 0;

  indexOf({ output_index: index, item_id: id, item }: Json): number {
    if (typeof index === 'number') return index;
    const name = asText(id) || asText((item as Json | undefined)?.id);
    const known = this.#indexes.get(name);
    if (known !== undefined) return known;
    const next = this.#last + (name ? 1 : 0);
    if (name) this.#indexes.set(name, next);
    return Math.max(0, next);
  }

  /** False when it was open already. */
  open(index: number, item: Json): boolean {
    if (this.#items.has(index)) return false;
    this.#items.set(index, { item, told: 0, closed: false });
    this.#last = Math.max(this.#last, index);
    this.characters += ITEM_CHARACTERS;
    return true;
  }

  /** The item as the server finished it, which alone is whole. */
  close(index: number, item: Json): void {
    const open = this.#items.get(index);
    if (!open) return;
    open.item = item;
    open.closed = true;
    this.characters += asText(item.encrypted_content).length;
  }

  isClosed(index: number): boolean {
    return this.#items.get(index)?.closed ?? false;
  }

  tell(index: number, characters: number): void {
    this.open(index, { type: 'message' });
    const open = this.#items.get(index);
    if (open) open.told += characters;
  }

  told(index: number): number {
    return this.#items.get(index)?.told ?? 0;
  }

  /**
   * What goes back; empty when there is nothing but texts and calls. `callIds` are those of the answer's calls, in their
   * order. Reasoning that holds nothing to give back is left out, because its id alone means nothing where nothing is kept.
   */
  kept(callIds: readonly string[]): readonly Json[] {
    const ids = [...callIds];
    const ordered = [...this.#items].sort(([a], [b]) => a - b).map(([, open]) => open);
    const kept = ordered.flatMap(({ item, told, closed }): Json[] => {
      switch (item.type) {
        case 'reasoning':
          return closed && (asText(item.encrypted_content) || listOf(item.content).length > 0) ? [item] : [];
        case 'message':
          return [{ type: 'message', length: told, ...(item.phase ? { phase: item.phase } : {}) }];
        case 'function_call': {
          const id = ids.shift();
          return id === undefined ? [] : [{ type: 'function_call', call_id: id }];
        }
        default:
          return [];
      }
    });
    return kept.some((item) => item.type === 'reasoning' || item.phase) ? kept : [];
  }
}
