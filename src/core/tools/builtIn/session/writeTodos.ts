/** `write_todos`: the model's own list of what is to be done, shown to the person above the composer. */

import type * as z from 'zod';
import { countDone, type Todo, todosSchema, WRITE_TODOS } from '../../../todo/todos.ts';
import type { Tool } from '../../tool.ts';

export const writeTodos: Tool<z.infer<typeof todosSchema>> = {
  name: WRITE_TODOS,
  toolClass: 'read',
  description:
    'Write your todo list for work of three steps or more; the person sees it. Give the whole list each time. Mark the one you are at as doing, and each as done as soon as it is.',
  input: todosSchema,
  title: ({ todos }) => titleOf(todos),
  async prepare({ todos }) {
    return {
      title: titleOf(todos),
      approval: null,
      changes: [],
      run: async () => ({ text: `The list is shown: ${countDone(todos)} of ${todos.length} done.` }),
    };
  },
};

function titleOf(todos: readonly Todo[]): string {
  const doing = todos.find(({ state }) => state === 'doing')?.text ?? '';
  return `${countDone(todos)}/${todos.length} ${doing}`.trim();
}
