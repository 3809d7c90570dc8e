/**
 * Splits thinking off the text of an answer while it arrives, for every kind of model alike. The end decides: `done` has
 * the text as `splitThinking` reads it whole, and what was shown before may have been more careful.
 */

import { findCode, isWithin } from './codeRanges.ts';
import type { ModelClient, ModelEvent, ModelRequest } from './modelClient.ts';
import { findMark, IN_TEXT, isMentioned, type Mark, splitThinking, withThinkingApart } from './thinking.ts';

/** The client, with answers whose text holds no thinking. */
export function thinkingApartIn(client: ModelClient): ModelClient {
  const { endpoint, count } = client;
  return {
    endpoint,
    ...(count && { count }),
    stream: (request: ModelRequest, signal: AbortSignal) => thinkingApart(client.stream(request, signal)),
  };
}

/** The events of one answer. What is held back when it breaks off follows before the error. */
export async function* thinkingApart(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  const text = new ThinkingStream();
  try {
    for await (const event of events) {
      if (event.type === 'text') yield* text.push(event.delta);
      else if (event.type === 'done') {
        yield* text.end();
        yield withThinkingApart(event);
      } else yield event;
    }
  } catch (thrown) {
    yield* text.end();
    throw thrown;
  }
}

/** Characters in which a mark is complete. */
const LONGEST_MARK = 120;
/** Blank characters before an answer that are held back. */
const MOST_BLANK = 2_000;
/** Characters before a mark that show its sentence. */
const FAR = 200;
const MAY_MENTION = /[ \t"'“‘«「『(`]$/;
/** Beginnings in the answer that are examined: each needs the whole text. */
const MOST_EXAMINED = 20;

/** The beginning of a mark, up to the end of the text. */
const OPEN_MARK =
  /(?:<\/?(?:[a-z]\w{0,20}:)?[a-z]{0,10}|<\/?(?:[a-z]\w{0,20}:)?(?:think|thinking|thoughts?|reasoning|scratchpad)[^<>]*|<\/?\|?[a-z_]*\|?|<\|(?:start|end|channel)[^\n{]*|<\|?channel\|?>?[a-z]*|\[\/?[a-z]*|\[unused1?\d?|◁\/?[a-z]*|<unused9\d?)$/i;
const WORDS = ['here is my thought process:', 'here’s my thought process:', "here's my thought process:", 'analysisw'];
const END_WORDS = /h(e(r(e([’' ]\S*( my?( \w*)?)?)?)?)?)?$|a(s\w*)?$/i;

/** Bounded by the marks that it holds back; each character is read a few times. */
class ThinkingStream {
  #state: 'start' | 'thinking' | 'answer' = 'start';
  /** Not yet passed on. */
  #held = '';
  /** The text before it. */
  #passed = '';
  /** The end of what was read, so that a mark is seen in its sentence. */
  #tail = '';
  /** A beginning was seen, so that an end alone means nothing. */
  #begun = false;
  /** The thinking began with words, and so ends with words. */
  #inWords = false;
  #examined = 0;

  push(delta: string): ModelEvent[] {
    this.#held += delta;
    return this.#read(false);
  }

  end(): ModelEvent[] {
    return this.#read(true);
  }

  #read(isOver: boolean): ModelEvent[] {
    const events: ModelEvent[] = [];
    for (let before = ''; this.#held !== '' && before !== `${this.#state} ${this.#held.length}`; ) {
      before = `${this.#state} ${this.#held.length}`;
      if (this.#state === 'start') this.#begin(isOver);
      else if (this.#state === 'thinking') this.#think(isOver, events);
      else this.#answer(isOver, events);
    }
    return events;
  }

  /** Nothing but thinking came before. */
  #begin(isOver: boolean): void {
    const text = this.#held.trimStart();
    const mark = text === '' ? null : findMark(text.slice(0, LONGEST_MARK), 0);
    if (mark?.start === 0 && mark.kind !== 'end') {
      this.#inWords = mark.words;
      this.#begun = true;
      if (mark.kind === 'begin') this.#state = 'thinking';
      this.#skip(this.#held.length - text.length + mark.end);
    } else if (isOver || !mayBecomeMark(text) || this.#held.length > MOST_BLANK) {
      // Blank lines between thinking and answer belong to neither.
      if (this.#begun && text !== '') this.#skip(this.#held.length - text.length);
      this.#state = 'answer';
    }
  }

  #think(isOver: boolean, events: ModelEvent[]): void {
    const end = this.#findEnd(isOver);
    const until = end ? end.start : isOver ? this.#held.length : this.#safeLength();
    this.#pass(until, 'reasoning', events);
    // The next character tells.
    if (!end || (!isOver && end.end - end.start === this.#held.length && MAY_MENTION.test(this.#tail))) return;
    this.#skip(end.end - end.start);
    this.#state = 'start';
  }

  /** The first end that is not only quoted. */
  #findEnd(isOver: boolean): Mark | null {
    const text = this.#tail + this.#held;
    for (let from = this.#tail.length; ; ) {
      const mark = findMark(text, from);
      if (!mark) return null;
      from = mark.end;
      if (mark.kind !== 'end' || mark.words !== this.#inWords) continue;
      const isQuoted = text.charAt(mark.start - 1) === '`' || (!this.#inWords && isMentioned(text, mark));
      if (!isQuoted || (!isOver && mark.end === text.length))
        return { ...mark, start: mark.start - this.#tail.length, end: mark.end - this.#tail.length };
    }
  }

  /** Text, until a mark shows that it was thinking, or that thinking follows. */
  #answer(isOver: boolean, events: ModelEvent[]): void {
    const mark = this.#examined < MOST_EXAMINED ? findMark(this.#held, 0) : null;
    if (!mark) {
      this.#pass(isOver ? this.#held.length : this.#safeLength(), 'text', events);
      return;
    }
    // The text behind it shows whether it is only mentioned.
    if (!isOver && /^[ \t]*$/.test(this.#held.slice(mark.end))) {
      this.#pass(mark.start, 'text', events);
      return;
    }
    this.#examined++;
    const whole = this.#passed + this.#held;
    const at = { ...mark, start: this.#passed.length + mark.start, end: this.#passed.length + mark.end };
    if (mark.kind === 'end' && !this.#begun && this.#wasThinking(whole, at)) {
      if (this.#passed !== '') events.push({ type: 'wasThinking', field: IN_TEXT });
      this.#pass(mark.start, 'reasoning', events);
      this.#skip(mark.end - mark.start);
      this.#begun = true;
      this.#state = 'start';
    } else if (mark.kind === 'begin' && beginsThinking(whole, at)) {
      this.#pass(mark.start, 'text', events);
      this.#skip(mark.end - mark.start);
      this.#begun = true;
      this.#state = 'thinking';
    } else {
      this.#begun ||= mark.kind === 'begin';
      this.#pass(mark.end, 'text', events);
    }
  }

  #wasThinking(whole: string, { end }: Mark): boolean {
    const next = whole.slice(end).search(/\S|\n/);
    const { answer } = splitThinking(next < 0 ? whole : whole.slice(0, end + next + 1));
    return answer.trim().length <= 1;
  }

  #pass(length: number, type: 'text' | 'reasoning', events: ModelEvent[]): void {
    const delta = this.#held.slice(0, length);
    this.#skip(length);
    if (delta === '') return;
    if (type === 'text') this.#passed += delta;
    events.push(type === 'text' ? { type, delta } : { type, delta, field: IN_TEXT });
  }

  #skip(length: number): void {
    this.#tail = (this.#tail + this.#held.slice(0, length)).slice(-FAR);
    this.#held = this.#held.slice(length);
  }

  /** Without what may be the beginning of a mark. */
  #safeLength(): number {
    const tail = this.#held.slice(-LONGEST_MARK);
    const open = OPEN_MARK.exec(tail) ?? (this.#inWords ? END_WORDS.exec(tail) : null);
    return open ? this.#held.length - tail.length + open.index : this.#held.length;
  }
}

function mayBecomeMark(text: string): boolean {
  if (text === '') return true;
  if (text.length > LONGEST_MARK) return false;
  const words = text.toLowerCase();
  return OPEN_MARK.exec(text)?.index === 0 || WORDS.some((each) => each.startsWith(words));
}

/** At the beginning of a line, and not in code. */
function beginsThinking(text: string, { start, end }: Mark): boolean {
  if (!/\n[ \t]*$/.test(text.slice(Math.max(0, start - 200), start)) || /^[ \t]/.test(text.slice(end, end + 1)))
    return false;
  const lastFence = text.slice(0, start);
  return !isWithin(findCode(text), start) && !isInOpenFence(lastFence);
}

/** A fence that nothing closes yet. */
function isInOpenFence(text: string): boolean {
  const closed = findCode(`${text}\n`).length;
  return findCode(`${text}\n\`\`\`\n`).length > closed || findCode(`${text}\n~~~\n`).length > closed;
}
