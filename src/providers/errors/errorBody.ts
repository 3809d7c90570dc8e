/**
 * Extracts the text of a provider's refusal: JSON of any shape, HTML, plain text. Pure; never throws. The result is
 * short enough to show and contains no key.
 */

import { asRecord, asText, type Json, listOf, parseJson } from '../../core/json.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { hideInAddresses } from '../../core/urls.ts';
import { describeEntry } from './refusedFields.ts';

export interface ErrorText {
  /**
   * The provider's own message, or stripped HTML; the JSON itself if no message was found in it. Empty without a body.
   */
  readonly message: string;
  readonly code: string;
  readonly type: string;
  /** The text for matching: message and a nested upstream error, at most about 8,000 characters, without links. */
  readonly words: string;
  /** Message and nested upstream error, whole, with links. */
  readonly full: string;
  /** `words` with code and type. */
  readonly all: string;
  /** There was no body at all. */
  readonly blank: boolean;
  /** A number next to the text that gives the window, e.g. llama.cpp's `n_ctx`; 0 when absent. */
  readonly window: number;
}

const SHOWN_CHARACTERS = 300;

/**
 * Patterns match this many characters at the beginning of a text and as many at its end: a request may be quoted in
 * between.
 */
const MATCHED_CHARACTERS = 2_000;
const LONGEST_CODE = 200;

/** More than enough to show, however much of it is white space. */
const CLEANED_CHARACTERS = 20_000;

/** Maximum depth of nested errors, and maximum number of values examined. */
const DEEPEST = 8;
const MOST_VALUES = 500;

export function readErrorBody(body: string): ErrorText {
  const trimmed = body.trim();
  const parsed = parseJson(trimmed);
  if (typeof parsed === 'object' && parsed !== null) return readErrorValue(parsed);
  const message = looksLikeHtml(trimmed) ? stripHtml(trimmed) : typeof parsed === 'string' ? parsed : trimmed;
  const words = forMatching(message);
  return { message, code: '', type: '', words, full: message, all: words, blank: trimmed === '', window: 0 };
}

/** Like `readErrorBody`, for a value that is already parsed (an error inside a stream). */
export function readErrorValue(value: unknown, depth = 0): ErrorText {
  if (typeof value === 'string') return readErrorBody(value);
  // Gemini wraps its error in an array.
  const outer = asRecord(Array.isArray(value) ? value[0] : value) ?? {};
  const inner = asRecord(outer.error) ?? outer;
  const upstream = readUpstream(inner);
  const reason = messageIn(outer, inner) || wordsIn(value) || rawOf(value);
  // Some gateways put the provider's whole error, as text, into their own message.
  const nested = depth < DEEPEST && /^\s*[[{]/.test(reason) ? parseJson(reason) : undefined;
  const within = typeof nested === 'object' && nested !== null ? readErrorValue(nested, depth + 1) : null;
  const message = within?.message || (looksLikeHtml(reason) ? stripHtml(reason) : reason);
  const code = (codeOf(inner.code) || codeOf(inner.status) || codeOf(outer.code) || textUnder(value, CODES)).slice(
    0,
    LONGEST_CODE,
  );
  const type = (asText(inner.type) || asText(outer.type) || textUnder(value, TYPES)).slice(0, LONGEST_CODE);
  const words = [forMatching(message), forMatching(upstream)].filter(Boolean).join('\n');
  return {
    message: upstream && isVague(message) ? upstream : message,
    code,
    type,
    words,
    full: [message, upstream].filter(Boolean).join('\n'),
    all: [words, code, type, within?.code, within?.type].filter(Boolean).join('\n'),
    blank: false,
    window: within?.window || windowIn(inner) || windowIn(outer),
  };
}

/** Links contain misleading words. */
function forMatching(text: string): string {
  const short =
    text.length <= 2 * MATCHED_CHARACTERS
      ? text
      : `${text.slice(0, MATCHED_CHARACTERS)}\n${text.slice(-MATCHED_CHARACTERS)}`;
  return short.replace(/https?:\/\/[^\s"'<>]+/gi, ' ');
}

function messageIn(outer: Json, inner: Json): string {
  return (
    asText(inner.message) ||
    validationIn(inner.message) ||
    asText(outer.error) ||
    asText(outer.message) ||
    asText(outer.detail) ||
    asText(asRecord(outer.detail)?.message) ||
    asText(outer.msg) ||
    asText(outer.error_msg) ||
    asText(outer.error_description) ||
    validationIn(outer.detail) ||
    validationIn(outer.errors) ||
    validationIn(outer.error)
  );
}

/** FastAPI and others: a list of objects with `msg` or `message`. */
function validationIn(value: unknown): string {
  return listOf(value)
    .map((entry) => describeEntry(asRecord(entry) ?? {}) || asText(entry))
    .filter(Boolean)
    .join('; ');
}

const CODES = /^(error_?)?code$/i;
const TYPES = /^(error_?)?type$/i;

/** Names under which errors of unknown shapes have messages, in order. */
const WORDS: readonly RegExp[] = [
  /^(error_?)?(message|msg)$/i,
  /^(status_?(?:message|msg|text)|error_?description|fault_?string)$/i,
  /^(error|reason|detail|details|description|cause|title)$/i,
];

/** The message in a value of unknown shape, under any of the usual names and at any depth. */
function wordsIn(value: unknown): string {
  for (const names of WORDS) {
    const found = textUnder(value, names);
    if (found) return found;
  }
  return '';
}

/** The first text, or list of texts, under such a name, nearest to the top. */
function textUnder(value: unknown, name: RegExp): string {
  for (const [key, held] of fieldsIn(value)) {
    const texts = listOf(held).filter((one) => typeof one === 'string');
    const text = name.test(key) ? codeOf(held) || texts.join('; ') : '';
    if (text) return text;
  }
  return '';
}

/** The fields of a value of any shape, nearest to the top first, in bounded number. */
export function* fieldsIn(value: unknown): Generator<readonly [name: string, held: unknown]> {
  let level: readonly unknown[] = [value];
  let left = MOST_VALUES;
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const fields = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.entries(each) : []));
    yield* fields.slice(0, left);
    left -= fields.length;
    if (left <= 0) return;
    level = fields.map(([, value]) => value);
  }
}

/** Empty for `{}` and the like: there is nothing to show. */
function rawOf(value: unknown): string {
  const raw = typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
  return /[\p{L}\d]/u.test(raw) ? raw : '';
}

const WINDOWS = [
  'n_ctx',
  'context_length',
  'context_window',
  'max_context_length',
  'max_model_len',
  'max_input_tokens',
];

function windowIn(record: Json): number {
  const found = WINDOWS.map((name) => record[name]).find((value) => typeof value === 'number' && value > 0);
  return typeof found === 'number' ? found : 0;
}

/** OpenRouter and other gateways keep the original error, as text, in `metadata.raw`. */
function readUpstream(inner: Json): string {
  const raw = asRecord(inner.metadata)?.raw;
  if (raw === undefined) return '';
  const text = typeof raw === 'string' ? raw : JSON.stringify(raw);
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null) return text;
  const nested = asRecord(Array.isArray(parsed) ? parsed[0] : parsed) ?? {};
  return messageIn(nested, asRecord(nested.error) ?? nested) || text;
}

function isVague(message: string): boolean {
  return message === '' || /^provider returned error\.?$/i.test(message);
}

function codeOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : asText(value);
}

export function looksLikeHtml(text: string): boolean {
  let start = text.trimStart();
  while (start.startsWith('<!--') && start.includes('-->')) start = start.slice(start.indexOf('-->') + 3).trimStart();
  return /^<(!doctype html|html|head|body|title|meta|center|div|h[1-6]|p|pre|script|style|\?xml)\b/i.test(start);
}

/** Base64 from the request, such as encrypted reasoning or an image, which some servers repeat in their refusal. */
const OPAQUE_RUN = /[A-Za-z0-9+/_=-]{100,}/g;

/**
 * The provider's message in a form fit to be shown: one line, at most 300 characters, without anything that looks like
 * a key, and with invisible characters spelled out. If it was cut, the full length is given. `secret` is the key that
 * was sent, if any.
 */
export function showText(text: string, secret: string | undefined): string {
  const clean = hideKeys(withoutSecret(text, secret).slice(0, CLEANED_CHARACTERS))
    .replace(OPAQUE_RUN, (run) => `[${run.length} characters]`)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (clean.length <= SHOWN_CHARACTERS && text.length <= CLEANED_CHARACTERS) return showInOneLine(clean);
  const length = ` … (${text.length} characters)`;
  const short = `${clean.slice(0, SHOWN_CHARACTERS - length.length).toWellFormed()}${length}`;
  return showInOneLine(short);
}

/** The text without the key that was sent, and without anything that looks like one. */
export const withoutKeys = (text: string, secret: string | undefined): string => hideKeys(withoutSecret(text, secret));

const withoutSecret = (text: string, secret: string | undefined) =>
  secret && secret.length >= 4 ? text.replaceAll(secret, '[key]') : text;

const hideKeys = (text: string) =>
  hideInAddresses(text)
    .replace(/\b(?:sk|pk|rk|gsk|xai|key|AIza|nvapi|hf|fw|tgp|csk|api)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}/gi, '[key]')
    .replace(/\bBearer\s+\S+/gi, 'Bearer [key]');

/** The text between the tags; only the title of the head, and nothing of scripts and styles. */
function stripHtml(html: string): string {
  const head = Math.max(0, html.search(/<\/head>/i));
  const title = /<title(?:\s[^<>]*)?>([^<]*)/i.exec(html.slice(0, head))?.[1] ?? '';
  const scripts = html.slice(head).split(/<\/(?:script|style)>/i);
  const texts = scripts.map((text, i) =>
    i < scripts.length - 1 ? text.replace(/<(?:script|style)\b[\s\S]*$/i, ' ') : text,
  );
  return [title, ...texts]
    .join(' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
