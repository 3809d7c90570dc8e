/**
 * From a candidate to the plan that the journal stores. A plan names what changes; a message that is not named stays, and
 * a `keep` is written only where an insert needs the message in front of it.
 */

import type { ContextMessage } from '../../../api/index.ts';
import type { ContextItem } from '../../context/item.ts';
import type { Message, UserMessage } from '../../context/message.ts';
import type { Plan, PlanOp, Replacement } from '../../journal/entry.ts';
import { estimateMessage } from '../../tokens/estimate.ts';
import { type Candidate, type ChangedSlot, savedTokens } from './candidate.ts';

export interface PlannedTokens {
  /** Uncalibrated tokens of the history before and after. */
  readonly before: number;
  readonly after: number;
}

export interface PlanFacts {
  readonly plan: Plan;
  readonly tokens: PlannedTokens;
  readonly dropped: number;
  readonly changed: number;
  readonly inserted: number;
  /** Rounds of which nothing is left (P5). */
  readonly wholeRounds: number;
}

/** The items the history was made of, and what each held when it was appended. */
export interface PlanSource {
  readonly items: readonly ContextItem[];
  /** Uncalibrated tokens of all of them. */
  readonly total: number;
  readonly original: (id: string) => Message;
}

export function makePlan(history: readonly ContextMessage[], candidate: Candidate, source: PlanSource): PlanFacts {
  const plan: PlanOp[] = [];
  let drop: string[] = [];
  let kept: string | null = null;
  let at = 0;
  let after = source.total;
  const facts = { dropped: 0, changed: 0, inserted: 0 };
  const gone = new Set<number>();
  const left = new Set<number>();
  const roundAt = (index: number) => history[index]?.round ?? 0;
  const flush = () => {
    if (drop.length) plan.push({ op: 'drop', ids: drop });
    drop = [];
  };
  const dropUpTo = (index: number) => {
    for (; at < index; at++) {
      const message = history[at] as ContextMessage;
      const { id, tokens, round } = message;
      after -= tokens;
      drop.push(id);
      // Round 0 is what came before the first one, and an earlier summary was counted when it was made.
      if (round > 0 && !(message.role === 'user' && message.kind === 'summary')) gone.add(round);
      facts.dropped++;
      kept = null;
    }
  };
  for (const slot of candidate) {
    switch (slot.kind) {
      case 'keep':
        dropUpTo(slot.from);
        // Rounds rise, so a run without gaps holds every round between its ends.
        for (let round = roundAt(slot.from); round <= roundAt(slot.to - 1); round++) left.add(round);
        kept = history[slot.to - 1]?.id ?? null;
        at = slot.to;
        break;
      case 'change': {
        dropUpTo(slot.index);
        flush();
        left.add(roundAt(slot.index));
        const item = source.items[slot.index] as ContextItem;
        const by = toReplacement(item, slot, source.original(item.id));
        plan.push({ op: 'replace', id: item.id, by });
        after += by.tokens - item.tokens;
        kept = null;
        at = slot.index + 1;
        facts.changed++;
        break;
      }
      case 'insert': {
        // Inserts stand after the item the plan named last, so the plan must name the one in front of them.
        flush();
        if (kept !== null) plan.push({ op: 'keep', ids: [kept] });
        kept = null;
        const message: UserMessage = { role: 'user', kind: 'summary', text: slot.text };
        const tokens = estimateMessage(message);
        plan.push({ op: 'insert', message, tokens });
        after += tokens;
        facts.inserted++;
        break;
      }
    }
  }
  dropUpTo(history.length);
  flush();
  const wholeRounds = [...gone].filter((round) => !left.has(round)).length;
  return { plan, tokens: { before: source.total, after }, ...facts, wholeRounds };
}

/** A replacement is read against what was appended, so it repeats what earlier replacements changed. */
function toReplacement(item: ContextItem, { message, by }: ChangedSlot, original: Message): Replacement {
  const shown = item.message;
  const text = by.text ?? shown.text;
  const json = by.arguments ?? argumentsOf(shown);
  const offload = by.offload ?? (shown.role === 'tool' && by.text === undefined ? shown.offload : undefined);
  return {
    ...(text !== original.text ? { text } : {}),
    ...(json.some((value, i) => value !== argumentsOf(original)[i]) ? { arguments: json } : {}),
    // The stored estimate may come from another rule (attachments, imports): only the difference is ours.
    tokens: Math.max(1, item.tokens - savedTokens(message, by)),
    ...(by.stub || (item.hidden && by.text === undefined) ? { hidden: true } : {}),
    ...(by.stub?.prunedAt ? { prunedAt: by.stub.prunedAt } : {}),
    ...(offload ? { offload } : {}),
  };
}

function argumentsOf(message: Message): readonly string[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.arguments) : [];
}
