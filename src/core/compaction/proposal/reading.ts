/**
 * How much of each message a summary was really written from: the texts of the messages are looked for in the requests
 * that a model answered, whatever strategy sent them and however it cut them. An answer counts only where it is in the
 * result, directly or through a later request.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { isSummary } from '../draft/messageKinds.ts';
import { Passages } from './passages.ts';

/** A request to a model that was answered. */
export interface Exchange {
  /** The texts that were sent, without the system prompt. */
  readonly prompt: readonly string[];
  readonly answer: string;
}

/** A larger share counts as all of a message, and a smaller one as nothing: passages of one text are in others too. */
const ALL = 0.95;
const NONE = 0.05;

/** Shares 0–1 of the messages at the indices `gone`. `result`: the texts that stand for them. */
export function sharesRead(
  exchanges: readonly Exchange[],
  messages: readonly ContextMessage[],
  gone: readonly number[],
  result: readonly string[],
): readonly number[] {
  if (exchanges.length === 0 || gone.length === 0) return gone.map(() => 0);
  const { texts, sent } = indexTexts(exchanges, messages);
  const used = findUsed(exchanges, sent, result.map(Passages.plain));
  if (used.length === 0) return gone.map(() => 0);
  const prompts = used.flatMap((at) => sent[at] ?? []);
  const supply = sumUp(prompts.flatMap(({ passages }) => [...passages]));
  const going = gone.map((index) => texts[index] as Text);
  const demand = sumUp(going.flatMap(({ passages }) => passages.map((each) => [each, 1] as const)));
  const shares = going.map(({ passages }): number | null => {
    let [read, known] = [0, 0];
    for (const passage of passages) {
      const there = supply.get(passage) ?? 0;
      // Where several messages hold it and not all were sent, nobody knows whose it was.
      if (there > 0 && there < (demand.get(passage) ?? 0)) continue;
      known++;
      if (there > 0) read++;
    }
    return known === 0 ? null : rounded(read / known);
  });
  const isSent = searchIn(prompts, supply, going.length);
  const [before, after] = [nearest(shares), nearest(shares.toReversed()).toReversed()];
  return shares.map((share, nth) => {
    if (share !== null) return share;
    const beside = [before[nth], after[nth]].filter((each) => each !== null && each !== undefined);
    const mayBe = beside.length === 0 || beside.some((each) => each > 0);
    return mayBe && isSent(going[nth] as Text) ? 1 : 0;
  });
}

const rounded = (share: number): number => (share >= ALL ? 1 : share <= NONE ? 0 : Math.round(share * 100) / 100);

function sumUp(given: Iterable<readonly [passage: number, times: number]>): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const [passage, times] of given) sums.set(passage, (sums.get(passage) ?? 0) + times);
  return sums;
}

/** At each place the newest known share up to there. */
function nearest(shares: readonly (number | null)[]): (number | null)[] {
  let last: number | null = null;
  return shares.map((share) => {
    last = share ?? last;
    return last;
  });
}

/** Longest search for texts too short to be told from others, in characters. */
const MOST_SEARCHED = 200_000_000;

/** Whether such a text was sent somewhere. */
function searchIn(
  prompts: readonly Sent[],
  supply: ReadonlyMap<number, number>,
  most: number,
): (text: Text) => boolean {
  const size = prompts.reduce((sum, { text }) => sum + text.length, 0);
  const known = new Map<string, boolean>();
  const holds = (part: string) => {
    const found = known.get(part) ?? prompts.some(({ text }) => text.includes(part));
    known.set(part, found);
    return found;
  };
  return ({ passages, short }) =>
    passages.some((each) => supply.has(each)) || size * most > MOST_SEARCHED || short.every(holds);
}

interface Text {
  /** The numbers of its passages. */
  readonly passages: readonly number[];
  /** Its parts that are too short to have one. */
  readonly short: readonly string[];
}

interface Sent {
  /** Plain. */
  readonly text: string;
  readonly passages: ReadonlyMap<number, number>;
}

interface Indexed {
  readonly messages: readonly ContextMessage[];
  readonly texts: readonly Text[];
  /** For each exchange its texts. */
  readonly sent: readonly (readonly Sent[])[];
}

/** A person who changes a preview asks again and again. */
const known = new WeakMap<readonly Exchange[], Indexed>();

function indexTexts(exchanges: readonly Exchange[], messages: readonly ContextMessage[]): Indexed {
  const last = known.get(exchanges);
  if (last?.messages === messages && last.sent.length === exchanges.length) return last;
  const passages = new Passages();
  const texts = messages.map((message): Text => {
    const parts = partsOf(message).map(Passages.plain);
    const own = parts.map((part) => passages.add(part));
    return { passages: own.flat(), short: parts.filter((part, at) => part !== '' && own[at]?.length === 0) };
  });
  const sent = exchanges.map(({ prompt }) =>
    prompt.map((given): Sent => {
      const text = Passages.plain(given);
      return { text, passages: passages.findIn(text) };
    }),
  );
  const made = { messages, texts, sent };
  known.set(exchanges, made);
  return made;
}

/** A summary's line about itself, such as how often it was merged: it is not sent on. */
const OF_ITSELF = /^\((?:These notes were|The rest was) [^\n]*\)$/gm;

/** The texts that a message is made of. */
export function partsOf(message: ContextMessage): string[] {
  if (isSummary(message)) return [message.text.replace(OF_ITSELF, '')];
  return message.role === 'assistant'
    ? [message.text, ...message.toolCalls.map((call) => call.arguments)]
    : [message.text];
}

/** Later requests that are searched for an answer: the summary of one part is sent on with the next part. */
const NEXT = 3;

/** Indices of the exchanges whose answers are in the result, directly or through the answer to a later request. */
function findUsed(exchanges: readonly Exchange[], sent: Indexed['sent'], result: readonly string[]): number[] {
  const used: number[] = [];
  for (const [at, { answer }] of [...exchanges.entries()].reverse()) {
    const later = used.filter((next) => next <= at + NEXT).flatMap((next) => sent[next] ?? []);
    if (
      isIn(answer, result) ||
      isIn(
        answer,
        later.map(({ text }) => text),
      )
    )
      used.unshift(at);
  }
  return used;
}

/** Share of an answer, or of the text that it is in, from which on it is a part of that text. */
const IS_PART = 0.3;

/**
 * Pieces of an answer that are searched for, the first ones. Their longest length, and that from which on few other texts
 * hold them.
 */
const MOST_PIECES = 400;
const PIECE = /.{1,60}/gsu;
const TELLING = 8;

/** Whether an answer is in one of the plain texts: whole, cut, or written as text where it was JSON. */
function isIn(answer: string, texts: readonly string[]): boolean {
  if (texts.length === 0) return false;
  const all = answer.split(/[\n"{}[\],:;]+/).flatMap((part) => Passages.plain(part).match(PIECE) ?? []);
  const telling = all.filter(({ length }) => length >= TELLING);
  const pieces = (telling.length > 0 ? telling : all).slice(0, MOST_PIECES);
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return texts.some((text) => {
    const found = pieces.reduce((sum, piece) => sum + (text.includes(piece) ? piece.length : 0), 0);
    return found > 0 && found >= IS_PART * Math.min(size, text.length);
  });
}
