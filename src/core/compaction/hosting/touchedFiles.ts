/**
 * The files that the conversation has read and changed, from what its calls did on the journal's path, including calls that
 * compactions removed from the context.
 */

import type { CompactionContext } from '../../../api/index.ts';
import { CallLog } from '../../calls/callLog.ts';
import { namesIn } from '../../calls/effects.ts';
import { filesIn, plainPath } from '../../calls/filesInCalls.ts';
import type { TreeEntry } from '../../journal/entry.ts';
import { PathFold } from '../../journal/pathFold.ts';

type Files = CompactionContext['files'];

/** Maximum files that are named. */
const MOST_FILES = 1_000;

class TouchedFiles {
  readonly #log = new CallLog();
  /** In the order in which they were last touched. */
  readonly #read = new Set<string>();
  readonly #changed = new Set<string>();

  add(entry: TreeEntry): void {
    // Of a command that no call ran, as in a session that another program recorded.
    if (entry.type === 'files' && entry.cause === 'command' && entry.toolCallId === undefined)
      for (const { path, saved } of entry.files) if (!saved) touch(this.#changed, path);
    for (const { call, outcome, effects, result } of this.#log.add(entry)) {
      if (result?.seq !== entry.seq) continue;
      for (const name of namesIn(effects)) touch(this.#changed, name);
      if (outcome?.kind !== 'made') continue;
      for (const { does, path } of filesIn(call)) if (does === 'reads') touch(this.#read, plainPath(path));
    }
  }

  /** No restore took its changes back, and git did not put it back. */
  #stands(path: string): boolean {
    const last = this.#log.last(path);
    return last !== null && last?.effect.did !== 'restored';
  }

  get files(): Files {
    return Object.freeze({
      read: newest(this.#read),
      changed: newest(this.#changed, (path) => this.#stands(path)),
    });
  }
}

function touch(files: Set<string>, path: string): void {
  files.delete(path);
  files.add(path);
}

const newest = (files: ReadonlySet<string>, stands: (path: string) => boolean = () => true): readonly string[] =>
  Object.freeze([...files].filter(stands).slice(-MOST_FILES));

const touched = new PathFold(() => new TouchedFiles());

/** `newestFirst`: the entries of the path. Where a restore took every change of a file back, it is not changed. */
export const findFiles = (newestFirst: Iterable<TreeEntry>): Files => touched.at(newestFirst).files;
