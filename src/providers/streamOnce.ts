/**
 * One request and its answer, the same for every dialect. Invariant: an answer ends either with one `done` that the
 * provider really finished, or with a `ModelError`; nothing ends silently.
 */

import { Allowance } from '../core/allowance.ts';
import type { Timers } from '../core/clock.ts';
import { ModelError } from '../core/errors.ts';
import { asRecord, asText, DEEPEST, isTooDeep, parseJson, parseObject } from '../core/json.ts';
import type { ModelEvent, ModelRequest } from '../core/model/modelClient.ts';
import { type Words, words } from '../core/words.ts';
import type { ClientOptions } from './clientOptions.ts';
import type { AnswerAssembler, Dialect } from './dialect.ts';
import { below, type Endpoint } from './endpoint.ts';
import { type WatchedFetch, watchFetch } from './endpointFetch.ts';
import { classifyError, type RefusalPlace } from './errors/classifyError.ts';
import { classifyConnectionError } from './errors/connectionError.ts';
import { looksLikeHtml, readErrorBody, showText } from './errors/errorBody.ts';
import { systemTimers } from './timers.ts';

/** Milliseconds that a finished answer waits for the server's count, and after that for the connection's end. */
const GRACE_MS = { usage: 5_000, nothing: 500 };
/** Characters of one answer, several times the longest of today's models. */
const MOST_CHARACTERS = 2_000_000;
/** Events of one answer that add nothing to it. */
const MOST_EMPTY = 50_000;

export async function* streamOnce<Narrowing>(
  options: ClientOptions,
  endpoint: Endpoint,
  request: ModelRequest,
  dialect: Dialect<Narrowing>,
  narrowing: Narrowing,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  if (signal.aborted) throw stopped();
  const watched = await watchFetch(options, request.model);
  const { origin, pathname } = below(endpoint.baseUrl, dialect.path);
  const place = watched.placeOf(`${origin}${pathname}`);
  const answer = dialect.assemble(idsIn(request), options.mintId ?? mintCallId);
  const grace = startGrace(answer, options.timers ?? systemTimers);
  const both = AbortSignal.any([signal, watched.signal, grace.signal]);
  const empty = new Allowance({ most: MOST_EMPTY, usedUp: sendsNothing(place) });
  let failure: unknown = null;
  try {
    const sending = { endpoint, fetch: watched.fetch, signal: both };
    const events = await dialect.send(dialect.encode(request, narrowing), sending);
    for await (const event of events) {
      if (isTooDeep(event)) throw tooDeep(place);
      const before = answer.characters;
      yield* answer.add(event);
      const endless = answer.characters === before ? empty.take() : null;
      if (endless) throw new ModelError('interrupted', endless, { retryable: false });
      grace.look();
      if (both.aborted) break;
      if (answer.characters > MOST_CHARACTERS) throw tooLong(place);
    }
  } catch (thrown) {
    failure = thrown;
  } finally {
    watched.end();
    grace.end();
  }
  // The client ends its loop silently when aborted, so this is checked first.
  if (signal.aborted) throw stopped();
  const fault = watched.fault();
  // Silence after the end lost nothing.
  if (fault && answer.awaits === 'answer') throw fault;

  if (answer.chunks === 0 && !failure) yield* answer.add(parseJson(watched.head()));
  if (failure instanceof ModelError) throw failure;
  const end = answer.finish();
  // A connection that breaks after the finish reason lost nothing.
  if (end.kind === 'done') yield end.event;
  else if (end.kind === 'refused') throw classifyError({ body: { error: end.error } }, place);
  else if (failure) throw faultOf(failure, watched, place);
  else if (end.kind === 'failed') throw endedBadly(end.reason, place);
  else throw answer.chunks > 0 ? cutOff(place) : noStream(watched, place);
}

/**
 * Limits the wait for the rest of a finished answer, because some servers leave the connection open. An answer that
 * continues after its finish reason has not finished, and is read to its end.
 */
function startGrace(answer: AnswerAssembler, timers: Timers) {
  const over = new AbortController();
  let cancel = () => {};
  let awaited: AnswerAssembler['awaits'] = 'answer';
  let characters = 0;
  const check = () => {
    const { awaits } = answer;
    if (awaits === 'answer') return;
    if (awaited !== 'answer' && answer.characters !== characters) {
      cancel();
      return;
    }
    if (awaits === awaited) return;
    ({ characters } = answer);
    awaited = awaits;
    cancel();
    cancel = timers.after(GRACE_MS[awaits], () => over.abort());
  };
  return { signal: over.signal, look: check, end: () => cancel() };
}

function mintCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '')}`;
}

function idsIn(request: ModelRequest): string[] {
  return request.messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.id) : [],
  );
}

/** Explains an error thrown by the loop over the stream. */
function faultOf(thrown: unknown, watched: WatchedFetch, place: RefusalPlace): ModelError {
  if (thrown instanceof SyntaxError) return classifyError({ body: lastData(watched.tail()) }, place);
  const inStream = asRecord(thrown);
  if (inStream && 'error' in inStream && 'status' in inStream && inStream.error !== undefined) {
    return classifyError({ body: { error: inStream.error } }, place);
  }
  if (watched.head() !== '') return cutOff(place, thrown);
  return classifyConnectionError(thrown, place.url);
}

/** The data of the last event, if not JSON: often an error in plain text. */
function lastData(tail: string): string {
  const lines = tail.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:'));
  return lines.at(-1)?.slice('data:'.length).trim() ?? '';
}

/** Status 200 without a stream: a web page, an error object, or nothing. */
function noStream(watched: WatchedFetch, place: RefusalPlace): ModelError {
  const head = watched.head().trim();
  if (head === '') {
    return new ModelError(
      'interrupted',
      words(
        '{0} answered with status 200 but sent nothing when asked for {1}. Try again; if it stays so, look at the server’s log.',
        place.url,
        place.model,
      ),
      { status: 200, retryable: true },
    );
  }
  if (looksLikeHtml(head)) {
    return new ModelError(
      'notFound',
      words(
        '{0} answered with a web page, not with a model’s answer. Check the endpoint’s URL; it usually ends in /v1. The page says: “{1}”',
        place.url,
        showText(readErrorBody(head).message, place.secret),
      ),
      { status: 200, retryable: false },
    );
  }
  const body = parseObject(head);
  if (body && (body.error !== undefined || asText(body.object) === 'error' || body.detail !== undefined)) {
    return classifyError({ body: head }, place);
  }
  return cutOff(place);
}

function cutOff({ url, model }: RefusalPlace, cause?: unknown): ModelError {
  return new ModelError(
    'interrupted',
    words(
      'The answer from {0} was cut off: {1} closed the connection before the end. Send the message again to continue.',
      model,
      url,
    ),
    { retryable: true, ...(cause === undefined ? {} : { cause }) },
  );
}

function tooDeep({ url, model }: RefusalPlace): ModelError {
  return new ModelError(
    'interrupted',
    words(
      'The answer from {0} cannot be read: {1} sent a message nested more than {2} levels deep.',
      model,
      url,
      DEEPEST,
    ),
  );
}

function tooLong({ url, model }: RefusalPlace): ModelError {
  return new ModelError(
    'interrupted',
    words(
      'The answer from {0} was stopped here: {1} sent more than {2} characters. What arrived is kept; ask for a shorter answer.',
      model,
      url,
      MOST_CHARACTERS.toLocaleString('en-US'),
    ),
    { retryable: false },
  );
}

function sendsNothing({ url, model }: RefusalPlace): Words {
  return words(
    'The answer from {0} was stopped here: {1} sent more than {2} messages with nothing in them. Try again, or choose another model.',
    model,
    url,
    MOST_EMPTY,
  );
}

function endedBadly(reason: string, { url, model }: RefusalPlace): ModelError {
  return new ModelError(
    'interrupted',
    words(
      '{0} ended the answer from {1} with the reason “{2}”. Send the message again to continue.',
      url,
      model,
      reason,
    ),
    { retryable: false },
  );
}

function stopped(): ModelError {
  return new ModelError('aborted', words('Stopped.'), { retryable: false });
}
