/** What solved an error, for a session that is read backwards: the files changed before the same call passed. */

import { pathsOf } from '../draft/facts.ts';
import { commandOf, hasFailed } from './commandRuns.ts';
import type { Said, SaidResult } from './said.ts';

/** Changed files that are named as the solution of an error. */
const MOST_SOLVING = 3;

export class Solutions {
  /** By result: what its call asked for. */
  readonly #keys = new Map<Said, string>();
  readonly #changed: string[] = [];
  /** By call: length of `#changed` at its success; what comes in later in `#changed` was changed before that success. */
  readonly #passed = new Map<string, number>();

  constructor(session: readonly Said[]) {
    const open = new Map<string, string>();
    for (const message of session) {
      if (message.role === 'assistant') {
        for (const call of message.toolCalls) {
          // The same tool on the same file is the same call: an edit that failed is tried again with another text.
          const about = commandOf(call) ?? pathsOf(call)[0] ?? call.arguments;
          open.set(call.id, `${call.name} ${about}`);
        }
      } else if (message.role === 'tool') {
        const key = open.get(message.toolCallId);
        if (key !== undefined) this.#keys.set(message, key);
      }
    }
  }

  changed(path: string): void {
    this.#changed.push(path);
  }

  /** What follows the name of a tool whose call failed; empty for a success, and for what was not solved. */
  of(message: SaidResult): string {
    const key = this.#keys.get(message);
    if (key === undefined) return '';
    if (!hasFailed(message)) {
      this.#passed.set(key, this.#changed.length);
      return '';
    }
    const from = this.#passed.get(key);
    if (from === undefined) return '';
    const files = [...new Set(this.#changed.slice(from).reverse())].filter((path) => !path.includes(':'));
    return files.length ? `, solved by changing ${files.slice(0, MOST_SOLVING).join(', ')}` : ', which later passed';
  }
}
