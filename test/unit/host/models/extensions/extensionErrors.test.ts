/**
 * What VS Code and other extensions throw: the codes of the API, the names that Copilot's extension gives its errors, and
 * sentences of public reports, with what each means for a turn.
 */

import { expect, test } from 'vitest';
import type { ModelErrorKind } from '../../../../../src/core/errors.ts';
import { classifyExtensionError, saysAnswerCut } from '../../../../../src/node/models/extensionErrors.ts';
import { waysOut } from '../../../../../src/node/session/turnNotes.ts';
import { LanguageModelError } from '../../../../support/ports/fakeLanguageModels.ts';

const named = (name: string, message: string) => Object.assign(new Error(message), { name });
const refused = (status: number, body: string) => new Error(`Request Failed: ${status} ${body}`);

const CASES: readonly (readonly [
  what: string,
  thrown: unknown,
  kind: ModelErrorKind,
  retryable: boolean,
  said: string,
])[] = [
  [
    'consent refused',
    new LanguageModelError("Language model 'acme/m' cannot be used by 'palimpsest.palimpsest'.", 'NoPermissions'),
    'auth',
    false,
    'You have not allowed Palimpsest to use acme/m. Try again and choose “Allow”',
  ],
  [
    'gone between finding and asking',
    new LanguageModelError("Language model 'acme/m' is unknown.", 'NotFound'),
    'notFound',
    false,
    'No extension offers acme/m now.',
  ],
  [
    'blocked, quota by the words of the API',
    new LanguageModelError('Quota limits exceeded', 'Blocked'),
    'billing',
    false,
    'The quota of acme/m is used up',
  ],
  [
    'blocked for asking too often',
    new LanguageModelError('The extension sent too many requests.', 'Blocked'),
    'rateLimit',
    false,
    'acme/m received too many requests.',
  ],
  [
    'quota, by name',
    named('ChatQuotaExceeded', 'You have exceeded your premium request allowance.'),
    'billing',
    false,
    'It said: “You have exceeded your premium request allowance.”',
  ],
  [
    'rate limit, by name',
    named('ChatRateLimited', 'Sorry, you have been rate-limited.'),
    'rateLimit',
    true,
    'acme/m received too many requests.',
  ],
  [
    'quota, by words alone',
    new Error('You have used all premium requests available this month. Upgrade to Pro+.'),
    'billing',
    false,
    'The quota of acme/m is used up',
  ],
  [
    'rate limit, by words alone',
    new Error('Too many requests, please slow down.'),
    'rateLimit',
    true,
    'acme/m received too many requests.',
  ],
  [
    'quota inside of what VS Code wraps',
    new LanguageModelError(
      "Language model 'acme/m' errored, check cause for more details",
      'Unknown',
      new Error('Monthly quota exceeded'),
    ),
    'billing',
    false,
    'Monthly quota exceeded',
  ],
  [
    'the model is not supported',
    refused(
      400,
      '{"error":{"message":"The requested model is not supported.","code":"model_not_supported","param":"model","type":"invalid_request_error"}}',
    ),
    'notFound',
    false,
    'It said: “The requested model is not supported.”',
  ],
  [
    'too long, with its window',
    refused(
      400,
      '{"error":{"message":"prompt token count of 140211 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}',
    ),
    'overflow',
    false,
    'The request is longer than acme/m accepts.',
  ],
  [
    'too long, in words',
    new Error('Sorry, this message is too long. Please try a shorter question.'),
    'overflow',
    false,
    'The request is longer than acme/m accepts.',
  ],
  [
    'an overloaded server',
    refused(503, '{"error":{"message":"The model is overloaded."}}'),
    'network',
    true,
    'acme/m is unavailable or overloaded.',
  ],
  ['not signed in', refused(401, 'unauthorized: token expired'), 'auth', false, 'Sign in there, then try again.'],
  ['no network', new TypeError('fetch failed'), 'interrupted', true, 'The extension broke off the answer from acme/m.'],
  [
    'nothing in the answer',
    new Error('Response contained no choices.'),
    'interrupted',
    true,
    'It said: “Response contained no choices.”',
  ],
  [
    'a bug of the extension',
    new TypeError("Cannot read properties of undefined (reading 'x')"),
    'interrupted',
    false,
    'Cannot read properties of undefined',
  ],
  ['nothing to read', null, 'interrupted', false, 'null'],
];

const WAYS_OUT: Readonly<Partial<Record<ModelErrorKind, string>>> = {
  auth: 'retry',
  billing: 'chooseModel',
  notFound: 'chooseModel',
  overflow: 'newSession',
  rateLimit: 'retry',
  network: 'retry',
  interrupted: 'retry',
};

test.each(CASES)('%s', (_, thrown, kind, retryable, said) => {
  const error = classifyExtensionError(thrown, 'acme/m');
  expect({ kind: error.kind, retryable: error.facts.retryable }).toEqual({ kind, retryable });
  expect(error.message).toContain(said);
  expect(error.facts.byExtension).toBe(true);
  // No key of ours would help, so none is asked for.
  expect(waysOut(error)[0]).toBe(WAYS_OUT[kind]);
  expect(waysOut(error)).not.toContain('setKey');
});

test('a refusal that names the window teaches it', () => {
  const thrown = refused(400, '{"error":{"message":"prompt token count of 140211 exceeds the limit of 128000"}}');
  expect(classifyExtensionError(thrown, 'acme/m').facts.learnedWindow).toBe(128_000);
});

test('keys that an extension repeats in its error are not told', () => {
  const thrown = new Error('Request Failed: 401 {"error":{"message":"Incorrect API key provided: sk-canary-123456"}}');
  expect(classifyExtensionError(thrown, 'acme/m').message).not.toContain('canary');
});

test.each([
  ['Response too long.', true],
  ['Sorry, the response exceeded the maximum length. Please rephrase your question.', true],
  ['Sorry, this message is too long.', false],
  ['fetch failed', false],
])('%s ends a long answer: %s', (text, is) => {
  expect(saysAnswerCut(new Error(text))).toBe(is);
});
