/** The responses form: the same faults, in its own words. */

import { says as answered, user, words } from '../../../support/compactionHarness.ts';
import type { Reply } from '../../../support/modelServer/modelServerReply.ts';
import { namedSse } from '../../../support/modelServer/responsesReply.ts';
import { answer, look, many, refuse, type Scenario, says } from './scenario.ts';

const HISTORY = [user(`Before. ${words(320)}`), answered(words(320)), user(words(320)), answered(words(320))];

const counted = (text: string): Reply => ({ kind: 'answer', text, usage: null });

const held = (item: object): Reply => ({
  kind: 'raw',
  pieces: [namedSse({ type: 'response.completed', response: { status: 'completed', output: [item] } })],
  end: 'hold',
});

export const RESPONSES: readonly Scenario[] = (
  [
    { name: 'an answer', script: [answer('It is there.')] },
    { name: 'a call, its result, an answer', script: [look(), answer()] },
    {
      name: 'encrypted reasoning goes back unchanged',
      script: [{ ...look(), encrypted: 'opaque-1' } as never, answer()],
    },
    {
      name: '401',
      key: 'sk-test-1234567890',
      script: [refuse(401, says('Incorrect API key provided: sk-test-1234567890'))],
    },
    { name: '429 with Retry-After', script: [refuse(429, says('slow down'), { 'retry-after': '7' }), answer()] },
    {
      name: '429, no quota',
      script: [refuse(429, says('You exceeded your current quota', { code: 'insufficient_quota' }))],
    },
    { name: '500 to the end', script: many(5, refuse(500, says('The server had an error'))) },
    {
      name: 'too long: compacted, and asked again',
      history: HISTORY,
      script: [
        refuse(400, says('Your input exceeds the context window of this model.', { code: 'context_length_exceeded' })),
        counted('Notes.'),
        counted('Done.'),
      ],
    },
    {
      name: 'completed, and the connection stays open: its call is run',
      heldOpen: true,
      script: [
        held({ type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'look', arguments: '{"at":"here"}' }),
        held({ type: 'message', content: [{ type: 'output_text', text: 'Seen.' }] }),
      ],
    },
    { name: 'no end', script: [{ ...answer('Half'), finish: null } as never] },
    { name: 'the output limit', script: [{ ...answer('Half'), finish: 'max_output_tokens' } as never] },
  ] satisfies Scenario[]
).map((scenario) => ({ ...scenario, dialect: 'responses' }));
