/**
 * Converts a draft to the plan that the journal stores. A plan names only changes: unnamed messages stay, and a `keep`
 * is written only where an insert needs the message before it.
 */

import type { ContextMessage } from '../../../api/index.ts';
import type { ContextItem } from '../../context/item.ts';
import type { Message, UserMessage } from '../../context/message.ts';
import type { Plan, PlanOp, Replacement } from '../../journal/entry.ts';
import { type Change, type Draft, type Insert, insertTokens } from './draft.ts';

export function toPlan(draft: Draft): Plan {
  const { messages } = draft.history;
  const plan: PlanOp[] = [];
  let dropped: string[] = [];
  const flush = () => {
    if (dropped.length) plan.push({ op: 'drop', ids: dropped });
    dropped = [];
  };
  let inserted = 0;
  /** Index of the message that the newest insert follows. */
  let anchor = -1;
  const insertUpTo = (index: number) => {
    for (; (draft.inserts[inserted]?.before ?? Number.POSITIVE_INFINITY) <= index; inserted++) {
      const { before, text, reasons } = draft.inserts[inserted] as Insert;
      flush();
      const kept = messages[before - 1];
      const isNamed = before - 1 === anchor || draft.at(before - 1).kind !== 'undecided';
      if (kept && !isNamed) plan.push({ op: 'keep', ids: [kept.id] });
      anchor = before - 1;
      const message: UserMessage = { role: 'user', kind: 'summary', text };
      plan.push({ op: 'insert', message, tokens: insertTokens(text), ...(reasons ? { reasons } : {}) });
    }
  };
  const gone = draft.dropped();
  let next = 0;
  const dropUpTo = (index: number) => {
    for (let at = gone[next]; at !== undefined && at < index; at = gone[++next]) {
      insertUpTo(at);
      dropped.push((messages[at] as ContextMessage).id);
    }
    insertUpTo(index);
  };
  for (const [index, change] of draft.changes()) {
    dropUpTo(index);
    flush();
    const { id } = messages[index] as ContextMessage;
    plan.push({ op: 'replace', id, by: replacementOf(draft, index, change) });
  }
  dropUpTo(messages.length);
  flush();
  return plan;
}

/** A replacement applies to the message as appended, so it repeats the changes of earlier replacements. */
function replacementOf(draft: Draft, index: number, change: Change): Replacement {
  const item = draft.history.items[index] as ContextItem;
  const original = draft.history.original(item.id);
  const stub = change.kind === 'hide' ? change.stub : null;
  const images = change.kind === 'replace' ? change.images : undefined;
  const text = change.kind === 'hide' || change.text !== undefined || images ? draft.textAt(index) : undefined;
  const shown = text ?? item.message.text;
  const json = change.arguments ?? argumentsOf(item.message);
  const bodyStays = change.kind === 'replace' && change.text === undefined;
  const earlier = item.message.role === 'tool' && bodyStays ? item.message.offload : undefined;
  const offload = (change.kind === 'hide' ? change.offload : undefined) ?? earlier;
  return {
    ...(shown !== original.text ? { text: shown } : {}),
    ...(json.some((value, i) => value !== argumentsOf(original)[i]) ? { arguments: json } : {}),
    tokens: draft.tokensAt(index),
    ...(stub || (item.hidden && text === undefined) ? { hidden: true } : {}),
    ...(hasImages(original) && (stub || images || !hasImages(item.message)) ? { withoutAttachments: true } : {}),
    ...(stub?.prunedAt ? { prunedAt: stub.prunedAt } : {}),
    ...(offload ? { offload } : {}),
  };
}

function hasImages(message: Message): boolean {
  return message.role !== 'assistant' && (message.attachments?.length ?? 0) > 0;
}

function argumentsOf(message: Message): readonly string[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.arguments) : [];
}
