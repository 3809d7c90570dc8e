/**
 * The fold over a journal's file, branches included: what counts whatever the path, and where the head stands. A revert to
 * an entry that was lost leads to what stood before it.
 */

import { type Spending, SpendingFold, type SpendingState } from '../cost/spending.ts';
import { DEFAULT_MODE, type Mode } from '../modes/modes.ts';
import { type Entry, isTreeEntry, type SessionEntry } from './entry.ts';
import type { EntryTree, Gap } from './entryTree.ts';
import type { StoredEntries } from './storedEntries.ts';

/** What the fold remembers of the entries before `nextSeq`. */
export interface FileSnapshot {
  readonly session: SessionEntry | null;
  readonly title: string | null;
  readonly head: number | null;
  readonly movedBy: number;
  readonly nextSeq: number;
  readonly nextCheckpoint: number;
  readonly importedTo: number;
  readonly gaps: readonly Gap[];
  /** Left out where none was chosen. */
  readonly modeChosen?: ModeChosen;
  /** Left out where nobody has asked yet. */
  readonly spending?: SpendingState;
}

interface ModeChosen {
  readonly seq: number;
  readonly mode: Mode;
}

export class FileFold {
  session: SessionEntry | null = null;
  title: string | null = null;
  head: number | null = null;
  /** `seq` of the newest revert; -1 when there is none. */
  movedBy = -1;
  /** Id for the next checkpoint: never reused, also after a revert. */
  nextCheckpoint = 0;
  /** `seq` of the newest mark of an import: what stands before it was written elsewhere. -1 when nothing was. */
  importedTo = -1;
  #modeChosen: ModeChosen | null = null;
  readonly #tree: EntryTree;
  /** Null until somebody asks, where a file is so large that it was not read. */
  #spending: SpendingFold | null = new SpendingFold();

  constructor(tree: EntryTree) {
    this.#tree = tree;
  }

  snapshot(): FileSnapshot {
    const { session, title, head, movedBy, nextCheckpoint, importedTo } = this;
    const { nextSeq, gaps } = this.#tree;
    const spending = this.#spending ? { spending: this.#spending.state } : {};
    const mode = this.#modeChosen ? { modeChosen: this.#modeChosen } : {};
    return { session, title, head, movedBy, nextCheckpoint, importedTo, nextSeq, gaps, ...mode, ...spending };
  }

  /** Goes on after what a snapshot remembers. */
  resume(snapshot: FileSnapshot): void {
    this.session = snapshot.session;
    this.title = snapshot.title;
    this.head = snapshot.head;
    this.movedBy = snapshot.movedBy;
    this.nextCheckpoint = snapshot.nextCheckpoint;
    this.importedTo = snapshot.importedTo;
    this.#modeChosen = snapshot.modeChosen ?? null;
    this.#spending = snapshot.spending ? SpendingFold.from(snapshot.spending) : null;
    this.#tree.resume(snapshot.nextSeq, snapshot.gaps);
  }

  /** Takes all that is stored, reading next to nothing: ids of checkpoints rise and the newest title counts. */
  scan(stored: StoredEntries): void {
    this.#spending = null;
    const newest = { title: -1, checkpoint: -1, mode: -1 };
    const note = (seq: number) => {
      const entry = seq < 0 ? null : stored.read(seq);
      if (entry) this.#note(entry);
    };
    for (let seq = 0; seq < stored.count; seq++) {
      const facts = stored.facts(seq);
      if (!facts) continue;
      this.#tree.reach(seq, this.head);
      if (facts.parent !== undefined) this.head = seq;
      if (facts.type === 'title' || facts.type === 'checkpoint' || facts.type === 'mode') newest[facts.type] = seq;
      else if (facts.type === 'session' || facts.type === 'revert' || facts.type === 'opened') note(seq);
    }
    note(newest.title);
    note(newest.checkpoint);
    note(newest.mode);
  }

  /** The next entry of the file. */
  take(entry: Entry): void {
    this.#tree.add(entry, this.head);
    if (isTreeEntry(entry)) this.head = entry.seq;
    this.#note(entry);
    const isAnswer = entry.type === 'message' && entry.message.role === 'assistant';
    this.#spending?.take(entry.type, isAnswer, () => entry);
  }

  /** What was chosen elsewhere, before an import, is no choice of this person. */
  get mode(): Mode {
    const chosen = this.#modeChosen;
    return chosen && chosen.seq > this.importedTo ? chosen.mode : DEFAULT_MODE;
  }

  /** What all requests used and cost. */
  get spending(): Spending {
    this.#spending ??= this.#countSpending();
    return this.#spending.spending;
  }

  #countSpending(): SpendingFold {
    const fold = new SpendingFold();
    for (let seq = 0; seq < this.#tree.nextSeq; seq++) {
      const facts = this.#tree.facts(seq);
      if (facts) fold.take(facts.type, facts.kind === 'assistant', () => this.#tree.read(seq));
    }
    return fold;
  }

  #note(entry: Entry): void {
    switch (entry.type) {
      case 'session':
        this.session ??= entry;
        break;
      case 'title':
        this.title = entry.title;
        break;
      case 'checkpoint':
        this.nextCheckpoint = Math.max(this.nextCheckpoint, entry.id + 1);
        break;
      case 'mode':
        this.#modeChosen = { seq: entry.seq, mode: entry.mode };
        break;
      case 'opened':
        if (entry.imported) this.importedTo = entry.seq;
        break;
      case 'revert': {
        const { target } = entry;
        this.head = target === null || this.#tree.isTree(target) ? target : this.#tree.before(target);
        this.movedBy = entry.seq;
        break;
      }
      default:
        break;
    }
  }
}
