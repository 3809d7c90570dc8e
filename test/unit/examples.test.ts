import { describe, it } from 'vitest';
import { compareExample } from '../support/examples/compareExample.ts';
import { readExamples } from '../support/examples/example.ts';
import { runExample } from '../support/examples/runExample.ts';

/** Each example of the source documents, with what its document says must come of it. */
describe.each(readExamples())('the examples of $name', ({ examples }) => {
  for (const example of examples)
    it(example.says, { tags: example.row.split(' ') }, async () => {
      await runExample(example, ({ comes }, happened) => compareExample(comes, happened));
    });
});
