/**
 * Makes an entry of a compaction that another program recorded. The history stays in the journal and is shown; what the
 * program sent from there on is the context, and undoing the entry brings the history back.
 */

import type { ContextItem } from '../context/item.ts';
import type { Message } from '../context/message.ts';
import { insertId, type Plan, type PlanOp, RECORDED, type Trigger } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { estimateMessage } from '../tokens/estimate.ts';
import { sumTokens } from '../tokens/meter.ts';
import { messageOf, type RecordedMessage } from './recorded.ts';

interface RecordedContext {
  readonly context: readonly RecordedMessage[];
  readonly trigger: Trigger;
  /** The item that each message became, null for one in the header. What is put in now joins it. */
  readonly items: WeakMap<RecordedMessage, string | null>;
}

/** At a point where every call has its result. Nothing is appended when nothing changes. */
export async function appendRecordedCompaction(journal: Journal, { context, trigger, items }: RecordedContext) {
  const visible = journal.context.conversation;
  const inserted: RecordedMessage[] = [];
  const parts = context.flatMap((each): (string | Message)[] => {
    const item = items.get(each);
    if (item !== undefined) return item === null ? [] : [item];
    const message = messageOf(each);
    if (message) inserted.push(each);
    return message ? [message] : [];
  });
  const { plan, tokens } = planFor(visible, parts);
  if (plan.length === 0) return;
  const header = journal.context.header?.tokens ?? 0;
  const { seq } = await journal.append({
    type: 'compaction',
    base: journal.context.head ?? 0,
    plan,
    strategy: RECORDED,
    trigger,
    tokensBefore: header + sumTokens(visible),
    tokensAfter: header + tokens,
    durationMs: 0,
    attempt: 1,
  });
  for (const [nth, each] of inserted.entries()) items.set(each, insertId(seq, nth));
}

/** The plan after which `parts` are visible, ids and new messages in order. A block is named by its first item. */
function planFor(visible: readonly ContextItem[], parts: readonly (string | Message)[]) {
  const plan: PlanOp[] = [];
  const index = new Map(visible.map(({ id }, at) => [id, at]));
  let tokens = 0;
  let next = 0;
  let added: Message[] = [];
  /** The newest item that stays and is not yet named. */
  let anchor: string | null = null;
  const dropUpTo = (end: number) => {
    const ids = visible.slice(next, end).map(({ id }) => id);
    next = end;
    if (ids.length > 0) plan.push({ op: 'drop', ids });
    else if (anchor !== null && added.length > 0) plan.push({ op: 'keep', ids: [anchor] });
    for (const message of added) {
      const cost = estimateMessage(message);
      plan.push({ op: 'insert', message, tokens: cost });
      tokens += cost;
    }
    added = [];
  };
  for (const part of parts) {
    if (typeof part !== 'string') {
      added.push(part);
      continue;
    }
    const at = index.get(part) ?? -1;
    // What left the context before, or would change its place, is left out.
    if (at < next) continue;
    dropUpTo(at);
    for (const { block } = visible[at] as ContextItem; visible[next]?.block === block; next++) {
      anchor = visible[next]?.id ?? null;
      tokens += visible[next]?.tokens ?? 0;
    }
  }
  dropUpTo(visible.length);
  return { plan: plan as Plan, tokens };
}
