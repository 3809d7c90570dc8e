// @ts-check
/** @import { CompactionContext } from '../../../src/api/index.ts' */

/** @type {Readonly<Record<string, (context: CompactionContext) => unknown>>} */
export const strategies = {
  throws: () => {
    throw new Error('boom');
  },
  'never-answers': () => new Promise(() => {}),
  mutates: ({ history }) => {
    // @ts-expect-error: history is read-only, and frozen besides
    history[0].text = '';
    return history;
  },
  orphans: ({ history }) => history.filter((message) => message.role !== 'assistant'),
  grows: ({ history }) => [{ role: 'user', kind: 'summary', text: 'more and more '.repeat(50_000) }, ...history],
};
