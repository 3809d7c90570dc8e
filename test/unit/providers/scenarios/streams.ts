/** Streams that end well, badly, or not at all. */

import { choiceChunk, sse } from '../../../support/modelServer/modelServerReply.ts';
import { answer, CALLS_END, calls, cut, END, many, raw, refuse, type Scenario, says, text } from './scenario.ts';

const bytes = new TextEncoder().encode(sse(text('naïve 漢字 🙂'), END));
const [before = '', after = ''] = sse(text('a#b'), END).split('#');
const PAGE = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome</body></html>';

export const STREAMS: readonly Scenario[] = [
  { name: 'an answer with its usage', script: [answer('It is there.')] },
  {
    name: 'an answer without usage: it is estimated',
    script: [raw(sse(text('It is '), text('there.'), END, '[DONE]'))],
  },
  {
    name: 'usage inside a choice',
    script: [
      raw(
        sse(text('Hi'), {
          choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: { prompt_tokens: 9, completion_tokens: 1 } }],
        }),
      ),
    ],
  },
  {
    name: 'usage of zeros is none',
    script: [raw(sse(text('Hi'), END, { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } }))],
  },
  { name: 'chunks with empty choices, and without', script: [raw(sse({ choices: [] }, { id: 'x' }, text('Hi'), END))] },
  {
    name: 'comments, CRLF and no blank line at the end',
    script: [raw(`: keep-alive\r\n\r\n${sse(text('Hi')).replaceAll('\n', '\r\n')}`, `data: ${JSON.stringify(END)}`)],
  },
  { name: 'a byte order mark', script: [raw(`\uFEFF${sse(text('Hi'), END)}`)] },
  { name: 'UTF-8 in single bytes', script: [raw(...[...bytes].map((byte) => Uint8Array.of(byte)))] },
  { name: 'invalid UTF-8', script: [raw(before, Uint8Array.of(0xff, 0xc3), after)] },
  {
    name: 'a whole answer although a stream was asked for',
    script: [
      raw(
        JSON.stringify({
          choices: [{ index: 0, message: { role: 'assistant', content: 'Whole' }, finish_reason: 'stop' }],
        }),
      ),
    ],
  },
  { name: 'a refusal in a field of its own', script: [raw(sse(choiceChunk({ refusal: 'I cannot do that.' }), END))] },
  {
    name: 'reasoning before the answer',
    script: [raw(sse(choiceChunk({ reasoning_content: 'Hmm.' }), text('Hi'), END))],
  },
  { name: 'reasoning and nothing else', script: [raw(sse(choiceChunk({ reasoning: 'Hmm.' }), END))] },
  { name: 'an empty answer', script: [raw(sse(END))] },
  { name: 'an unknown finish reason', script: [raw(sse(text('Hi'), choiceChunk({}, 'because')))] },
  { name: 'the output limit', script: [raw(sse(text('Half'), choiceChunk({}, 'length')))] },
  { name: 'a content filter at the end', script: [raw(sse(text('Half'), choiceChunk({}, 'content_filter')))] },
  { name: 'the finish reason error', script: [raw(sse(text('Half'), choiceChunk({}, 'error')))] },
  { name: 'cut before anything came, then an answer', script: [cut(), answer()] },
  { name: 'cut in the middle', script: [cut(sse(text('Half')))] },
  { name: 'cut after the finish reason', script: [cut(sse(text('Hi'), END))] },
  { name: 'closed without a finish reason', script: [raw(sse(text('Half')))] },
  { name: '[DONE] without a finish reason', script: [raw(sse(text('Half'), '[DONE]'))] },
  { name: '200 and nothing, to the end', script: many(5, raw()) },
  { name: '200 with a page', script: [{ kind: 'raw', headers: { 'content-type': 'text/html' }, pieces: [PAGE] }] },
  {
    name: '200 with an error in JSON',
    script: [raw(JSON.stringify(says('Incorrect API key provided', { code: 'invalid_api_key' })))],
  },
  {
    name: 'an error event in plain words, then an answer',
    script: [raw('event: error\ndata: Rate limit exceeded, per minute\n\n'), answer()],
  },
  {
    name: 'an error object in the stream, then an answer',
    script: [raw(sse(says('The model crashed', { type: 'server_error' }))), answer()],
  },
  {
    name: 'at capacity in the stream, then an answer',
    script: [
      raw(sse({ type: 'error', error: { message: 'The model is currently at capacity due to high demand.' } })),
      answer(),
    ],
  },
  { name: 'no credit, told in the stream', script: [raw(sse(says('Your team has used all available credits.')))] },
  { name: 'an error after text', script: [raw(sse(text('Half'), says('Overloaded', { type: 'overloaded_error' })))] },
  { name: 'broken JSON in an event', script: [raw(`${sse(text('Half'))}data: {"choices": [\n\n`)] },
  {
    name: 'silence in the middle',
    silentAt: 'text',
    script: [{ kind: 'raw', pieces: [sse(text('Half'))], end: 'hold' }],
  },
  {
    name: 'stopped in the middle',
    stopAt: 'text',
    script: [{ kind: 'raw', pieces: [sse(text('Half'))], end: 'hold' }],
  },
  {
    name: 'cut inside a call: it is not run',
    script: [raw(sse(calls({ index: 0, id: 'call_a', function: { name: 'look', arguments: '{"at":"here"}' } })))],
  },
  {
    name: 'finished, and the connection stays open: its call is run',
    heldOpen: true,
    script: [
      {
        kind: 'raw',
        pieces: [
          sse(calls({ index: 0, id: 'call_a', function: { name: 'look', arguments: '{"at":"here"}' } }), CALLS_END),
        ],
        end: 'hold',
      },
      { kind: 'raw', pieces: [sse(text('Seen.'), END)], end: 'hold' },
    ],
  },
  { name: 'refused, then cut, then an answer', script: [refuse(503, says('busy')), cut(), answer()] },
];
