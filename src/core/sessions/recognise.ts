/**
 * Recognises the program that recorded a session by the keys in its records. The file may begin with irrelevant lines,
 * and a line may have any length: only outlines are examined, and only of the beginning of an enormous file.
 */

import { isObject, type Json } from '../json.ts';
import { AIDER_START } from './formats/aider.ts';
import { isChatLogLine } from './formats/copilot.ts';
import { isOpenHandsEvent, isOpenHandsOutput } from './formats/openHands.ts';
import { isOfQwen } from './formats/qwenCode.ts';
import { isSweAgentMessage, isSweAgentStep } from './formats/sweAgent.ts';
import { Outliner } from './outline.ts';

export type RecordedFormat =
  | 'claudeCode'
  | 'codex'
  | 'pi'
  | 'kimi'
  | 'kimiWire'
  | 'geminiCli'
  | 'qwenCode'
  | 'copilotCli'
  | 'copilotChatLog'
  | 'messagesApi'
  | 'openHands'
  | 'openHandsOutput'
  | 'aider'
  | 'normal'
  | ListFormat;

/** The whole session is one list, or a list in an object. */
export type ListFormat =
  | 'cline'
  | 'geminiCliList'
  | 'openCode'
  | 'copilotChat'
  | 'continue'
  | 'messagesApiList'
  | 'responsesList'
  | 'normalList'
  | 'openHandsList'
  | 'sweAgent';

export type Recognised =
  /** A journal written by *Export Session*. */
  { readonly format: 'palimpsest'; readonly id: string } | { readonly format: RecordedFormat };

/** `likely`: other programs write similar beginnings, so later records are examined too. */
type Claim = 'sure' | 'likely' | null;

type Format = {
  /** For the person who imports; absent where another entry has it. */
  readonly label?: string;
} & (
  | {
      readonly format: Exclude<Recognised['format'], ListFormat | 'aider'>;
      readonly form: 'lines';
      readonly claims: (record: Json) => Claim;
    }
  /** The messages are in one list, which is the whole value, or is in `field` of `holder`, by default `messages`. */
  | {
      readonly format: ListFormat;
      readonly form: 'list';
      readonly field?: string;
      readonly claims: (messages: readonly Json[], holder: Json | null) => Claim;
    }
);

/** The first format that is sure of a record wins; otherwise the first that found one likely. */
const FORMATS: readonly Format[] = [
  {
    format: 'palimpsest',
    label: 'Palimpsest',
    form: 'lines',
    claims: ({ type, format, id, crc }) =>
      sure(type === 'session' && typeof format === 'number' && typeof id === 'string' && typeof crc === 'string'),
  },
  {
    format: 'normal',
    label: 'chat completions, one message a line',
    form: 'lines',
    claims: ({ role }) => (isChatRole(role) ? 'likely' : null),
  },
  {
    format: 'qwenCode',
    label: 'Qwen Code',
    form: 'lines',
    claims: (record) => sure(isOfQwen(record)),
  },
  {
    format: 'claudeCode',
    label: 'Claude Code',
    form: 'lines',
    claims: ({ type, message }) => sure((type === 'user' || type === 'assistant') && isObject(message)),
  },
  {
    format: 'codex',
    label: 'Codex',
    form: 'lines',
    claims: ({ type, ...rest }) =>
      sure(
        type === 'session_meta' ||
          type === 'response_item' ||
          type === 'turn_context' ||
          ((type === 'message' || type === 'function_call') && ('content' in rest || 'call_id' in rest)),
      ),
  },
  {
    format: 'pi',
    label: 'pi',
    form: 'lines',
    claims: ({ type, message }) => sure(type === 'session' || (type === 'message' && isObject(message))),
  },
  {
    format: 'kimi',
    label: 'Kimi CLI',
    form: 'lines',
    claims: ({ role, content }) =>
      sure((typeof role === 'string' && role.startsWith('_')) || partTypes(content).includes('think')),
  },
  {
    format: 'kimiWire',
    label: 'Kimi CLI (wire.jsonl)',
    form: 'lines',
    claims: ({ type, protocol_version, message }) =>
      sure(
        (type === 'metadata' && typeof protocol_version === 'string') ||
          (isObject(message) && typeof message.type === 'string' && isObject(message.payload)),
      ),
  },
  {
    format: 'geminiCli',
    label: 'Gemini CLI',
    form: 'lines',
    claims: (record) =>
      sure(
        (isOfGemini(record) && !('messages' in record)) ||
          '$rewindTo' in record ||
          ((record.type === 'gemini' || record.type === 'qwen') && 'content' in record),
      ),
  },
  {
    format: 'copilotCli',
    label: 'Copilot CLI',
    form: 'lines',
    claims: ({ type, data }) =>
      sure(isObject(data) && (type === 'session.start' || type === 'user.message' || type === 'assistant.message')),
  },
  {
    format: 'copilotChatLog',
    form: 'lines',
    claims: (record) => (isChatLogLine(record) ? (record.kind === 0 ? 'sure' : 'likely') : null),
  },
  {
    format: 'messagesApi',
    label: 'Messages API',
    form: 'lines',
    claims: ({ role, content }) => sure(isChatRole(role) && hasBlocks(content)),
  },
  {
    format: 'openHands',
    label: 'OpenHands',
    form: 'lines',
    claims: (record) => sure(isOpenHandsEvent(record)),
  },
  {
    format: 'openHandsOutput',
    label: 'OpenHands (output.jsonl)',
    form: 'lines',
    claims: (record) => sure(isOpenHandsOutput(record)),
  },
  {
    format: 'openHandsList',
    form: 'list',
    claims: (events) => sure(events.some(isOpenHandsEvent)),
  },
  {
    format: 'geminiCliList',
    form: 'list',
    claims: (_, holder) => sure(holder !== null && isOfGemini(holder)),
  },
  // A file that is cut off may end before the messages.
  { format: 'sweAgent', form: 'list', field: 'trajectory', claims: (steps) => sure(steps.some(isSweAgentStep)) },
  {
    format: 'sweAgent',
    label: 'SWE-agent',
    form: 'list',
    field: 'history',
    claims: (messages) => sure(messages.some(isSweAgentMessage)),
  },
  {
    format: 'openCode',
    label: 'OpenCode',
    form: 'list',
    claims: (messages) => sure(messages.some(({ info, parts }) => isObject(info) && Array.isArray(parts))),
  },
  {
    format: 'copilotChat',
    label: 'Copilot Chat',
    form: 'list',
    field: 'requests',
    claims: (requests) => sure(requests.some(({ message, response }) => isObject(message) && Array.isArray(response))),
  },
  {
    format: 'continue',
    label: 'Continue',
    form: 'list',
    field: 'history',
    claims: (history) => sure(history.some(({ message }) => isObject(message) && isChatRole(message.role))),
  },
  {
    format: 'normalList',
    label: 'chat completions, a list of messages',
    form: 'list',
    claims: (messages) => sure(messages.some(isOfChat)),
  },
  {
    format: 'cline',
    label: 'Cline or Roo Code',
    form: 'list',
    claims: (messages, holder) => {
      const chat = messages.filter(({ role }) => isChatRole(role));
      return sure(chat.length > 0 && (holder?.version === 2 || chat.some(isOfCline)));
    },
  },
  {
    format: 'responsesList',
    label: 'Responses API',
    form: 'list',
    claims: (items) => sure(items.some(isOfResponses)),
  },
  {
    format: 'messagesApiList',
    form: 'list',
    claims: (messages) =>
      messages.some(({ role, content }) => isChatRole(role) && hasBlocks(content)) ? 'likely' : null,
  },
  {
    format: 'normalList',
    form: 'list',
    claims: (messages) => (messages.some(({ role }) => isChatRole(role)) ? 'likely' : null),
  },
];

const sure = (holds: boolean): Claim => (holds ? 'sure' : null);

const isChatRole = (role: unknown) =>
  role === 'system' || role === 'user' || role === 'assistant' || role === 'developer';

/** No other program uses these names. */
const isOfChat = (message: Json) =>
  message.role === 'system' ||
  message.role === 'developer' ||
  Array.isArray(message.tool_calls) ||
  typeof message.tool_call_id === 'string';

/** Of a chat, and of the first line of its newer form. */
const isOfGemini = ({ sessionId, projectHash }: Json) =>
  typeof sessionId === 'string' && typeof projectHash === 'string';

const ITEMS: ReadonlySet<unknown> = new Set(['function_call', 'function_call_output']);

const isOfResponses = ({ type, content, role }: Json) =>
  ITEMS.has(type) ||
  (isChatRole(role) && partTypes(content).some((part) => part === 'input_text' || part === 'output_text'));

const BLOCKS: ReadonlySet<unknown> = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking']);

const hasBlocks = (content: unknown) => partTypes(content).some((part) => BLOCKS.has(part));

/** Tags in which Cline and Roo put what the person wrote and what they add to it, and their marks on a message. */
const CLINE_TAGS = /^<(?:task|feedback|user_message|environment_details)>/;
const CLINE_MARKS = [
  'isSummary',
  'condenseId',
  'condenseParent',
  'isTruncationMarker',
  'truncationId',
  'truncationParent',
];

function isOfCline(message: Json): boolean {
  if (CLINE_MARKS.some((mark) => mark in message)) return true;
  const { content } = message;
  const texts = Array.isArray(content) ? content.filter(isObject).map(({ text }) => text) : [content];
  return texts.some((text) => typeof text === 'string' && CLINE_TAGS.test(text.trimStart()));
}

function partTypes(content: unknown): unknown[] {
  return Array.isArray(content) ? content.filter(isObject).map(({ type }) => type) : [];
}

/** Names of the formats, for the person who imports. */
export const FORMAT_LABELS: readonly string[] = [...FORMATS.flatMap(({ label }) => label ?? []), 'Aider'];

const LIST_FIELDS = new Map(
  FORMATS.flatMap((each) => (each.form === 'list' ? [[each.format, each.field ?? 'messages']] : [])),
);

/** The field that holds the list, unless the list is the whole value; null for a format in lines. */
export function listFieldOf(format: RecordedFormat): string | null {
  return LIST_FIELDS.get(format as ListFormat) ?? null;
}

/** Most characters that are read: more than the longest line that an import reads. Most of them are in long texts. */
const MOST_READ = 128_000_000;
/** Most structural characters that are examined; enough for tens of thousands of irrelevant lines. */
const MOST_SIGNS = 3_000_000;
/** Most records that are examined after the first likely one. */
const MOST_AFTER = 200;

/** Most characters of the beginning that are searched for a heading. */
const LONGEST_HEAD = 64_000;

export class Recogniser {
  readonly #outliner: Outliner;
  #found: Recognised | null = null;
  #isSure = false;
  #left: number;
  #after = MOST_AFTER;
  /** The beginning of the text, for the one format that is no JSON; null once it is judged. */
  #head: string | null = '';

  constructor(most = { read: MOST_READ, signs: MOST_SIGNS }) {
    this.#left = most.read;
    this.#outliner = new Outliner(most.signs);
  }

  /** True when no more input is needed. */
  push(piece: string): boolean {
    const read = piece.slice(0, this.#left);
    this.#left -= read.length;
    if (this.#head !== null) this.#judgeHead(read);
    if (this.#isSure) return true;
    for (const record of this.#outliner.push(read)) {
      this.#judge(record);
      if (this.#isSure || (this.#found && this.#after-- === 0)) return true;
    }
    return this.#left === 0 || this.#outliner.signsLeft === 0;
  }

  /** Aider's file begins with a heading; one whose beginning was cut off has it later. */
  #judgeHead(piece: string): void {
    const head = (this.#head ?? '') + piece.slice(0, LONGEST_HEAD);
    const isText = /^\uFEFF?\s*[^\s{["]/.test(head);
    if (isText && head.split('\n').some((line) => AIDER_START.test(line))) {
      this.#found = { format: 'aider' };
      this.#isSure = true;
    }
    this.#head = head.length < LONGEST_HEAD && (isText || head.trim() === '') ? head : null;
  }

  /** Call after the last piece. Unfinished values count, because a file may be cut off. */
  end(): Recognised | null {
    if (!this.#isSure) this.#judge(this.#outliner.unfinished);
    return this.#found;
  }

  #judge(record: unknown): void {
    for (const each of FORMATS) {
      const claim = claimOf(each, record);
      if (claim === null || (claim === 'likely' && this.#found)) continue;
      const { format } = each;
      const id = isObject(record) && typeof record.id === 'string' ? record.id : '';
      this.#found = format === 'palimpsest' ? { format, id } : { format };
      this.#isSure = claim === 'sure';
      if (this.#isSure) return;
    }
  }
}

function claimOf(format: Format, record: unknown): Claim {
  if (format.form === 'lines') return isObject(record) ? format.claims(record) : null;
  const holder = isObject(record) ? record : null;
  const messages = holder ? holder[format.field ?? 'messages'] : record;
  return Array.isArray(messages) ? format.claims(messages.filter(isObject), holder) : null;
}

/** Null for an unknown format. */
export function recognise(text: string): Recognised | null {
  const recogniser = new Recogniser();
  recogniser.push(text);
  return recogniser.end();
}
