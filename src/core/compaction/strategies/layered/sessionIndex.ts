/**
 * What was said in the session, line by line, with the names in each line and how each name was used so far. It grows by
 * the message and nothing in it is worked out twice, so that a long session costs what is new in it.
 */

import type { ContextMessage, PastMessage } from '../../../../api/index.ts';
import { parseJson } from '../../../json.ts';
import { pathsIn } from '../../draft/facts.ts';
import { type Place, placedTexts } from './callTexts.ts';
import { namedFiles } from './namedFiles.ts';
import { findNames, pathName } from './names.ts';
import { Reads, readNumber } from './reads.ts';

export interface Line {
  readonly source: Source;
  /** Without the space around it, and without the number that a tool put in front of it. */
  readonly text: string;
  readonly length: number;
  /** Number of the text; the same wherever it stands. */
  readonly key: number;
  readonly place: Place;
  /** Numbers of the names in it, each once. */
  readonly names: readonly number[];
  /** Position within its message. */
  readonly at: number;
}

/** One message of the session. */
export interface Source {
  readonly id: string;
  /** Among all messages, in order. */
  readonly at: number;
  /** What was called; of an answer with several calls the first. Empty for words alone. */
  readonly tool: string;
  /** The file that was read or changed; empty where none is known. */
  readonly path: string;
  /** The name of that file, as texts mention it. */
  readonly file: string;
  /** The beginning of what was asked of the tool. */
  readonly request: string;
  /** Tokens of the session up to its end. */
  readonly end: number;
  /** Characters of its text and arguments: one that was shortened since has fewer. */
  readonly size: number;
  readonly lines: readonly Line[];
  /** A later read gave the same lines of its file. */
  superseded: boolean;
}

/** A name and how it was used. */
export interface NameUse {
  readonly name: string;
  readonly isPath: boolean;
  /** Tokens of the session up to its newest mention. */
  last: number;
  /** Messages that mention it. */
  mentions: number;
  /** Calls that use it; new text that they write does not count. */
  calls: number;
  /** Something else than a result mentions it. */
  said: boolean;
  /** A person's message mentions it. */
  asked: boolean;
}

const LONGEST_REQUEST = 100;
/** Names of tools that show a file. */
const SHOWS = /read|view|open|cat|show/i;

interface Call extends Pick<Source, 'tool' | 'path' | 'request'> {
  /** The arguments of one that shows lines of its file; null for others. */
  readonly reads: string | null;
}
const NO_CALL: Call = { tool: '', path: '', request: '', reads: null };

export class SessionIndex {
  readonly names: NameUse[] = [];
  readonly sources: Source[] = [];
  /** The tokens of all messages together. */
  tokens = 0;
  /** Files that calls read or changed, by their path names. */
  readonly touched = new Set<string>();
  /** Those that were changed, in the order of their last change, with the path that it gave. */
  readonly changed = new Map<string, string>();
  /** Keys of lines that an edit replaced, and that were not written again. */
  readonly removed = new Set<number>();
  readonly #ids = new Map<string, number>();
  /** By text: a line that came before is not read again. */
  readonly #texts = new Map<string, Pick<Line, 'key' | 'names'>>();
  readonly #byId = new Map<string, Source>();
  readonly #calls = new Map<string, Call>();
  readonly #reads = new Reads();

  get(id: string): Source | undefined {
    return this.#byId.get(id);
  }

  /** The number of a name; undefined for one that no message held. */
  nameId(name: string): number | undefined {
    return this.#ids.get(name);
  }

  /** How many different texts its lines have: their keys are the numbers below it. */
  get texts(): number {
    return this.#texts.size;
  }

  /** Adds the next message. One that is known already changes nothing. */
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
        const { key, names } = this.#read(trimmed);
        for (const id of names) {
          mentioned.add(id);
          if (place === 'repeated' || place === 'asked') called.add(id);
        }
        if (place === 'repeated') this.removed.add(key);
        else if (place === 'written') this.removed.delete(key);
        lines.push({ source, text: trimmed, length: trimmed.length, key, place, names, at: lines.length });
      }
    };
    read(message.text, message.role === 'tool' ? 'result' : 'said');
    for (const [i, { id }] of calls.entries()) {
      for (const { text, place } of texts[i] ?? []) read(text, place);
      this.#calls.set(id, asked[i] ?? NO_CALL);
      for (const path of asked[i]?.paths ?? []) {
        const name = fileName(path);
        this.touched.add(name);
        if (!texts[i]?.some(({ place }) => place === 'written' || place === 'repeated')) continue;
        // The newest change says when.
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

  /** What is known of a text that is no message of the session, such as notes. */
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
    const found = new Set<number>();
    findNames(text, (name) => {
      let id = this.#ids.get(name);
      if (id === undefined) {
        id = this.names.length;
        this.#ids.set(name, id);
        const isPath = name.includes('/');
        this.names.push({ name, isPath, last: 0, mentions: 0, calls: 0, said: false, asked: false });
      }
      found.add(id);
    });
    return [...found];
  }

  #read(text: string): Pick<Line, 'key' | 'names'> {
    let read = this.#texts.get(text);
    if (!read) {
      read = { key: this.#texts.size, names: this.#namesIn(text) };
      this.#texts.set(text, read);
    }
    return read;
  }
}

const fileName = (path: string): string => pathName(path) ?? path;

/** Characters of a message's text and arguments. */
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
