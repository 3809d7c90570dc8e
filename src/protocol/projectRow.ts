/** One transcript row from what the journal holds and how the model sees it now. Pure; long texts are cut and say so. */

import type { RestoreOutcome } from '../core/checkpoints/restoreFiles.ts';
import type { CheckpointEntry, CompactionEntry, CompactionFailedEntry, NoteEntry } from '../core/journal/entry.ts';
import { describeCall } from './describeCall.ts';
import type { ContextView, LiveTurn } from './live.ts';
import { type Fate, MOST_NAMED, type NoteFact, noteFactSchema, type RestoredFiles, type Row } from './rows.ts';
import type { CallSource, RowSource } from './transcript.ts';

type ToolRow = Extract<Row, { type: 'tool' }>;
type MessageSource = Extract<RowSource, { kind: 'message' }>;

/** Longest texts that a row carries, in characters: far below what the panel takes. */
export const MAX_TEXT = 200_000;
const MAX_RESULT = 20_000;
const MAX_NOTICE = 20_000;
const MAX_LABEL = 1_000;

/** How the agent loop begins the result of a call that a person declined. */
const DECLINED = 'The person declined this call.';

export function projectRow(id: string, source: RowSource, context: ContextView, live: LiveTurn): Row {
  switch (source.kind) {
    case 'message':
      return messageRow(id, source, context);
    case 'call':
      return callRow(id, source, context, live);
    case 'event':
      return eventRow(id, source.entry, context);
  }
}

function messageRow(id: string, { entry, scripted }: MessageSource, context: ContextView): Row {
  const { message, tokens } = entry;
  const base = { id, time: Date.parse(entry.time), tokens, ...standing(id, context) };
  switch (message.role) {
    case 'user':
      return { ...base, type: 'user', text: cut(message.text, MAX_TEXT) };
    case 'assistant':
      return {
        ...base,
        type: 'assistant',
        text: cut(message.text, MAX_TEXT),
        reasoning: cut(message.reasoning?.text ?? '', MAX_TEXT),
        scripted,
        live: false,
        interrupted: message.interrupted ?? false,
      };
    case 'tool':
      // A result whose call is not on this path, as an imported session may have it.
      return {
        ...base,
        type: 'tool',
        itemId: id,
        toolName: cut(message.toolName, MAX_LABEL),
        title: '',
        status: message.isError ? 'failed' : 'done',
        arguments: '',
        ...resultText(message.text),
        detail: { kind: 'none' },
        approval: null,
        durationMs: message.durationMs ?? null,
      };
  }
}

function callRow(id: string, source: CallSource, context: ContextView, live: LiveTurn): ToolRow {
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
    toolName: cut(call.name, MAX_LABEL),
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

function settled({ isError, text }: { readonly isError?: boolean; readonly text: string }): ToolRow['status'] {
  if (!isError) return 'done';
  return text.startsWith(DECLINED) ? 'denied' : 'failed';
}

function eventRow(
  id: string,
  entry: CompactionEntry | CompactionFailedEntry | CheckpointEntry | NoteEntry,
  context: ContextView,
): Row {
  const base = { id, time: Date.parse(entry.time) };
  switch (entry.type) {
    case 'compaction':
      return compactionRow(id, entry, context);
    case 'compactionFailed':
      return {
        ...base,
        type: 'notice',
        level: 'warning',
        text: cut(`Compaction with ${entry.strategy} failed: ${entry.reason}`, MAX_NOTICE),
        detail: cut(entry.instead, MAX_NOTICE),
        fact: {
          kind: 'compactionFailed',
          strategy: cut(entry.strategy, MAX_LABEL),
          reason: cut(entry.reason.replace(/\.$/, ''), MAX_NOTICE),
        },
        action: 'none',
      };
    case 'checkpoint':
      return { ...base, type: 'checkpoint', checkpoint: entry.id, label: cut(entry.label, MAX_LABEL) };
    case 'note':
      if (entry.dmail) {
        const { checkpoint, message, files } = entry.dmail;
        return {
          ...base,
          type: 'dmail',
          checkpoint,
          text: cut(message, MAX_TEXT),
          detail: cut(entry.detail ?? '', MAX_NOTICE),
          ...(files === undefined ? {} : { files: files && nameFiles(files) }),
        };
      }
      return {
        ...base,
        type: 'notice',
        level: entry.level,
        text: cut(entry.text, MAX_NOTICE),
        detail: cut(entry.detail ?? '', MAX_NOTICE),
        ...factOf(entry),
        action: entry.action ?? 'none',
      };
  }
}

/** A later version may know facts that this one does not: then the words are shown. */
function factOf({ fact }: NoteEntry): { readonly fact?: NoteFact } {
  const known = noteFactSchema.safeParse(fact?.kind === 'restored' ? { kind: fact.kind, ...nameFiles(fact) } : fact);
  return known.success ? { fact: known.data } : {};
}

function nameFiles({ restored, skipped }: Pick<RestoreOutcome, 'restored' | 'skipped'>): RestoredFiles {
  return {
    count: restored.length,
    restored: restored.slice(0, MOST_NAMED).map((path) => cut(path, MAX_LABEL)),
    left: skipped.length,
    skipped: skipped
      .slice(0, MOST_NAMED)
      .map((file) => ({ ...file, path: cut(file.path, MAX_LABEL), reason: cut(file.reason, MAX_LABEL) })),
  };
}

function compactionRow(id: string, entry: CompactionEntry, context: ContextView): Row {
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
    id,
    type: 'compaction',
    time: Date.parse(entry.time),
    seq,
    strategy: entry.strategy,
    strategyLabel: entry.strategy,
    trigger: entry.trigger,
    tokensBefore: entry.tokensBefore,
    tokensAfter: entry.tokensAfter,
    durationMs: entry.durationMs,
    ...count,
    summary: cut(summary.join('\n\n'), MAX_TEXT),
    repairs: [...(entry.repairs ?? [])],
    ledger: [...(entry.verification?.added ?? [])],
    summaryModel: entry.summaryModel ?? null,
    summaryTokens: entry.usage ? entry.usage.input + entry.usage.output : null,
    state: context.activeCompactions.some((active) => active.seq === seq) ? 'active' : 'undone',
    canUndo: context.activeCompactions.at(-1)?.seq === seq,
    canRedo: context.undoneCompactions.at(-1)?.seq === seq,
  };
}

function standing(itemId: string, context: ContextView): { fate: Fate; pinned: boolean } {
  return { fate: fateOf(itemId, context), pinned: context.isPinned(itemId) };
}

function fateOf(itemId: string, context: ContextView): Fate {
  const slot = context.slot(itemId);
  switch (slot?.shown) {
    case undefined:
    case 'whole':
      return 'seen';
    case 'replaced':
      return slot?.hidden ? 'hidden' : 'shortened';
    case 'dropped':
    case 'absent':
      return 'dropped';
  }
}

function resultText(text: string): Pick<ToolRow, 'result' | 'resultTruncated'> {
  return { result: cut(text, MAX_RESULT), resultTruncated: text.length > MAX_RESULT };
}

/** Never through a surrogate pair. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
