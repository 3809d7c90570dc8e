/**
 * A `ModelClient` for any endpoint that speaks one of the dialects. Its requests are narrowed for the client's lifetime
 * by a refusal that names a parameter, and by a prompt cache that a parameter invalidates.
 */

import { Allowance } from '../core/allowance.ts';
import { SHORT } from '../core/cost/pauses.ts';
import { ModelError } from '../core/errors.ts';
import type { ModelClient, ModelRequest } from '../core/model/modelClient.ts';
import { thinkingApart } from '../core/model/thinkingStream.ts';
import { inEnglish, type Words, words } from '../core/words.ts';
import { CHAT } from './chat/chatDialect.ts';
import type { ClientOptions } from './clientOptions.ts';
import { CutWatch } from './cutWatch.ts';
import type { Dialect, DoneEvent } from './dialect.ts';
import { type Endpoint, parseEndpoint } from './endpoint.ts';
import { dialectOf, watchFetch } from './endpointFetch.ts';
import { adviseOnServer } from './errors/serverFault.ts';
import { messagesDialect } from './messages/messagesDialect.ts';
import { openFactsBook } from './modelFacts.ts';
import { CacheReads } from './normalizeUsage.ts';
import type { EndpointDialect } from './presets.ts';
import { RefusedParts } from './refusedParts/partSearch.ts';
import { RESPONSES } from './responses/responsesDialect.ts';
import { streamOnce } from './streamOnce.ts';
import { imageRulesOf, tidyRequest } from './tidyRequest.ts';

/** Throws `ModelError` (`badRequest`) for an unusable address. */
export function createEndpointClient(options: ClientOptions): ModelClient {
  const endpoint = parseEndpoint(options.baseUrl);
  return CLIENTS[dialectOf(options)](options, endpoint);
}

const CLIENTS: Readonly<Record<EndpointDialect, (options: ClientOptions, endpoint: Endpoint) => ModelClient>> = {
  chat: (options, endpoint) => clientOf(options, endpoint, CHAT),
  responses: (options, endpoint) => clientOf(options, endpoint, RESPONSES),
  messages: (options, endpoint) =>
    clientOf(options, endpoint, messagesDialect(options.cacheLifetimes ?? (() => SHORT))),
};

function clientOf<Narrowing>(options: ClientOptions, endpoint: Endpoint, dialect: Dialect<Narrowing>): ModelClient {
  /** By model. */
  const narrowings = new Map<string, Narrowing>();
  const reads = new CacheReads();
  /** Omissions already reported to the person. */
  const reportedLeftOut = new Set<string>();
  /** By model. */
  const refusedParts = new Map<string, RefusedParts>();
  const refusedOf = (model: string) => {
    const known = refusedParts.get(model) ?? new RefusedParts();
    refusedParts.set(model, known);
    return known;
  };
  const narrowingOf = (model: string) => narrowings.get(model) ?? dialect.begin(endpoint, model);
  const once = (request: ModelRequest, signal: AbortSignal) =>
    thinkingApart(streamOnce(options, endpoint, request, dialect, narrowingOf(request.model), signal));
  /** Models that the endpoint does not count for. */
  const uncounted = new Set<string>();
  const images = imageRulesOf(new URL(endpoint.baseUrl).hostname, dialect.path === 'messages');
  const cuts = new CutWatch(endpoint, options.facts ?? openFactsBook(options));
  const count = async (given: ModelRequest, signal: AbortSignal): Promise<number | null> => {
    const { request } = tidyRequest(given, images);
    const allowed = narrowingsFor(endpoint);
    while (!uncounted.has(request.model)) {
      const narrowing = narrowingOf(request.model);
      const counted = await countOnce(options, endpoint, request, dialect, narrowing, signal);
      if (typeof counted === 'number') return counted;
      if (signal.aborted) return null;
      const narrower = counted && narrowTo(counted, dialect, narrowing, request);
      if (narrower && !allowed.take()) narrowings.set(request.model, narrower);
      else uncounted.add(request.model);
    }
    return null;
  };
  return {
    endpoint: endpoint.origin,
    ...(dialect.count && { count }),
    async *stream(given, signal) {
      const { request: whole, omitted, restore } = tidyRequest(given, images);
      const allowed = narrowingsFor(endpoint);
      const search = refusedOf(whole.model).begin(whole);
      for (;;) {
        const { request } = search;
        const narrowing = narrowingOf(request.model);
        let shown = false;
        try {
          for await (const event of once(request, signal)) {
            shown = true;
            if (event.type !== 'done') {
              yield event;
              continue;
            }
            const kept = reads.isLost(request, event.usage) ? dialect.withoutToolChoice(narrowing) : null;
            if (kept) narrowings.set(request.model, kept);
            const { expected: _, ...reduced } = request;
            const judged = await cuts.judge(restore(event), search.isReduced ? reduced : request, signal);
            const parts = search.accept();
            const done = withLeftOut(judged, dialect.explainOmissions(request, narrowing), reportedLeftOut);
            const answered = withLeftOut(done, omitted, reportedLeftOut);
            yield parts ? { ...answered, notice: [...(answered.notice ?? []), ...parts] } : answered;
          }
          return;
        } catch (thrown) {
          if (!(thrown instanceof ModelError)) throw thrown;
          const narrower = shown ? null : narrowTo(thrown, dialect, narrowing, request);
          if (!narrower) {
            const isPart = !shown && !dialect.advise(thrown);
            if (isPart && search.next(thrown, (sent) => dialect.encode(sent, narrowing))) continue;
            const { reason } = search;
            // Another kind of failure, such as a rate, is told as it is.
            throw withAdvice(isPart && reason?.kind === thrown.kind ? reason : thrown, whole, dialect);
          }
          const tooOften = allowed.take();
          if (tooOften)
            throw new ModelError('badRequest', [...thrown.words, ...tooOften], { ...thrown.facts, retryable: false });
          narrowings.set(request.model, narrower);
        }
      }
    },
  };
}

/** Of one request. A real server refuses each parameter once, and no request has as many. */
const MOST_NARROWINGS = 8;

function narrowingsFor({ origin }: Endpoint): Allowance {
  return new Allowance({
    most: MOST_NARROWINGS,
    usedUp: words(
      '{0} refused this request {1} times, for another reason each time, so it is not sent again. Choose another model, or look at the server’s log.',
      origin,
      MOST_NARROWINGS + 1,
    ),
  });
}

function narrowTo<Narrowing>(
  error: ModelError,
  dialect: Dialect<Narrowing>,
  narrowing: Narrowing,
  request: ModelRequest,
): Narrowing | null {
  const { facts, refused } = error;
  const { status } = facts;
  if (error.kind !== 'badRequest' && error.kind !== 'network' && error.kind !== 'notFound') return null;
  const mayNarrow = status === 400 || status === 404 || status === 422 || status === 500;
  return mayNarrow && refused ? dialect.narrow(narrowing, refused, request) : null;
}

function withAdvice(error: ModelError, request: ModelRequest, dialect: Dialect<unknown>): ModelError {
  const refused = showsImages(request) && REFUSES_IMAGES.test(error.message);
  const advice = dialect.advise(error) ?? adviseOnServer(error.refused?.text ?? '') ?? (refused ? NO_IMAGES : null);
  return advice ? new ModelError(error.kind, [...error.words, ...advice], error.facts) : error;
}

const REFUSES_IMAGES = /\bimage|vision|multi-?modal|mmproj/i;
const NO_IMAGES = words(
  'If this model takes no images, set "images": false for it in the setting palimpsest.endpoints: they are then only named. Then try again.',
);

function showsImages({ messages }: ModelRequest): boolean {
  return messages.some((message) => 'parts' in message && message.parts?.some(({ type }) => type === 'image'));
}

/** Each omission is reported once. */
function withLeftOut(done: DoneEvent, leftOut: Words | null, reported: Set<string>): DoneEvent {
  const text = leftOut && inEnglish(leftOut);
  if (!leftOut || !text || reported.has(text)) return done;
  reported.add(text);
  return { ...done, notice: [...(done.notice ?? []), ...leftOut] };
}

/** Milliseconds: a turn waits for it, and a count is only worth a short wait. */
const LONGEST_WAIT = 10_000;

/**
 * The exact count of a prompt, where the dialect has one. Null when the endpoint tells no number; an error when it refuses or
 * cannot be reached.
 */
async function countOnce<Narrowing>(
  options: ClientOptions,
  endpoint: Endpoint,
  request: ModelRequest,
  { count, encode }: Dialect<Narrowing>,
  narrowing: Narrowing,
  signal: AbortSignal,
): Promise<number | ModelError | null> {
  if (!count || signal.aborted) return null;
  const limits = {
    ...options.limits,
    firstByteMs: Math.min(options.limits?.firstByteMs ?? LONGEST_WAIT, LONGEST_WAIT),
  };
  const watched = await watchFetch({ ...options, limits }, request.model);
  try {
    const both = AbortSignal.any([signal, watched.signal]);
    const known = await count(encode(request, narrowing), { endpoint, fetch: watched.fetch, signal: both });
    return Number.isSafeInteger(known) && known > 0 ? known : null;
  } catch {
    return watched.fault();
  } finally {
    watched.end();
  }
}
