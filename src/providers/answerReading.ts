/**
 * Makes an answer of the pieces that arrive for one request, or the reason why there is none: each is a part of the answer,
 * an error, or something said beside it. Invariant: it ends with one `done` or throws.
 */

import { Allowance } from '../core/allowance.ts';
import { ModelError } from '../core/errors.ts';
import { formatCount } from '../core/figures.ts';
import { asRecord, DEEPEST, isTooDeep } from '../core/json.ts';
import type { ModelEvent } from '../core/model/modelClient.ts';
import { type Words, words } from '../core/words.ts';
import type { Received } from './answerBody.ts';
import { formOf, openEnvelope } from './answerForm.ts';
import type { AnswerAssembler, DoneEvent } from './dialect.ts';
import { classifyError, type RefusalPlace } from './errors/classifyError.ts';
import { classifyConnectionError } from './errors/connectionError.ts';
import { orProxy } from './errors/proxyFault.ts';
import { errorIn, errorInForeign, inOtherDialect, isEmptyValue, noAnswer } from './noAnswer.ts';
import type { EndpointDialect } from './presets.ts';

/** Characters of one answer, several times the longest of today's models. */
const MOST_CHARACTERS = 2_000_000;
/** Events of one answer that add nothing to it. */
const MOST_EMPTY = 50_000;

type Value = Extract<Received, { kind: 'value' }>;
type Text = Extract<Received, { kind: 'text' }>;

export class AnswerReading {
  readonly #answer: AnswerAssembler;
  readonly #place: RefusalPlace;
  readonly #asked: EndpointDialect;
  readonly #empty: Allowance;
  /** The server marked the end. */
  #isOver = false;
  #refusal: ModelError | null = null;
  /** The first thing that the server said beside its answer: why there is none, as a rule. */
  #aside: unknown;

  /** `asked`: the dialect that `answer` reads. */
  constructor(answer: AnswerAssembler, place: RefusalPlace, asked: EndpointDialect) {
    this.#answer = answer;
    this.#place = place;
    this.#asked = asked;
    this.#empty = new Allowance({ most: MOST_EMPTY, usedUp: sendsNothing(place) });
  }

  /** Nothing that follows is read. */
  get isRefused(): boolean {
    return this.#refusal !== null;
  }

  /** Throws `ModelError` for what cannot be read, and where nothing ever comes. */
  *take(received: Received): Generator<ModelEvent, void> {
    switch (received.kind) {
      case 'over':
        this.#isOver = true;
        return;
      case 'text':
        this.#takeText(received);
        return;
      case 'value':
        yield* this.#takeValue(received);
    }
  }

  #takeText({ text, name }: Text): void {
    const { chunks } = this.#answer;
    if (name === 'error') this.#refusal = noAnswer(text, this.#place, chunks > 0);
    else if (isBroken(text)) this.#refusal = brokeOff(text, this.#place, chunks);
    else this.#aside ??= text;
  }

  *#takeValue({ value: given, name }: Value): Generator<ModelEvent, void> {
    if (isTooDeep(given)) throw tooDeep(this.#place);
    const answer = this.#answer;
    const { chunks, characters } = answer;
    const value = withType(openEnvelope(given, name), name);
    const error = errorIn(given, name) ?? errorIn(value, name);
    if (error === undefined) yield* answer.add(value);
    const isForeign = answer.chunks === chunks;
    if (error !== undefined) this.#refusal = noAnswer(error, this.#place, chunks > 0);
    else if (isForeign) this.#takeForeign(value, chunks > 0);
    const endless = answer.characters === characters ? this.#empty.take() : null;
    if (endless) throw new ModelError('interrupted', endless, { retryable: false });
  }

  /** Takes a value that is no part of an answer in the dialect that was asked. */
  #takeForeign(value: unknown, begun: boolean): void {
    const spoken = begun ? null : formOf(value);
    const error = errorInForeign(value);
    if (error !== undefined) this.#refusal = noAnswer(error, this.#place, begun);
    else if (spoken && spoken !== this.#asked) this.#refusal = inOtherDialect(spoken, this.#asked, this.#place);
    else if (!isEmptyValue(value)) this.#aside ??= value;
  }

  /** Throws `ModelError` when the answer is longer than any. */
  checkLength(): void {
    if (this.#answer.characters > MOST_CHARACTERS) throw tooLong(this.#place);
  }

  /** `failure`: what broke the connection, or null. `hasBegun`: something arrived. Throws `ModelError` without an answer. */
  end(failure: unknown, hasBegun: boolean): DoneEvent {
    if (failure instanceof ModelError) throw failure;
    const place = this.#place;
    const { chunks } = this.#answer;
    const end = this.#answer.finish(this.#isOver);
    // A break or a refusal after the finish reason took nothing away.
    if (end.kind === 'done') return end.event;
    if (end.kind === 'refused') throw noAnswer({ error: end.error }, place, chunks > 1);
    if (this.#refusal) throw this.#refusal;
    if (failure) throw hasBegun ? cutOff(place, failure) : classifyConnectionError(failure, place.url, place.proxy);
    if (end.kind === 'failed') throw endedBadly(end.reason, place);
    if (this.#aside !== undefined) throw noAnswer(this.#aside, place, chunks > 0);
    throw hasBegun ? cutOff(place) : sentNothing(place);
  }
}

/** In some streams only the name of an event says what it is. */
function withType(value: unknown, name: string): unknown {
  const record = asRecord(value);
  // Every event without a name of its own is a `message`.
  const isNamed = name !== '' && name !== 'message';
  return record && isNamed && record.type === undefined ? { ...record, type: name } : value;
}

/** Begins like JSON and is none. */
const isBroken = (text: string) => /^[[{]/.test(text);

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

function cutOff({ url, model, proxy }: RefusalPlace, cause?: unknown): ModelError {
  return new ModelError(
    'interrupted',
    [
      ...words(
        'The answer from {0} was cut off: {1} closed the connection before the end. Send the message again to continue.',
        model,
        url,
      ),
      ...orProxy(proxy),
    ],
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
      formatCount(MOST_CHARACTERS),
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
