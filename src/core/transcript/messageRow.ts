/** The row of one message, and the row of the answer that is streaming. Pure. */

import { LIVE_ROW, MOST_LINES, type Row, type RowOf } from '../../protocol/rows.ts';
import type { UserMessage } from '../context/message.ts';
import type { MessageEntry } from '../journal/entry.ts';
import { cut, LABEL, resultText } from './cut.ts';
import type { LiveTurn } from './liveTurn.ts';
import { type ContextView, standing } from './standing.ts';

type MentionChip = NonNullable<RowOf<'user'>['mentions']>[number];

interface MessageFacts {
  readonly entry: MessageEntry;
  readonly scripted: boolean;
  /** The messages read for a person's mentions. */
  readonly mentioned: readonly MessageEntry[];
  /** The checkpoint that a turn set right before its message. */
  readonly checkpoint?: number;
}

export function messageRow(
  id: string,
  { entry, scripted, mentioned, checkpoint }: MessageFacts,
  context: ContextView,
): Row {
  const { message, tokens } = entry;
  const base = { id, time: Date.parse(entry.time), tokens, ...standing(id, context) };
  switch (message.role) {
    case 'user':
      return {
        ...base,
        type: 'user',
        text: cut(message.text),
        ...(checkpoint === undefined ? {} : { checkpoint }),
        ...imagesOf(message),
        ...(mentioned.length > 0
          ? { mentions: mentioned.slice(0, MOST_LINES).map((each) => chipOf(each, context)) }
          : {}),
      };
    case 'assistant':
      return {
        ...base,
        type: 'assistant',
        text: cut(message.text),
        reasoning: cut(message.reasoning?.text ?? ''),
        scripted,
        live: false,
        interrupted: message.interrupted ?? false,
      };
    case 'tool':
      // A result whose call is not on this path, as in some imported sessions.
      return {
        ...base,
        type: 'tool',
        itemId: id,
        toolName: cut(message.toolName, LABEL),
        title: '',
        status: message.isError ? 'failed' : 'done',
        arguments: '',
        ...resultText(message.text),
        ...imagesOf(message),
        detail: { kind: 'none' },
        approval: null,
        durationMs: message.durationMs ?? null,
      };
  }
}

/** As they were sent, even when a compaction has removed them from the context. */
export function imagesOf({ attachments = [] }: Pick<UserMessage, 'attachments'>): Pick<RowOf<'user'>, 'images'> {
  if (attachments.length === 0) return {};
  const images = attachments
    .slice(0, MOST_LINES)
    .map(({ blob, name = '', width = 0, height = 0 }) => ({ blob, name: cut(name, LABEL), width, height }));
  return { images };
}

function chipOf({ seq, message, tokens }: MessageEntry, context: ContextView): MentionChip {
  const mention = message.role === 'user' ? (message.mention ?? '') : '';
  return { mention: cut(mention, LABEL), tokens, ...standing(`m${seq}`, context) };
}

export function streamingRow(answer: NonNullable<LiveTurn['answer']>, scripted: boolean): Row {
  return {
    id: LIVE_ROW,
    type: 'assistant',
    time: answer.time,
    text: cut(answer.text),
    reasoning: cut(answer.reasoning),
    scripted,
    live: true,
    interrupted: false,
    fate: 'kept',
    pinned: false,
    tokens: 0,
  };
}
