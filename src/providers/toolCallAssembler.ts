/**
 * Assembles tool calls from raw stream pieces. Providers omit, reuse or repeat indexes and ids, so a call is matched by
 * (index, id) and by whether the previous one was already complete. Every call gets a unique, non-empty id.
 */

import type { ToolCall } from '../core/context/message.ts';
import { asRecord, asText, type Json, parseJson } from '../core/json.ts';

/** Calls of one answer. Each must be examined, and further ones are repetitions. */
export const MOST_CALLS = 128;

interface OpenCall {
  readonly index: number | null;
  end: ObjectEnd;
  id: string;
  name: string;
  arguments: string;
  /** A whole object that came before `arguments`: empty, or the same sent twice, as a rule. */
  before: string;
  /** Its name came once more after its arguments: repeated, or that of another call. */
  repeated: boolean;
  extra: Json | null;
}

interface CallProgress {
  readonly index: number;
  readonly name: string;
  readonly argumentsLength: number;
}

export class ToolCallAssembler {
  readonly #taken: ReadonlySet<string>;
  readonly #mint: () => string;
  readonly #calls: OpenCall[] = [];
  /** Number of calls after the last one allowed; their pieces were discarded. */
  leftOut = 0;
  /** Length of all names and arguments so far. */
  characters = 0;

  /**
   * `taken` holds ids of earlier calls in the conversation: a provider that starts again at `call_0` gets new ones from
   * `mint`, which must never repeat itself.
   */
  constructor(taken: Iterable<string>, mint: () => string) {
    this.#taken = new Set(taken);
    this.#mint = mint;
  }

  /** Takes `delta.tool_calls` of one chunk; returns what there is to show. */
  addAll(entries: readonly unknown[]): readonly CallProgress[] {
    // Several calls in one chunk are told apart by their places, where they have no index.
    const placed = entries.length > 1;
    return entries.flatMap((raw, place) => this.add(raw, placed ? place : null) ?? []);
  }

  /** Takes one entry; null when there is nothing to show. `place` stands in for a missing index. */
  add(raw: unknown, place: number | null = null): CallProgress | null {
    const calls = this.#calls;
    const piece = readPiece(raw, place);
    if (!piece) return null;
    this.characters += piece.name.length + piece.arguments.length;
    const found = findCall(calls, piece);
    if (found === 'repetition') return null;
    // A piece without an index may continue an omitted call.
    if (calls.length === MOST_CALLS && (!found || (this.leftOut > 0 && piece.index === null))) {
      if (piece.name) this.leftOut++;
      return null;
    }
    const call = found ?? openCall(piece.index, nameBefore(calls, piece));
    if (!found) calls.push(call);
    call.id ||= piece.id;
    grow(call, piece);
    call.extra ??= piece.extra;
    return { index: calls.indexOf(call), name: call.name, argumentsLength: call.arguments.length };
  }

  /** All calls so far, in order of their first piece; at most `MOST_CALLS`. */
  finish(): readonly ToolCall[] {
    const used = new Set(this.#taken);
    return this.#calls.map((call) => {
      const id = call.id && !used.has(call.id) ? call.id : this.#mint();
      used.add(id);
      // Many models call a tool without parameters by sending no arguments at all; a nameless call is answered by an
      // error.
      return {
        id,
        name: call.name || 'unnamed_tool',
        arguments: argumentsOf(call),
        ...(call.extra ? { extra: call.extra } : {}),
      };
    });
  }
}

interface Piece {
  readonly index: number | null;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** These are all of the arguments, whatever came before. */
  readonly whole: boolean;
  readonly extra: Json | null;
}

function readPiece(raw: unknown, place: number | null): Piece | null {
  const piece = asRecord(raw);
  if (!piece) return null;
  const body = asRecord(piece.function) ?? piece;
  return {
    index: readIndex(piece.index) ?? place,
    id: asText(piece.id),
    name: asText(body.name),
    arguments: readArguments(body.arguments),
    whole: piece.whole === true,
    extra: asRecord(piece.extra_content),
  };
}

function readIndex(index: unknown): number | null {
  return typeof index === 'number'
    ? index
    : typeof index === 'string' && /^\d{1,4}$/.test(index)
      ? Number(index)
      : null;
}

/** Some servers send the arguments as an object instead of JSON text, and an empty one as an empty list. */
function readArguments(given: unknown): string {
  if (Array.isArray(given) && given.length === 0) return '{}';
  return typeof given === 'string' ? given : asRecord(given) ? JSON.stringify(given) : '';
}

function openCall(index: number | null, name: string): OpenCall {
  return { index, end: new ObjectEnd(), id: '', name, arguments: '', before: '', repeated: false, extra: null };
}

/** The call that the piece continues, undefined when it opens a new one. */
function findCall(calls: readonly OpenCall[], piece: Piece): OpenCall | 'repetition' | undefined {
  const same = calls.findLast((call) => piece.index === null || call.index === null || call.index === piece.index);
  if (!same) return undefined;
  if (piece.id && same.id && piece.id !== same.id) {
    const known = calls.findLast(
      (call) => call.id === piece.id && (piece.index === null || call.index === piece.index),
    );
    // A server that makes up an id for each piece has only the index to tell calls apart.
    return known ?? (piece.name === '' && piece.index !== null && !same.end.reached ? same : undefined);
  }
  if (!same.end.reached) return opensBeside(same, piece) ? undefined : same;
  if (piece.id && piece.id === same.id && piece.name === same.name && piece.arguments === same.arguments) {
    return 'repetition';
  }
  if (piece.name === '') return same.repeated && isOpening(piece.arguments) ? undefined : same;
  // Its own name, which came after its arguments.
  if (same.name === '' && piece.arguments === '') return same;
  if (piece.arguments !== '')
    return isOpening(piece.arguments) && !(piece.id && piece.id === same.id) ? undefined : same;
  if (piece.id) return same;
  if (piece.name !== same.name || piece.index === null) return undefined;
  // The next piece tells whether this repeats the name or begins another call.
  same.repeated = true;
  return 'repetition';
}

/** A call without arguments is followed by one that has a name and arguments at once, and no index tells them apart. */
function opensBeside({ name, arguments: sofar }: OpenCall, piece: Piece): boolean {
  return piece.index === null && name !== '' && sofar === '' && piece.name !== '' && isOpening(piece.arguments);
}

/** The name that a piece without one was given by a repetition before. */
function nameBefore(calls: readonly OpenCall[], { name, index }: Piece): string {
  const last = calls.findLast((call) => call.index === index);
  return name === '' && last?.repeated ? last.name : '';
}

function grow(call: OpenCall, piece: Piece): void {
  // Pieces may repeat the name, or all of it that came before them.
  if (piece.name.startsWith(call.name)) call.name = piece.name;
  else if (piece.name) call.name += piece.name;
  if (piece.arguments === '' || (piece.whole && call.arguments !== '' && isEmptyObject(piece.arguments))) return;
  const whole = call.end.reached;
  if (piece.whole || isRepeated(call.arguments, piece.arguments)) {
    // Everything so far again, and perhaps more of it.
    call.arguments = piece.arguments;
  } else if (whole && isOpening(piece.arguments) && call.before === '') {
    call.before = call.arguments;
    call.arguments = piece.arguments;
  } else {
    call.arguments += piece.arguments;
    call.end.read(piece.arguments);
    return;
  }
  call.end = new ObjectEnd();
  call.end.read(call.arguments);
}

/** A brace and a quotation mark begin an object only once: inside of a text they would be escaped. */
function isRepeated(before: string, piece: string): boolean {
  // The lengths first: looking into a text that grows piece by piece copies all of it.
  return before.length > 2 && piece.length >= before.length && /^\s*\{\s*"/.test(before) && piece.startsWith(before);
}

function argumentsOf({ before, arguments: last, end }: OpenCall): string {
  if (before === '') return last.trim() === '' ? '{}' : last;
  if (isSameJson(before, last) || isEmptyObject(last)) return before;
  if (isEmptyObject(before)) return last;
  // Two objects have two meanings. One that is cut may be the whole one once more.
  return !end.reached && isOpening(last) && before.startsWith(last) ? before : before + last;
}

const isEmptyObject = (text: string) => /^\s*\{\s*\}\s*$/.test(text);

function isSameJson(a: string, b: string): boolean {
  const value = parseJson(a);
  return value !== undefined && JSON.stringify(value) === JSON.stringify(parseJson(b));
}

/** After a whole object, only another call can begin with a brace. */
function isOpening(text: string): boolean {
  return text.trimStart().startsWith('{');
}

/**
 * Finds where a JSON object that arrives in pieces ends. Each character is read once, however many pieces there are.
 */
class ObjectEnd {
  #depth = 0;
  #begun = false;
  #inText = false;
  #escaped = false;
  /** There is text before or after the object. */
  #more = false;

  /**
   * True when the pieces so far are one object and otherwise only white space. Braces are counted, nothing is parsed.
   */
  get reached(): boolean {
    return this.#begun && this.#depth === 0 && !this.#more;
  }

  read(piece: string): void {
    for (let at = 0; at < piece.length && !this.#more; at++) this.#take(piece.charAt(at));
  }

  #take(character: string): void {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false;
      else if (character === '\\') this.#escaped = true;
      else if (character === '"') this.#inText = false;
    } else if (this.#depth === 0) {
      if (character === '{' && !this.#begun) {
        this.#begun = true;
        this.#depth = 1;
      } else if (character.trim() !== '') {
        this.#more = true;
      }
    } else if (character === '"') {
      this.#inText = true;
    } else if (character === '{') {
      this.#depth++;
    } else if (character === '}') {
      this.#depth--;
    }
  }
}
