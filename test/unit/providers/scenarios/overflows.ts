/** The request is too long: room is made, and it is made again. */

import { says as answered, type Line, user, words } from '../../../support/compactionHarness.ts';
import { choiceChunk, type Reply, sse } from '../../../support/modelServer/modelServerReply.ts';
import { calls, many, raw, refuse, type Scenario, says, text } from './scenario.ts';

const HISTORY: readonly Line[] = Array.from({ length: 4 }, (_, i) => [
  user(`Wish ${i}. ${words(320)}`),
  answered(`Answer ${i}. ${words(320)}`),
]).flat();
const NAMED = says(
  "This model's maximum context length is 4000 tokens. However, your messages resulted in 4500 tokens.",
  {
    code: 'context_length_exceeded',
  },
);
/** Without usage: one that is far too low would mean that the server had cut the request. */
const answer = (text = 'Done.'): Reply => ({ kind: 'answer', text, usage: null });
const SUMMARY = answer('Notes.');
/** In parts, where the window is too small for all of it. */
const PARTS = many(2, SUMMARY);

export const OVERFLOWS: readonly Scenario[] = [
  {
    name: 'a window that is named: compacted, and asked again',
    history: HISTORY,
    script: [refuse(400, NAMED), ...PARTS, answer()],
  },
  {
    name: 'no window is named',
    history: HISTORY,
    script: [refuse(400, says('prompt too long; exceeded max context length')), SUMMARY, answer()],
  },
  {
    name: '413 from a proxy',
    history: HISTORY,
    script: [
      refuse(413, '<html><head><title>413 Request Entity Too Large</title></head><body>nginx</body></html>'),
      SUMMARY,
      answer(),
    ],
  },
  {
    name: '400 without a word near the window',
    history: HISTORY,
    window: 6_000,
    maxOutputTokens: 2_500,
    script: [refuse(400), SUMMARY, answer()],
  },
  {
    name: 'the answer that was asked for is too long: nothing is compacted',
    history: HISTORY,
    maxOutputTokens: 8_192,
    script: [
      refuse(
        400,
        says(
          'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value lower than 4096.',
        ),
      ),
      answer(),
    ],
  },
  { name: 'nothing is left to compact', script: [refuse(400, says('prompt is too long: 9000 tokens > 8192 maximum'))] },
  {
    name: 'an error in the stream after 200',
    history: HISTORY,
    script: [
      raw(
        `: PROCESSING\n\nevent: error\n${sse(says("This endpoint's maximum context length is 4000 tokens.", { code: 400 }))}`,
      ),
      ...PARTS,
      answer(),
    ],
  },
  {
    name: '200 with an error as text',
    history: HISTORY,
    script: [
      raw(
        JSON.stringify({
          error:
            'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 4500 >= n_ctx: 4000).',
        }),
      ),
      ...PARTS,
      answer(),
    ],
  },
  {
    name: 'a finish reason for it',
    history: HISTORY,
    script: [raw(sse(text('Half'), choiceChunk({}, 'model_context_window_exceeded'))), SUMMARY, answer()],
  },
  { name: 'not one token of room', history: HISTORY, script: [raw(sse(choiceChunk({}, 'length'))), SUMMARY, answer()] },
  {
    name: 'inside a call',
    history: HISTORY,
    script: [
      raw(
        sse(
          calls({ index: 0, id: 'call_a', function: { name: 'look', arguments: '{"at"' } }),
          choiceChunk({}, 'model_context_window_exceeded'),
        ),
      ),
      SUMMARY,
      answer(),
    ],
  },
  {
    name: 'the summary is refused too, and taken in smaller parts',
    history: HISTORY,
    script: [
      refuse(400, says('Context size has been exceeded')),
      refuse(400, says('Context size has been exceeded')),
      ...many(4, SUMMARY),
      answer(),
    ],
  },
  {
    name: 'the summary model has no credit',
    history: HISTORY,
    script: [refuse(400, NAMED), refuse(402, says('Insufficient Balance')), answer()],
  },
  {
    name: 'refused again and again, until it stops with numbers',
    history: HISTORY,
    script: many(7, refuse(400, NAMED)),
  },
];
