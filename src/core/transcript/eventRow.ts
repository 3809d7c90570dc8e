/** The rows of what is no message: one function for each kind of entry that a person reads as an event. Pure. */

import { MOST_NAMED, type NoteFact, noteFactSchema, type RestoredFiles, type Row } from '../../protocol/rows.ts';
import type { RestoreOutcome } from '../checkpoints/restoreFiles.ts';
import type { CompactionEntry, CompactionFailedEntry, NoteEntry, TreeEntry } from '../journal/entry.ts';
import { cut, EXCERPT, LABEL } from './cut.ts';
import type { ContextView } from './live.ts';

interface Base {
  readonly id: string;
  readonly time: number;
}

/** A kind of entry named here is one row of the transcript. */
const EVENTS = {
  compaction: compactionRow,
  compactionFailed: failureRow,
  checkpoint: (entry, base) => ({
    ...base,
    type: 'checkpoint',
    checkpoint: entry.id,
    label: cut(entry.label, LABEL),
  }),
  note: noteRow,
} satisfies {
  readonly [T in TreeEntry['type']]?: (entry: Extract<TreeEntry, { type: T }>, base: Base, context: ContextView) => Row;
};

export type EventEntry = Extract<TreeEntry, { type: keyof typeof EVENTS }>;

export function isEvent(entry: TreeEntry): entry is EventEntry {
  return Object.hasOwn(EVENTS, entry.type);
}

export function eventRow(id: string, entry: EventEntry, context: ContextView): Row {
  const make = EVENTS[entry.type] as (entry: EventEntry, base: Base, context: ContextView) => Row;
  return make(entry, { id, time: Date.parse(entry.time) }, context);
}

function compactionRow(entry: CompactionEntry, base: Base, context: ContextView): Row {
  const count = { hidden: 0, dropped: 0, shortened: 0, inserted: 0 };
  const summary: string[] = [];
  for (const op of entry.plan) {
    if (op.op === 'drop') count.dropped += op.ids.length;
    else if (op.op === 'replace') count[op.by.hidden ? 'hidden' : 'shortened']++;
    else if (op.op === 'insert') {
      count.inserted++;
      summary.push(op.message.text);
    }
  }
  const { seq } = entry;
  return {
    ...base,
    type: 'compaction',
    seq,
    strategy: entry.strategy,
    strategyLabel: entry.strategy,
    trigger: entry.trigger,
    tokensBefore: entry.tokensBefore,
    tokensAfter: entry.tokensAfter,
    durationMs: entry.durationMs,
    ...count,
    summary: cut(summary.join('\n\n')),
    repairs: [...(entry.repairs ?? [])],
    ledger: [...(entry.verification?.added ?? [])],
    summaryModel: entry.summaryModel ?? null,
    summaryTokens: entry.usage ? entry.usage.input + entry.usage.output : null,
    state: context.activeCompactions.some((active) => active.seq === seq) ? 'active' : 'undone',
    canUndo: context.activeCompactions.at(-1)?.seq === seq,
    canRedo: context.undoneCompactions.at(-1)?.seq === seq,
  };
}

function failureRow({ strategy, reason, instead }: CompactionFailedEntry, base: Base): Row {
  return {
    ...base,
    type: 'notice',
    level: 'warning',
    text: cut(`Compaction with ${strategy} failed: ${reason}`, EXCERPT),
    detail: cut(instead, EXCERPT),
    fact: {
      kind: 'compactionFailed',
      strategy: cut(strategy, LABEL),
      reason: cut(reason.replace(/\.$/, ''), EXCERPT),
    },
    action: 'none',
  };
}

function noteRow(entry: NoteEntry, base: Base): Row {
  if (entry.dmail) {
    const { checkpoint, message, files } = entry.dmail;
    return {
      ...base,
      type: 'dmail',
      checkpoint,
      text: cut(message),
      detail: cut(entry.detail ?? '', EXCERPT),
      ...(files === undefined ? {} : { files: files && nameFiles(files) }),
    };
  }
  return {
    ...base,
    type: 'notice',
    level: entry.level,
    text: cut(entry.text, EXCERPT),
    detail: cut(entry.detail ?? '', EXCERPT),
    ...factOf(entry),
    action: entry.action ?? 'none',
  };
}

/** A later version may know facts that this one does not: then the words are shown. */
function factOf({ fact }: NoteEntry): { readonly fact?: NoteFact } {
  const known = noteFactSchema.safeParse(fact?.kind === 'restored' ? { kind: fact.kind, ...nameFiles(fact) } : fact);
  return known.success ? { fact: known.data } : {};
}

function nameFiles({ restored, skipped }: Pick<RestoreOutcome, 'restored' | 'skipped'>): RestoredFiles {
  return {
    count: restored.length,
    restored: restored.slice(0, MOST_NAMED).map((path) => cut(path, LABEL)),
    left: skipped.length,
    skipped: skipped
      .slice(0, MOST_NAMED)
      .map((file) => ({ ...file, path: cut(file.path, LABEL), reason: cut(file.reason, LABEL) })),
  };
}
