/**
 * The authors of the parts of a message in the user role. What cannot be attributed is not the person's: parts that do not
 * fit their text leave nothing of it to the person.
 */

import type { Author, UserMessage } from './message.ts';

export interface Stretch {
  readonly by: Author;
  readonly text: string;
}

/** The text and its parts. Parts are left out where all of it is the person's. */
export function joinStretches(stretches: readonly Stretch[]): Pick<UserMessage, 'text' | 'parts'> {
  const parts: { by: Author; length: number }[] = [];
  for (const { by, text } of stretches) {
    const last = parts.at(-1);
    if (text === '') continue;
    if (last?.by === by) last.length += text.length;
    else parts.push({ by, length: text.length });
  }
  const text = stretches.map((each) => each.text).join('');
  return parts.every(({ by }) => by === 'person') ? { text } : { text, parts };
}

/**
 * Before parts were recorded, an editor's resource was put behind the person's words, after a line with its address:
 * from there on nothing is the person's.
 */
const UNMARKED_RESOURCE = /^[a-z][\w+.-]*:\/\/\S+:$/im;

export function stretchesOf({ kind, text, parts }: Pick<UserMessage, 'kind' | 'text' | 'parts'>): readonly Stretch[] {
  if (kind !== 'user') return [{ by: 'program', text }];
  if (!parts) {
    const at = text.search(UNMARKED_RESOURCE);
    if (at < 0) return [{ by: 'person', text }];
    return [
      { by: 'person', text: text.slice(0, at) },
      { by: 'attached', text: text.slice(at) },
    ];
  }
  if (parts.reduce((sum, { length }) => sum + length, 0) !== text.length) return [{ by: 'program', text }];
  let at = 0;
  return parts.map(({ by, length }) => {
    at += length;
    return { by, text: text.slice(at - length, at) };
  });
}

/** The texts of a message that somebody else wrote. */
export function foreignIn(message: Pick<UserMessage, 'kind' | 'text' | 'parts'>): readonly string[] {
  if (!message.parts) return [];
  return stretchesOf(message).flatMap(({ by, text }) => (by === 'person' || text.trim() === '' ? [] : [text]));
}

/** The person's words, without those around them; the whole text where they wrote nothing. */
export function ownText(message: Pick<UserMessage, 'kind' | 'text' | 'parts'>): string {
  if (!message.parts) return message.text;
  const own = stretchesOf(message).filter(({ by }) => by === 'person');
  const text = own
    .map((each) => each.text.trim())
    .filter(Boolean)
    .join('\n');
  return text === '' ? message.text : text;
}

/** In place of somebody else's words in a text of which only the person's are read. */
export const ELSEWHERE = '\uFFFC';
/** Around a single word of somebody else, which a sentence of the person may name. */
export const NAMED = /\uE000([^\uE001]*)\uE001/g;
const MARKS = /[\uE000\uE001\uFFFC]/g;
/** In a script that puts blanks between words: elsewhere it may be a sentence. */
const ONE_WORD = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\p{P}\p{S}]{1,100}$/u;

/** The person's words, with a mark wherever somebody else's stood between them. */
export function personsWords(stretches: readonly Stretch[]): string {
  return stretches
    .map(({ by, text }) => {
      const bare = text.replace(MARKS, ' ');
      if (by === 'person') return bare;
      // A program's tag stands between sentences; a pasted name is part of one.
      if (ONE_WORD.test(bare)) return by === 'program' ? '\n' : `\uE000${bare}\uE001`;
      const blank = /^\s*/.exec(bare)?.[0] ?? '';
      const lineBefore = blank.includes('\n') ? '\n' : '';
      return `${lineBefore}${ELSEWHERE}\n`;
    })
    .join('');
}
