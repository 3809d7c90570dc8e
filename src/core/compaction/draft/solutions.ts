/**
 * Finds the solution of an error while a session is read backwards: the files changed before the same call succeeded.
 */

import { commandOf, hasFailed } from './commandResults.ts';
import { pathsOf } from './filesInCalls.ts';
import type { SessionMessage, SessionResult } from './sessionMessages.ts';

/** Maximum changed files named as the solution of an error. */
const MOST_SOLVING = 3;

export class Solutions {
  /** By result: identifies the call it answers. */
  readonly #keys = new Map<SessionMessage, string>();
  readonly #changed: string[] = [];
  /** By call: length of `#changed` at its success; later elements of `#changed` were changed before that success. */
  readonly #passed = new Map<string, number>();

  constructor(session: readonly SessionMessage[]) {
    const open = new Map<string, string>();
    for (const message of session) {
      if (message.role === 'assistant') {
        for (const call of message.toolCalls) {
          // The same tool on the same file counts as the same call: a failed edit is retried with another text.
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

  /** Text after the name of a tool whose call failed; empty for a success, and for an unsolved error. */
  of(message: SessionResult): string {
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
