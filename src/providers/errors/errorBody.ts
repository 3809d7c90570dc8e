/**
 * Reads what a provider wrote when it refused: JSON of a dozen shapes, HTML, plain text. Pure; never throws, and what
 * comes out is short enough to be shown and holds no key.
 */

import { hideInAddresses } from '../../core/hideInAddresses.ts';
import { asRecord, asText, type Json, parseJson } from '../../core/json.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';

export interface ErrorText {
  /** The provider's own words, or stripped HTML; empty when there were none. */
  readonly message: string;
  readonly code: string;
  readonly type: string;
  /** What was said, for matching: message, code, type and a nested upstream error, at most some 9,000 characters. */
  readonly all: string;
  /** Numbers beside the text that name the window, e.g. llama.cpp's `n_ctx`; 0 when absent. */
  readonly window: number;
}

const SHOWN_CHARACTERS = 300;
/** Patterns look at this much of the beginning of a text and as much of its end: a request may be quoted in between. */
const MATCHED_CHARACTERS = 2_000;
const LONGEST_CODE = 200;
/** More than enough for what is shown, however much of it is white space. */
const CLEANED_CHARACTERS = 20_000;

export function readErrorBody(body: string): ErrorText {
  const trimmed = body.trim();
  const parsed = parseJson(trimmed);
  if (typeof parsed === 'object' && parsed !== null) return readErrorValue(parsed);
  const message = looksLikeHtml(trimmed) ? stripHtml(trimmed) : typeof parsed === 'string' ? parsed : trimmed;
  return { message, code: '', type: '', all: forMatching(message), window: 0 };
}

/** As `readErrorBody`, for a value that was already parsed (an error inside a stream). */
export function readErrorValue(value: unknown): ErrorText {
  // Gemini wraps its error in an array.
  const outer = asRecord(Array.isArray(value) ? value[0] : value) ?? {};
  const inner = asRecord(outer.error) ?? outer;
  const upstream = readUpstream(inner);
  const message = messageIn(outer, inner) || (typeof value === 'string' ? value : '');
  const code = (codeOf(inner.code) || codeOf(inner.status) || codeOf(outer.code)).slice(0, LONGEST_CODE);
  const type = (asText(inner.type) || asText(outer.type)).slice(0, LONGEST_CODE);
  return {
    message: upstream && isVague(message) ? upstream : message,
    code,
    type,
    all: [forMatching(message), code, type, forMatching(upstream)].filter(Boolean).join('\n'),
    window: typeof inner.n_ctx === 'number' ? inner.n_ctx : 0,
  };
}

function forMatching(text: string): string {
  if (text.length <= 2 * MATCHED_CHARACTERS) return text;
  return `${text.slice(0, MATCHED_CHARACTERS)}\n${text.slice(-MATCHED_CHARACTERS)}`;
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

/** The text between the tags; of the head and of scripts only a title. Each character is looked at once. */
function stripHtml(html: string): string {
  const parts: string[] = [];
  const unclosed = new Set<string>();
  let at = 0;
  for (let tag = nextTag(html, at); tag; tag = nextTag(html, at)) {
    parts.push(html.slice(at, tag.start));
    at = tag.end;
    if (!UNREAD.has(tag.name) || unclosed.has(tag.name)) continue;
    const end = endOf(html, tag.name, tag.end);
    if (end === null) {
      unclosed.add(tag.name);
    } else {
      if (tag.name === 'head') parts.push(titleIn(html.slice(tag.end, end)));
      at = end;
    }
  }
  parts.push(html.slice(at));
  return parts
    .join(' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const UNREAD: ReadonlySet<string> = new Set(['script', 'style', 'head']);

interface Tag {
  /** In lower case; a closing tag's begins with a slash. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Null when no whole tag follows. */
function nextTag(html: string, from: number): Tag | null {
  const start = html.indexOf('<', from);
  const close = start === -1 ? -1 : html.indexOf('>', start);
  if (close === -1) return null;
  const name = /^<(\/?[a-z0-9]*)/i.exec(html.slice(start, start + 20))?.[1] ?? '';
  return { name: name.toLowerCase(), start, end: close + 1 };
}

/** After the closing tag; null when there is none. */
function endOf(html: string, name: string, from: number): number | null {
  const closing = new RegExp(`</${name}>`, 'gi');
  closing.lastIndex = from;
  return closing.test(html) ? closing.lastIndex : null;
}

function titleIn(head: string): string {
  const start = head.search(/<title[\s>]/i);
  const open = start === -1 ? -1 : head.indexOf('>', start);
  if (open === -1) return '';
  const end = head.indexOf('<', open);
  return head.slice(open + 1, end === -1 ? head.length : end);
}

/**
 * The provider's words as they may be shown: one line, at most 300 characters, without anything that looks like a key,
 * and with what cannot be seen spelled out. Where they were cut, the length of the whole is told.
 * `secret` is the key that was sent, if any.
 */
export function showText(text: string, secret: string | undefined): string {
  const withoutSecret = secret && secret.length >= 4 ? text.replaceAll(secret, '[key]') : text;
  const clean = hideInAddresses(withoutSecret.slice(0, CLEANED_CHARACTERS))
    .replace(/\b(?:sk|pk|rk|gsk|xai|key|AIza|nvapi|hf|fw|tgp|csk|api)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}/gi, '[key]')
    .replace(/\bBearer\s+\S+/gi, 'Bearer [key]')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (clean.length <= SHOWN_CHARACTERS && text.length <= CLEANED_CHARACTERS) return showInOneLine(clean);
  const length = ` … (${text.length} characters)`;
  const short = `${clean.slice(0, SHOWN_CHARACTERS - length.length).toWellFormed()}${length}`;
  return showInOneLine(short);
}
