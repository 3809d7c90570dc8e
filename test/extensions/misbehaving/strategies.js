// @ts-check
/** @import { CompactionContext } from '../../../src/api/index.ts' */

/**
 * @param {() => void} leave takes the strategy `leaves` away
 * @returns {Readonly<Record<string, (context: CompactionContext) => unknown>>}
 */
export const createStrategies = (leave) => ({
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
  leaves: () => {
    leave();
    return new Promise(() => {});
  },
});
