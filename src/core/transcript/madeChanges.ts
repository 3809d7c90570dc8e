/**
 * Which calls' changes of files stand, and which a restore took back. Contents are compared by their hashes, in the order
 * of the path. Where a restore leaves a content that no call made, as after lines were taken back, nothing is said.
 */

import type { FileImage, FilesEntry } from '../journal/entry.ts';
import type { CallSource } from './callRow.ts';

/** One change of a file. Commands change files too, and have no mark. */
interface Link {
  readonly toolCallId: string | undefined;
  readonly maker: CallSource | null;
  readonly before: string | null;
  after: string | null;
}

interface Chain {
  readonly links: Link[];
  /** How many of them stand; the others were taken back. */
  standing: number;
}

export class MadeChanges {
  readonly #files = new Map<string, Chain>();

  /** Returns the calls whose mark changed. `maker`: the call that the entry names, if it has a row. */
  take({ cause, toolCallId, files }: FilesEntry, maker: CallSource | null): CallSource[] {
    switch (cause) {
      case 'restore':
        return files.flatMap((image) => this.#restore(image));
      case 'tool':
      case 'command':
        for (const image of files) this.#add(image, toolCallId, maker);
        return [];
      case 'reviewed':
        return [];
    }
  }

  /** A call is recorded before it runs, and again with what it left. */
  #add({ path, before, after = before }: FileImage, toolCallId: string | undefined, maker: CallSource | null): void {
    const chain = this.#files.get(path) ?? { links: [], standing: 0 };
    this.#files.set(path, chain);
    const last = chain.links[chain.standing - 1];
    if (last && toolCallId !== undefined && last.toolCallId === toolCallId && last.maker === maker) {
      last.after = after;
      return;
    }
    // No restore gives back a change once another is built in its place.
    chain.links.splice(chain.standing, Infinity, { toolCallId, maker, before, after });
    chain.standing = chain.links.length;
  }

  #restore({ path, after }: FileImage): CallSource[] {
    const chain = this.#files.get(path);
    const standing = chain ? countStanding(chain.links, after) : null;
    if (!chain || standing === null) return [];
    chain.standing = standing;
    return chain.links.flatMap(({ maker }, at) => {
      if (!maker || (maker.takenBack ?? false) === at >= standing) return [];
      maker.takenBack = at >= standing;
      return [maker];
    });
  }
}

/** The number of changes after which the file held this content, the largest if there are several; null if none. */
function countStanding(links: readonly Link[], hash: string | null | undefined): number | null {
  const last = links.findLastIndex(({ after }) => after === hash);
  return last >= 0 ? last + 1 : links[0]?.before === hash ? 0 : null;
}
