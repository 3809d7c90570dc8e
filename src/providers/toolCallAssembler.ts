/**
 * Assembles tool calls from raw stream pieces. Providers omit, reuse or repeat indexes and ids, so a call is matched by
 * (index, id) and by whether the previous one was already complete. Every call gets a unique, non-empty id.
 */

import type { ToolCall } from '../core/context/message.ts';
import { asRecord, asText, type Json } from '../core/json.ts';

/** Calls of one answer. Each must be examined, and further ones are repetitions. */
export const MOST_CALLS = 128;

interface OpenCall {
  readonly index: number | null;
  readonly end: ObjectEnd;
  id: string;
  name: string;
  arguments: string;
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

  /** Takes one entry of `delta.tool_calls`; null when there is nothing to show. */
  add(raw: unknown): CallProgress | null {
    const calls = this.#calls;
    const piece = readPiece(raw);
    if (!piece) return null;
    this.characters += piece.name.length + piece.arguments.length;
    const found = findCall(calls, piece);
    if (found === 'repetition') return null;
    // A piece without an index may continue an omitted call.
    if (calls.length === MOST_CALLS && (!found || (this.leftOut > 0 && piece.index === null))) {
      if (piece.name) this.leftOut++;
      return null;
    }
    const call = found ?? { index: piece.index, end: new ObjectEnd(), id: '', name: '', arguments: '', extra: null };
    if (!found) calls.push(call);
    call.id ||= piece.id;
    if (piece.name && piece.name !== call.name) call.name += piece.name;
    call.arguments += piece.arguments;
    call.end.read(piece.arguments);
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
        arguments: call.arguments.trim() === '' ? '{}' : call.arguments,
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
  readonly extra: Json | null;
}

function readPiece(raw: unknown): Piece | null {
  const piece = asRecord(raw);
  if (!piece) return null;
  const body = asRecord(piece.function) ?? piece;
  const given = body.arguments;
  return {
    index: typeof piece.index === 'number' ? piece.index : null,
    id: asText(piece.id),
    name: asText(body.name),
    // Some servers send the arguments as an object instead of JSON text.
    arguments: typeof given === 'string' ? given : asRecord(given) ? JSON.stringify(given) : '',
    extra: asRecord(piece.extra_content),
  };
}

/** The call that the piece continues, undefined when it opens a new one. */
function findCall(calls: readonly OpenCall[], piece: Piece): OpenCall | 'repetition' | undefined {
  const same = calls.findLast((call) => piece.index === null || call.index === null || call.index === piece.index);
  if (!same) return undefined;
  if (piece.id && same.id && piece.id !== same.id) {
    return calls.findLast((call) => call.id === piece.id && (piece.index === null || call.index === piece.index));
  }
  if (!same.end.reached) return same;
  if (piece.id && piece.id === same.id && piece.name === same.name && piece.arguments === same.arguments) {
    return 'repetition';
  }
  const opensAnother = piece.name !== '' && (piece.arguments === '' ? !piece.id : isOpening(piece.arguments));
  return opensAnother ? undefined : same;
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
