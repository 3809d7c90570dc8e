/** What is known of models beside the settings, in the extension's global state: it holds for every workspace and session. */

import type { Memento } from 'vscode';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { WindowMemory } from '../../core/tokens/learnedWindows.ts';

/** `learnedWindows`: those that providers named in a refusal. `servedFacts`: what endpoints say when they are asked. */
export function windowMemory(state: Memento, name: 'learnedWindows' | 'servedFacts', log: Log): WindowMemory {
  const key = `palimpsest.${name}`;
  return {
    read: () => state.get(key),
    write: (value) => {
      // If it cannot be stored, it still holds in this window: the memento keeps it.
      state.update(key, value).then(undefined, (thrown: unknown) => {
        log('warn', `What was learnt of a model could not be stored: ${messageOf(thrown)}`);
      });
    },
  };
}
