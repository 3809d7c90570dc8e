/** The row of one tool call with its result, as far as it has got. Pure. */

import type { ApprovalCard, RowOf } from '../../protocol/rows.ts';
import type { ToolCall } from '../context/message.ts';
import type { MessageEntry } from '../journal/entry.ts';
import { cut, LABEL } from './cut.ts';
import { describeCall } from './describeCall.ts';
import type { ContextView, LiveTurn } from './live.ts';
import { imagesOf, resultText, standing } from './messageRow.ts';

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
  const described = describeCall(call, message);
  const approval = running?.approval ?? null;
  const detail = abandoned && !message ? undone(described.detail) : asAsked(described.detail, approval);
  return {
    id,
    type: 'tool',
    time: Date.parse(entry.time),
    itemId,
    toolName: cut(call.name, LABEL),
    title: running?.title || described.title,
    status: message
      ? settled(message, detail)
      : (running?.status ?? (live.running && !abandoned ? 'waiting' : 'abandoned')),
    arguments: described.arguments,
    ...resultText(message?.text ?? running?.output ?? ''),
    ...(message ? imagesOf(message) : {}),
    detail,
    approval,
    durationMs: message?.durationMs ?? null,
    tokens: result?.tokens ?? 0,
    ...standing(itemId, context),
  };
}

/** While a change is asked for, what it would really change is known. */
function asAsked(detail: RowOf<'tool'>['detail'], approval: ApprovalCard | null): RowOf<'tool'>['detail'] {
  if (detail.kind !== 'edit' || approval?.detail.kind !== 'edit') return detail;
  const { added, removed, diff } = approval.detail;
  return { ...detail, added, removed, diff };
}

function undone(detail: RowOf<'tool'>['detail']): RowOf<'tool'>['detail'] {
  return detail.kind === 'edit' ? { ...detail, added: 0, removed: 0, effect: 'none' } : detail;
}

function settled(
  { isError, text }: { readonly isError?: boolean; readonly text: string },
  detail: RowOf<'tool'>['detail'],
): RowOf<'tool'>['status'] {
  // To the agent that is a result like any other; to a person it has failed.
  if (!isError && detail.kind === 'command' && (detail.exitCode ?? 0) !== 0) return 'failed';
  if (!isError) return 'done';
  return text.startsWith(DECLINED) ? 'denied' : 'failed';
}
