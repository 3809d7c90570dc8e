/** What benches of long sessions have in common: the files that are read, and telling a request for a summary. */

import { type Json, listOf, objectOf } from '../../src/core/json.ts';
import { textOfContent } from '../../test/support/modelServer/summaryRequest.ts';

/** Of a file of its own for each number; some 1,300 tokens as the test server counts them. */
export const fileText = (file: number): string =>
  Array.from({ length: 80 }, (_, line) => `${file}.${line}: a line of a file, other than all those before it`).join(
    '\n',
  );

/** By its prompt: what continues a session may call tools as far as the request says, so that the cache is hit. */
export const asksForSummary = (body: Json): boolean =>
  /record to be summarised/.test(textOfContent(objectOf(listOf(body.messages).at(-1)).content));
