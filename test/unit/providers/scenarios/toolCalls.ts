/** Calls of tools, whole and broken: what is run, and what goes back to the provider. */

import { choiceChunk, sse } from '../../../support/modelServer/modelServerReply.ts';
import { answer, CALLS_END, calls, END, look, raw, type Scenario, text } from './scenario.ts';

const call = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { ...(name === undefined ? {} : { name }), arguments: args },
});
const A = '{"at":"a"}';
const B = '{"at":"b"}';
const one = (...events: object[]) => [raw(sse(...events, CALLS_END)), answer()];

export const TOOL_CALLS: readonly Scenario[] = [
  { name: 'a call, its result, an answer', script: [look(), answer()] },
  { name: 'two calls one after the other', script: [look('call_a'), look('call_b', { at: 'there' }), answer()] },
  {
    name: 'parallel calls interleaved',
    script: one(
      calls(call(0, 'call_a', 'look', ''), call(1, 'call_b', 'look', '')),
      calls(call(1, undefined, undefined, B)),
      calls(call(0, undefined, undefined, A)),
    ),
  },
  {
    name: 'no index',
    script: one(calls(call(undefined, 'call_a', 'look', A)), calls(call(undefined, 'call_b', 'look', B))),
  },
  {
    name: 'an index used again',
    script: one(calls(call(0, 'call_a', 'look', A)), calls(call(0, 'call_b', 'look', B))),
  },
  { name: 'empty ids', script: one(calls(call(0, '', 'look', A), call(1, '', 'look', B))) },
  { name: 'the same id twice', script: one(calls(call(0, 'call_a', 'look', A), call(1, 'call_a', 'look', B))) },
  { name: 'an id of before', script: [look('call_a'), look('call_a', { at: 'there' }), answer()] },
  { name: 'malformed arguments', script: one(calls(call(0, 'call_a', 'look', '{"at":'))) },
  { name: 'arguments that do not fit the tool', script: one(calls(call(0, 'call_a', 'look', '{"where":"a"}'))) },
  { name: 'arguments as an object', script: one(calls(call(0, 'call_a', 'look', { at: 'a' }))) },
  { name: 'no arguments', script: one(calls(call(0, 'call_a', 'look', ''))) },
  { name: 'a tool that does not exist', script: one(calls(call(0, 'call_a', 'fly', A))) },
  { name: 'no name', script: one(calls(call(0, 'call_a', undefined, A))) },
  { name: 'the finish reason stop', script: [raw(sse(calls(call(0, 'call_a', 'look', A)), END)), answer()] },
  { name: 'the finish reason of calls without one', script: [raw(sse(text('Hi'), CALLS_END))] },
  {
    name: 'length inside a call: it is not run',
    script: [raw(sse(text('I look.'), calls(call(0, 'call_a', 'look', '{"a')), choiceChunk({}, 'length')))],
  },
  {
    name: 'a content filter inside a call: it is not run',
    script: [raw(sse(calls(call(0, 'call_a', 'look', A)), choiceChunk({}, 'content_filter')))],
  },
  {
    name: 'reasoning_content goes back with the calls',
    model: 'deepseek-reasoner',
    script: [
      raw(sse(choiceChunk({ reasoning_content: 'Hmm.' }), calls(call(0, 'call_a', 'look', A)), CALLS_END)),
      answer(),
    ],
  },
  {
    name: 'what Gemini sends along goes back with the call',
    script: one(calls({ ...call(0, 'call_a', 'look', A), extra_content: { google: { thought_signature: 'abc' } } })),
  },
];
