/** `Git` in memory: it tells the changes that it is given, and keeps the paths that it was asked about. */

import type { Git, WorkingChanges } from '../../../src/core/workspace/git.ts';

export interface MemoryGit extends Git {
  readonly asked: string[];
}

export function createMemoryGit(given: Partial<WorkingChanges> = {}): MemoryGit {
  const asked: string[] = [];
  return {
    asked,
    async changes(real, signal) {
      signal.throwIfAborted();
      asked.push(real);
      return { branch: 'main', files: [], diff: '', cut: false, ...given };
    },
  };
}
