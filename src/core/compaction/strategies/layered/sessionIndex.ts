/**
 * An index of the session, line by line, with the names in each line and how each name was used. It grows message by
 * message and computes nothing twice, so that a long session costs only its new part.
 */

import type { ContextMessage, PastMessage } from '../../../../api/index.ts';
import { type CommandUse, usesOfCommand } from '../../../calls/commandEffects.ts';
import { scriptOf } from '../../../calls/commandsInCalls.ts';
import { isWithin } from '../../../calls/effects.ts';
import { type FileUse, filesIn, pathsIn, plainPath } from '../../../calls/filesInCalls.ts';
import { parseJson } from '../../../json.ts';
import { LINE_NUMBER } from '../../../tools/text/findText.ts';
import { namedFiles } from './namedFiles.ts';
import { findNames, pathName } from './names.ts';
import { isOfOneRun } from './passingOutput.ts';
import { type Place, placedTexts } from './placedTexts.ts';
import { Reads } from './replacedReads.ts';

export interface Line {
  readonly source: Source;
  /** Without surrounding white space and without a tool's line number. */
  readonly text: string;
  readonly length: number;
  /** Number of the text; the same wherever it occurs. */
  readonly key: number;
  readonly place: Place;
  /** Number of its shape, which texts share that differ in their digits alone. */
  readonly shape: number;
  /** None where it says nothing of the session. */
  names: readonly number[];
  /** Says nothing: output of a command with values of that run, such as how long it took; text that no file got. */
  passing: boolean;
  readonly at: number;
}

/** The facts of a text, wherever it occurs. `passing`: as the output of a command. */
type Read = Pick<Line, 'key' | 'names' | 'passing' | 'shape'>;

export interface Source {
  readonly id: string;
  readonly at: number;
  /** The tool called, of an answer's line by its own call. Empty for words. */
  readonly tool: string;
  /** The file that was read or changed; empty when unknown, where that was not done, and where the file is gone by it. */
  path: string;
  /** The name of that file, as texts mention it. */
  file: string;
  request: string;
  /** How its call ended, where it was not made; else empty. */
  fate: string;
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

/** Shorter lines are too generic to be repeated verbatim. */
export const SHORTEST_LINE = 20;

const LONGEST_REQUEST = 100;

/** Tokens after which a mention counts as long ago. */
const LONG_SINCE = 8_000;

const COMMITS = /\bgit commit\b/;

const SHOWS = /read|view|open|cat|show/i;

export interface ChangedFile {
  /** As the call named it. */
  readonly path: string;
  /** Changes by such calls are among `files.changed` of a compaction's context, as long as they stand. */
  readonly isListed: boolean;
}

interface Call extends Pick<Source, 'tool' | 'path' | 'request'> {
  /** It is to write the whole file. */
  readonly replaces: boolean;
  /** Files that a command is to remove, to move or to put back. */
  readonly clears: readonly CommandUse[];
  /** The arguments of a message that shows lines of its file; null for others. */
  readonly reads: string | null;
  readonly paths: readonly string[];
  readonly uses: readonly FileUse[];
}

/** A call without its result: what it says counts once it is known to have been made. */
interface OpenCall extends Call {
  /** Its part of the answer. */
  readonly source: Source;
  /** Text that it was to write into a file or to replace. */
  readonly lines: readonly Line[];
}

export class SessionIndex {
  readonly names: NameUse[] = [];
  readonly sources: Source[] = [];
  tokens = 0;
  /** Files that calls read or changed, by their path names. */
  readonly touched = new Set<string>();
  /** Changed files in the order of their last change. */
  readonly changed = new Map<string, ChangedFile>();
  /** Keys of lines that are gone, with the file that held them; empty where an edit took one out, as all copies count then. */
  readonly removed = new Map<number, string>();
  /** Tokens of the session at its newest commit; 0 without one. */
  committed = 0;
  /** Messages before it. */
  #committedAt = 0;
  /** Names of files that calls read or changed, by their paths. */
  readonly #files = new Map<string, string>();
  /** Names of files that were deleted or moved, and not written since. */
  readonly #gone = new Set<string>();
  /** By the names of their files; also of calls that were not made after all. */
  readonly #lines = new Map<string, Line[]>();
  /** Edits since the newest commit: which keys each took out of its file. */
  #taken: { readonly file: string; readonly keys: readonly number[] }[] = [];
  readonly #ids = new Map<string, number>();
  /** By name: number of the newest text that it was found in. */
  readonly #foundIn: number[] = [];
  /** By text: a repeated line is not parsed again. */
  readonly #texts = new Map<string, Read>();
  readonly #byId = new Map<string, Source>();
  readonly #open = new Map<string, OpenCall>();
  /** Counts of uses by calls: answers with an edit, names, and those of both that were last mentioned long ago. */
  readonly uses = { edits: 0, farEdits: 0, answers: 0, farNames: 0 };
  /** By text: tokens of the session up to its newest mention. */
  readonly #lastAt: number[] = [];
  readonly #reads = new Reads();
  /** By text without its digits: its number. */
  readonly #shapes = new Map<string, number>();

  get(id: string): Source | undefined {
    return this.#byId.get(id);
  }

  /** The number of a name; undefined for a name that no message contains. */
  nameId(name: string): number | undefined {
    return this.#ids.get(name);
  }

  /** Number of different shapes of its lines. */
  get shapes(): number {
    return this.#shapes.size;
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
    const open = message.role === 'tool' ? this.#open.get(message.toolCallId) : undefined;
    const fate = message.role === 'tool' ? fateOf(message) : '';
    const call = message.role === 'tool' ? open && nameUnmade(open, fate) : asked[0];
    const source: Source = {
      id: message.id,
      at: this.sources.length,
      tool: call?.tool ?? '',
      path: call?.path ?? '',
      file: call ? fileName(call.path) : '',
      request: call?.request ?? '',
      fate,
      end: this.tokens,
      size: sizeOf(message),
      lines,
      superseded: false,
    };
    let [first, last] = [0, 0];
    let [isEdit, isFar] = [false, false];
    const read = (text: string, place: Place, source: Source, stays = false) => {
      for (const raw of text.split('\n')) {
        const numbered = place === 'result' ? readNumber(raw) : null;
        if (numbered) {
          first ||= numbered.number;
          last = numbered.number;
        }
        const trimmed = (numbered?.text ?? raw).trim();
        if (trimmed === '') continue;
        const known = this.#read(trimmed);
        const { key, shape } = known;
        if (place === 'repeated' && trimmed.length >= SHORTEST_LINE) {
          isEdit = true;
          isFar ||= this.tokens - (this.#lastAt[key] ?? this.tokens) > LONG_SINCE;
        }
        // In a file such a line is code or text like any other.
        const passing = known.passing && place === 'result' && source.file === '';
        const names = passing ? [] : known.names;
        for (const id of names) {
          mentioned.add(id);
          if (place === 'repeated' || place === 'asked') called.add(id);
        }
        const length = trimmed.length;
        const line = { source, text: trimmed, length, key, place, shape, names, passing, at: lines.length };
        lines.push(line);
        if (stays) standing.add(line);
        if (source.file === '') continue;
        const others = this.#lines.get(source.file);
        if (others) others.push(line);
        else this.#lines.set(source.file, [line]);
      }
    };
    const standing = new Set<Line>();
    if (message.role === 'tool') read(message.text, 'result', source);
    else read(message.text, 'said', calls.length > 0 ? { ...source, ...WORDS } : source);
    for (const [i, { id }] of calls.entries()) {
      const begin = lines.length;
      const about = asked[i] as Call;
      const part = {
        ...source,
        tool: about.tool,
        path: about.path,
        file: fileName(about.path),
        request: about.request,
      };
      for (const { text, place, stays } of texts[i] ?? []) read(text, place, part, stays);
      const changing = lines
        .slice(begin)
        .filter((line) => (line.place === 'written' || line.place === 'repeated') && !standing.has(line));
      this.#open.set(id, { ...about, source: part, lines: changing });
    }
    if (open && message.role === 'tool') {
      this.#open.delete(message.toolCallId);
      if (fate === '') this.#made(open);
      else takeBack(open, fate);
      if (fate === '' && open.reads !== null) {
        this.#reads.add(source.file, { source, asked: open.reads, lines: first > 0 ? { first, last } : null });
        for (const { key } of lines) if (this.removed.get(key) === source.file) this.removed.delete(key);
      }
    }
    if (isEdit) this.uses.edits++;
    if (isFar) this.uses.farEdits++;
    if (calls.length > 0) this.uses.answers++;
    for (const { key } of lines) this.#lastAt[key] = this.tokens;
    for (const id of mentioned) {
      const use = this.names[id] as NameUse;
      if (called.has(id) && use.mentions > 0 && this.tokens - use.last > LONG_SINCE) this.uses.farNames++;
      use.last = this.tokens;
      use.mentions++;
      if (called.has(id)) use.calls++;
      use.said ||= message.role !== 'tool';
      use.asked ||= message.role === 'user' && message.kind === 'user';
    }
    this.sources.push(source);
    this.#byId.set(message.id, source);
  }

  /** True for a line that its file no longer holds. */
  isStale({ key, source: { file } }: { readonly key: number; readonly source: Pick<Source, 'file'> }): boolean {
    const gone = this.removed.get(key);
    return gone !== undefined && (gone === '' || gone === file);
  }

  /** True for the name of a file that was deleted or moved, and not written since. */
  isGone(path: string): boolean {
    return this.#gone.has(fileName(path));
  }

  /** True for a line in notes that its file no longer holds. `header`: what its header begins with. */
  isStaleIn(header: string, text: string): boolean {
    const read = this.#texts.get(text);
    return read !== undefined && this.isStale({ key: read.key, source: { file: fileName(header) } });
  }

  #made({ source, paths, uses, clears, replaces, lines, request }: OpenCall): void {
    const { file } = source;
    const written = new Set<number>();
    for (const { key, place } of lines) if (place === 'written') written.add(key);
    const taken = lines.flatMap(({ key, place }) => (place === 'repeated' && !written.has(key) ? [key] : []));
    this.#take(file, taken, '');
    if (replaces)
      this.#take(
        file,
        this.#keysOf(file, (key) => !written.has(key)),
      );
    for (const key of written) this.#holds(file, key);
    if (COMMITS.test(request)) {
      this.committed = this.tokens;
      this.#committedAt = this.sources.length;
      this.#taken = [];
    }
    for (const path of paths) {
      this.#files.set(plainPath(path), fileName(path));
      this.touched.add(fileName(path));
      this.#gone.delete(fileName(path));
      if (lines.length > 0) this.#change(path, uses.length > 0);
    }
    for (const use of uses) {
      if (use.does === 'deletes') this.#clear({ does: 'deletes', path: use.path });
      if (use.does === 'moves') this.#clear(use);
    }
    for (const use of clears) this.#clear(use);
  }

  /** `from`: the file whose line is gone, or empty for wherever the line stands. */
  #take(file: string, keys: readonly number[], from = file): void {
    for (const key of keys) this.removed.set(key, from);
    if (keys.length > 0) this.#taken.push({ file, keys });
  }

  #holds(file: string, key: number): void {
    const gone = this.removed.get(key);
    if (gone === file || gone === '') this.removed.delete(key);
  }

  /** Keys of the lines that messages from `from` on showed of a file or wrote into it. */
  #keysOf(
    file: string,
    which: (key: number) => boolean,
    places: readonly Place[] | null = ['result', 'written', 'repeated'],
    from = 0,
  ): number[] {
    const lines = (this.#lines.get(file) ?? []).filter(
      ({ source, place }) => source.file === file && source.at >= from && (places?.includes(place) ?? true),
    );
    return [...new Set(lines.map(({ key }) => key))].filter(which);
  }

  /** A file or folder was deleted, moved or put back; a command may name it from another folder. */
  #clear(use: CommandUse): void {
    const path = plainPath(use.path);
    for (const [known, file] of [...this.#files]) {
      const isBelow = known.endsWith(`/${path}`);
      if (!isBelow && !isWithin(known, path)) continue;
      if (use.does === 'restores') {
        this.#putBack(file);
        continue;
      }
      this.changed.delete(file);
      this.#files.delete(known);
      this.#gone.add(file);
      if (use.does === 'deletes')
        this.#take(
          file,
          this.#keysOf(file, () => true, null),
        );
      else {
        const to = plainPath(use.to);
        const begin = isBelow && !/^(?:\/|[A-Za-z]:)/.test(to) ? known.slice(0, -path.length) : '';
        this.#move(file, isBelow ? `${begin}${to}` : `${to}${known.slice(path.length)}`);
      }
    }
  }

  /** Its lines stand under the new name. */
  #move(file: string, to: string): void {
    const name = fileName(to);
    this.#files.set(to, name);
    this.touched.add(name);
    this.#gone.delete(name);
    this.#change(to, true);
    const lines = this.#lines.get(file) ?? [];
    for (const part of new Set([...lines.map(({ source }) => source), ...this.sources]))
      if (part.file === file) Object.assign(part, { file: name, path: to });
    this.#lines.delete(file);
    this.#lines.set(name, [...(this.#lines.get(name) ?? []), ...lines]);
    for (const [key, gone] of this.removed) if (gone === file) this.removed.set(key, name);
  }

  /** Lines written since the newest commit are gone, and those that they replaced are there again. */
  #putBack(file: string): void {
    for (const { file: of, keys } of this.#taken) if (of === file) for (const key of keys) this.#holds(file, key);
    const there = new Set(this.#taken.flatMap((each) => (each.file === file ? each.keys : [])));
    this.#take(
      file,
      this.#keysOf(file, (key) => !there.has(key), ['written'], this.#committedAt),
    );
    this.changed.delete(file);
  }

  /** The newest change determines the order. */
  #change(path: string, isListed: boolean): void {
    const name = fileName(path);
    this.changed.delete(name);
    this.changed.set(name, { path, isListed });
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

  #shapeOf(text: string): number {
    const shape = text.replace(DIGITS, '0');
    const known = this.#shapes.get(shape);
    if (known !== undefined) return known;
    this.#shapes.set(shape, this.#shapes.size);
    return this.#shapes.size - 1;
  }

  #read(text: string): Read {
    let read = this.#texts.get(text);
    if (!read) {
      read = {
        key: this.#texts.size,
        names: this.#namesIn(text),
        passing: isOfOneRun(text),
        shape: this.#shapeOf(text),
      };
      this.#texts.set(text, read);
    }
    return read;
  }
}

const DIGITS = /\d+/g;

/** Words of an answer with calls belong to none of them. */
const WORDS = { tool: '', path: '', file: '', request: '' };

const fileName = (path: string): string => pathName(path) ?? path;

export function sizeOf(message: ContextMessage | PastMessage): number {
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  return calls.reduce((sum, call) => sum + call.arguments.length, message.text.length);
}

function describeCall(
  { name, arguments: json }: { readonly name: string; readonly arguments: string },
  texts: ReturnType<typeof placedTexts>,
): Call {
  const given = pathsIn(json);
  const call = { id: '', name, arguments: json };
  const asked = texts.flatMap(({ text, place }) => (place === 'asked' ? text.split('\n') : []));
  const paths = given.length > 0 ? given : namedFiles(asked);
  const request = (asked.find((line) => line.trim() !== '') ?? '').trim().slice(0, LONGEST_REQUEST).toWellFormed();
  const changes = texts.some(({ place }) => place === 'written' || place === 'repeated');
  const shows = paths.length > 0 && !changes && (given.length === 0 || SHOWS.test(name));
  const uses = filesIn(call);
  const clears = usesOfCommand(scriptOf(call) ?? '');
  const repeats = texts.some(({ place }) => place === 'repeated');
  const replaces = !repeats && WHOLE.test(json) && uses.length === 1 && uses[0]?.does === 'changes';
  const shared = { tool: name, reads: shows ? json : null, paths, uses, clears, replaces };
  // Its lines are not in the file, which is gone by it.
  const isGone = uses.length > 0 && uses.every(({ does }) => does === 'deletes' || does === 'moves');
  return isGone
    ? {
        ...shared,
        path: '',
        request: `${name} ${uses.map(describeUse).join(', ')}`.slice(0, 2 * LONGEST_REQUEST).toWellFormed(),
      }
    : { ...shared, path: paths[0] ?? '', request };
}

/** A field with the whole text of a file. */
const WHOLE = /"(?:content|contents|file_text)"\s*:/;

const describeUse = (use: FileUse): string => (use.does === 'moves' ? `${use.path} to ${use.to}` : use.path);

/** For a header; empty where the call was made. Earlier versions of a history do not say it. */
function fateOf({ outcome, isError }: Extract<PastMessage, { role: 'tool' }>): string {
  const kind = outcome ?? (isError ? 'failed' : 'made');
  return kind === 'made' ? '' : kind;
}

/** A call that was not made stands under its own name and not under its file's. */
function nameUnmade<C extends Pick<Call, 'tool' | 'path' | 'request'>>(call: C, fate: string): C {
  return fate === '' || call.path === '' ? call : { ...call, path: '', request: `${call.tool} ${call.path}` };
}

/** Nothing of it came into a file. */
function takeBack({ source, lines }: OpenCall, fate: string): void {
  for (const line of lines) {
    line.passing = true;
    line.names = [];
  }
  const { path, request } = nameUnmade(source, fate);
  Object.assign(source, { path, request, fate, file: path === '' ? '' : source.file });
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
