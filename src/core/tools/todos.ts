/** A todo list as the model writes it: the whole list with each call of `write_todos`. */

import * as z from 'zod';
import { asRecord, asText, type Json, objectOf, ownOf, parseJson } from '../json.ts';

export const WRITE_TODOS = 'write_todos';
const MOST_TODOS = 100;
const LONGEST_TODO = 500;

const todo = z.strictObject({
  text: z.string().trim().min(1).max(LONGEST_TODO).describe('What is to be done, in one line'),
  state: z.enum(['open', 'doing', 'done']),
});

export const todosSchema = z.strictObject({
  todos: z.array(todo).max(MOST_TODOS).describe('The whole list in order; it replaces the earlier one'),
});

/** The words of other programs' lists for the same states. */
const OTHER_STATES = {
  pending: 'open',
  todo: 'open',
  to_do: 'open',
  not_started: 'open',
  queued: 'open',
  in_progress: 'doing',
  inprogress: 'doing',
  active: 'doing',
  current: 'doing',
  started: 'doing',
  working: 'doing',
  running: 'doing',
  completed: 'done',
  complete: 'done',
  finished: 'done',
  closed: 'done',
} as const satisfies Readonly<Record<string, Todo['state']>>;

/** Like `todosSchema`, with these words. */
export const otherTodosSchema = z.strictObject({
  todos: z.array(
    todo.extend({
      state: z.enum([...todo.shape.state.options, ...(Object.keys(OTHER_STATES) as (keyof typeof OTHER_STATES)[])]),
    }),
  ),
});

/** The same list with the states of `todosSchema`; anything else as it is. */
export function toOwnTodos(given: Json): Json {
  if (!Array.isArray(given.todos)) return given;
  const todos = given.todos.map((each: unknown) => {
    const state = asText(asRecord(each)?.state);
    const own = ownOf<Todo['state']>(OTHER_STATES, state);
    return own ? { ...objectOf(each), state: own } : each;
  });
  return { ...given, todos };
}

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
