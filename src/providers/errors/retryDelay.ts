/**
 * How long a provider asks to wait, from its headers, from fields of its error, or from its message. Pure; undefined if
 * nothing readable says so.
 */

import { asRecord, asText } from '../../core/json.ts';
import { fieldsIn } from './errorBody.ts';

/** The parts of a refusal that may name a delay. */
export interface Refused {
  readonly headers?: { get(name: string): string | null } | undefined;
  /** The parsed body; undefined when it is not JSON. */
  readonly value: unknown;
  /** The provider's message. */
  readonly text: string;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

/** In milliseconds, from `Retry-After` and its variants, the body, then its message. */
export function readRetryDelay({ headers, value, text, now }: Refused): number | undefined {
  return readRetryAfter(headers, now) ?? findField(value, now) ?? readWords(text, now);
}

/**
 * Milliseconds until the exhausted quota is renewed, from the headers about it, or from their copy in the body
 * (OpenRouter). Such headers come with every answer, so only a rate refusal reads them.
 */
export function readRateReset({ headers, value, text, now }: Refused): number | undefined {
  const copy = headersIn(value);
  const get = (name: string) => headers?.get(name) ?? copy.get(name) ?? null;
  const resets = ALLOWANCES.flatMap(({ reset, remaining, words }) => {
    const waitMs = readMoment(get(reset) ?? '', now);
    if (waitMs === undefined) return [];
    const left = remaining && get(remaining);
    return [{ waitMs, isOver: left !== null && left !== '' && Number(left) === 0, isNamed: words.test(text) }];
  });
  const over = resets.filter(({ isOver }) => isOver);
  const named = resets.filter(({ isNamed }) => isNamed);
  const [first, ...rest] = over.length > 0 ? over : named.length > 0 ? named : resets;
  return first && rest.reduce((longest, { waitMs }) => Math.max(longest, waitMs), first.waitMs);
}

interface Allowance {
  readonly reset: string;
  readonly remaining: string;
  /** Its name in a refusal. */
  readonly words: RegExp;
}

const REQUESTS = /requests? per|\bRP[MDSH]\b|requests/i;
const TOKENS = /tokens? per|\bTP[MDSH]\b|tokens/i;
const ANY = /(?!)/;

const ALLOWANCES: readonly Allowance[] = [
  ...['requests', 'tokens'].map((what) => ({
    reset: `x-ratelimit-reset-${what}`,
    remaining: `x-ratelimit-remaining-${what}`,
    words: what === 'requests' ? REQUESTS : TOKENS,
  })),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((what) => ({
    reset: `anthropic-ratelimit-${what}-reset`,
    remaining: `anthropic-ratelimit-${what}-remaining`,
    words: what === 'requests' ? REQUESTS : TOKENS,
  })),
  ...['x-ratelimit', 'ratelimit', 'x-rate-limit'].map((prefix) => ({
    reset: `${prefix}-reset`,
    remaining: `${prefix}-remaining`,
    words: ANY,
  })),
];

function headersIn(value: unknown): ReadonlyMap<string, string> {
  const error = asRecord(asRecord(value)?.error) ?? asRecord(value);
  const headers = asRecord(asRecord(error?.metadata)?.headers) ?? {};
  return new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** Understands seconds, an HTTP date and `retry-after-ms`. */
function readRetryAfter(headers: Refused['headers'], now: number): number | undefined {
  const inMs = headers?.get('retry-after-ms')?.trim();
  if (inMs && Number(inMs) >= 0) return Math.round(Number(inMs));
  const value = headers?.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000);
  return readDuration(value) ?? untilDate(value, now);
}

/** A header or field with the time when a quota is renewed: a duration, a date, or a number of one of three kinds. */
function readMoment(text: string, now: number): number | undefined {
  const value = text.trim();
  if (value === '') return undefined;
  if (!/^\d+(\.\d+)?$/.test(value)) return readDuration(value) ?? untilDate(value, now);
  const number = Number(value);
  // A time in milliseconds, a time in seconds, or seconds from now.
  if (number > 1e12) return Math.max(0, number - now);
  if (number > 1e9) return Math.max(0, number * 1000 - now);
  return Math.round(number * 1000);
}

function untilDate(text: string, now: number): number | undefined {
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const DURATION = String.raw`(?:\d+(?:\.\d+)?(?:ms|[dhms])\s?)+`;

/** Such as `1h2m3.5s`, `20s`, `150ms`. */
function readDuration(text: string): number | undefined {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])\s?/gi)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text.trim()) return undefined;
  return Math.round(
    parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit.toLowerCase()] ?? 0), 0),
  );
}

/** Names of fields that hold a delay, and the unit of a bare number in them, in milliseconds. */
const FIELDS: readonly (readonly [name: RegExp, unit: number])[] = [
  [/^retry_?after_?(ms|milliseconds)$/i, 1],
  [/^(retry_?(after|delay|in)(_?(s|sec|seconds))?|resets_in(_seconds)?)$/i, 1_000],
];

function findField(value: unknown, now: number): number | undefined {
  for (const [key, held] of fieldsIn(value)) {
    const unit = FIELDS.find(([name]) => name.test(key))?.[1];
    const found = unit === undefined ? undefined : readField(held, unit, now);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readField(value: unknown, unit: number, now: number): number | undefined {
  // Google's `Duration`, when it is not a text.
  const { seconds, nanos = 0 } = asRecord(value) ?? {};
  if (seconds !== undefined) return Math.round(Number(seconds) * 1_000 + Number(nanos) / 1e6) || 0;
  const text = asText(value).trim();
  const number = typeof value === 'number' ? value : /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 0) return Math.round(number * unit);
  return text === '' ? undefined : (readDuration(text) ?? untilDate(text, now));
}

const SHORT = new RegExp(
  String.raw`(?:try(?:ing)? again|retry(?:ing)?|wait|available|resets?|reset)(?: again)?(?: after| in| for| about| at least|:)*\s+(?<duration>${DURATION})(?![a-z\d])`,
  'i',
);
const LONG =
  /(?:try(?:ing)? again|retry(?:ing)?|wait|available|resets?)(?: again)?(?: after| in| for| about| at least|:)*\s+(?<count>\d+(?:\.\d+)?)\s*(?<unit>milliseconds?|msecs?|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?)\b/i;
const CHINESE = /(?<count>\d+(?:\.\d+)?)\s*(?<unit>毫秒|秒|分钟|小时)\s*(?:后|之后|以后)/u;
const MOMENT =
  /(?:try again|retry|resets?|regain access)(?: after| at| on|:)*\s+(?<date>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d))/i;

const NAMED_UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(milli|msec|毫秒)/i, 1],
  [/^(s|秒)/i, 1_000],
  [/^(m|分钟)/i, 60_000],
  [/^(h|小时)/i, 3_600_000],
  [/^d/i, 86_400_000],
];

function readWords(text: string, now: number): number | undefined {
  const short = SHORT.exec(text)?.groups?.duration;
  if (short) return readDuration(short);
  const { count, unit = '' } = (LONG.exec(text) ?? CHINESE.exec(text))?.groups ?? {};
  if (count) return Math.round(Number(count) * (NAMED_UNITS.find(([name]) => name.test(unit))?.[1] ?? 1_000));
  const date = MOMENT.exec(text)?.groups?.date;
  return date ? untilDate(date, now) : undefined;
}
