/**
 * Reads from the journal what holds compaction back, so that a resumed session holds and cools down as before. Pure.
 */

import type { ContextItem } from '../../context/item.ts';
import type { CompactionFailedEntry, Entry, SummaryWriter, TreeEntry } from '../../journal/entry.ts';
import { type Words, words } from '../../words.ts';

/**
 * After an undo, automatic triggers hold until a person writes or the context has grown by `growth` uncalibrated
 * tokens. `newestFirst` are the entries of the path, from the head back to the root; few of them are read.
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

/**
 * Maximum entries searched for a refusal: for an older one, either the person was asked again or the context has not
 * grown.
 */
const REFUSAL = 2_000;

/**
 * The reading below which nothing fires, because a person declined a compaction; 0 without a refusal since the last
 * one. `newestFirst` as above.
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

export interface CoolDown {
  /** For a person: how long it lasts, and how to end it. */
  readonly said: Words;
}

/**
 * Set while no model may be asked: `strategy` failed `rule.failures` times in a row with the same `writer`, most
 * recently less than `rule.minutes` ago. A success of the same strategy ends the series; compactions of the ladder do
 * not, and failures with another writer are skipped. `now` is in milliseconds.
 */
export function findCoolDown(
  entries: readonly Entry[],
  strategy: string,
  writer: SummaryWriter | null,
  rule: CoolDownRule,
  now: number,
): CoolDown | null {
  let failures = 0;
  let until = 0;
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i] as Entry;
    if (entry.type === 'compaction' && entry.strategy === strategy) return null;
    if (entry.type !== 'compactionFailed' || entry.strategy !== strategy || !isBy(entry, writer)) continue;
    const failed = Date.parse(entry.time);
    if (failures === 0) until = failed + rule.minutes * 60_000;
    // A failure in the future means that the clock was set back: the pause must not last until then.
    if (failures === 0 && (failed > now || now >= until)) return null;
    failures++;
    if (failures >= rule.failures) return { said: describeCoolDown(writer, failures, until - now) };
  }
  return null;
}

/** Older failures do not name the writer. */
function isBy({ writer: known }: CompactionFailedEntry, writer: SummaryWriter | null): boolean {
  return !known || (known.endpoint === writer?.endpoint && known.model === writer.model);
}

function describeCoolDown(writer: SummaryWriter | null, failures: number, ms: number): Words {
  return words(
    'Summaries by {0} failed {1} times in a row, so it is not asked for another {2} min. To continue at once, choose another model in palimpsest.compaction.summary.model, or another strategy.',
    writer?.model ?? '?',
    failures,
    Math.ceil(ms / 60_000),
  );
}

/** True when every call of the newest answer has its result: only then may the context change its shape. */
export function isQuiescent(conversation: readonly ContextItem[]): boolean {
  const at = conversation.findLastIndex(({ message }) => message.role === 'assistant');
  const answer = conversation[at]?.message;
  if (answer?.role !== 'assistant' || answer.interrupted || !answer.toolCalls?.length) return true;
  const answered = new Set<string>();
  for (const { message } of conversation.slice(at + 1)) if (message.role === 'tool') answered.add(message.toolCallId);
  // A later user message closes abandoned calls: lowering answers them.
  if (conversation.slice(at + 1).some(({ message }) => message.role === 'user')) return true;
  return answer.toolCalls.every((call) => answered.has(call.id));
}
