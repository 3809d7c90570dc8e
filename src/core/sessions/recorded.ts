/** The output of readers of recorded sessions: messages in the order they were said, and the program's compactions. */

import { attribute } from '../context/attribute.ts';
import type { CallOutcome, Message, ToolCall, Usage, UserKind, UserMessage } from '../context/message.ts';
import type { Trigger } from '../journal/entry.ts';
import { neutraliseNotes } from '../tools/text/neutralise.ts';

/** One message as a program recorded it, in the order it was said. */
export type RecordedMessage = Timed & RecordedContent;

interface Timed {
  /** When it was recorded, ISO 8601; omitted where the recording does not say. */
  readonly time?: string;
}

type RecordedContent =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string; readonly kind?: UserKind }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly reasoning?: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly usage?: Usage;
      readonly model?: string;
      readonly interrupted?: boolean;
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly text: string;
      readonly isError?: boolean;
      /** Where the recording says it otherwise than in the text. */
      readonly outcome?: CallOutcome;
    };

export type RecordedAnswer = Extract<RecordedMessage, { role: 'assistant' }>;

/** A compaction by the program. */
export interface RecordedCompaction {
  readonly role: 'compaction';
  /**
   * The messages sent from here on in place of all earlier ones. A message said before is the same object; an answer
   * keeps its results. Null when the recording lacks them in readable form: the history then stays.
   */
  readonly context: readonly RecordedMessage[] | null;
  readonly trigger?: Trigger;
}

export type Recorded = RecordedMessage | RecordedCompaction;

/** The omissions and repairs of an import. Filled while the drafts are taken. */
export interface ImportReport {
  messages: number;
  /** Lines that could not be read, numbered from 1. */
  readonly badLines: { readonly line: number; readonly reason: string }[];
  /** Number of calls without a recorded result; each is closed by `MISSING_RESULT`. */
  missingResults: number;
  /** Number of results without a preceding call, omitted. */
  strayResults: number;
  /** Number of calls whose id was used before, renamed together with their results. */
  renamedCalls: number;
  /** Number of links to a line that is missing; each goes to the spoken line before it instead. */
  brokenLinks: number;
}

export function newImportReport(): ImportReport {
  return { messages: 0, badLines: [], missingResults: 0, strayResults: 0, renamedCalls: 0, brokenLinks: 0 };
}

/** A message without calls, in its form in the context. */
export function messageOf(recorded: Extract<RecordedMessage, { role: 'system' | 'user' }>): Message;
export function messageOf(recorded: RecordedMessage): Message | null;
export function messageOf(recorded: RecordedMessage): Message | null {
  const text = recorded.text.toWellFormed();
  switch (recorded.role) {
    case 'system':
      return { role: 'user', kind: 'reminder', text };
    case 'user':
      return asUser(recorded.kind ? { kind: recorded.kind } : attribute(text), text);
    case 'assistant':
      return text ? { role: 'assistant', text } : null;
    case 'tool':
      return null;
  }
}

/** Text that a model wrote for another program becomes notes here, and nothing in it can pose as the product's own. */
const asUser = (by: Pick<UserMessage, 'kind' | 'parts'>, text: string): UserMessage => ({
  role: 'user',
  ...by,
  text: by.kind === 'summary' ? neutraliseNotes(text) : text,
});
