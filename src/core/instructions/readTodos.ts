/** The todo list in force: the last one that the model wrote on the path. */

import type { Journal } from '../journal/journal.ts';
import { isOwnMessage } from '../journal/storedEntries.ts';
import { parseTodos, type Todo, WRITE_TODOS } from '../tools/todos.ts';

/** After this many entries without an update, the list no longer reflects the agent's intentions. */
const LONGEST_AGE = 4_000;

interface Reading {
  readonly head: number;
  readonly todos: readonly Todo[];
  /** The person has written since. */
  readonly asked: boolean;
}

/** The newest reading of each journal, which the next one continues. */
const readings = new WeakMap<Journal, Reading>();

/** Empty without a list, and when the list is finished and the person has asked for something else. */
export function readTodos(journal: Journal): readonly Todo[] {
  const { head } = journal;
  if (head === null) return [];
  const { todos, asked } = readPath(journal, readings.get(journal));
  readings.set(journal, { head, todos, asked });
  return asked && todos.every(({ state }) => state === 'done') ? [] : todos;
}

function readPath(journal: Journal, known: Reading | undefined): Pick<Reading, 'todos' | 'asked'> {
  let asked = false;
  let age = 0;
  for (const entry of journal.backward()) {
    if (entry.seq === known?.head) return { todos: known.todos, asked: asked || known.asked };
    if (entry.seq <= journal.importedTo || ++age > LONGEST_AGE) break;
    if (entry.type !== 'message') continue;
    if (isOwnMessage(entry)) asked = true;
    else if (entry.message.role === 'assistant' && !entry.message.interrupted) {
      for (const call of entry.message.toolCalls?.toReversed() ?? []) {
        const todos = call.name === WRITE_TODOS ? parseTodos(call.arguments) : null;
        if (todos) return { todos, asked };
      }
    }
  }
  return { todos: [], asked };
}
