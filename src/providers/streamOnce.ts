/**
 * One request and its answer, the same for every dialect. Invariant: an answer ends either with one `done` that the
 * provider really finished, or with a `ModelError`; nothing ends silently.
 */

import type { Timers } from '../core/clock.ts';
import { ModelError } from '../core/errors.ts';
import type { ModelEvent, ModelRequest } from '../core/model/modelClient.ts';
import { words } from '../core/words.ts';
import { readAnswerBody } from './answerBody.ts';
import { AnswerReading } from './answerReading.ts';
import type { ClientOptions } from './clientOptions.ts';
import type { AnswerAssembler, Dialect } from './dialect.ts';
import { below, type Endpoint } from './endpoint.ts';
import { dialectOf, watchFetch } from './endpointFetch.ts';
import { systemTimers } from './timers.ts';

/** Milliseconds that a finished answer waits for the server's count, and after that for the connection's end. */
const GRACE_MS = { usage: 5_000, nothing: 500 };

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
  const reading = new AnswerReading(answer, place, dialectOf(options));
  const grace = startGrace(answer, options.timers ?? systemTimers);
  const both = AbortSignal.any([signal, watched.signal, grace.signal]);
  let failure: unknown = null;
  try {
    const sending = { endpoint, fetch: watched.fetch, signal: both };
    const response = await dialect.send(dialect.encode(request, narrowing), sending);
    for await (const received of readAnswerBody(response.body, both)) {
      yield* reading.take(received);
      if (reading.isRefused) break;
      grace.look();
      if (both.aborted) break;
      reading.checkLength();
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
  yield reading.end(failure, watched.hasBegun());
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

function stopped(): ModelError {
  return new ModelError('aborted', words('Stopped.'), { retryable: false });
}
