/**
 * Decides what a provider's refusal means: one `ModelError` kind, the facts worth acting on, and a sentence for a
 * person. Pure. The provider's own words are always among those sentences.
 */

import { ModelError, type ModelErrorFacts, type ModelErrorKind } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { type Words, words } from '../../core/words.ts';
import { type ErrorText, readErrorBody, readErrorValue, showText } from './errorBody.ts';
import { findOverflow, type OverflowFacts } from './overflowDialects.ts';
import { isOverAllowance, isRetryable, kindOf } from './refusalKind.ts';
import { readRateReset, readRetryDelay } from './retryDelay.ts';

export interface Refusal {
  /** Undefined for an error inside a stream that began with 200. */
  readonly status?: number;
  readonly headers?: { get(name: string): string | null };
  /** Raw text, or the parsed value of an error inside a stream. */
  readonly body: unknown;
}

/** For the sentence only. */
export interface RefusalPlace {
  /** Address without query. */
  readonly url: string;
  readonly model: string;
  /** The key that was sent: it is cut out of the provider's words. */
  readonly secret?: string | undefined;
  /** Milliseconds since the epoch, to read a `Retry-After` date. */
  readonly now: number;
}

export function classifyError(refusal: Refusal, place: RefusalPlace): ModelError {
  const { body, headers } = refusal;
  const error = typeof body === 'string' ? readErrorBody(body) : readErrorValue(body);
  const status = refusal.status ?? statusIn(error);
  const said = showText(error.message, place.secret);
  const overflow = findOverflow(status, error);
  const sources = {
    headers,
    value: typeof body === 'string' ? parseJson(body) : body,
    text: error.all,
    now: place.now,
  };
  const delayMs = readRetryDelay(sources);
  const kind = overflow ? 'overflow' : kindOf(status, error, delayMs);
  const retryAfterMs = delayMs ?? (kind === 'rateLimit' ? readRateReset(sources) : undefined);
  const facts: ModelErrorFacts = {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(said ? { said } : {}),
    ...(overflow?.window === undefined ? {} : { learnedWindow: overflow.window }),
    ...(overflow?.guessed ? { guessed: true } : {}),
    ...(kind === 'badRequest' && MALFORMED_HISTORY.test(error.all) ? { malformedHistory: true } : {}),
    retryable: isRetryable(kind, status, error, retryAfterMs),
  };
  return new ModelError(kind, sentenceFor(kind, facts, said, place, overflow, isOverAllowance(error.all)), facts);
}

/** Errors inside a stream carry their status as a code. */
function statusIn(error: ErrorText): number | undefined {
  return /^[45]\d\d$/.test(error.code) ? Number(error.code) : undefined;
}

/** Calls without results, results without calls, ids, signatures or arguments that the provider does not take back. */
const MALFORMED_HISTORY =
  /must be followed by tool messages|tool_call_ids?\b|\btool_(use|result)\b|tool[ _-](call|use|result)s? ids?\b|messages? with role ['"`]?tool|['"`]tool['"`] role|role ['"`]?tool\b|unexpected tool call|(no|missing|without|unmatched|unanswered) tool (call|result|output|response)s?|tool (call|result|output|response)s? (is |are )?(missing|not found|unmatched)|function (call|response)s? (parts?|turn)|thought_?signature|thinking blocks? (must|cannot|in)|reasoning_content|(function|tool)[ _.](call[ _.])?arguments/i;

function sentenceFor(
  kind: ModelErrorKind,
  { status, retryAfterMs }: ModelErrorFacts,
  said: string,
  { url, model }: RefusalPlace,
  overflow: OverflowFacts | null,
  isTooMuch: boolean,
): Words {
  const answered =
    status === undefined ? words('{0} answered with an error.', url) : words('{0} answered {1}.', url, status);
  const quoted = said ? words('It said: “{0}”', said) : words('It gave no reason.');
  switch (kind) {
    case 'overflow': {
      const usual = words('It gave no reason; usually the request is too long.');
      return [...tooLong(model, overflow), ...(said ? quoted : usual)];
    }
    case 'auth':
      return [
        ...answered,
        ...words(
          'The API key is missing, wrong or not allowed to use {0}. Set it with “Palimpsest: Set API Key”.',
          model,
        ),
        ...quoted,
      ];
    case 'billing':
      return [
        ...answered,
        ...words('The account has no credit or quota left. Add credit at the provider, or choose another model.'),
        ...quoted,
      ];
    case 'rateLimit':
      return isTooMuch
        ? [...answered, ...TOO_MUCH, ...quoted]
        : [...answered, ...words('The provider’s rate limit is reached.'), ...waitFor(retryAfterMs), ...quoted];
    case 'notFound':
      return [
        ...answered,
        ...words(
          'There is no model “{0}”, or no API for models at this address. Check the model’s name and the endpoint’s URL; it usually ends in /v1.',
          model,
        ),
        ...quoted,
      ];
    case 'network':
      return [...answered, ...words('The provider is unavailable or overloaded. Try again in a moment.'), ...quoted];
    case 'interrupted':
      return [
        ...words('{0} broke off the answer from {1}. Send the message again to continue.', url, model),
        ...quoted,
      ];
    case 'badRequest':
    case 'aborted':
      return [...answered, ...words('The request for {0} was refused.', model), ...quoted];
  }
}

function tooLong(model: string, overflow: OverflowFacts | null): Words {
  const advice = words('Compact the conversation or choose a model with a larger window.');
  const { requested, window } = overflow ?? {};
  if (!window) return [...words('The request is longer than the context window of {0}.', model), ...advice];
  const fact = requested
    ? words(
        'The request ({0} tokens) is longer than the context window of {1}, which is {2} tokens.',
        grouped(requested),
        model,
        grouped(window),
      )
    : words('The request is longer than the context window of {0}, which is {1} tokens.', model, grouped(window));
  return [...fact, ...advice];
}

const TOO_MUCH = words(
  'This one request is larger than everything the provider allows in that time, so waiting will not help. Compact the conversation, or ask the provider for a higher limit.',
);

function waitFor(ms: number | undefined): Words {
  if (ms === undefined) return words('Wait, or choose another model.');
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120
    ? words('Wait {0} s, or choose another model.', seconds)
    : words('Wait {0} min, or choose another model.', Math.ceil(seconds / 60));
}

function grouped(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
