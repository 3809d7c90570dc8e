/**
 * Mentions in a person's message: `@src/a.ts`, `@"with blanks.md"`, `@src/a.ts:10-20`, `@src/a.ts#name`, `@problems`
 * and the others. Pure: mentions are resolved when the message is sent.
 */

import { count, section, setting } from '../setting.ts';
import { spellOut } from '../tools/text/showHidden.ts';

export interface Mention {
  /** Without `@` and quotes. */
  readonly name: string;
  /** Written like a path, so the person expects one; `@Override` is not. */
  readonly deliberate: boolean;
  readonly target: MentionTarget;
}

export type MentionTarget =
  | { readonly kind: Standing }
  /** A symbol of the workspace by its name alone. */
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'session'; readonly title: string }
  /** From an MCP server. */
  | { readonly kind: 'resource'; readonly server: string; readonly uri: string }
  /** A file or folder, optionally with lines or a symbol at its end. */
  | { readonly kind: 'path'; readonly path: string };

/** One-word mentions. A file of such a name is `@./problems`. */
const STANDING = ['problems', 'changes', 'terminal', 'terminal:selection'] as const;

export type Standing = (typeof STANDING)[number];

export const SESSION_PREFIX = 'session:';

/** After a character that could belong to a mail address, `@` begins no mention. */
const MENTION =
  /(?<![\w.%+\-@/\\])@(?:"((?:[^"\\\n]|\\["\\])+)"|([^\s"'`<>|(){}[\]\u3001\u3002\u300C\u300D\u3010\u3011\uFF01\uFF08\uFF09\uFF0C\uFF1A\uFF1B\uFF1F]+))/gu;

/** At the end of a word these belong to the sentence. */
const ENDS_SENTENCE = '.,;:!?';
const CODE_MARK = /`+|~{3,}/gu;
const NEEDS_QUOTES = /[^\p{L}\p{N}_./\\:#@+~%=&?*$,-]|[.,;:!?]$/u;
const RESOURCE = /^([^:/]+):([a-z][a-z0-9+.-]*:.+)$/iu;

/** Without duplicates, in text order. */
export function findMentions(text: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  const prose = withoutCode(text);
  for (const match of prose.matchAll(MENTION)) {
    const [whole, quoted, bare = ''] = match;
    const name = quoted === undefined ? withoutSentenceEnd(bare) : quoted.replace(/\\(["\\])/g, '$1');
    if (name === '' || found.has(name)) continue;
    // `@app.get(` is code.
    const isCall = prose[match.index + whole.length] === '(';
    const deliberate = quoted !== undefined || (/[/\\.:#]/.test(name) && !isCall);
    found.set(name, { name, deliberate, target: readTarget(name) });
  }
  return [...found.values()];
}

/** Quoted code mentions nothing: blanks replace it. */
function withoutCode(text: string): string {
  let prose = '';
  let from = 0;
  CODE_MARK.lastIndex = 0;
  for (let mark = CODE_MARK.exec(text); mark; mark = CODE_MARK.exec(text)) {
    const end =
      mark[0].length < 3 ? endOfQuote(text, CODE_MARK.lastIndex) : endOfFence(text, mark[0], CODE_MARK.lastIndex);
    if (end === null) continue;
    prose += text.slice(from, mark.index) + ' '.repeat(end - mark.index);
    from = end;
    CODE_MARK.lastIndex = end;
  }
  return prose + text.slice(from);
}

/** Null where no quote ends on the line. */
function endOfQuote(text: string, from: number): number | null {
  const inQuote = /[^`\n]+/uy;
  inQuote.lastIndex = from;
  return inQuote.test(text) && text[inQuote.lastIndex] === '`' ? inQuote.lastIndex + 1 : null;
}

/** After a fence at least as long as the opening one, else at the end of the text. */
function endOfFence(text: string, begin: string, from: number): number {
  const marks = begin.startsWith('`') ? /`+/gu : /~+/gu;
  marks.lastIndex = from;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0].length >= begin.length) return mark.index + begin.length;
  }
  return text.length;
}

function withoutSentenceEnd(name: string): string {
  let end = name.length;
  while (end > 0 && ENDS_SENTENCE.includes(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/**
 * As written in a message. What would end a mention there, or make code of it, stands as tools show what cannot be seen.
 */
export function writeMention(written: string): string {
  const name = written.replace(/[\n`]/gu, spellOut);
  return NEEDS_QUOTES.test(name) ? `@"${name.replace(/["\\]/g, '\\$&')}"` : `@${name}`;
}

/** The mention of a path, with the lines or the symbol behind it. */
export function writePathMention(path: string, place = ''): string {
  return writeMention((readTarget(path).kind === 'path' ? path : `./${path}`) + place);
}

export function readTarget(name: string): MentionTarget {
  const standing = STANDING.find((each) => each === name);
  if (standing) return { kind: standing };
  if (name.startsWith(SESSION_PREFIX)) return { kind: 'session', title: name.slice(SESSION_PREFIX.length).trim() };
  if (name.startsWith('#')) return { kind: 'symbol', name: name.slice(1) };
  const [, server, uri] = RESOURCE.exec(name) ?? [];
  if (server !== undefined && uri !== undefined) return { kind: 'resource', server, uri };
  return { kind: 'path', path: name };
}

export interface NamedPlace {
  readonly path: string;
  readonly lines: { readonly first: number; readonly last: number } | null;
  readonly symbol: string | null;
}

/** The possible meanings of a path, most literal first: a file name may itself hold `#` and `:`. */
export function placesOf(path: string): readonly NamedPlace[] {
  const places: NamedPlace[] = [{ path, lines: null, symbol: null }];
  const [, file, from, to] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/u.exec(path) ?? [];
  if (file !== undefined && from !== undefined) {
    const [first, last] = [Number(from), Number(to ?? from)];
    if (first > 0) places.push({ path: file, lines: { first, last: Math.max(first, last) }, symbol: null });
  }
  const hash = path.lastIndexOf('#');
  if (hash > 0 && hash < path.length - 1) {
    places.push({ path: path.slice(0, hash), lines: null, symbol: path.slice(hash + 1) });
  }
  return places;
}

/** The setting of mentions. */
export const MENTIONS = section('mentions', {
  maxTokens: setting(
    count(500, 200_000),
    8_000,
    'Maximum tokens of one mention (`@file`) in a message. The model gets the beginning of anything longer and is told so; it can read on. All mentions of a message together take at most four times as much, and at most a quarter of the context window.',
    { advanced: true },
  ),
});

export const MOST_MENTIONS = 50;
