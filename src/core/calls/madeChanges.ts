/**
 * Which calls' changes of files stand, and which a restore took back. Contents are compared by their hashes, in the order
 * of the path. Where a restore leaves a content that no call made, as after lines were taken back, nothing is said.
 */

import type { FileImage, FilesEntry } from '../journal/entry.ts';

/** A call that changes files. */
interface Maker {
  /** A restore took its change of a file back. */
  takenBack?: boolean;
}

/** One change of a file. Commands change files too, and have no mark. */
interface Link<M> {
  readonly toolCallId: string | undefined;
  readonly maker: M | null;
  readonly before: string | null;
  after: string | null;
}

interface Chain<M> {
  readonly links: Link<M>[];
  /** How many of them stand; the others were taken back. */
  standing: number;
}

export class MadeChanges<M extends Maker> {
  readonly #files = new Map<string, Chain<M>>();

  /** Returns the calls whose mark changed. `maker`: the call that the entry names, if it is known. */
  take({ cause, toolCallId, files }: FilesEntry, maker: M | null): M[] {
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

  /** The call whose change of a file stands last; null where none stands, undefined where that is not known. */
  lastMaker(path: string): M | null | undefined {
    const chain = this.#files.get(path);
    if (!chain) return undefined;
    const last = chain.links.slice(0, chain.standing).findLast(({ before, after }) => before !== after);
    return last ? (last.maker ?? undefined) : null;
  }

  /** A call is recorded before it runs, and again with what it left. */
  #add({ path, before, after = before }: FileImage, toolCallId: string | undefined, maker: M | null): void {
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

  #restore({ path, after }: FileImage): M[] {
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
function countStanding<M>(links: readonly Link<M>[], hash: string | null | undefined): number | null {
  const last = links.findLastIndex(({ after }) => after === hash);
  return last >= 0 ? last + 1 : links[0]?.before === hash ? 0 : null;
}
