/**
 * The effect of compactions on a session, for a person: the size of the context, request by request, the messages that
 * each removed from the model's view, and why it ran. Pure.
 */

import { type ItemKind, kindOf } from '../context/item.ts';
import type { Message } from '../context/message.ts';
import { COOLING, type CompactionEntry, type TreeEntry } from '../journal/entry.ts';
import { ownOf } from '../json.ts';
import { verbatim, type Words, words } from '../words.ts';

interface SizePoint {
  /** Number of requests before it; a compaction lies between two. */
  readonly at: number;
  readonly tokens: number;
  /** The part read from the provider's cache; null for a compaction. */
  readonly cached: number | null;
}

export interface CompactionMark {
  readonly at: number;
  readonly entry: CompactionEntry;
  readonly active: boolean;
  /** How many compactions undoing this one takes back, itself included; 0 when it is undone. */
  readonly undoes: number;
  /** *Redo* restores it next. */
  readonly canRedo: boolean;
}

export interface SizeTimeline {
  readonly points: readonly SizePoint[];
  readonly marks: readonly CompactionMark[];
}

interface Active {
  readonly activeCompactions: readonly CompactionEntry[];
  readonly undoneCompactions: readonly CompactionEntry[];
}

/** `path` starts at its root. */
export function sizeTimeline(
  path: Iterable<TreeEntry>,
  { activeCompactions, undoneCompactions }: Active,
): SizeTimeline {
  const order = activeCompactions.map(({ seq }) => seq);
  const redo = undoneCompactions.at(-1)?.seq;
  const points: SizePoint[] = [];
  const marks: CompactionMark[] = [];
  const made = new Map<number, CompactionEntry>();
  let requests = 0;
  for (const entry of path) {
    if (entry.type === 'usage' && !entry.estimated) {
      requests++;
      points.push({ at: requests, tokens: entry.usage.input, cached: entry.usage.cached });
    } else if (entry.type === 'compaction') {
      made.set(entry.seq, entry);
      const index = order.indexOf(entry.seq);
      const at = requests + 0.5;
      marks.push({
        at,
        entry,
        active: index >= 0,
        undoes: index < 0 ? 0 : order.length - index,
        canRedo: entry.seq === redo,
      });
      points.push({ at, tokens: entry.tokensBefore, cached: null }, { at, tokens: entry.tokensAfter, cached: null });
    } else if (entry.type === 'compactionUndone' || entry.type === 'compactionRedone') {
      const target = made.get(entry.target);
      const tokens = entry.type === 'compactionUndone' ? target?.tokensBefore : target?.tokensAfter;
      if (tokens !== undefined) points.push({ at: requests + 0.5, tokens, cached: null });
    }
  }
  return { points, marks };
}

export interface RemovedMessage {
  readonly id: string;
  readonly how: 'dropped' | 'hidden' | 'shortened';
  readonly kind: ItemKind;
  /** The tokens of the message as appended, and of its replacement. Uncalibrated. */
  readonly tokens: number;
  readonly left: number;
  readonly message: Message;
}

type SlotOf = (id: string) => { readonly message: Message; readonly tokens: number } | null;

/** Computed from its plan and the appended messages. */
export function* listRemoved({ plan }: CompactionEntry, slotOf: SlotOf): Generator<RemovedMessage> {
  for (const op of plan) {
    if (op.op === 'drop') for (const id of op.ids) yield* removed(id, 'dropped', 0, slotOf);
    if (op.op === 'replace') yield* removed(op.id, op.by.hidden ? 'hidden' : 'shortened', op.by.tokens, slotOf);
  }
}

function* removed(id: string, how: RemovedMessage['how'], left: number, slotOf: SlotOf): Generator<RemovedMessage> {
  const slot = slotOf(id);
  if (slot) yield { id, how, kind: kindOf(slot.message), tokens: slot.tokens, left, message: slot.message };
}

/** The number of messages that a compaction names. */
export function countNamed({ plan }: CompactionEntry): number {
  let named = 0;
  for (const op of plan) named += op.op === 'drop' ? op.ids.length : op.op === 'replace' ? 1 : 0;
  return named;
}

/** Why it ran before the limit; null where it did not. */
export function earlyWords(early: CompactionEntry['early']): Words | null {
  if (!early) return null;
  const [idle, lives] = [minutes(early.idleMs), minutes(early.livesMs)];
  switch (early.why) {
    case 'model':
      return words('before the limit: another model was chosen, and has nothing of it in its cache');
    case 'idle':
      return lives === null
        ? words("before the limit: idle for {0} min, and the provider's cache was cold", idle ?? '?')
        : words('before the limit: idle for {0} min, and the provider keeps its cache for {1} min', idle ?? '?', lives);
    case 'resumed':
      return words(
        "before the limit: the session was opened again after {0} min, and the provider's cache was cold",
        idle ?? '?',
      );
    case COOLING:
      return words(
        "before the provider's cache went cold: idle for {0} of {1} min, and reading all of it anew would have cost more",
        idle ?? '?',
        lives ?? '?',
      );
    case 'changed':
      return words("before the limit: the context had changed, and was no longer in the provider's cache");
    default:
      return words('before the limit: the strategy found that going on would cost more');
  }
}

/** Whole minutes; null for an invalid duration. */
const minutes = (ms: unknown): number | null =>
  typeof ms === 'number' && Number.isFinite(ms) ? Math.round(ms / 60_000) : null;

/** An unknown trigger is shown by its name. */
export function triggerWords(trigger: string): Words {
  return ownOf(TRIGGERS, trigger) ?? verbatim(trigger);
}

const TRIGGERS: Readonly<Record<string, Words>> = {
  threshold: words('context nearly full'),
  precheck: words('before a request'),
  overflow: words('the provider said it was too long'),
  manual: words('asked for by you'),
  agent: words('asked for by the agent'),
  ahead: words('ahead of need'),
  [COOLING]: words('before the provider’s cache went cold'),
  ephemeral: words('results that asked to be kept briefly'),
  recorded: words('before the import'),
  branch: words('you went back and took a summary along'),
  handoff: words('this session continues from another one'),
};

/** Names of steps that run without a strategy: a compaction's entry records their id as its strategy. */
export const STEP_NAMES: Readonly<Record<string, Words>> = {
  fallback: words('Fallback without a model'),
  partial: words('Part done before a failure'),
  'drop-oldest': words('Drop oldest'),
  ephemeral: words('Expired results'),
  recorded: words('By the program that recorded it'),
  'branch-summary': words('Summary of a branch'),
  'session-summary': words('Summary of a session'),
};
