/** A todo list as the model writes it: the whole list with each call of `write_todos`. */

import * as z from 'zod';
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
