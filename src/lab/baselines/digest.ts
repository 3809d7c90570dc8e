/**
 * The plain digest: above 0.8 W one user message, made without a model, replaces everything before a short tail, with a
 * fixed share for each kind of fact. It keeps names, not lines.
 */

import { findPaths, findWords, isCodeLike } from '../anchors.ts';
import { type Baseline, TRIGGER } from '../contender.ts';
import { newestToolGroups, type PreparedSession, systemLength } from '../prepareSession.ts';
import { readEditedFiles, readFields } from '../readAnchors.ts';
import { type Literal, messageTokens, type Part, range } from '../request.ts';
import { CHARACTERS_PER_TOKEN, isRealUser, type RecordedMessage } from '../session.ts';
import { hideBefore, Stubs } from './hiding.ts';

const TAIL = 0.25;
const DIGEST = 0.1;
/** After hiding, the digest follows only if the request still exceeds this share of the window. */
const STILL_OVER = 0.6;
const KEEP_GROUPS = 5;

export const digest: Baseline = (prepared, window) => {
  const state = new DigestState(prepared, window);
  return {
    request: (step) => {
      const parts = state.parts(step, (from) => range(from, step));
      if (messageTokens(prepared, parts) <= TRIGGER * window) return { parts };
      state.renew(step);
      return { parts: state.parts(step, (from) => range(from, step)) };
    },
  };
};

/** Batched hiding first; the digest only if the request then still exceeds 0.6 W. */
export const hideThenDigest: Baseline = (prepared, window) => {
  const state = new DigestState(prepared, window);
  const stubs = new Stubs(prepared);
  let border = 0;
  return {
    request: (step) => {
      const parts = () => state.parts(step, (from) => hideBefore(stubs, border, step).slice(from));
      if (messageTokens(prepared, parts()) <= TRIGGER * window) return { parts: parts() };
      border = Math.max(border, newestToolGroups(prepared, step, KEEP_GROUPS));
      if (messageTokens(prepared, parts()) > STILL_OVER * window) state.renew(step);
      return { parts: parts() };
    },
  };
};

/** A digest that stands for everything before a tail. */
export class DigestState {
  readonly #prepared: PreparedSession;
  readonly #window: number;
  readonly #share: number;
  readonly #system: number;
  #literal: Literal | null = null;
  #from: number;

  /** `share`: its size, as a share of the window. */
  constructor(prepared: PreparedSession, window: number, share = DIGEST) {
    this.#prepared = prepared;
    this.#window = window;
    this.#share = share;
    this.#system = systemLength(prepared);
    this.#from = this.#system;
  }

  parts(step: number, tail: (from: number) => Part[]): Part[] {
    const system = range(0, Math.min(this.#system, step));
    return [...system, ...(this.#literal ? [this.#literal] : []), ...tail(Math.min(this.#from, step))];
  }

  /** A new digest of the recorded messages replaces everything before the tail, which begins a group. */
  renew(step: number, tail = tailStart(this.#prepared, step, TAIL * this.#window)): void {
    // The same messages make the same text.
    if (this.#literal && tail <= this.#from) return;
    this.#from = Math.max(this.#from, tail);
    const content = writeDigest(
      this.#prepared.session.messages.slice(this.#system, this.#from),
      Math.floor(this.#share * this.#window) * CHARACTERS_PER_TOKEN,
    );
    this.#literal = { index: null, message: { role: 'user', content }, leadsTo: [] };
  }
}

/** Index where the newest whole groups of at most so many tokens begin. */
export function tailStart({ groups, groupStarts, ends }: PreparedSession, step: number, most: number): number {
  let start = step;
  for (let group = (groups[step] ?? 0) - 1; group >= 0; group--) {
    const from = groupStarts[group] ?? 0;
    if ((ends[step] ?? 0) - (ends[from] ?? 0) > most) break;
    start = from;
  }
  return start;
}

/** The text of a digest of at most `most` characters. */
export function writeDigest(messages: readonly RecordedMessage[], most: number): string {
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  const users = messages.filter(isRealUser).map((message) => message.content);
  const seen = newestFirst(messages.flatMap((message) => [...pathsOf(message)]));
  const changed = newestFirst(calls.flatMap(readEditedFiles));
  const commands = calls.flatMap((call) => commandOf(call.function.arguments));
  const errors = messages.flatMap((message) => (message.role === 'tool' ? errorLines(message.content) : []));
  const quotes = messages.flatMap((message) =>
    message.role === 'assistant' && message.content ? [message.content] : [],
  );
  const plan = calls.findLast((call) => /todo|plan/i.test(call.function.name))?.function.arguments;
  const share = (percent: number) => Math.floor((most * percent) / 100);
  const facts = [
    section('What the user said', [...users.slice(0, 1), ...users.slice(1).reverse()], share(30), '\n'),
    section('Files changed', changed, share(10), '\n'),
    section('Files seen', seen, share(14), '\n'),
    section('Commands', newestFirst(commands), share(12), '\n'),
    section('Identifiers', identifiers(messages), share(14), ' '),
    section('Errors', newestFirst(errors), share(8), '\n'),
    section('What was said', newestFirst(quotes), share(12), '\n'),
  ].filter((text) => text !== '');
  // The plan has no share of its own: it takes the remainder.
  const left = most - facts.join('\n\n').length - 2;
  return [...facts, ...(plan ? [section('Plan', [plan], left, '\n')] : [])].join('\n\n').slice(0, most);
}

function section(title: string, entries: readonly string[], most: number, between: string): string {
  let text = '';
  for (const entry of entries) {
    const left = most - title.length - 5 - text.length;
    if (left <= 0) break;
    text += `${entry.slice(0, left)}${between}`;
  }
  return text === '' ? '' : `## ${title}\n${text.trimEnd()}`;
}

function newestFirst(entries: readonly string[]): string[] {
  return [...new Set(entries.toReversed())];
}

function* pathsOf(message: RecordedMessage): Generator<string> {
  for (const { function: made } of message.tool_calls ?? []) {
    for (const { use, text } of readFields(made.arguments)) {
      if (use === 'place') yield text;
      else if (use === 'other') for (const segments of findPaths(text)) yield segments.join('/');
    }
  }
}

function commandOf(args: string): string[] {
  return readFields(args).flatMap(({ use, text }) =>
    use === 'other' && /\s/.test(text) && !text.includes('\n') ? [text.slice(0, 200)] : [],
  );
}

function errorLines(content: string): string[] {
  return content
    .split('\n')
    .flatMap((line) =>
      /\b(?:error|fail(?:ed|ure)?|panic|exception)\b/i.test(line) ? [line.trim().slice(0, 200)] : [],
    );
}

/** Code-like words, ranked by frequency and recency. */
function identifiers(messages: readonly RecordedMessage[]): string[] {
  const weights = new Map<string, number>();
  for (const [i, message] of messages.entries()) {
    const texts = [message.content, ...(message.tool_calls ?? []).map((call) => call.function.arguments)];
    const own = message.role === 'tool' ? 1 : 3;
    for (const text of texts) {
      for (const word of findWords(text)) {
        if (isCodeLike(word)) weights.set(word, (weights.get(word) ?? 0) + own * (0.5 + i / messages.length));
      }
    }
  }
  return [...weights].sort((a, b) => b[1] - a[1]).map(([word]) => word);
}
