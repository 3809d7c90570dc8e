/** Learned context windows of models, in the extension's global state: they hold for every workspace and session. */

import type { Memento } from 'vscode';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { WindowMemory } from '../../core/tokens/learnedWindows.ts';

const KEY = 'palimpsest.learnedWindows';

export function windowMemory(state: Memento, log: Log): WindowMemory {
  return {
    read: () => state.get(KEY),
    write: (value) => {
      // If it cannot be stored, it still holds in this window: the memento keeps it.
      state.update(KEY, value).then(undefined, (thrown: unknown) => {
        log('warn', `A learnt context window could not be stored: ${messageOf(thrown)}`);
      });
    },
  };
}
