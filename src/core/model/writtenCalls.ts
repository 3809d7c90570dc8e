/**
 * Calls that a model wrote into its answer as text, because its server knows its form of calls no better: one table for
 * turns and summaries. The forms are those that the tool parsers of vLLM, SGLang and llama.cpp read. Time is linear in the
 * length of the text.
 */

import { isObject, isTextTooDeep, type Json, parseJson } from '../json.ts';
import { findCode, findFences, isWithin } from './codeRanges.ts';

export interface WrittenCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export interface WrittenCalls {
  /** The text before them. */
  readonly before: string;
  /** The text from the first one on. */
  readonly written: string;
  /** Null where the form is broken, or text follows. */
  readonly calls: readonly WrittenCall[] | null;
  /** Nothing but JSON, which is a call only where it names a tool. */
  readonly bare: boolean;
}

/** Marks around calls that say nothing of their own, of several families. A call begins with one, or with its name. */
const AROUND = [
  '</?(?:[a-z]\\w{0,20}:)?(?:tool_calls?|function_calls?|TOOLCALL)>',
  '</?[｜|]{1,2}DSML[｜|]{1,2}(?:function_calls|tool_calls)>',
  '\\[/?TOOL_CALLS\\]',
  'functools(?=\\[)',
  '<[｜|](?:tool▁calls▁(?:begin|end)|tool▁call▁end|end▁of▁sentence)[｜|]>',
  '<\\|(?:tool_calls_section_(?:begin|end)|tool_call_end|tool_call\\|?|python_tag|tools_(?:prefix|suffix))\\|?>',
  '<\\|(?:START_ACTION|END_ACTION|im_end|eom_id|eot_id|call)\\|>',
  '<(?:start|end)_function_call>',
];
const INVOKE = '<([｜|]{1,2}DSML[｜|]{1,2})?invoke name\\s*=\\s*["\']?([\\w.:-]+)["\']?\\s*>';
const FUNCTION = '<function(?:=|\\s+name\\s*=\\s*)["\']?([\\w.:-]+)["\']?\\s*>';
const NAMED = [
  '<[｜|]tool▁call▁begin[｜|]>(?:function<[｜|]tool▁sep[｜|]>)?([\\w.-]+)(?:<[｜|]tool▁sep[｜|]>|\\s*\\n)',
  '<\\|tool_call_begin\\|>\\s*(?:functions\\.)?([\\w.-]+?)(?::\\d+)?\\s*<\\|tool_call_argument_begin\\|>',
  '(?:<\\|start\\|>assistant)?(?:<\\|channel\\|>(?:commentary|analysis))? ?to=(?:functions\\.)?([\\w.-]+)[^{}\\n]{0,80}<\\|message\\|>',
];

const OPENING = new RegExp(
  [...AROUND.map((form) => form.replace('</?', '<').replace('\\[/?', '\\[')), INVOKE, FUNCTION, ...NAMED].join('|'),
  'i',
);
const ANY_OPENING = new RegExp(OPENING.source, 'gi');
const at = (form: string) => new RegExp(`(?:${form})`, 'iy');
const AROUND_AT = at(AROUND.join('|'));
const INVOKE_AT = at(INVOKE);
const FUNCTION_AT = at(FUNCTION);
const NAMED_AT = NAMED.map(at);
const PARAMETER_AT = at(
  '<(?:[｜|]{1,2}DSML[｜|]{1,2})?parameter(?:=|\\s+name\\s*=\\s*)["\']?([\\w.:-]+)["\']?(?:\\s+string\\s*=\\s*"(true|false)")?\\s*>',
);
const PARAMETER_END = /<\/(?:[｜|]{1,2}DSML[｜|]{1,2})?parameter>/gi;
const CALL_END_AT = at('</(?:[｜|]{1,2}DSML[｜|]{1,2})?(?:invoke|function)>');
/** `[TOOL_CALLS]name[ARGS]{…}`, and GLM's name before its keys. */
const PLAIN_NAME_AT = at('([a-z_][\\w.-]*)(?:\\[CALL_ID\\][\\w-]+)?(?:\\[ARGS\\])?\\s*(?=\\{|<arg_key>)');
const FENCE_AT = at('```(?:json)?\\s*');
const ARG_AT = at('<arg_key>([^<]*)</arg_key>\\s*<arg_value>');

/** True for a text that begins as a call: nothing else was meant. */
export const beginsAsCall = (text: string): boolean => text.trimStart().search(OPENING) === 0;

/**
 * The calls with which an answer ends; null for an answer without any. One in code is an example, and one inside of a line
 * is talked about. `names`: the tools, which tell a call in bare JSON from any other.
 */
export function findWrittenCalls(answer: string, names: readonly string[]): WrittenCalls | null {
  const code = findCode(answer);
  for (const { index, 0: mark } of answer.matchAll(ANY_OPENING)) {
    if (isWithin(code, index) || !/(^|\n)[ \t]*$/.test(answer.slice(Math.max(0, index - 200), index))) continue;
    // Only a mark with a name, or what can follow it, is more than a word in a sentence.
    if (/^[ \t]+[^\s{[<\w]/.test(answer.slice(index + mark.length, index + mark.length + 20))) continue;
    const written = answer.slice(index);
    return { before: answer.slice(0, index).trimEnd(), written, calls: new CallReader(written).read(), bare: false };
  }
  const bare = bareJson(answer);
  const calls = bare === null ? null : callsIn(parseJson(bare));
  if (!calls?.length || !calls.every(({ name }) => names.includes(name))) return null;
  return { before: '', written: answer, calls, bare: true };
}

/** The whole answer as JSON, or in nothing but a fence. */
function bareJson(answer: string): string | null {
  const text = answer.trim();
  const [fence, more] = text.startsWith('```') ? findFences(text) : [];
  const inside =
    fence && !more && fence.start === 0 && fence.end === text.length && /^(json|tool_calls?)?$/.test(fence.info)
      ? text.slice(fence.inside.start, fence.inside.end).trim()
      : text;
  return /^[{[]/.test(inside) && !isTextTooDeep(inside) ? inside : null;
}

/** Reads calls to the very end of a text. */
class CallReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.trimEnd();
  }

  /** Null for anything but calls. */
  read(): readonly WrittenCall[] | null {
    const calls: WrittenCall[] = [];
    for (;;) {
      this.#skipAround();
      if (this.#at >= this.#text.length) return calls.length > 0 ? calls : null;
      const made = this.#call();
      if (!made) return null;
      calls.push(...made);
    }
  }

  #call(): readonly WrittenCall[] | null {
    const invoked = this.#take(INVOKE_AT);
    if (invoked) return this.#withParameters(invoked[2] ?? '');
    const called = this.#take(FUNCTION_AT);
    if (called) return this.#withParameters(called[1] ?? '');
    for (const form of NAMED_AT) {
      const named = this.#take(form);
      if (named) return this.#withJson(named[1] ?? '');
    }
    const plain = this.#take(PLAIN_NAME_AT);
    if (plain)
      return this.#text.startsWith('<arg_key>', this.#at)
        ? this.#withKeys(plain[1] ?? '')
        : this.#withJson(plain[1] ?? '');
    const value = this.#json();
    return value === undefined ? null : callsIn(value);
  }

  #withJson(name: string): readonly WrittenCall[] | null {
    const isFenced = this.#take(FENCE_AT) !== null;
    const from = this.#at;
    const value = this.#json();
    if (!isObject(value)) return null;
    const written = this.#text.slice(from, this.#at);
    if (isFenced) {
      this.#skipSpace();
      if (!this.#text.startsWith('```', this.#at)) return null;
      this.#at += 3;
    }
    return [{ name, arguments: written }];
  }

  #withParameters(name: string): readonly WrittenCall[] | null {
    const given: Record<string, unknown> = {};
    this.#skipSpace();
    if (this.#text[this.#at] === '{') {
      const value = this.#json();
      if (!isObject(value)) return null;
      Object.assign(given, value);
    }
    for (;;) {
      this.#skipSpace();
      if (this.#take(CALL_END_AT)) return [{ name, arguments: JSON.stringify(given) }];
      const parameter = this.#take(PARAMETER_AT);
      if (!parameter) return null;
      const text = this.#valueOfParameter();
      if (text === null) return null;
      const value = parameter[2] === 'false' ? parseJson(text) : undefined;
      define(given, parameter[1] ?? '', value === undefined ? text : value);
    }
  }

  /** Its end is the first after which another parameter, or the end of the call, follows: a value may hold such marks. */
  #valueOfParameter(): string | null {
    const from = this.#at;
    PARAMETER_END.lastIndex = from;
    for (let end = PARAMETER_END.exec(this.#text); end; end = PARAMETER_END.exec(this.#text)) {
      this.#at = end.index + end[0].length;
      this.#skipSpace();
      const then = this.#at;
      if (this.#take(PARAMETER_AT) || this.#take(CALL_END_AT)) {
        this.#at = then;
        // The template writes one line break on both sides.
        return this.#text.slice(from, end.index).replace(/^\n/, '').replace(/\n$/, '');
      }
    }
    return null;
  }

  #withKeys(name: string): readonly WrittenCall[] | null {
    const given: Record<string, unknown> = {};
    for (let key = this.#take(ARG_AT); key; key = this.#take(ARG_AT)) {
      const end = this.#text.indexOf('</arg_value>', this.#at);
      if (end < 0) return null;
      define(given, (key[1] ?? '').trim(), this.#text.slice(this.#at, end));
      this.#at = end + '</arg_value>'.length;
      this.#skipSpace();
    }
    return [{ name, arguments: JSON.stringify(given) }];
  }

  /** The JSON object or list here; undefined for anything else. */
  #json(): unknown {
    const end = endOfJson(this.#text, this.#at);
    if (end < 0) return undefined;
    const written = this.#text.slice(this.#at, end);
    if (isTextTooDeep(written)) return undefined;
    this.#at = end;
    return parseJson(written);
  }

  #skipAround(): void {
    for (
      this.#skipSpace();
      this.#take(AROUND_AT) || this.#text[this.#at] === ',' || this.#text[this.#at] === ';';
      this.#skipSpace()
    )
      if (/[,;]/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #take(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const match = form.exec(this.#text);
    if (match) this.#at += match[0].length;
    return match;
  }
}

/** Any name may come, even `__proto__`. */
function define(given: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(given, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Behind the object or list that begins at `from`; −1 where none does, or it has no end. */
function endOfJson(text: string, from: number): number {
  if (text[from] !== '{' && text[from] !== '[') return -1;
  let depth = 0;
  let quoted = false;
  for (let i = from; i < text.length; i++) {
    const character = text[i];
    if (quoted) {
      if (character === '\\') i++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      if (--depth === 0) return i + 1;
    }
  }
  return -1;
}

/** Calls as JSON: one, or a list of them. Null for anything else. */
function callsIn(value: unknown): readonly WrittenCall[] | null {
  if (Array.isArray(value)) {
    const calls = value.map(callIn);
    return calls.length > 0 && calls.every((call) => call !== null) ? calls : null;
  }
  const call = callIn(value);
  return call && [call];
}

function callIn(value: unknown): WrittenCall | null {
  if (!isObject(value)) return null;
  const call: Json = isObject(value.function) ? value.function : value;
  const name = [call.name, call.tool_name, call.tool, call.function].find((each) => typeof each === 'string');
  const given = call.arguments ?? call.parameters ?? call.input ?? call.args ?? call.tool_input;
  if (typeof name !== 'string' || (typeof given !== 'string' && !isObject(given))) return null;
  return {
    name: name.replace(/^functions\./, ''),
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  };
}
