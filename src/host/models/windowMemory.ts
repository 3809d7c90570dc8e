/** What was learnt of models' windows, in the extension's global state: it holds for every workspace and session. */

import type { Memento } from 'vscode';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { WindowMemory } from '../../core/tokens/learnedWindows.ts';

const KEY = 'palimpsest.learnedWindows';

export function windowMemory(state: Memento, log: Log): WindowMemory {
  return {
    read: () => state.get(KEY),
    write: (value) => {
      // What cannot be stored holds in this window all the same: the memento keeps it.
      state.update(KEY, value).then(undefined, (thrown: unknown) => {
        log('warn', `A learnt context window could not be stored: ${messageOf(thrown)}`);
      });
    },
  };
}
