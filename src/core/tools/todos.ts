/** A todo list as the model writes it: the whole list with each call of `write_todos`. */

import * as z from 'zod';
import type { Journal } from '../journal/journal.ts';
import { isOwnMessage } from '../journal/storedEntries.ts';
import { parseJson } from '../json.ts';

export const WRITE_TODOS = 'write_todos';
const MOST_TODOS = 100;
const LONGEST_TODO = 500;

export const todosSchema = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        text: z.string().trim().min(1).max(LONGEST_TODO).describe('What is to be done, in one line'),
        state: z.enum(['open', 'doing', 'done']),
      }),
    )
    .max(MOST_TODOS)
    .describe('The whole list in order; it replaces the earlier one'),
});

export type Todo = z.infer<typeof todosSchema>['todos'][number];

/** Null when the arguments are not a list; such a call was refused. */
export function parseTodos(json: string): readonly Todo[] | null {
  const checked = todosSchema.safeParse(parseJson(json));
  return checked.success ? checked.data.todos : null;
}

export function countDone(todos: readonly Todo[]): number {
  return todos.filter(({ state }) => state === 'done').length;
}

/** On one line, unfinished items first, because the end may be cut. */
export function describeTodos(todos: readonly Todo[]): string {
  const of = (wanted: Todo['state']) => todos.filter(({ state }) => state === wanted);
  return (['doing', 'open', 'done'] as const)
    .flatMap((state) => of(state).map(({ text }) => `[${state}] ${text}`))
    .join(' ');
}

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
