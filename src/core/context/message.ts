/**
 * The messages a session is made of, as stored in the journal and as strategies, lowering and transcript read them.
 * They are provider-neutral and immutable; provider shaping happens in `lower.ts` only.
 */

import type { StopCause } from '../stop.ts';

/** Kinds of conversation items that travel in the user role. `user` is the only one a person wrote. */
export type UserKind = 'user' | 'summary' | 'reminder' | 'skillMetadata' | 'skillPrompt' | 'mention';

export interface Attachment {
  readonly mime: string;
  /** SHA-256 name of the blob that holds the bytes. */
  readonly blob: string;
  /** Estimate for the model that the session had at that time. */
  readonly tokens: number;
  readonly name?: string;
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text exactly as the model wrote it; may be malformed when it came from a model. */
  readonly arguments: string;
  /** Opaque data that the provider expects back with the call (Gemini's thought signature). */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * The part cut by the tool's formatter. Truncation, offload and compaction share this record, so that nothing is cut
 * twice.
 */
export interface TruncationRecord {
  readonly by: 'formatter' | 'offload' | 'compaction';
  readonly direction: 'head' | 'tail' | 'middle';
  readonly originalLines: number;
  readonly originalBytes: number;
  /** Blob with the full output; expires when only a truncation refers to it. */
  readonly blob?: string;
}

/** The tool declared "keep only my newest n results". */
export interface Ephemeral {
  readonly keepNewest: number;
  /**
   * Only results of calls with the same arguments count. Older results are out of date but harmless, so they stay until
   * removing them saves more than the prompt cache loses.
   */
  readonly of?: 'call';
}

/** The whole body is stored in a blob; the message holds a preview and this reference. */
interface OffloadRecord {
  readonly blob: string;
  readonly tokens: number;
}

/**
 * `person`: typed it. `pasted`: put into the message field from elsewhere. `attached`: a file, a selection or a resource
 * that an editor added. `program`: another program's own words around those of the person. `model`: the task of a subagent.
 */
export type Author = 'person' | 'pasted' | 'attached' | 'program' | 'model';

/** A part of a message's text. The parts follow each other from its beginning to its end. */
export interface TextPart {
  readonly by: Author;
  /** In UTF-16 units. */
  readonly length: number;
}

export interface UserMessage {
  readonly role: 'user';
  readonly kind: UserKind;
  readonly text: string;
  /** The authors of the text's parts. Left out where one wrote all of it: of the kind `user`, the person. */
  readonly parts?: readonly TextPart[];
  readonly attachments?: readonly Attachment[];
  /** The mention in the preceding message of the person that this was read for, as written: `@src/a.ts`. */
  readonly mention?: string;
}

/** A model's reasoning before its answer, with the data that its provider needs back. */
export interface Reasoning {
  /** The provider's own name for the text (`reasoning_content`, `reasoning`, `reasoning_text`, `summary`). */
  readonly field: string;
  /** The readable part; may be empty where the provider shows nothing. */
  readonly text: string;
  /**
   * The provider's items, unread and in order: `reasoning_details` of chat completions, `reasoning` items of responses,
   * signed `thinking` of messages. Those of the latter two include marks of the answer's texts (with their length) and
   * calls, which go back in between.
   */
  readonly items?: readonly Readonly<Record<string, unknown>>[];
  /** The source of `items`: they are returned only there. */
  readonly origin?: ReasoningOrigin;
}

export interface ReasoningOrigin {
  /** Origin of the endpoint. */
  readonly endpoint: string;
  /** As `configured` names it. */
  readonly model: string;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly text: string;
  readonly reasoning?: Reasoning;
  readonly toolCalls?: readonly ToolCall[];
  /** The stream ended before the answer did: its calls never run. */
  readonly interrupted?: boolean;
}

/** The actual change that a call made to one text file. */
export interface FileChange {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** There was no file before. */
  readonly creates: boolean;
  /** Hunks without file names; cut when they are very long. */
  readonly diff: string;
}

/** How a command in the background stood when a call started it, read its output or stopped it. */
export interface BackgroundState {
  readonly id: string;
  readonly state: 'running' | 'ended' | 'stopped';
  /** Of one that ended by itself, where it is known. */
  readonly exitCode?: number;
}

/**
 * How a call ended, as the loop that ran it knows: the words of its result may be anybody's. `made`: it ran to its end, a
 * command with exit code 0. `refused`: by its tool or a rule, so nothing was done. `declined`: by the person, likewise.
 * `failed`: it ran and reported failure. `interrupted`: it was stopped or killed, or never began. `running`: it started
 * a command that runs on in the background.
 */
export interface CallOutcome {
  readonly kind: 'made' | 'refused' | 'declined' | 'failed' | 'interrupted' | 'running';
  /** Of a command that ran to its end. */
  readonly exitCode?: number;
  readonly background?: BackgroundState;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  readonly isError?: boolean;
  readonly ephemeral?: Ephemeral;
  readonly truncation?: TruncationRecord;
  readonly offload?: OffloadRecord;
  /** Excludes the time that a person took to answer. */
  readonly durationMs?: number;
  /** Left out where nothing changed, and where the file is not text. */
  readonly change?: FileChange;
  /** The call never began, because the turn was stopped for this cause. */
  readonly notRun?: StopCause;
  /** Left out by earlier versions, and by other programs. `readOutcome` is for reading it. */
  readonly outcome?: CallOutcome;
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/**
 * True for what people count as a message of a session: the person's own, and an answer with a text. Calls, results,
 * reminders and summaries are none.
 */
export const isSaid = (message: Message): boolean =>
  message.role === 'user' ? message.kind === 'user' : message.role === 'assistant' && message.text !== '';

/** Tokens as a provider counted them, normalised: `input` includes tokens read from and written to the prompt cache. */
export interface Usage {
  readonly input: number;
  readonly cached: number;
  /** The part of `input` that was written to the prompt cache; left out where the provider does not report it. */
  readonly written?: number;
  /** The part of `written` that lives for an hour; left out where the provider does not tell lifetimes apart. */
  readonly writtenLong?: number;
  readonly output: number;
  readonly reasoning: number;
}

/** Reasoning in the form in which it is sent, without its origin. `to` is the recipient; null when unknown. */
export function reasoningFor(message: AssistantMessage, to: ReasoningOrigin | null): Reasoning | null {
  const { reasoning, interrupted } = message;
  if (!reasoning || interrupted || !isFrom(reasoning, to)) return null;
  const { field, text, items } = reasoning;
  // Items are returned only to their known origin. Text without items is returned with the calls that it led to.
  if (items?.length && reasoning.origin && to) return { field, text, items };
  return message.toolCalls?.length ? { field, text } : null;
}

/** Before origins were recorded, reasoning went to every model. */
function isFrom({ origin }: Reasoning, to: ReasoningOrigin | null): boolean {
  return !origin || !to || (origin.endpoint === to.endpoint && origin.model === to.model);
}

/** Number of answers whose reasoning one model received back and another does not. */
export function countLeftBehind(
  conversation: Iterable<{ readonly message: Message }>,
  from: ReasoningOrigin,
  to: ReasoningOrigin,
): number {
  let count = 0;
  for (const { message } of conversation) {
    if (message.role === 'assistant' && reasoningFor(message, from) && !reasoningFor(message, to)) count++;
  }
  return count;
}

/** Length of the data that only the provider can read. */
export function opaqueLength({ items = [] }: Pick<Reasoning, 'items'>): number {
  let length = 0;
  for (const item of items) {
    for (const name of OPAQUE) {
      const value = item[name];
      if (typeof value === 'string') length += value.length;
    }
  }
  return length;
}

const OPAQUE = ['encrypted_content', 'data', 'signature'] as const;

/** The reasoning as a person may see it: opaque data is replaced by its length. */
export function maskOpaque<R extends Pick<Reasoning, 'items'>>(reasoning: R): R {
  if (!reasoning.items) return reasoning;
  const items = reasoning.items.map((item) => {
    const masked = { ...item };
    for (const name of OPAQUE) {
      const value = item[name];
      if (typeof value === 'string') masked[name] = `[encrypted, ${value.length.toLocaleString('en-US')} characters]`;
    }
    return masked;
  });
  return { ...reasoning, items };
}

/** The message without data that only its provider can read: it never leaves the session. */
export function withoutOpaque(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const { reasoning, toolCalls, ...rest } = message;
  return {
    ...rest,
    ...(reasoning ? { reasoning: { field: reasoning.field, text: reasoning.text } } : {}),
    ...(toolCalls ? { toolCalls: toolCalls.map(({ extra, ...call }) => call) } : {}),
  };
}

/** False for anything but an answer, and for one that broke off, has calls or says nothing. */
export function isCompleteAnswer(message: Message | undefined): boolean {
  return message?.role === 'assistant' && message.text !== '' && !message.interrupted && !message.toolCalls?.length;
}
