/**
 * Hides secrets in a text by the forms in which they are written: a name with a value, in any language of configuration,
 * and what `secretForms.ts` lists. A secret in JSON, however often escaped, is found in place and its quotes stay. Takes
 * time in proportion to the text. Pure.
 */

import {
  BEFORE,
  BLOCKS,
  FORMS,
  HARMLESS_BEFORE,
  HARMLESS_VALUES,
  isMixed,
  isUserAndPassword,
  LAST_WORDS,
  looksGenerated,
  looksMixed,
  looksRandom,
  NAME_ENDINGS,
  NAME_HINT,
  PARAMETER_NAMES,
  type SecretKind,
  STAND_IN,
  TRAILING_WORDS,
} from './secretForms.ts';

export const HIDDEN = '[hidden]';

/** A part of a text, and what is shown in its place. */
export interface Hidden {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

export function hideForms(text: string): string {
  return replaceParts(text, findForms(text));
}

/** In any order, and perhaps overlapping. */
function findForms(text: string): readonly Hidden[] {
  const lines = unescapeLines(blankColours(text));
  const contents = blankMargins(lines);
  return [...findBlocks(contents), ...findPatterns(lines), ...findValues(contents)];
}

/** A terminal's colour, as it is or escaped: its last letter would be read as one of the word that follows. */
const COLOUR = /(?:\u001B|(?<!\\)\\{1,63}(?:u001b|x1b|033|e))\[[\d;:]{0,40}m/giu;

/** As long as the text. */
export const blankColours = (text: string) => text.replace(COLOUR, (colour) => ' '.repeat(colour.length));

/** As long as the text: line breaks and tabs that are escaped, however often, become real ones behind blanks. */
function unescapeLines(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/(?<!\\)\\{1,63}[nrt]/g, (escaped) => {
    const sign = escaped.endsWith('n') ? '\n' : escaped.endsWith('t') ? '\t' : ' ';
    return ' '.repeat(escaped.length - 1) + sign;
  });
}

/** The margin that tools and mails put in front of a line: its number, its file, the mark of a change or of a quotation. */
const MARGIN =
  /^(?:[ \t]{0,8}\d{1,7}(?:[\t→]|[:|] ?| {2})|[+>]{1,3}(?: (?=\S))?|(?=[\w@-]{0,200}[./])[\w./@-]{1,200}[:-]\d{1,7}[:-](?:\d{1,5}:)? ?)/gmu;

/** As long as the text. */
const blankMargins = (text: string) => text.replace(MARGIN, (margin) => ' '.repeat(margin.length));

/** Parts that overlap become one, with the mark of the first. */
export function replaceParts(text: string, parts: readonly Hidden[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, by } of parts.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= at) pieces.push(text.slice(at, start), by);
    at = Math.max(at, end);
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(at);
}

/** Whether a field of this name with this text holds a secret. */
export function isSecretField(name: string, value: string): boolean {
  const kind = kindOf(name);
  if (kind === 'header') {
    const given = value.replace(SCHEME_AT_START, '');
    return given.length >= SHORTEST.header && !STAND_IN.test(given) && (looksMixed(given) || isMixed(given));
  }
  return kind !== null && isSecretValue(value, { kind, quoted: true, assigned: true });
}

function findBlocks(text: string): Hidden[] {
  const found: Hidden[] = [];
  for (const { begin, end } of BLOCKS) {
    let at = 0;
    for (;;) {
      begin.lastIndex = at;
      const opened = begin.exec(text);
      if (!opened) break;
      end.lastIndex = begin.lastIndex;
      const closed = end.exec(text);
      at = closed?.[0].startsWith('-') || closed?.[0].startsWith('P') ? end.lastIndex : (closed?.index ?? text.length);
      found.push({ start: opened.index, end: at, by: HIDDEN });
    }
  }
  return found;
}

function findPatterns(text: string): Hidden[] {
  const found: Hidden[] = [];
  for (const { pattern, holds, by = HIDDEN } of FORMS) {
    for (const match of text.matchAll(pattern)) {
      const start = match.index + (match[1]?.length ?? 0);
      const end = match.index + match[0].length;
      if (holds && !holds(text.slice(start, end), text.slice(Math.max(0, match.index - BEFORE), match.index))) continue;
      found.push({ start, end, by });
    }
  }
  return found;
}

/** In characters. A longer name is none. */
const LONGEST_NAME = 100;
const LONGEST_STRING = 16_384;
/** Of a value without quotes, what decides. Its rest is hidden with it. */
const DECIDING = 512;

const NAME_CHARACTER = /[\p{L}\p{N}_$.-]/u;
const NAME_REST = /[\p{L}\p{N}_$.-]*/uy;

function findValues(text: string): Hidden[] {
  const found: Hidden[] = [];
  const hint = new RegExp(NAME_HINT);
  for (let hit = hint.exec(text); hit; hit = hint.exec(text)) {
    const name = nameAt(text, hit.index);
    const values = name.text === '' ? [] : valuesOf(text, name);
    found.push(...values);
    hint.lastIndex = Math.max(name.end, hit.index + hit[0].length, ...values.slice(-1).map(({ end }) => end));
  }
  return found;
}

interface Name {
  readonly start: number;
  readonly end: number;
  /** Empty when it is too long for a name. */
  readonly text: string;
}

/** The whole name around a place in it. */
function nameAt(text: string, at: number): Name {
  let start = at;
  while (start > 0 && at - start <= LONGEST_NAME && NAME_CHARACTER.test(text[start - 1] ?? '')) start--;
  NAME_REST.lastIndex = at;
  const end = at + (NAME_REST.exec(text)?.[0].length ?? 0);
  return { start, end, text: end - start > LONGEST_NAME ? '' : text.slice(start, end) };
}

/** `null` when the name is of nothing secret. */
function kindOf(name: string): SecretKind | null {
  const parts = wordsOf(name);
  while (parts.length > 1 && (TRAILING_WORDS.has(parts.at(-1) ?? '') || /^v?\d+$/.test(parts.at(-1) ?? '')))
    parts.pop();
  const last = parts.at(-1) ?? '';
  if (parts.some((part) => HARMLESS_BEFORE.has(part)) && !/pass|secret/.test(last)) return null;
  const joined = parts.slice(-3).join('');
  const ending = NAME_ENDINGS.find(([each]) => joined.endsWith(each));
  if (ending) return ending[1];
  const kind = LAST_WORDS.get(last) ?? null;
  // A key by itself is one of a table, a keyboard or a list; `STRIPE_KEY` is not.
  if (kind === 'key' && parts.length === 1) return last === 'auth' ? 'pair' : null;
  return kind;
}

/** `dbPassword`, `DB_PASSWORD`, `db.pass-word2` in words, lower case. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');
}

/** One sign between a name and its value, after what closes the name. */
const QUOTE = `(?:\\\\{0,63}["'\`]|&quot;|&#39;|%22)`;
const SIGN = new RegExp(
  `(${QUOTE}?[\\])]{0,2}\\??)([ \\t]{0,20})(=>|:=|\\?=|[=:：＝](?![=~])|%3[AD])([ \\t]{0,40}(?:\\r?\\n(?:[ ]{1,80}|\\t{1,20}))?)`,
  'uy',
);
/** `name: DB_PASSWORD`, `value: …` on the next line, or as the next field. */
const NEXT_FIELD = new RegExp(
  `(${QUOTE}?)[\\s,]{1,80}${QUOTE}?(?:value|defaultValue|content|secret)${QUOTE}?\\s{0,20}[:=]\\s{0,20}`,
  'iuy',
);
/** Between a name and its value where a program or a table puts no sign: the value has to look like a secret too. */
const BESIDE = new RegExp(
  `(?:${QUOTE}[\\])]?\\s{0,8},\\s{0,8}(?=${QUOTE})|${QUOTE}?[\\])]{0,2}[ \\t]{0,4}(?:\\|\\||\\?\\?|or)[ \\t]{0,4}(?=${QUOTE})|` +
    `\\([ \\t]{0,4}(?=${QUOTE})|[ \\t]{1,8}(?=${QUOTE})|[ \\t]{1,4}\\{[^{}\\n]{0,60}\\}[ \\t]{0,4}=[ \\t]{0,4}(?=${QUOTE})|` +
    '\\*{0,2}:?\\*{1,2}:?[ \\t]{1,4}|[*`]{0,2}[ \\t]{0,40}\\|[ \\t]{0,40}|</key>\\s{0,80}<string>)',
  'uy',
);
/** The type of a declaration, in front of its value. */
const TYPED = new RegExp(`[\\w&*?[][\\w&*?[\\]<>|.' ]{0,80}=[ \\t]{0,4}(?=${QUOTE})`, 'uy');
/** `<password>value</password>`, and `--password value`. */
const TAG = /[^<>]{0,200}>/uy;
const OPTION = new RegExp(`(?:=|[ \\t]{1,20}|${QUOTE}\\s{0,20},\\s{0,20}(?=${QUOTE}))`, 'uy');
/** `ENV API_KEY value`, `setx API_KEY value`. */
const SPACED = new RegExp(
  `(?:^|\\n|${QUOTE})[ \\t]{0,40}(?:ENV|ARG|setenv|setx|export|set)[ \\t]{1,20}(?:-[A-Za-z]{1,8}[ \\t]{1,8})?$`,
  'iu',
);
/** `machine example.org login ada password value`, in one line or in three. */
const NETRC = /\b(?:machine|login)\s{1,8}\S{1,128}\s{1,40}$/u;
const BLANKS = /[ \t]{1,40}/uy;
const OPENED = new RegExp(`(?:[bfruL@$]{0,2})(${QUOTE})`, 'uy');
const STRING_BEGINS = new RegExp(`${QUOTE}$`, 'u');
const IN_LINE = new RegExp(
  `(?:^|\\n)[ \\t]{0,200}(?:(?:export|set|setx|declare -x|ENV|ARG|-|\\+|#|//|;)[ \\t]{1,8})?${QUOTE}?$`,
  'iu',
);

interface Written {
  readonly kind: SecretKind;
  readonly quoted: boolean;
  /** As in an environment, where also a plain word is a value and nothing is code. */
  readonly assigned: boolean;
}

function valuesOf(text: string, name: Name): Hidden[] {
  const before = text.slice(Math.max(0, name.start - BEFORE), name.start);
  const parameter = /(?:[?&]|&amp;)$/.test(before)
    ? PARAMETER_NAMES.get(name.text.toLowerCase().replace(/[_-]/g, ''))
    : undefined;
  const bare = name.text.replace(/^-+/, '');
  const kind = parameter ?? kindOf(bare);
  if (kind === null) return [];
  const isOption = name.text.startsWith('-') && /(?:^|[\s"'`[(,=])$/.test(before);
  if (isOption) {
    const at = after(OPTION, text, name.end);
    if (at !== null) return valueAt(text, at, { kind, quoted: false, assigned: true }, true);
  }
  if (before.endsWith('<') && !name.text.includes('$')) {
    const at = after(TAG, text, name.end);
    return at === null ? [] : textAt(text, at, IN_TAG, { kind, quoted: true, assigned: true });
  }
  const nextField = after(NEXT_FIELD, text, name.end);
  if (nextField !== null) return valueAt(text, nextField, { kind, quoted: false, assigned: true }, true);
  if (SPACED.test(before) || (kind === 'password' && NETRC.test(before))) {
    const at = after(BLANKS, text, name.end);
    if (at !== null && text[at] !== '=') return valueAt(text, at, { kind, quoted: false, assigned: true }, true);
  }
  const beside = after(BESIDE, text, name.end);
  const values = beside === null ? [] : valueAt(text, beside, { kind, quoted: false, assigned: false }, false);
  if (values.some(({ start, end }) => looksGenerated(text.slice(start, end)))) return values;
  SIGN.lastIndex = name.end;
  const sign = SIGN.exec(text);
  if (!sign) return [];
  const [whole, close = '', space = '', mark = '', gap = ''] = sign;
  const at = name.end + whole.length;
  const quotedName = close !== '' && !close.startsWith(']');
  // An arrow of code is followed by no quote, or follows no quoted name.
  if (mark === '=>' && !quotedName && !before.endsWith(':')) return [];
  // A line may begin with the string that holds it.
  const inLine = IN_LINE.test(before) || (!quotedName && STRING_BEGINS.test(before));
  const broken = gap.includes('\n');
  if (broken) return inLine ? below(text, at, { kind, quoted: false, assigned: true }) : [];
  const assigned = parameter !== undefined || (mark.startsWith('=') && space === '' && gap === '');
  if (kind === 'header') return lineAt(text, at, before, quotedName, inLine);
  const written: Written = { kind, quoted: false, assigned };
  const typed = mark === ':' ? after(TYPED, text, at) : null;
  if (typed !== null) return valueAt(text, typed, written, false);
  const found = blockAt(text, at, name, written) ?? valueAt(text, at, written, inLine);
  return mark === ':' && !quotedName && VERDICT.test(bare)
    ? found.filter(({ start, end }) => !isReported(bare, text.slice(start, end)))
    : found;
}

/** Also the verdict of a test, a round of an algorithm, or a folder, where a word follows. */
const VERDICT = /^(?:pass|pwd|pw)$/i;
const isReported = (name: string, value: string) => name === 'PASS' || !/[\d!@#$%^&*+=?~]/.test(value);

/** Where what matches here ends. */
function after(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found ? at + found[0].length : null;
}

/** `toEnd`: a value without quotes may hold what usually ends one, because it has the line for itself. */
function valueAt(text: string, at: number, written: Written, toEnd: boolean): Hidden[] {
  OPENED.lastIndex = at;
  const opened = OPENED.exec(text);
  if (opened) {
    const [whole, quote = ''] = opened;
    const start = at + whole.length;
    const end = closing(text, start, quote);
    // A string with nothing in it, or one of several lines.
    if (end === start && text.startsWith(quote + quote, start)) {
      const last = text.indexOf(quote.repeat(3), start + 2 * quote.length);
      return last < 0 || last - start > LONGEST_STRING
        ? []
        : [{ start: start + 2 * quote.length, end: last, by: HIDDEN }];
    }
    const value = text.slice(start, end);
    return isSecretValue(value, { ...written, quoted: true }) ? [{ start, end, by: HIDDEN }] : [];
  }
  return textAt(text, at, toEnd ? WIDE : NARROW, written);
}

/** A value without quotes: among others, or with its line for itself. */
const NARROW = {
  head: bare(`[^\\s"'\`,;)}\\]<>&|\\\\]|\\\\(?![nrt"'\`\\\\])`, DECIDING),
  rest: bare(`[^\\s"'\`,;)}\\]<>&|\\\\]`),
};
const WIDE = { head: bare(`[^\\s"'\`\\\\]|\\\\(?![nrt"'\`\\\\])`, DECIDING), rest: bare(`[^\\s"'\`\\\\]`) };
const IN_TAG = { head: bare('[^<]', DECIDING), rest: bare('[^<]') };

function bare(character: string, most?: number): RegExp {
  return new RegExp(`(?:${character})${most === undefined ? '*' : `{0,${most}}`}`, 'uy');
}

function textAt(text: string, at: number, { head, rest }: typeof WIDE, written: Written): Hidden[] {
  const end = after(head, text, at) ?? at;
  const value = text.slice(at, end);
  if (STAND_IN.test(value)) return [];
  const shown = head === WIDE.head ? value.replace(/[,;)}\]]{1,4}$/, '') : value;
  if (!isSecretValue(shown, written)) return [];
  if (!written.quoted && isCode(shown, text.slice(at + shown.length, end + 80), written)) return [];
  if (value.length < DECIDING) return [{ start: at, end: at + shown.length, by: HIDDEN }];
  return [{ start: at, end: after(rest, text, end) ?? end, by: HIDDEN }];
}

/** The end of a string: the same quote, escaped as often. */
function closing(text: string, start: number, quote: string): number {
  const most = Math.min(text.length, start + LONGEST_STRING);
  const depth = quote.length - quote.replace(/^\\+/, '').length;
  const sign = quote.slice(depth);
  for (let at = text.indexOf(sign, start); at >= 0 && at < most; at = text.indexOf(sign, at + 1)) {
    let slashes = 0;
    while (at - slashes > start && text[at - slashes - 1] === '\\') slashes++;
    // Within a string that is escaped twice, the slashes of its own quotes are more.
    if (slashes <= depth || sign.startsWith('&')) return at - slashes;
  }
  const line = text.indexOf('\n', start);
  return Math.min(most, line < 0 ? most : line);
}

/** The lines below that are indented further: a list, or the value itself. */
function below(text: string, at: number, written: Written): Hidden[] {
  const found: Hidden[] = [];
  let next = at;
  for (let nth = 0; nth < 100; nth++) {
    const item = after(/(?:-[ ]{1,4})?/uy, text, next) ?? next;
    const line = text.slice(item, item + 400).split('\n', 1)[0] ?? '';
    // Another field begins.
    if (/^\S{1,100}?["']?\s{0,4}[:=](?:\s|$)/.test(line) || line === '') break;
    found.push(...valueAt(text, item, written, true));
    const more = after(/[^\n]{0,400}\n[ ]{1,80}(?=-[ ])/uy, text, item);
    if (item === next || more === null) break;
    next = more;
  }
  return found;
}

/** A block of YAML: `|` or `>`, and the lines below that are indented further than the name. */
function blockAt(text: string, at: number, name: Name, written: Written): Hidden[] | null {
  const opened = /[|>][+-]?\d?[ \t]{0,8}\r?\n/uy;
  const start = after(opened, text, at);
  if (start === null) return null;
  const line = text.slice(Math.max(0, name.start - BEFORE), name.start);
  const indent = /[ \t-]*$/.exec(line)?.[0].length ?? 0;
  const row = new RegExp(`[ \\t]{${indent + 1},${indent + 80}}[^\\n]{0,4096}(?:\\r?\\n)?`, 'uy');
  let end = start;
  for (
    let next = after(row, text, end);
    next !== null && next > end && next - start < LONGEST_STRING;
    next = after(row, text, end)
  )
    end = next;
  const value = text.slice(start, end).trim();
  const first = start + (text.slice(start, end).length - text.slice(start, end).trimStart().length);
  return value === ''
    ? []
    : isSecretValue(value, { ...written, quoted: true }) || value.includes('\n')
      ? [{ start: first, end: first + value.length, by: HIDDEN }]
      : [];
}

/** The scheme in front of what an Authorization header gives. */
const SCHEME = /(?:(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256|Key|SharedKey|OAuth)[ \t]{1,8})?/iuy;
const SCHEME_AT_START = new RegExp(`^${SCHEME.source}`, 'iu');

/** The value of a header goes to the end of its line, or of the string that holds the header. */
function lineAt(text: string, at: number, before: string, quotedName: boolean, inLine: boolean): Hidden[] {
  const opened = after(OPENED, text, at);
  // A value that is no string is the field of a program.
  if (quotedName && opened === null) return [];
  const begin = opened ?? at;
  const start = after(SCHEME, text, begin) ?? begin;
  const quote = opened === null ? STRING_BEGINS.exec(before)?.[0] : quoteAt(text, at);
  const end =
    quote === undefined
      ? (after(inLine ? LINE.head : PART_OF_LINE.head, text, start) ?? start)
      : closing(text, start, quote);
  const value = text.slice(start, end).trimEnd();
  if (value.length < SHORTEST.header || STAND_IN.test(value) || HARMLESS_VALUES.has(value.toLowerCase())) return [];
  const holds = start > begin || /=/.test(value) || looksMixed(value) || isMixed(value);
  if (!holds || /^[A-Za-z_$.?]+[([]/.test(value)) return [];
  if (quote !== undefined || end - start < DECIDING) return [{ start, end: start + value.length, by: HIDDEN }];
  return [{ start, end: after(inLine ? LINE.rest : PART_OF_LINE.rest, text, end) ?? end, by: HIDDEN }];
}

const quoteAt = (text: string, at: number) => {
  OPENED.lastIndex = at;
  return OPENED.exec(text)?.[1];
};

/** With strings as parameters; another quote ends the string that holds the line. */
const LINE = pieces(`="[^"\\n\\r]{0,4096}"|\\\\{1,63}["']|[^\\n\\r"\\\\]|\\\\`);
const PART_OF_LINE = pieces(`[^\\n\\r"'\`\\\\]|\\\\(?!["'\`])`);

/** Of a long line, what decides, and the rest that is hidden with it. */
function pieces(character: string): typeof WIDE {
  return { head: bare(character, DECIDING), rest: bare(character, 8192) };
}

const SHORTEST: Readonly<Record<SecretKind, number>> = { password: 3, token: 6, key: 8, pair: 8, header: 6 };

/** Whether what stands as the value of such a name is a secret, and no type, number, text, path or stand-in. */
function isSecretValue(value: string, { kind, quoted, assigned }: Written): boolean {
  const text = value.trim();
  const lower = text.toLowerCase();
  if (text.length < SHORTEST[kind] || STAND_IN.test(text) || HARMLESS_VALUES.has(lower.replace(/[.?!:]+$/, '')))
    return false;
  if (PATH.test(text) && !/[+=]/.test(text)) return false;
  if (/^[\d.,:]+(?:ms|s|kb|mb|k|m)?$/i.test(text))
    return kind === 'password' ? text.length >= 4 && /^\d+$/.test(text) : /^\d{16,}$/.test(text);
  if (kind === 'pair') return isUserAndPassword(text);
  if (kind === 'key')
    return (
      (assigned ? isMixed(text) : looksRandom(text)) &&
      !/\s/.test(text) &&
      !/^[a-z][\w-]*(?:[.:/][a-z][\w-]*)+$/i.test(text)
    );
  if (/\s/.test(text)) return quoted && kind === 'password' && isPhrase(text);
  // Words of a text or of code: a caption, the name of a variable.
  if (/^[\p{L}_$.-]+$/u.test(text) && !isMixed(text)) {
    if (/pass|secret|token|key|credential|auth|pwd/i.test(text)) return false;
    if (/[^\p{ASCII}]/u.test(text) || /^\p{Lu}\p{Ll}+$/u.test(text)) return false;
    if (kind === 'token') return assigned || (!quoted && text.length >= 8);
  }
  return true;
}

/** An absolute or relative path of plain names. */
const PATH =
  /^(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/]+[\w.@ -]{1,60}){1,30}[\\/]?$|^[\w-]{1,60}(?:\/[\w.-]{1,60})*\.(?:pem|key|crt|cer|p12|pfx|txt|json|ya?ml|env|ts|js|py|toml|ini|sh)$/iu;

/** Small words in a row, and no sentence. */
function isPhrase(text: string): boolean {
  if (!/^[!-~]+(?: [!-~]+){1,23}$/.test(text) || /^[A-Z]|[.?!:,]$/.test(text)) return false;
  return !/\b(?:your|the|a|an|is|are|to|for|of|in|must|password|token|secret)\b/i.test(text);
}

/** An expression or a type: what a program makes the value of. */
function isCode(value: string, rest: string, { assigned }: Written): boolean {
  if (/^[A-Za-z_$][A-Za-z_$]*(?:\??\.[A-Za-z_$]+)*\??[([{<]/.test(value + rest.slice(0, 1))) return true;
  if (/^[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)+$/.test(value)) return true;
  if (assigned || !/^[A-Za-z_$]+$/.test(value)) return false;
  return /^\s{0,20}[,;)}\]|&?]/.test(rest) || /^(?:\p{Lu}\p{Ll}+){2,}$/u.test(value);
}
