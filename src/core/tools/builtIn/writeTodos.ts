/** `write_todos`: the model's list of open tasks, shown to the person above the composer. */

import { countDone, otherTodosSchema, type Todo, todosSchema, toOwnTodos, WRITE_TODOS } from '../todos.ts';
import { defineTool } from '../tool.ts';

export const writeTodos = defineTool({
  name: WRITE_TODOS,
  alsoCalled: ['todo', 'todos', 'todowrite', 'todoread'],
  toolClass: 'read',
  description:
    'Write your todo list for work of three steps or more; the person sees it. Give the whole list each time. Mark the one you are at as doing, and each as done as soon as it is.',
  input: todosSchema,
  otherForms: { schema: otherTodosSchema, toOwn: toOwnTodos },
  title: ({ todos }) => todoTitle(todos),
  async prepare({ todos }) {
    return {
      title: todoTitle(todos),
      approval: null,
      changes: [],
      run: async () => ({ text: `The list is shown: ${countDone(todos)} of ${todos.length} done.` }),
    };
  },
});

function todoTitle(todos: readonly Todo[]): string {
  const doing = todos.find(({ state }) => state === 'doing')?.text ?? '';
  return `${countDone(todos)}/${todos.length} ${doing}`.trim();
}
