/**
 * Cline's and Roo's `api_conversation_history.json`: a list of messages in Anthropic's form, bare or under `messages`.
 * Older tasks write tool calls as tags into the answer's text and results as `[tool for …] Result:`; these are
 * converted to calls and results.
 */

import { injectedKind } from '../../context/attribute.ts';
import type { ToolCall } from '../../context/message.ts';
import type { Json } from '../../json.ts';
import type { Recorded, RecordedMessage } from '../recorded.ts';
import { readAnthropicMessage } from './anthropic.ts';

const RESULT = /^\[([a-z][a-z_]*)(?: for [^\n]*?)?\] Result:\n?/;
const ENVIRONMENT = '<environment_details>';
const ENVIRONMENT_END = '</environment_details>';

export function readCline(entries: readonly Json[]): Recorded[] {
  const sent: Sent[] = [];
  for (const entry of entries) {
    for (const message of readAnthropicMessage(entry.role, entry.content).map(withOutcome)) {
      const { text } = message;
      if (entry.isSummary === true)
        sent.push({ entry, message: { role: 'user', kind: 'summary', text }, mark: 'condensed' });
      else if (entry.isTruncationMarker === true)
        sent.push({ entry, message: { role: 'user', kind: 'reminder', text }, mark: 'truncated' });
      else
        sent.push(
          ...(message.role === 'user' && !message.kind ? readUser(entry, text, sent) : withSummary(entry, message)),
        );
    }
  }
  return replayHistory(sent, entries);
}

/** A result in the text answers the tags of the preceding answer; the environment becomes a reminder. */
function readUser(entry: Json, text: string, sent: Sent[]): Sent[] {
  const { rest, environment } = takeEnvironment(text);
  const read: Sent[] = [];
  const result = RESULT.exec(rest);
  const at = sent.length - 1;
  const before = sent[at];
  const answer = before?.message;
  const call =
    result && answer?.role === 'assistant' && !answer.toolCalls && findTags(answer.text, result[1] ?? '', at);
  if (result && before && answer?.role === 'assistant' && call) {
    const message = { ...answer, text: answer.text.replace(call.tags, '').trim(), toolCalls: [call.call] };
    sent[at] = { ...before, message };
    const body = rest.slice(result[0].length).trim();
    read.push(...withSummary(entry, withOutcome({ role: 'tool', toolCallId: call.call.id, text: body })));
  } else if (rest) {
    read.push(...withSummary(entry, { role: 'user', text: unwrap(rest) }));
  }
  return [
    ...read,
    ...environment.map((each): Sent => ({ entry, message: { role: 'user', kind: 'reminder', text: each } })),
  ];
}

/** Results are recorded without a mark of failure: the program begins those that failed or were denied so. */
function withOutcome(message: RecordedMessage): RecordedMessage {
  if (message.role !== 'tool') return message;
  const body = message.text.replace(RESULT, '');
  if (/^(?:The user denied this operation|\{"status":\s*"denied")/.test(body))
    return { ...message, isError: true, outcome: { kind: 'declined' } };
  return /^(?:The tool execution failed|\{"status":\s*"error")/.test(body)
    ? { ...message, isError: true, outcome: { kind: 'failed' } }
    : message;
}

/** Cline returns the summary to the model as the result of the tool that the model used to write it. */
function withSummary(entry: Json, message: RecordedMessage): Sent[] {
  if (message.role === 'assistant' || injectedKind(message.text) !== 'summary') return [{ entry, message }];
  const summary: Sent = { entry, message: { role: 'user', kind: 'summary', text: message.text }, mark: 'continued' };
  return message.role === 'tool' ? [{ entry, message }, summary] : [summary];
}

/** Separates the blocks that describe the environment, and the empty lines around them, from the rest of the text. */
function takeEnvironment(text: string): { readonly rest: string; readonly environment: readonly string[] } {
  const environment: string[] = [];
  let rest = '';
  let at = 0;
  for (let start = text.indexOf(ENVIRONMENT); start !== -1; start = text.indexOf(ENVIRONMENT, at)) {
    const end = text.indexOf(ENVIRONMENT_END, start);
    if (end === -1) break;
    rest += trimLines(text, at, start);
    at = end + ENVIRONMENT_END.length;
    environment.push(text.slice(start, at));
  }
  return { rest: (rest + trimLines(text, at, text.length)).trim(), environment };
}

function trimLines(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && text[start] === '\n') start++;
  while (end > start && text[end - 1] === '\n') end--;
  return text.slice(start, end);
}

/** Tags mark the text that a person wrote. With more than one element the tags stay, and tell which part it is. */
function unwrap(text: string): string {
  const tag = /^<(task|feedback|user_message|answer)>/.exec(text)?.[1];
  if (!tag || text.indexOf(`</${tag}>`) !== text.length - tag.length - 3) return text;
  return text.slice(tag.length + 2, -(tag.length + 3)).trim();
}

function findTags(text: string, name: string, place: number): { call: ToolCall; tags: string } | null {
  const start = text.indexOf(`<${name}>`);
  const end = text.lastIndexOf(`</${name}>`);
  if (start < 0 || end < start) return null;
  const tags = text.slice(start, end + name.length + 3);
  const inner = text.slice(start + name.length + 2, end);
  const parameters: Record<string, string> = {};
  for (const [key, value] of readTags(inner)) parameters[key] = value.trim();
  return { call: { id: `recorded-${place}`, name, arguments: JSON.stringify(parameters) }, tags };
}

/** Each `<name>value</name>`, in order. A name without a later closing tag is skipped. */
function* readTags(text: string): Generator<[name: string, value: string]> {
  const closedLast = new Map([...text.matchAll(/<\/([a-z][a-z_]*)>/g)].map(({ 1: name = '', index }) => [name, index]));
  const opening = /<([a-z][a-z_]*)>/g;
  for (let tag = opening.exec(text); tag; tag = opening.exec(text)) {
    const [whole, name = ''] = tag;
    const start = tag.index + whole.length;
    if ((closedLast.get(name) ?? -1) < start) continue;
    const end = text.indexOf(`</${name}>`, start);
    yield [name, text.slice(start, end)];
    opening.lastIndex = end + name.length + 3;
  }
}

/** A message, and its entry in the file. */
interface Sent {
  readonly entry: Json;
  readonly message: RecordedMessage;
  /** Not a message of the conversation but a replacement for others: Roo's summary or marker, Cline's summary. */
  readonly mark?: 'condensed' | 'truncated' | 'continued';
}

/** The messages, with a compaction wherever messages became hidden. */
function replayHistory(sent: readonly Sent[], entries: readonly Json[]): Recorded[] {
  const history = new History(sent, entries);
  const recorded = sent.map(({ message, mark }, at): Recorded => {
    return mark ? { role: 'compaction', context: history.visibleAt(at) } : message;
  });
  const visible = new Set(history.visibleAt(sent.length - 1));
  const newest = sent.findLastIndex(({ mark }) => mark);
  const hiddenLater = sent.some(({ message }, at) => at > newest && !visible.has(message));
  return hiddenLater ? [...recorded, { role: 'compaction', context: [...visible] }] : recorded;
}

class History {
  readonly #sent: readonly Sent[];
  /** Cline keeps the first question and the first answer. */
  readonly #first: ReadonlySet<Json>;
  readonly #named: ReadonlySet<unknown>;

  constructor(sent: readonly Sent[], entries: readonly Json[]) {
    this.#sent = sent;
    this.#first = new Set(entries.slice(0, 2));
    this.#named = new Set(entries.flatMap(({ condenseParent: by }) => (typeof by === 'string' ? [by] : [])));
  }

  /** The messages sent when the message at `end` was the newest. */
  visibleAt(end: number): RecordedMessage[] {
    const past = this.#sent.slice(0, end + 1);
    const hiding = new Set<unknown>();
    for (const { entry, mark } of past) {
      if (mark === 'condensed') hiding.add(entry.condenseId);
      if (mark === 'truncated') hiding.add(entry.truncationId);
    }
    hiding.delete(undefined);
    // A summary without references replaces everything before it.
    const begin = past.findLastIndex(({ entry, mark }) => mark === 'condensed' && !this.#named.has(entry.condenseId));
    const continued = past.findLastIndex(({ mark }) => mark === 'continued');
    return past.flatMap(({ entry, message }, at) => {
      const before = at < begin || (at < continued && !this.#first.has(entry));
      return before || hiding.has(entry.condenseParent) || hiding.has(entry.truncationParent) ? [] : [message];
    });
  }
}
