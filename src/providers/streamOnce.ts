/**
 * One request and its answer, the same for every dialect. Invariant: an answer ends either with one `done` that the
 * provider really finished, or with a `ModelError`; nothing ends silently.
 */

import { Allowance } from '../core/allowance.ts';
import type { Timers } from '../core/clock.ts';
import { ModelError } from '../core/errors.ts';
import { asRecord, DEEPEST, isTooDeep } from '../core/json.ts';
import type { ModelEvent, ModelRequest } from '../core/model/modelClient.ts';
import { type Words, words } from '../core/words.ts';
import { readAnswerBody } from './answerBody.ts';
import type { ClientOptions } from './clientOptions.ts';
import type { AnswerAssembler, Dialect } from './dialect.ts';
import { below, type Endpoint } from './endpoint.ts';
import { watchFetch } from './endpointFetch.ts';
import { classifyError, type RefusalPlace } from './errors/classifyError.ts';
import { classifyConnectionError } from './errors/connectionError.ts';
import { errorIn, errorInForeign, isEmptyValue, noAnswer } from './noAnswer.ts';
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
  const other = new OtherThings();
  let isOver = false;
  let refusal: ModelError | null = null;
  let failure: unknown = null;
  try {
    const sending = { endpoint, fetch: watched.fetch, signal: both };
    const response = await dialect.send(dialect.encode(request, narrowing), sending);
    for await (const received of readAnswerBody(response.body, both)) {
      if (received.kind === 'over') isOver = true;
      if (received.kind === 'text') {
        if (received.name === 'error') refusal = noAnswer(received.text, place, answer.chunks > 0);
        else if (isBroken(received.text)) refusal = brokeOff(received.text, place, answer.chunks);
        else other.add(received.text);
      }
      if (received.kind === 'value') {
        const value = withType(received);
        if (isTooDeep(value)) throw tooDeep(place);
        const error = errorIn(value, received.name);
        const before = { chunks: answer.chunks, characters: answer.characters };
        if (error === undefined) yield* answer.add(value);
        const foreign = error === undefined && answer.chunks === before.chunks ? errorInForeign(value) : undefined;
        if ((error ?? foreign) !== undefined) refusal = noAnswer(error ?? foreign, place, before.chunks > 0);
        else if (answer.chunks === before.chunks && !isEmptyValue(value)) other.add(value);
        const endless = answer.characters === before.characters ? empty.take() : null;
        if (endless) throw new ModelError('interrupted', endless, { retryable: false });
      }
      if (refusal) break;
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
  // The loop ends silently when aborted, so this is checked first.
  if (signal.aborted) throw stopped();
  const fault = watched.fault();
  // Silence after the end lost nothing.
  if (fault && answer.awaits === 'answer') throw fault;

  if (failure instanceof ModelError) throw failure;
  const end = answer.finish(isOver);
  // A break or a refusal after the finish reason took nothing away.
  if (end.kind === 'done') yield end.event;
  else if (end.kind === 'refused') throw noAnswer({ error: end.error }, place, answer.chunks > 1);
  else if (refusal) throw refusal;
  else if (failure) throw watched.hasBegun() ? cutOff(place, failure) : classifyConnectionError(failure, place.url);
  else if (end.kind === 'failed') throw endedBadly(end.reason, place);
  else if (other.first !== undefined) throw noAnswer(other.first, place, answer.chunks > 0);
  else throw watched.hasBegun() ? cutOff(place) : sentNothing(place);
}

/** The first thing that the server said beside its answer: why there is none, as a rule. */
class OtherThings {
  first: unknown;

  add(said: unknown): void {
    this.first ??= said;
  }
}

/** In some streams only the name of an event says what it is. */
function withType({ value, name }: { readonly value: unknown; readonly name: string }): unknown {
  const record = asRecord(value);
  return record && name && record.type === undefined ? { ...record, type: name } : value;
}

/** Begins like JSON and is none. */
const isBroken = (text: string) => /^[[{]/.test(text);

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

/** Part of an event or of the whole answer is missing. */
function brokeOff(text: string, place: RefusalPlace, chunks: number): ModelError {
  if (chunks === 0) return cutOff(place);
  const error = classifyError({ body: text }, place);
  return new ModelError(error.kind, error.words, { ...error.facts, retryable: true });
}

/** Status 200 and nothing else. */
function sentNothing({ url, model }: RefusalPlace): ModelError {
  return new ModelError(
    'interrupted',
    words(
      '{0} answered with status 200 but sent nothing when asked for {1}. Try again; if it stays so, look at the server’s log.',
      url,
      model,
    ),
    { status: 200, retryable: true },
  );
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
