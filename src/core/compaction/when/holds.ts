/**
 * What holds compaction back, read from the journal, so that a resumed session holds and cools down as before. Pure.
 */

import type { ContextItem } from '../../context/item.ts';
import type { Entry, TreeEntry } from '../../journal/entry.ts';

/**
 * After an undo, automatic triggers hold until a person writes or the context has grown by `growth` uncalibrated tokens.
 * `newestFirst` are the entries of the path, from the head back to the root; few of them are read.
 */
export function holdsAfterUndo(newestFirst: Iterable<TreeEntry>, growth: number): boolean {
  let grown = 0;
  for (const entry of newestFirst) {
    switch (entry.type) {
      case 'compactionUndone':
        return grown < growth;
      case 'compaction':
      case 'compactionRedone':
        return false;
      case 'message':
        if (entry.message.role === 'user' && entry.message.kind === 'user') return false;
        grown += entry.tokens;
        if (grown >= growth) return false;
        break;
      default:
        break;
    }
  }
  return false;
}

/** Entries in which a refusal is looked for: one that is older has been asked about again, or the context has not grown. */
const REFUSAL = 2_000;

/**
 * The reading below which nothing fires, because a person declined a compaction; 0 when nobody did since the last one.
 * `newestFirst` as above.
 */
export function heldByRefusal(newestFirst: Iterable<TreeEntry>): number {
  let looked = 0;
  for (const entry of newestFirst) {
    if (entry.type === 'note' && entry.heldBelow !== undefined) return Number(entry.heldBelow) || 0;
    if (entry.type.startsWith('compaction') || ++looked >= REFUSAL) return 0;
  }
  return 0;
}

interface CoolDownRule {
  readonly failures: number;
  readonly minutes: number;
}

/**
 * True while no model may be asked: `strategy` failed `rule.failures` times in a row, most recently less than
 * `rule.minutes` ago. A success of the same strategy ends the series; compactions of the ladder do not. `now` is in
 * milliseconds.
 */
export function isCoolingDown(entries: readonly Entry[], strategy: string, rule: CoolDownRule, now: number): boolean {
  let failures = 0;
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i] as Entry;
    if (entry.type === 'compaction' && entry.strategy === strategy) return false;
    if (entry.type !== 'compactionFailed' || entry.strategy !== strategy) continue;
    const age = now - Date.parse(entry.time);
    // A failure in the future means that the clock was set back: the pause must not last until then.
    if (failures === 0 && (age < 0 || age >= rule.minutes * 60_000)) return false;
    failures++;
    if (failures >= rule.failures) return true;
  }
  return false;
}

/** True when every call of the newest answer has its result: only then may the context change its shape. */
export function isQuiescent(conversation: readonly ContextItem[]): boolean {
  const at = conversation.findLastIndex(({ message }) => message.role === 'assistant');
  const answer = conversation[at]?.message;
  if (answer?.role !== 'assistant' || answer.interrupted || !answer.toolCalls?.length) return true;
  const answered = new Set<string>();
  for (const { message } of conversation.slice(at + 1)) if (message.role === 'tool') answered.add(message.toolCallId);
  // A later user message closes calls that were abandoned: lowering answers them.
  if (conversation.slice(at + 1).some(({ message }) => message.role === 'user')) return true;
  return answer.toolCalls.every((call) => answered.has(call.id));
}
