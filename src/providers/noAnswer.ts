/**
 * Reads what a server sent under status 200 instead of an answer: an error in one of the many forms of gateways, a web page,
 * a text. Each is classified and quoted like a refusal; only what is empty, cut or called temporary is worth another try.
 */

import { ModelError } from '../core/errors.ts';
import { asRecord, asText, type Json } from '../core/json.ts';
import { words } from '../core/words.ts';
import { classifyError, type RefusalPlace } from './errors/classifyError.ts';
import { looksLikeHtml, readErrorBody, readErrorValue, showText } from './errors/errorBody.ts';
import type { EndpointDialect } from './presets.ts';

/** The error that a value is, in the form that `classifyError` takes; undefined for any other value. */
export function errorIn(value: unknown, name: string): unknown {
  const record = asRecord(value);
  if (!record) return undefined;
  const { error, type, base_resp: base } = record;
  if (isFilled(error)) return record;
  if (type === 'error' || name === 'error') return { error: record };
  // MiniMax: 0 is no error.
  const { status_code: code, status_msg: message } = asRecord(base) ?? {};
  if (isFilled(code) && !hasChoice(record)) return { error: { code, message } };
  return undefined;
}

/** Like `errorIn`, for a value that is no part of an answer. */
export function errorInForeign(value: unknown): unknown {
  const record = asRecord(value);
  if (!record) return undefined;
  const { object, status, success, detail, errors, code, message, msg } = record;
  const isError =
    object === 'error' ||
    status === 'error' ||
    success === false ||
    isFilled(detail) ||
    isFilled(errors) ||
    (isFilled(code) && (message !== undefined || msg !== undefined));
  return isError ? record : undefined;
}

/** True for values that servers send to keep a connection open, and for chunks with nothing in them. */
export function isEmptyValue(value: unknown): boolean {
  const record = asRecord(value);
  if (!record) return true;
  return record.type === 'ping' || isEmptyChunk(record) || readErrorValue(record).message === '';
}

const isEmptyChunk = (record: Json) => 'choices' in record && !hasChoice(record);

const hasChoice = ({ choices }: Json) => Array.isArray(choices) && choices.length > 0;

/** False for nothing, for zeros and words of success, and for what consists of them: many servers send one with each answer. */
function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return !NO_ERROR.test(value.trim());
  if (typeof value !== 'object' || value === null) return !NOTHING.has(value);
  const record = asRecord(value);
  if (record && [record.code, record.status, record.type].some((told) => SUCCESS.test(asText(told).trim())))
    return false;
  return Object.entries(value).some(([name, held]) => !BESIDE.test(name) && isFilled(held));
}

const SUCCESS =
  /^(?:(?:request )?success(?:ful(?:ly)?)?|succeeded|ok(?:ay)?|no[ _-]?errors?|(?:请求|操作|调用)?成功)[.!。！]?$/i;
const NO_ERROR = new RegExp(`^(?:|0+|200|null|none|nil|undefined|false|n/a|-)$|${SUCCESS.source}`, 'i');
/** Fields of an error that say nothing about it. */
const BESIDE = /^(?:(?:request|trace|log|session)_?id|id|time(?:stamp)?|retryable)$/i;

const NOTHING: ReadonlySet<unknown> = new Set([undefined, null, false, 0, 200]);

/**
 * `body` is the text, or the value that `errorIn` found. `begun`: it came after a part of the answer.
 */
export function noAnswer(body: unknown, place: RefusalPlace, begun: boolean): ModelError {
  const text = typeof body === 'string' ? readErrorBody(body) : readErrorValue(body);
  const said = showText(text.message, place.secret);
  if (!begun && typeof body === 'string' && looksLikeHtml(body)) {
    return new ModelError(
      'notFound',
      words(
        '{0} answered with a web page, not with a model’s answer. Check the endpoint’s URL; it usually ends in /v1. The page says: “{1}”',
        place.url,
        said,
      ),
      { status: 200, retryable: false },
    );
  }
  const error = classifyError({ body }, place);
  if (error.kind !== 'interrupted') return error;
  const facts = { ...error.facts, retryable: PASSING.test(text.all) };
  if (begun || facts.retryable) return new ModelError(error.kind, error.words, facts);
  return new ModelError(
    error.kind,
    words(
      '{0} answered with status 200, but not with an answer from {1}. It said: “{2}” If that does not help, check the endpoint’s URL and its dialect.',
      place.url,
      place.model,
      said,
    ),
    { ...facts, status: 200 },
  );
}

/** A good answer that is read by the rules of another dialect. */
export function inOtherDialect(
  spoken: EndpointDialect,
  asked: EndpointDialect,
  { url, model }: RefusalPlace,
): ModelError {
  return new ModelError(
    'interrupted',
    words(
      '{0} sent an answer from {1} in the dialect “{2}”; the endpoint is set to “{3}”. Set "dialect": "{2}" for this endpoint in the setting palimpsest.endpoints, then send the message again.',
      url,
      model,
      spoken,
      asked,
    ),
    { status: 200, retryable: false },
  );
}

/** The server itself failed, or asks for patience. */
const PASSING =
  /server.?error|internal.?error|api_error|crash|temporar|try again|retry (after|later)|again later|timed?.?out|unavailable|overload|disconnect|connection.{0,20}(reset|refused|closed|error|lost)|系统(错误|繁忙|异常)|稍后|重试|超时/i;
