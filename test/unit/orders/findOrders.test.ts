import { expect, test } from 'vitest';
import { findOrders } from '../../../src/core/instructions/findOrders.ts';
import { FRESH_NONE, FRESH_ORDERS } from './freshSentences.ts';
import { NONE, ORDERS } from './labelledSentences.ts';

const found = (sentence: string) => findOrders(sentence).length > 0;

/** What is known to be judged wrongly: a detector that learns takes a line away, and none may come. */
const FRESH_MISSED = [
  'Errors are always wrapped with context before they are returned.',
  'Tests come first, then the code.',
  "The docs folder isn't yours to change.",
  'Nothing in this repo may depend on lodash.',
  '日志必须用英文。',
];
const FRESH_WRONG = [
  'ERROR: column "email" must not be null',
  'Every time I save, the server crashes.',
  'All I need is a list of the files.',
  'No, not that file.',
];

test.each([
  { kind: 'labelled', orders: ORDERS, none: NONE, missed: [], wrong: [] },
  { kind: 'fresh', orders: FRESH_ORDERS, none: FRESH_NONE, missed: FRESH_MISSED, wrong: FRESH_WRONG },
])(
  'of the $kind sentences all demands are found, and nothing else, but for what is known',
  {
    tags: ['B14'],
  },
  ({ orders, none, missed, wrong }) => {
    expect({ missed: orders.filter((sentence) => !found(sentence)), wrong: none.filter(found) }).toEqual({
      missed,
      wrong,
    });
  },
);
