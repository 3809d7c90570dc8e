/**
 * The texts that were put into a message field of this window from elsewhere: pasted, dropped, or left in a draft with such
 * a text by an earlier window. What a message has of them is not the person's own words. A sentence or line that the person
 * changes becomes theirs.
 */

import { joinStretches, type Stretch } from '../../core/context/authorship.ts';
import type { TextPart } from '../../core/context/message.ts';

/** The newest are remembered. */
const MOST_TEXTS = 200;
const MOST_CHARACTERS = 4_000_000;

/** With more pieces of others in one message, none of it is the person's. */
const MOST_PIECES = 3_000;

/** Where sentences are looked for that are not a whole line, from the beginning and from the end. */
const LOOKED_AT = 20_000;
const LETTER = /\p{L}/u;
const INSIDE_WORD = /[\p{L}\p{N}_]/u;

export class PastedTexts {
  #texts: readonly string[] = [];

  add(text: string): void {
    const texts = [...this.#texts, text.replace(/\r\n?/g, '\n')].slice(-MOST_TEXTS);
    let room = MOST_CHARACTERS;
    const from = texts.findLastIndex(({ length }) => {
      room -= length;
      return room < 0;
    });
    this.#texts = texts.slice(from + 1);
  }

  /** `others`: further texts that are not the person's. Undefined where all of the message is the person's. */
  partsOf(message: string, others: readonly string[] = []): readonly TextPart[] | undefined {
    const lines = new Set(message.split('\n').map((line) => line.trim()));
    const ends = [message.slice(0, LOOKED_AT), message.slice(-LOOKED_AT)].join('\n');
    const pieces = new Set([...this.#texts, ...others].flatMap((text) => piecesOf(text, message, lines, ends)));
    if (pieces.size > MOST_PIECES) return joinStretches([{ by: 'pasted', text: message }]).parts;
    return joinStretches(stretchesWith(message, pieces)).parts;
  }
}

/** The pieces of the text that the message has: all of it, or its lines and sentences. */
function piecesOf(text: string, message: string, lines: ReadonlySet<string>, ends: string): readonly string[] {
  const whole = text.trim();
  if (whole === '') return [];
  if (message.includes(whole)) return [whole];
  const isThere = (piece: string) => LETTER.test(piece) && (lines.has(piece) || ends.includes(piece));
  return whole.split('\n').flatMap((each) => {
    const line = each.trim();
    if (isThere(line)) return [line];
    return line.split(/(?<=[.!?。！？；])\s*/u).filter((sentence) => sentence !== line && isThere(sentence));
  });
}

function stretchesWith(message: string, pieces: Iterable<string>): readonly Stretch[] {
  const spans: { from: number; to: number }[] = [];
  for (const piece of pieces) {
    const isWord = !/\s/.test(piece);
    for (let from = message.indexOf(piece); from >= 0; from = message.indexOf(piece, from + piece.length)) {
      const to = from + piece.length;
      const inside = INSIDE_WORD.test(message[from - 1] ?? ' ') || INSIDE_WORD.test(message[to] ?? ' ');
      if (!isWord || !inside) spans.push({ from, to });
    }
  }
  spans.sort((a, b) => a.from - b.from);
  const stretches: Stretch[] = [];
  let at = 0;
  for (const { from, to } of spans) {
    if (to <= at) continue;
    stretches.push({ by: 'person', text: message.slice(at, Math.max(at, from)) });
    stretches.push({ by: 'pasted', text: message.slice(Math.max(at, from), to) });
    at = to;
  }
  return [...stretches, { by: 'person', text: message.slice(at) }];
}
