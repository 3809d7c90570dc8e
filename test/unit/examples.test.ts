import { describe, it } from 'vitest';
import { compareExample } from '../support/examples/compareExample.ts';
import { readExamples } from '../support/examples/example.ts';
import { runExample } from '../support/examples/runExample.ts';

/** Each example of the source documents, with what its document says must come of it. */
describe.each(readExamples())('the examples of $name', ({ examples }) => {
  it.each(examples.map((example) => [nameOf(example), example] as const))('%s', async (_name, example) => {
    await runExample(example, ({ comes }, happened) => compareExample(comes, happened));
  });
});

/** Rows in front, as in the names of other tests. */
function nameOf({ row, says }: { readonly row: string; readonly says: string }): string {
  return `${row.replaceAll(' ', ': ')}: ${says}`;
}
