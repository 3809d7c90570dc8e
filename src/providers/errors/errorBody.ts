/**
 * Reads what a provider wrote when it refused: JSON of a dozen shapes, HTML, plain text. Pure; never throws, and what
 * comes out is short enough to be shown and holds no key.
 */

import { asRecord, asText, type Json, parseJson } from '../../core/json.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';

export interface ErrorText {
  /** The provider's own words, or stripped HTML; empty when there were none. */
  readonly message: string;
  readonly code: string;
  readonly type: string;
  /** The whole of what was said, for matching: message, code, type and a nested upstream error. */
  readonly all: string;
  /** Numbers beside the text that name the window, e.g. llama.cpp's `n_ctx`; 0 when absent. */
  readonly window: number;
}

const SHOWN_CHARACTERS = 300;

export function readErrorBody(body: string): ErrorText {
  const trimmed = body.trim();
  const parsed = parseJson(trimmed);
  if (typeof parsed === 'object' && parsed !== null) return readErrorValue(parsed);
  const message = looksLikeHtml(trimmed) ? stripHtml(trimmed) : typeof parsed === 'string' ? parsed : trimmed;
  return { message, code: '', type: '', all: message, window: 0 };
}

/** As `readErrorBody`, for a value that was already parsed (an error inside a stream). */
export function readErrorValue(value: unknown): ErrorText {
  // Gemini wraps its error in an array.
  const outer = asRecord(Array.isArray(value) ? value[0] : value) ?? {};
  const inner = asRecord(outer.error) ?? outer;
  const upstream = readUpstream(inner);
  const message = messageIn(outer, inner) || (typeof value === 'string' ? value : '');
  const code = codeOf(inner.code) || codeOf(inner.status) || codeOf(outer.code);
  const type = asText(inner.type) || asText(outer.type);
  return {
    message: upstream && isVague(message) ? upstream : message,
    code,
    type,
    all: [message, code, type, upstream].filter(Boolean).join('\n'),
    window: typeof inner.n_ctx === 'number' ? inner.n_ctx : 0,
  };
}

function messageIn(outer: Json, inner: Json): string {
  return (
    asText(inner.message) ||
    asText(outer.error) ||
    asText(outer.message) ||
    asText(outer.detail) ||
    asText(asRecord(outer.detail)?.message) ||
    asText(outer.msg) ||
    asText(outer.error_msg) ||
    asText(outer.error_description) ||
    validationIn(outer.detail) ||
    validationIn(outer.errors)
  );
}

/** FastAPI and others: a list of objects with `msg` or `message`. */
function validationIn(value: unknown): string {
  if (!Array.isArray(value)) return '';
  return value
    .map((entry) => asText(asRecord(entry)?.msg) || asText(asRecord(entry)?.message) || asText(entry))
    .filter(Boolean)
    .join('; ');
}

/** OpenRouter and other gateways keep the true error, as text, in `metadata.raw`. */
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
  return /^\s*(<!doctype html|<html|<head|<body|<\?xml)/i.test(text);
}

function stripHtml(html: string): string {
  return html
    .replace(/<(script|style|head(?!er))\b[\s\S]*?<\/\1>/gi, (whole) => /<title[^>]*>([^<]*)/i.exec(whole)?.[1] ?? ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * The provider's words as they may be shown: one line, at most 300 characters, without anything that looks like a key,
 * and with what cannot be seen spelled out.
 * `secret` is the key that was sent, if any.
 */
export function showText(text: string, secret: string | undefined): string {
  const withoutSecret = secret && secret.length >= 4 ? text.replaceAll(secret, '[key]') : text;
  const clean = withoutSecret
    .replace(/\b(?:sk|pk|rk|gsk|xai|key|AIza|nvapi|hf|fw|tgp|csk|api)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}/gi, '[key]')
    .replace(/\bBearer\s+\S+/gi, 'Bearer [key]')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const short = clean.length > SHOWN_CHARACTERS ? `${clean.slice(0, SHOWN_CHARACTERS - 1).toWellFormed()}…` : clean;
  return showInOneLine(short);
}
