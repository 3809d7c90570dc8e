/**
 * An index of the session, line by line, with the names in each line and how each name was used. It grows message by
 * message and computes nothing twice, so that a long session costs only its new part.
 */

import type { ContextMessage, PastMessage } from '../../../../api/index.ts';
import { parseJson } from '../../../json.ts';
import { LINE_NUMBER } from '../../../tools/text/findText.ts';
import { pathsIn } from '../../draft/filesInCalls.ts';
import { findNames, pathName } from './names.ts';

export interface Line {
  readonly source: Source;
  /** Without surrounding white space and without a tool's line number. */
  readonly text: string;
  readonly length: number;
  /** Number of the text; the same wherever it occurs. */
  readonly key: number;
  readonly place: Place;
  readonly names: readonly number[];
  /** Output of a command that says little but values of that run, such as how long it took. */
  readonly passing: boolean;
  readonly at: number;
}

/** The facts of a text, wherever it occurs. `passing`: as the output of a command. */
type Read = Pick<Line, 'key' | 'names' | 'passing'>;

export interface Source {
  readonly id: string;
  readonly at: number;
  /** The tool called; for an answer with several calls the first. Empty for words alone. */
  readonly tool: string;
  /** The file that was read or changed; empty when unknown. */
  readonly path: string;
  /** The name of that file, as texts mention it. */
  readonly file: string;
  readonly request: string;
  /** Tokens of the session up to its end. */
  readonly end: number;
  /** Characters of its text and arguments: a message shortened since then has fewer. */
  readonly size: number;
  readonly lines: readonly Line[];
  /** A later read returned the same lines of its file. */
  superseded: boolean;
}

export interface NameUse {
  readonly name: string;
  readonly isPath: boolean;
  /** Tokens of the session up to its newest mention. */
  last: number;
  mentions: number;
  /** Number of calls that use it, except in newly written text. */
  calls: number;
  /** Something other than a result mentions it. */
  said: boolean;
  asked: boolean;
}

const LONGEST_REQUEST = 100;

const COMMITS = /\bgit commit\b/;

const SHOWS = /read|view|open|cat|show/i;

interface Call extends Pick<Source, 'tool' | 'path' | 'request'> {
  /** The arguments of a message that shows lines of its file; null for others. */
  readonly reads: string | null;
}

const NO_CALL: Call = { tool: '', path: '', request: '', reads: null };

export class SessionIndex {
  readonly names: NameUse[] = [];
  readonly sources: Source[] = [];
  tokens = 0;
  /** Files that calls read or changed, by their path names. */
  readonly touched = new Set<string>();
  /** Changed files in the order of their last change, with the path used then. */
  readonly changed = new Map<string, string>();
  /** Keys of lines that an edit replaced and that were not written again. */
  readonly removed = new Set<number>();
  /** Tokens of the session at its newest commit; 0 without one. */
  committed = 0;
  readonly #ids = new Map<string, number>();
  /** By name: number of the newest text that it was found in. */
  readonly #foundIn: number[] = [];
  /** By text: a repeated line is not parsed again. */
  readonly #texts = new Map<string, Read>();
  readonly #byId = new Map<string, Source>();
  readonly #calls = new Map<string, Call>();
  readonly #reads = new Reads();

  get(id: string): Source | undefined {
    return this.#byId.get(id);
  }

  /** The number of a name; undefined for a name that no message contains. */
  nameId(name: string): number | undefined {
    return this.#ids.get(name);
  }

  /** Number of different texts of its lines: their keys are below it. */
  get texts(): number {
    return this.#texts.size;
  }

  /** Adds the next message. A known one changes nothing. */
  add(message: PastMessage): void {
    if (this.#byId.has(message.id)) return;
    this.tokens += message.tokens;
    const lines: Line[] = [];
    const mentioned = new Set<number>();
    const called = new Set<number>();
    const calls = message.role === 'assistant' ? message.toolCalls : [];
    const texts = calls.map((call) => placedTexts(parseJson(call.arguments) ?? call.arguments));
    const asked = calls.map((call, i) => describeCall(call, texts[i] ?? []));
    const call = message.role === 'tool' ? this.#calls.get(message.toolCallId) : asked[0];
    const source: Source = {
      id: message.id,
      at: this.sources.length,
      tool: call?.tool ?? '',
      path: call?.path ?? '',
      file: call ? fileName(call.path) : '',
      request: call?.request ?? '',
      end: this.tokens,
      size: sizeOf(message),
      lines,
      superseded: false,
    };
    let [first, last] = [0, 0];
    const read = (text: string, place: Place) => {
      for (const raw of text.split('\n')) {
        const numbered = place === 'result' ? readNumber(raw) : null;
        if (numbered) {
          first ||= numbered.number;
          last = numbered.number;
        }
        const trimmed = (numbered?.text ?? raw).trim();
        if (trimmed === '') continue;
        const known = this.#read(trimmed);
        const { key } = known;
        // In a file such a line is code or text like any other.
        const passing = known.passing && place === 'result' && source.file === '';
        const names = passing ? [] : known.names;
        for (const id of names) {
          mentioned.add(id);
          if (place === 'repeated' || place === 'asked') called.add(id);
        }
        if (place === 'repeated') this.removed.add(key);
        else if (place === 'written') this.removed.delete(key);
        lines.push({ source, text: trimmed, length: trimmed.length, key, place, names, passing, at: lines.length });
      }
    };
    read(message.text, message.role === 'tool' ? 'result' : 'said');
    for (const [i, { id }] of calls.entries()) {
      for (const { text, place } of texts[i] ?? []) read(text, place);
      this.#calls.set(id, asked[i] ?? NO_CALL);
      if (COMMITS.test(asked[i]?.request ?? '')) this.committed = this.tokens;
      for (const path of asked[i]?.paths ?? []) {
        const name = fileName(path);
        this.touched.add(name);
        if (!texts[i]?.some(({ place }) => place === 'written' || place === 'repeated')) continue;
        // The newest change determines the order.
        this.changed.delete(name);
        this.changed.set(name, path);
      }
    }
    const shown = message.role === 'tool' ? (call?.reads ?? null) : null;
    if (shown !== null)
      this.#reads.add(source.file, { source, asked: shown, lines: first > 0 ? { first, last } : null });
    for (const id of mentioned) {
      const use = this.names[id] as NameUse;
      use.last = this.tokens;
      use.mentions++;
      if (called.has(id)) use.calls++;
      use.said ||= message.role !== 'tool';
      use.asked ||= message.role === 'user' && message.kind === 'user';
    }
    this.sources.push(source);
    this.#byId.set(message.id, source);
  }

  /** The known facts of a text outside the session's messages, such as notes. */
  *knownIn(text: string): Generator<Pick<Line, 'key' | 'names'>> {
    for (const line of text.split('\n')) {
      const names: number[] = [];
      findNames(line, (name) => {
        const id = this.#ids.get(name);
        if (id !== undefined) names.push(id);
      });
      yield { key: this.#texts.get(line.trim())?.key ?? -1, names };
    }
  }

  #namesIn(text: string): readonly number[] {
    const found: number[] = [];
    const nth = this.#texts.size;
    findNames(text, (name) => {
      let id = this.#ids.get(name);
      if (id === undefined) {
        id = this.names.length;
        this.#ids.set(name, id);
        const isPath = name.includes('/');
        this.names.push({ name, isPath, last: 0, mentions: 0, calls: 0, said: false, asked: false });
        this.#foundIn.push(-1);
      }
      if (this.#foundIn[id] === nth) return;
      this.#foundIn[id] = nth;
      found.push(id);
    });
    return found;
  }

  #read(text: string): Read {
    let read = this.#texts.get(text);
    if (!read) {
      read = { key: this.#texts.size, names: this.#namesIn(text), passing: isOfOneRun(text) };
      this.#texts.set(text, read);
    }
    return read;
  }
}

const fileName = (path: string): string => pathName(path) ?? path;

export function sizeOf(message: ContextMessage | PastMessage): number {
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  return calls.reduce((sum, call) => sum + call.arguments.length, message.text.length);
}

function describeCall(
  { name, arguments: json }: { readonly name: string; readonly arguments: string },
  texts: ReturnType<typeof placedTexts>,
): Call & { readonly paths: readonly string[] } {
  const given = pathsIn(json);
  const asked = texts.flatMap(({ text, place }) => (place === 'asked' ? text.split('\n') : []));
  const paths = given.length > 0 ? given : namedFiles(asked);
  const request = (asked.find((line) => line.trim() !== '') ?? '').trim().slice(0, LONGEST_REQUEST).toWellFormed();
  const changes = texts.some(({ place }) => place === 'written' || place === 'repeated');
  const shows = paths.length > 0 && !changes && (given.length === 0 || SHOWS.test(name));
  return { tool: name, path: paths[0] ?? '', request, reads: shows ? json : null, paths };
}

/**
 * Where a line occurs: in a result, in text the agent writes into a file, in text it repeats from one, in a request to
 * a tool, or in words.
 */
type Place = 'result' | 'written' | 'repeated' | 'asked' | 'said';

interface PlacedText {
  readonly text: string;
  readonly place: Place;
}

/** Fields of common agents' tools. */
const WRITTEN = /^(?:new_?(?:string|str|text|source)|contents?|file_text|replace(?:ment)?|insert_text)$/i;
const REPEATED = /^(?:old_?(?:string|str|text|source)|search|find)$/i;
const BEGIN_PATCH = '*** Begin Patch';

/** `value` is the arguments as JSON, or the bare text that the model wrote. */
function placedTexts(value: unknown, place: Place = 'asked'): PlacedText[] {
  if (typeof value === 'string') {
    return place === 'asked' && value.includes(BEGIN_PATCH) ? patchTexts(value) : [{ text: value, place }];
  }
  if (Array.isArray(value)) return value.flatMap((each) => placedTexts(each, place));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    placedTexts(each, place === 'asked' ? placeOfField(key) : place),
  );
}

function placeOfField(key: string): Place {
  if (WRITTEN.test(key)) return 'written';
  return REPEATED.test(key) ? 'repeated' : 'asked';
}

function patchTexts(patch: string): PlacedText[] {
  let inside = false;
  return patch.split('\n').flatMap((line): PlacedText[] => {
    if (line.startsWith(BEGIN_PATCH) || line.startsWith('*** End Patch')) {
      inside = line.startsWith(BEGIN_PATCH);
      return [];
    }
    if (!inside || line.startsWith('***')) return [{ text: line, place: 'asked' }];
    if (line.startsWith('+')) return [{ text: line.slice(1), place: 'written' }];
    return [{ text: line.replace(/^(?:@@ ?|[ -])/, ''), place: 'repeated' }];
  });
}

/** Files that a patch changes or a plain command shows, where no field of a call names them. */
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.{1,300})$/;
const SHOWING_COMMANDS = /^\s*(?:cd [^&;]{0,300}(?:&&|;)\s*)?(?:sed -n|cat|head|tail|nl|less|bat)\b/;
const FILE = /^(?:[\w@.~+-]*[\\/])*[\w@+.-]*\w\.[A-Za-z]\w{0,4}$/;
const LONGEST_COMMAND = 400;

/** `lines` are the lines of the request to the tool. */
function namedFiles(lines: readonly string[]): string[] {
  const patched = lines.flatMap((line) => PATCHED.exec(line)?.[1]?.trim() ?? []);
  if (patched.length > 0) return patched;
  const command = lines.find((line) => line.length < LONGEST_COMMAND && SHOWING_COMMANDS.test(line));
  const file = command?.split(/[\s'"=;:,)]+/).findLast((word) => FILE.test(word));
  return file === undefined ? [] : [file];
}

const SPACE = 0x20;
const COLON = 0x3a;
const NOT_ASCII = 0x80;

/** The text of such a line without its number, and the number; null for a line without one. */
function readNumber(line: string): { readonly number: number; readonly text: string } | null {
  let at = 0;
  while (line.charCodeAt(at) === SPACE) at++;
  const code = line.charCodeAt(at);
  // Most lines begin with something else. Other white space is left to the expression.
  if (code > COLON && code < NOT_ASCII) return null;
  const found = LINE_NUMBER.exec(line);
  return found && { number: Number(found[1]), text: line.slice(found[0].length) };
}

/** Values that are others in the next run: durations, times of the day, addresses in memory. */
const OF_ONE_RUN =
  /\b(?:durations?|elapsed|took|time|real|user|sys)\w*["']?\s{0,8}[:=]?\s{0,8}["']?\d[\d.,]*(?:\s?(?:m?s|µs|ns|sec(?:ond)?s?|min(?:ute)?s?)\b)?|\b\d+(?:\.\d+)?\s?(?:ms|µs|ns|s|sec(?:ond)?s?)\b|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.Z]*|\b\d\d:\d\d:\d\d(?:\.\d+)?\b|\b0x[\da-f]{6,}\b/gi;
/** A longer line, or one with so many other letters, says something besides. */
const LONGEST_PASSING = 80;
const FEWEST_LETTERS = 12;

function isOfOneRun(text: string): boolean {
  if (text.length > LONGEST_PASSING || !/\d/.test(text)) return false;
  const rest = text.replace(OF_ONE_RUN, '');
  return rest.length < text.length && rest.replace(/\P{L}/gu, '').length < FEWEST_LETTERS;
}

interface ShownLines {
  readonly source: { superseded: boolean };
  readonly asked: string;
  /** Null where the result does not number its lines. */
  readonly lines: NumberedLines | null;
}

interface NumberedLines {
  readonly first: number;
  readonly last: number;
}

/** The reads of each file that no later one replaced by returning the same lines. */
export class Reads {
  readonly #files = new Map<string, FileReads>();

  /** Marks the reads that it replaces. */
  add(file: string, read: ShownLines): void {
    const known = this.#files.get(file);
    if (known) known.add(read);
    else this.#files.set(file, new FileReads(read));
  }
}

/** A session reads a file in thousands of pieces: only those that a new one can replace are looked at. */
class FileReads {
  readonly #byRequest = new Map<string, ShownLines>();
  /** Those with numbered lines, by their first line. */
  readonly #numbered: ShownLines[] = [];

  constructor(read: ShownLines) {
    this.add(read);
  }

  add(read: ShownLines): void {
    const same = this.#byRequest.get(read.asked);
    if (same) {
      same.source.superseded = true;
      const at = same.lines ? this.#numbered.indexOf(same, this.#firstFrom(same.lines.first)) : -1;
      if (at >= 0) this.#numbered.splice(at, 1);
    }
    if (read.lines && read.lines.first <= read.lines.last) this.#replace(read, read.lines);
    this.#byRequest.set(read.asked, read);
  }

  #replace(read: ShownLines, { first, last }: NumberedLines): void {
    const from = this.#firstFrom(first);
    const longer: ShownLines[] = [];
    let to = from;
    for (let older = this.#numbered[to]; older?.lines && older.lines.first <= last; older = this.#numbered[++to]) {
      if (older.lines.last > last) longer.push(older);
      else {
        older.source.superseded = true;
        this.#byRequest.delete(older.asked);
      }
    }
    this.#numbered.splice(from, to - from, read, ...longer);
  }

  /** Index of the first read that begins at this line or behind it. */
  #firstFrom(line: number): number {
    let low = 0;
    let high = this.#numbered.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#numbered[middle]?.lines?.first ?? line) < line) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
