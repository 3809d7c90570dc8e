/**
 * From a draft to the plan that the journal stores. A plan names what changes: a message that is not named stays, and a
 * `keep` is written only where an insert needs the message in front of it.
 */

import type { ContextMessage } from '../../../api/index.ts';
import type { ContextItem } from '../../context/item.ts';
import type { Message, UserMessage } from '../../context/message.ts';
import type { Plan, PlanOp, Replacement } from '../../journal/entry.ts';
import type { Decision, Draft, Insert } from './draft.ts';
import { insertTokens } from './draft.ts';

export function toPlan(draft: Draft): Plan {
  const { messages } = draft.history;
  const plan: PlanOp[] = [];
  let dropped: string[] = [];
  const flush = () => {
    if (dropped.length) plan.push({ op: 'drop', ids: dropped });
    dropped = [];
  };
  let inserted = 0;
  /** Index of the message that the newest insert comes after. */
  let anchor = -1;
  const insertUpTo = (index: number) => {
    for (; (draft.inserts[inserted]?.before ?? Number.POSITIVE_INFINITY) <= index; inserted++) {
      const { before, text } = draft.inserts[inserted] as Insert;
      flush();
      const kept = messages[before - 1];
      const isNamed = before - 1 === anchor || draft.at(before - 1).kind !== 'undecided';
      if (kept && !isNamed) plan.push({ op: 'keep', ids: [kept.id] });
      anchor = before - 1;
      const message: UserMessage = { role: 'user', kind: 'summary', text };
      plan.push({ op: 'insert', message, tokens: insertTokens(text) });
    }
  };
  for (const [index, decision] of draft.decisions()) {
    insertUpTo(index);
    const { id } = messages[index] as ContextMessage;
    if (decision.kind === 'drop') dropped.push(id);
    else {
      flush();
      plan.push({ op: 'replace', id, by: replacementOf(draft, index, decision) });
    }
  }
  insertUpTo(messages.length);
  flush();
  return plan;
}

/** A replacement is read against what was appended, so it repeats what earlier replacements changed. */
function replacementOf(draft: Draft, index: number, decision: Exclude<Decision, { kind: 'drop' }>): Replacement {
  const item = draft.history.items[index] as ContextItem;
  const original = draft.history.original(item.id);
  const stub = decision.kind === 'hide' ? decision.stub : null;
  const text = stub?.text ?? (decision.kind === 'replace' ? decision.text : undefined);
  const shown = text ?? item.message.text;
  const json = (decision.kind === 'undecided' ? undefined : decision.arguments) ?? argumentsOf(item.message);
  const earlier = item.message.role === 'tool' && text === undefined ? item.message.offload : undefined;
  const offload = (decision.kind === 'hide' ? decision.offload : undefined) ?? earlier;
  return {
    ...(shown !== original.text ? { text: shown } : {}),
    ...(json.some((value, i) => value !== argumentsOf(original)[i]) ? { arguments: json } : {}),
    tokens: draft.tokensAt(index),
    ...(stub || (item.hidden && text === undefined) ? { hidden: true } : {}),
    ...(stub?.prunedAt ? { prunedAt: stub.prunedAt } : {}),
    ...(offload ? { offload } : {}),
  };
}

function argumentsOf(message: Message): readonly string[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.arguments) : [];
}
