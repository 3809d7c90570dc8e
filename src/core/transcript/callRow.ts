/** The row of one tool call with its result, as far as it has got. Pure. */

import type { RowOf } from '../../protocol/rows.ts';
import type { ToolCall } from '../context/message.ts';
import type { MessageEntry } from '../journal/entry.ts';
import { cut, LABEL } from './cut.ts';
import { describeCall } from './describeCall.ts';
import type { ContextView, LiveTurn } from './live.ts';
import { resultText, standing } from './messageRow.ts';

export interface CallSource {
  readonly kind: 'call';
  readonly entry: MessageEntry;
  readonly call: ToolCall;
  /** The answer was interrupted, or the conversation went on without a result: the call will not run any more. */
  abandoned: boolean;
  result: MessageEntry | null;
}

/** How the agent loop begins the result of a call that the person declined. */
const DECLINED = 'The person declined this call.';

export function callRow(id: string, source: CallSource, context: ContextView, live: LiveTurn): RowOf<'tool'> {
  const { entry, call, abandoned, result } = source;
  const message = result?.message.role === 'tool' ? result.message : null;
  const running = message || abandoned ? null : (live.calls.get(call.id) ?? null);
  const itemId = result ? `m${result.seq}` : `m${entry.seq}`;
  const described = describeCall(call, message?.text ?? null);
  return {
    id,
    type: 'tool',
    time: Date.parse(entry.time),
    itemId,
    toolName: cut(call.name, LABEL),
    title: running?.title || described.title,
    status: message ? settled(message) : (running?.status ?? (live.running && !abandoned ? 'waiting' : 'abandoned')),
    arguments: described.arguments,
    ...resultText(message?.text ?? running?.output ?? ''),
    detail: described.detail,
    approval: running?.approval ?? null,
    durationMs: message?.durationMs ?? null,
    tokens: result?.tokens ?? 0,
    ...standing(itemId, context),
  };
}

function settled({ isError, text }: { readonly isError?: boolean; readonly text: string }): RowOf<'tool'>['status'] {
  if (!isError) return 'done';
  return text.startsWith(DECLINED) ? 'denied' : 'failed';
}
