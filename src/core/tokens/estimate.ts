/**
 * Estimates the tokens of a text or message without a vocabulary: heuristics that know CJK, never throw, and never take
 * long on odd input. Estimates are uncalibrated; `calibrate.ts` fits them to the usage that a model reports.
 */

import { estimateTokenCount } from 'tokenx';
import type { Timers } from '../clock.ts';
import { frameOf } from '../context/frames.ts';
import { attachmentTokens, type Context, openLoop } from '../context/item.ts';
import { type Message, opaqueLength, type Reasoning, reasoningFor } from '../context/message.ts';

/** The cost of role, separators and the framing of calls, in addition to the text. */
export const MESSAGE_OVERHEAD = 4;
const CALL_OVERHEAD = 8;

type CountTokens = (text: string) => number;

/** Longer texts are counted in slices, so that the count is always the same. */
const SLICE = 65_536;

/** How far back from the end of a slice to look for a space. */
const LONGEST_WORD = 1_024;

export const countTokens: CountTokens = (text) => {
  if (text.length <= SLICE) return estimateTokenCount(text);
  let tokens = 0;
  for (const slice of slicesOf(text)) tokens += estimateTokenCount(slice);
  return tokens;
};

/** Slices of the text that end after a space where possible: their tokens add up to those of the whole. */
export function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + SLICE);
    if (end < text.length) {
      const least = end - LONGEST_WORD;
      let at = end;
      while (at > least && !(isSpace(text, at - 1) && !isSpace(text, at))) at--;
      end = at > least ? at : end - (isHighSurrogate(text, end - 1) ? 1 : 0);
    }
    yield text.slice(start, end);
    start = end;
  }
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}

/** The Pi-style estimator: characters / 2, and 4 for the message; nothing else counts. */
export function countHalfCharacters(message: Message): number {
  let characters = message.text.length;
  if (message.role === 'assistant' && !message.interrupted) {
    for (const call of message.toolCalls ?? []) characters += call.arguments.length;
  }
  return MESSAGE_OVERHEAD + Math.floor(characters / 2);
}

const HAN = /\p{Script=Han}/gu;
const WORD = /(?:(?!\p{Script=Han})[\p{L}\p{N}_])+/gu;

/** Counting letter by letter is expensive, and a message never changes. */
const mixed = new WeakMap<Message, number>();

/** The other Pi-style estimator: 1.5 for a Chinese character, 1.3 for a word, and 4 for the message. */
export function countMixedText(message: Message): number {
  const known = mixed.get(message);
  if (known !== undefined) return known;
  const calls = message.role === 'assistant' && !message.interrupted ? (message.toolCalls ?? []) : [];
  let [characters, words] = [0, 0];
  for (const text of [message.text, ...calls.map((call) => call.arguments)]) {
    characters += text.match(HAN)?.length ?? 0;
    words += text.match(WORD)?.length ?? 0;
  }
  const tokens = MESSAGE_OVERHEAD + Math.round(characters * 1.5 + words * 1.3);
  mixed.set(message, tokens);
  return tokens;
}

/** The whole message as sent: text, arguments, reasoning returned to the model, attachments. */
export function estimateMessage(message: Message, count: CountTokens = countTokens): number {
  switch (message.role) {
    case 'user':
      return MESSAGE_OVERHEAD + count(message.text) + count(frameOf(message.kind)) + attachmentTokens(message);
    case 'assistant': {
      let tokens = MESSAGE_OVERHEAD + count(message.text);
      const calls = message.interrupted ? [] : (message.toolCalls ?? []);
      for (const call of calls) tokens += CALL_OVERHEAD + count(call.name) + count(call.arguments);
      if (message.reasoning && calls.length) tokens += count(message.reasoning.text);
      return tokens;
    }
    case 'tool':
      return MESSAGE_OVERHEAD + count(message.text) + attachmentTokens(message);
  }
}

/** The longest start of `text` worth at most `tokens`; never splits a surrogate pair. */
export function takeTokens(text: string, tokens: number, count: CountTokens = countTokens): string {
  if (tokens <= 0) return '';
  // Every estimator counts less than three tokens a character, so the budget never needs a longer start.
  let low = 0;
  let high = Math.min(text.length, tokens * 16);
  if (count(text.slice(0, high)) <= tokens) return wellFormedStart(text, high);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (count(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle;
  }
  return wellFormedStart(text, low);
}

/** The first `length` characters, one less when that would split a surrogate pair. */
export function wellFormedStart(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, length < text.length && last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** The last `length` characters, one less when that would split a surrogate pair. */
export function wellFormedEnd(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  const first = text.charCodeAt(start);
  return text.slice(start > 0 && first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}

/** The overhead of encryption, as far as it can be seen from outside. */
const HEADER_BYTES = 650;
const BYTES_PER_TOKEN = 4;

export function opaqueTokens(reasoning: Pick<Reasoning, 'items'>): number {
  const bytes = (opaqueLength(reasoning) * 3) / 4;
  return bytes === 0 ? 0 : Math.max(1, Math.round((bytes - HEADER_BYTES) / BYTES_PER_TOKEN));
}

/** For the calls of the unfinished turn. The estimates of the items exclude it. */
export function opaqueTokensInLoop({ conversation, configured = null }: Context): number {
  let tokens = 0;
  for (const { message } of openLoop(conversation)) {
    const reasoning = message.role === 'assistant' ? reasoningFor(message, configured) : null;
    if (reasoning) tokens += opaqueTokens(reasoning);
  }
  return tokens;
}

/** Same result as `countTokens`. */
export async function countInTurns(text: string, timers: Timers): Promise<number> {
  let tokens = 0;
  let begun = false;
  for (const slice of slicesOf(text)) {
    if (begun) await new Promise<void>((resolve) => timers.after(0, resolve));
    begun = true;
    tokens += countTokens(slice);
  }
  return tokens;
}

/** Same result as `estimateMessage`. */
export async function estimateInTurns(message: Message, timers: Timers): Promise<number> {
  const known = new Map<string, number>();
  for (const text of textsOf(message)) known.set(text, await countInTurns(text, timers));
  return estimateMessage(message, (text) => known.get(text) ?? countTokens(text));
}

/** The texts that may be long. */
function textsOf(message: Message): readonly string[] {
  if (message.role !== 'assistant') return [message.text];
  const { text, reasoning, toolCalls = [] } = message;
  return [text, ...(reasoning ? [reasoning.text] : []), ...toolCalls.map((call) => call.arguments)];
}
