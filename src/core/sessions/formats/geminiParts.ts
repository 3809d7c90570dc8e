/**
 * Content in the form of Gemini's API, as Gemini CLI and Qwen Code record it: a role and parts, of which each is a text, a
 * thought, a call, the response to a call, or data.
 */

import type { ToolCall } from '../../context/message.ts';
import { asText, isObject, type Json, listOf, objectOf } from '../../json.ts';
import type { RecordedAnswer, RecordedMessage } from '../recorded.ts';
import { answerOf, callOf, resultOf } from './json.ts';

/** Parts of a content, of a list of parts, of one part, or of bare text. */
export function partsOf(value: unknown): readonly Json[] {
  if (typeof value === 'string') return [{ text: value }];
  if (isObject(value)) return Array.isArray(value.parts) ? partsOf(value.parts) : [value];
  return listOf(value).flatMap((part): readonly Json[] =>
    typeof part === 'string' ? [{ text: part }] : isObject(part) ? [part] : [],
  );
}

/** The readable form of a part: empty for a call, for a response and for a part without text. */
export function showPart({ text, inlineData, fileData, executableCode, codeExecutionResult }: Json): string {
  if (typeof text === 'string') return text;
  const data = objectOf(inlineData ?? fileData);
  const name = asText(data.displayName) || asText(data.fileUri) || asText(data.mimeType);
  if (name) return `[${name}]`;
  return asText(objectOf(executableCode).code) || asText(objectOf(codeExecutionResult).output);
}

const textOf = (parts: readonly Json[]) =>
  parts
    .filter(({ thought }) => thought !== true)
    .map(showPart)
    .filter(Boolean)
    .join('\n');

/** The text of a response: its output or error, or all of it. */
function responseText({ response }: Json): string {
  const { output, error, ...others } = objectOf(response);
  const result = output ?? error;
  return typeof result === 'string' ? result : JSON.stringify(result ?? others);
}

const responsesIn = (parts: readonly Json[]) => parts.map(({ functionResponse }) => functionResponse).filter(isObject);

/** The text of what is recorded with a call as its result: the response to it, where those to others are beside it. */
export function resultText(id: unknown, value: unknown): string {
  const parts = partsOf(value);
  const responses = responsesIn(parts);
  const own = responses.filter((response) => response.id === id);
  const meant = own.length > 0 ? own : responses;
  return [...meant.map(responseText), textOf(parts)].filter(Boolean).join('\n');
}

/** Reads the messages of a conversation in order: some versions record a call without an id, and its response by its name. */
export class GeminiReader {
  #calls = 0;
  /** By the name of a tool, ids of the calls in order, and how many of them are known to be answered. */
  readonly #byName = new Map<string, { readonly ids: string[]; passed: number }>();
  readonly #answered = new Set<string>();
  /** Text beside the response in the newest result. */
  #beside = '';

  /** An answer. `called`: calls that are recorded beside the parts. */
  readAnswer(content: unknown, called: readonly ToolCall[] = [], thoughts = ''): RecordedAnswer {
    const parts = partsOf(content);
    const known = new Set(called.map(({ id }) => id));
    const inParts = parts.flatMap(({ functionCall }) => {
      const { id, name, args } = objectOf(functionCall);
      if (!isObject(functionCall) || known.has(asText(id))) return [];
      return callOf(asText(id) || `${asText(name)}-${++this.#calls}`, name, args);
    });
    // A call without an id of its own in the parts is one of those beside them.
    const calls = [
      ...called,
      ...(called.length > 0 ? inParts.filter(({ name }) => !called.some((it) => it.name === name)) : inParts),
    ];
    for (const { id, name } of calls) {
      this.#answered.delete(id);
      const same = this.#byName.get(name);
      if (same) same.ids.push(id);
      else this.#byName.set(name, { ids: [id], passed: 0 });
    }
    const said = parts.filter(({ thought }) => thought === true).map(({ text }) => asText(text));
    return answerOf(textOf(parts), [thoughts, ...said].filter(Boolean).join('\n\n'), calls);
  }

  /** The result that is recorded with its call; it is not read again where it is also in a message of the person's role. */
  readResult(id: string, value: unknown, failed: boolean): RecordedMessage {
    this.#answer(id, '');
    this.#beside = textOf(partsOf(value));
    return resultOf(id, resultText(id, value), failed);
  }

  /** A message in the person's role: the responses in it, then its text. `failed`: by the record around it. */
  readPerson(content: unknown, failed = false): RecordedMessage[] {
    const parts = partsOf(content);
    const responses = responsesIn(parts);
    const results = responses.flatMap((response): RecordedMessage[] => {
      const id = this.#answer(asText(response.id), asText(response.name));
      if (id === null) return [];
      const { output, error } = objectOf(response.response);
      return [resultOf(id, responseText(response), failed || (output === undefined && error !== undefined))];
    });
    const text = textOf(parts);
    const isTold = responses.length > 0 && text === this.#beside;
    if (isTold || (text === '' && parts.length > 0)) return results;
    return [...results, { role: 'user', text }];
  }

  /** The id of the call that is answered, empty where none is known; null when it has been answered. */
  #answer(id: string, name: string): string | null {
    const answered = id || this.#nextOf(name);
    if (this.#answered.has(answered)) return null;
    if (answered !== '') this.#answered.add(answered);
    return answered;
  }

  #nextOf(name: string): string {
    const calls = this.#byName.get(name);
    if (!calls) return '';
    while (this.#answered.has(calls.ids[calls.passed] ?? '')) calls.passed++;
    return calls.ids[calls.passed] ?? '';
  }
}
