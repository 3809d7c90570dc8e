/** The provider refuses, or cannot be reached. */

import { says as answered, type Line, user } from '../../../support/compactionHarness.ts';
import { answer, many, refuse, type Scenario, says } from './scenario.ts';

const BUSY = says('Server busy');
const CALLED: readonly Line[] = [
  user('Before'),
  [{ role: 'assistant', text: '', toolCalls: [{ id: 'call_x', name: 'look', arguments: '{"at":"x"}' }] }],
  [{ role: 'tool', toolCallId: 'call_x', toolName: 'look', text: 'saw it' }],
  answered('So it is.'),
];
const UNANSWERED = says(
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
);
const PAGE = '<!DOCTYPE html><html><head><title>Sign in</title></head><body><p>Welcome</p></body></html>';

export const REFUSALS: readonly Scenario[] = [
  {
    name: '401, a wrong key',
    key: 'sk-test-1234567890',
    script: [refuse(401, says('Incorrect API key provided: sk-test-1234567890'))],
  },
  { name: '403, not allowed', script: [refuse(403, says('Forbidden'))] },
  { name: '403 of Moonshot is billing', script: [refuse(403, says('x', { type: 'exceeded_current_quota_error' }))] },
  { name: '403, moderation', script: [refuse(403, says('Your input was flagged for "violence".'))] },
  { name: '402', script: [refuse(402, says('Insufficient Balance'))] },
  {
    name: '429, no quota',
    script: [
      refuse(
        429,
        says('You exceeded your current quota, please check your plan and billing details.', {
          code: 'insufficient_quota',
        }),
      ),
    ],
  },
  {
    name: '429, spent credit in Chinese',
    script: [refuse(429, says('余额不足或无可用资源包,请充值。', { code: '1113' }))],
  },
  {
    name: '404 names model and address',
    script: [refuse(404, says('The model `test-model` does not exist', { code: 'model_not_found' }))],
  },
  { name: '404, a page', script: [refuse(404, PAGE)] },
  { name: '408, then an answer', script: [refuse(408, says('Request timeout')), answer()] },
  { name: '409, then an answer', script: [refuse(409, says('Conflict')), answer()] },
  { name: '500 twice, then an answer', script: [...many(2, refuse(500, says('The server had an error'))), answer()] },
  {
    name: '502 to the end, a page',
    script: many(5, refuse(502, '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>')),
  },
  {
    name: '503 with a date to retry at',
    script: [refuse(503, BUSY, { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }), answer()],
  },
  {
    name: '521, a page as message',
    script: [
      refuse(521, says('<!DOCTYPE html><html><head><title>Web server is down</title></head><body></body></html>')),
      answer(),
    ],
  },
  {
    name: '529, then an answer',
    script: [refuse(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }), answer()],
  },
  { name: '429 with Retry-After', script: [refuse(429, says('slow down'), { 'retry-after': '7' }), answer()] },
  {
    name: '429 with Retry-After in milliseconds',
    script: [refuse(429, says('slow down'), { 'retry-after-ms': '250', 'retry-after': '9' }), answer()],
  },
  {
    name: '429 with a delay in its words',
    script: [refuse(429, says('Rate limit reached on tokens per min. Please try again in 20s.')), answer()],
  },
  {
    name: '429 of Gemini with its delay in details',
    script: [
      refuse(429, [
        {
          error: {
            code: 429,
            status: 'RESOURCE_EXHAUSTED',
            message: 'You exceeded your current quota, please check your plan and billing details.',
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '27.3s' }],
          },
        },
      ]),
      answer(),
    ],
  },
  {
    name: '429 with the allowance that ran out in headers',
    script: [
      refuse(429, says('slow down'), {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '8.64s',
        'x-ratelimit-remaining-tokens': '9000',
        'x-ratelimit-reset-tokens': '6m0s',
      }),
      answer(),
    ],
  },
  { name: '429 with an hour to wait', script: [refuse(429, says('slow down'), { 'retry-after': '3600' })] },
  { name: '429 to the end', script: many(5, refuse(429, says('Too many requests'))) },
  {
    name: '429 for more than the allowance',
    script: [
      refuse(
        429,
        says('Request too large on tokens per min (TPM): Limit 30000, Requested 132819.', {
          code: 'rate_limit_exceeded',
        }),
      ),
    ],
  },
  {
    name: '413 of Groq is a rate',
    script: [refuse(413, says('Request too large on tokens per minute (TPM): Limit 6000, Requested 9000'))],
  },
  {
    name: '429, and the person stops while it waits',
    stopAt: 'wait',
    script: [refuse(429, says('slow down'), { 'retry-after': '60' })],
  },
  { name: '400, a parameter', script: [refuse(400, says('invalid parameter: temperature must be >= 0'))] },
  {
    name: '400, a shape that nobody knows',
    script: [refuse(400, { success: false, reason: 'tools are not supported by this deployment' })],
  },
  { name: '400, not JSON', script: [refuse(400, 'Bad <request>')] },
  { name: '400 without a word', script: [refuse(400)] },
  {
    name: '400, the output limit',
    maxOutputTokens: 250_000,
    script: [
      refuse(400, says('max_tokens: 250000 > 128000, which is the maximum allowed number of output tokens for m')),
      answer(),
    ],
  },
  {
    name: '400, a content filter',
    script: [
      refuse(400, says('The response was filtered due to content management policy.', { code: 'content_filter' })),
    ],
  },
  {
    name: '422, a list of what is wrong',
    script: [refuse(422, { detail: [{ loc: ['body', 'messages'], msg: 'field required' }] })],
  },
  {
    name: '400, wrapped by a gateway',
    script: [
      refuse(400, {
        error: { message: 'Provider returned error', metadata: { raw: '{"error":{"message":"tool schema is bad"}}' } },
      }),
    ],
  },
  { name: '400, the form of the calls, then an answer', history: CALLED, script: [refuse(400, UNANSWERED), answer()] },
  { name: '400, the form of the calls, again', history: CALLED, script: many(2, refuse(400, UNANSWERED)) },
  {
    name: '400, stream_options is unknown',
    script: [refuse(400, says('Unknown parameter: stream_options')), answer()],
  },
  {
    name: '400, max_completion_tokens is wanted',
    maxOutputTokens: 64,
    script: [
      refuse(
        400,
        says(
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        ),
      ),
      answer(),
    ],
  },
  {
    name: '500, a template that wants alternating roles',
    history: [user('Before')],
    script: [refuse(500, says('Jinja Exception: Conversation roles must alternate user/assistant')), answer()],
  },
  { name: '405', script: [refuse(405, 'Method Not Allowed')] },
  {
    name: '307 is not followed',
    key: 'sk-test-1234567890',
    script: [refuse(307, '', { location: 'http://127.0.0.1:9/v1/chat/completions' })],
  },
  { name: 'a dropped connection, then an answer', script: [{ kind: 'drop' }, answer()] },
  { name: 'no first byte to the end', silentAt: 'request', script: many(5, { kind: 'silence' }) },
];
