/**
 * Folds a journal's path into the rows that a person reads. It keeps one small record for each row and builds rows on
 * demand, so an append costs only the rows it affects, and a compaction only those of the messages that its plan names.
 * Compaction removes nothing here.
 */

import { unreadableRow } from '../../protocol/readRow.ts';
import { type ApprovalCard, LIVE_ROW, type Row } from '../../protocol/rows.ts';
import { MadeChanges } from '../calls/madeChanges.ts';
import type { ToolCall } from '../context/message.ts';
import {
  CHECKPOINT_LABEL,
  type CheckpointEntry,
  type CompactionEntry,
  type FilesEntry,
  type MessageEntry,
  type NoteEntry,
  type TreeEntry,
  type UsageEntry,
} from '../journal/entry.ts';
import { listOf } from '../json.ts';
import { DEMO } from '../model/modelChoice.ts';
import { isStopCause } from '../stop.ts';
import { type CallSource, callRow } from './callRow.ts';
import { cacheEffect, type EventEntry, eventRow, isEvent } from './eventRow.ts';
import type { LiveTurn } from './liveTurn.ts';
import { messageRow, streamingRow } from './messageRow.ts';
import { RepeatedCalls } from './repeatedCalls.ts';
import type { ContextView } from './standing.ts';

/** The source of a row. */
type RowSource = MessageSource | CallSource | EventSource;

interface EventSource {
  readonly kind: 'event';
  readonly entry: EventEntry;
  /** For a compaction. */
  readonly after: { readonly requests: Requests; readonly repeated: RepeatedCalls } | null;
}

interface MessageSource {
  readonly kind: 'message';
  readonly entry: MessageEntry;
  readonly scripted: boolean;
  /** The messages read for a person's mentions. */
  readonly mentioned: MessageEntry[];
  /** The checkpoint that a turn set right before its message. */
  readonly checkpoint?: number;
}

/** The last counted request before a compaction, and the first one after it. */
interface Requests {
  readonly before: UsageEntry | null;
  after: UsageEntry | null;
}

export interface RowPage {
  readonly rows: readonly Row[];
  /** True when older rows exist. */
  readonly more: boolean;
}

export class Transcript {
  readonly #ids: string[] = [];
  readonly #sources = new Map<string, RowSource>();
  readonly #positions = new Map<string, number>();
  /**
   * The newest call for each provider id. Providers reuse ids between answers, so a result belongs to the newest call.
   */
  readonly #calls = new Map<string, string>();
  /** Rows that show a message with another id: a result is shown with its call, a mention with the person's message. */
  readonly #shownIn = new Map<string, string>();
  /**
   * Compactions by `seq` with the rows that they changed: undo takes the last of the active, redo the last of the
   * undone.
   */
  readonly #active = new Map<number, readonly string[]>();
  readonly #undone = new Map<number, readonly string[]>();
  /** Calls of the newest answer that have no result yet. */
  readonly #open = new Set<CallSource>();
  /** The newest checkpoint, until the next message of the person or the model. */
  #checkpoint: CheckpointEntry | null = null;
  readonly #made = new MadeChanges<CallSource>();
  /** The person's newest message. */
  #asked: { readonly id: string; readonly source: MessageSource } | null = null;
  #counted: UsageEntry | null = null;
  /** The newest compaction, until the next request. */
  #compacted: { readonly id: string; readonly requests: Requests } | null = null;
  /** Compactions whose repeated calls are still counted, by their rows, oldest first. */
  readonly #counting = new Map<string, RepeatedCalls>();
  /** The newest request of a turn went to the demo, so the answer is scripted. */
  #scripted = false;

  static of(path: Iterable<TreeEntry>): Transcript {
    const transcript = new Transcript();
    for (const entry of path) transcript.apply(entry);
    return transcript;
  }

  /**
   * Adds the next entry of the path. After a revert, fold the new path from its root instead. Returns the new rows, in
   * order, and those that changed.
   */
  apply(entry: TreeEntry): readonly string[] {
    switch (entry.type) {
      case 'message':
        return this.#message(entry);
      case 'usage':
        return this.#usage(entry);
      case 'request':
        if (entry.purpose === 'turn') this.#scripted = entry.model === DEMO;
        return [];
      case 'compaction':
        return this.#compaction(entry);
      case 'compactionUndone':
        // A compaction undone before a request has no cache cost.
        this.#compacted = null;
        return this.#step(entry.target, this.#active, this.#undone);
      case 'compactionRedone':
        return this.#step(entry.target, this.#undone, this.#active);
      case 'files':
        return this.#files(entry);
      case 'expanded':
      case 'collapsed':
      case 'pinned':
      case 'unpinned':
        return entry.ids.flatMap((id) => this.#rowsOf(id));
      case 'note':
        return [...this.#markLeft(entry), this.#event(entry)];
      case 'checkpoint':
        this.#checkpoint = entry;
        return isEvent(entry) ? [this.#event(entry)] : [];
      default:
        return isEvent(entry) ? [this.#event(entry)] : [];
    }
  }

  /** Up to `count` rows before `beforeId`, oldest first. With null, the newest ones, including the streaming row. */
  rows(context: ContextView, live: LiveTurn, beforeId: string | null, count: number): RowPage {
    const end = beforeId === null || beforeId === LIVE_ROW ? this.#ids.length : (this.#positions.get(beforeId) ?? 0);
    const start = Math.max(0, end - count);
    const rows = this.#ids.slice(start, end).flatMap((id) => this.row(id, context, live) ?? []);
    const streaming = beforeId === null ? this.row(LIVE_ROW, context, live) : null;
    return { rows: streaming ? [...rows, streaming] : rows, more: start > 0 };
  }

  /** Null when there is no such row. */
  row(id: string, context: ContextView, live: LiveTurn): Row | null {
    if (id === LIVE_ROW) return live.answer && streamingRow(live.answer, this.#scripted);
    const source = this.#sources.get(id);
    if (!source) return null;
    try {
      return rowOf(id, source, context, live);
    } catch (error) {
      return unreadableRow({ id, time: 0 }, error, approvalOf(source, live));
    }
  }

  /** The row of a tool call, by the provider's id of the call. */
  callRow(toolCallId: string): string | null {
    return this.#calls.get(toolCallId) ?? null;
  }

  #message(entry: MessageEntry): string[] {
    const { message } = entry;
    const id = `m${entry.seq}`;
    if (message.role !== 'tool') {
      for (const call of this.#open) call.abandoned = true;
      this.#open.clear();
    }
    switch (message.role) {
      case 'user':
        if (message.kind === 'user') return this.#addQuestion(id, entry, message.text);
        // The product wrote reminders and skills, not the person. The view of the whole request shows them.
        return message.mention === undefined ? [] : this.#addMentioned(entry);
      case 'assistant': {
        const calls = message.toolCalls ?? [];
        const abandoned = message.interrupted ?? false;
        const spoke = message.text !== '' || (message.reasoning?.text ?? '') !== '' || calls.length === 0;
        const ids = spoke ? [this.#addMessage(id, entry)] : [];
        calls.forEach((call, index) => {
          const source: CallSource = { kind: 'call', id: `${id}.${index}`, entry, call, abandoned, result: null };
          const callId = this.#add(source.id, source);
          this.#open.add(source);
          this.#calls.set(call.id, callId);
          ids.push(callId);
        });
        this.#count(calls);
        return ids;
      }
      case 'tool': {
        const callId = this.#calls.get(message.toolCallId);
        const source = callId === undefined ? undefined : this.#sources.get(callId);
        if (callId === undefined || source?.kind !== 'call' || source.result) {
          return [this.#addMessage(id, entry)];
        }
        source.result = entry;
        this.#shownIn.set(id, callId);
        this.#open.delete(source);
        return [callId, ...this.#countResult(entry)];
      }
    }
  }

  /** Returns the rows of the calls that the note says never began. */
  #markLeft({ left }: NoteEntry): string[] {
    const named = listOf(left?.calls);
    return [...this.#open].flatMap((source) => {
      if (!named.includes(source.call.id) || !isStopCause(left?.by)) return [];
      source.left = left.by;
      return [source.id];
    });
  }

  #files(entry: FilesEntry): string[] {
    const id = this.#calls.get(entry.toolCallId ?? '');
    const source = id === undefined ? undefined : this.#sources.get(id);
    return this.#made.take(entry, source?.kind === 'call' ? source : null).map(({ id }) => id);
  }

  #event(entry: EventEntry, after: EventSource['after'] = null): string {
    return this.#add(`e${entry.seq}`, { kind: 'event', entry, after });
  }

  #count(calls: readonly ToolCall[]): void {
    for (const [row, repeated] of this.#counting) {
      repeated.called(calls);
      if (repeated.isOver) this.#counting.delete(row);
    }
  }

  /** A repeated call counts for the newest compaction that took its result. Returns its row. */
  #countResult(entry: MessageEntry): string[] {
    let counted: string | null = null;
    for (const [row, repeated] of [...this.#counting].reverse())
      if (repeated.answered(entry, counted !== null)) counted ??= row;
    return counted === null ? [] : [counted];
  }

  #compaction(entry: CompactionEntry): readonly string[] {
    const requests = { before: this.#counted, after: null };
    const ids = new Set<string>();
    for (const op of entry.plan) {
      const named = op.op === 'replace' ? [op.id] : op.op === 'drop' ? op.ids : [];
      for (const id of named) for (const row of this.#rowsOf(id)) ids.add(row);
    }
    const steps = this.#steps();
    // Results that expired were out of date.
    const taken = entry.trigger === 'ephemeral' ? [] : [...ids].map((id) => this.#sources.get(id));
    const repeated = new RepeatedCalls(taken.filter((source) => source?.kind === 'call'));
    const row = this.#event(entry, { requests, repeated });
    this.#counting.set(row, repeated);
    this.#compacted = { id: row, requests };
    this.#active.set(entry.seq, [...ids]);
    this.#undone.clear();
    return [...steps, ...ids, row];
  }

  /**
   * Undo and redo: moves the compaction between the two lists, which changes the compactions that can be undone and
   * redone next.
   */
  #step(target: number, from: Map<number, readonly string[]>, to: Map<number, readonly string[]>): readonly string[] {
    const before = this.#steps();
    const rows = from.get(target) ?? [];
    from.delete(target);
    this.#counting.delete(`e${target}`);
    to.set(target, rows);
    return [...before, ...this.#steps(), ...rows];
  }

  /** Rows of the compactions that can be undone and redone. */
  #steps(): readonly string[] {
    const seqs = [lastKey(this.#active), lastKey(this.#undone)];
    return seqs.flatMap((seq) => (seq === undefined || !this.#sources.has(`e${seq}`) ? [] : `e${seq}`));
  }

  /** Rows that show how the model sees an item. */
  #rowsOf(itemId: string): readonly string[] {
    const row = this.#shownIn.get(itemId) ?? itemId;
    const rows = this.#sources.has(row) ? [row] : [];
    // Calls without a result represent their answer.
    for (let nth = 0; ; nth++) {
      const source = this.#sources.get(`${itemId}.${nth}`);
      if (source?.kind !== 'call') return rows;
      if (!source.result) rows.push(`${itemId}.${nth}`);
    }
  }

  /** The first request after a compaction determines its cache cost. */
  #usage(entry: UsageEntry): string[] {
    const compacted = this.#compacted;
    this.#counted = entry;
    this.#compacted = null;
    if (!compacted) return [];
    compacted.requests.after = entry;
    return [compacted.id];
  }

  #addMessage(id: string, entry: MessageEntry): string {
    this.#checkpoint = null;
    return this.#add(id, { kind: 'message', entry, scripted: this.#scripted, mentioned: [] });
  }

  /** Whether there was such a row. */
  #remove(id: string): boolean {
    const at = this.#positions.get(id);
    if (at === undefined) return false;
    this.#ids.splice(at, 1);
    this.#positions.delete(id);
    this.#sources.delete(id);
    // It is one of the last.
    for (const [nth, later] of this.#ids.slice(at).entries()) this.#positions.set(later, at + nth);
    return true;
  }

  /** A checkpoint of the turn is part of its message: a line of its own would only repeat the text. */
  #addQuestion(id: string, entry: MessageEntry, text: string): string[] {
    const set = this.#checkpoint;
    this.#checkpoint = null;
    const isOwn = set !== null && set.label === text.slice(0, CHECKPOINT_LABEL);
    const source: MessageSource = {
      kind: 'message',
      entry,
      scripted: this.#scripted,
      mentioned: [],
      ...(isOwn ? { checkpoint: set.id } : {}),
    };
    this.#asked = { id, source };
    this.#add(id, source);
    return isOwn && this.#remove(`e${set.seq}`) ? [`e${set.seq}`, id] : [id];
  }

  /** Shown with the message that mentions it. */
  #addMentioned(entry: MessageEntry): string[] {
    if (!this.#asked) return [];
    const { id, source } = this.#asked;
    source.mentioned.push(entry);
    this.#shownIn.set(`m${entry.seq}`, id);
    return [id];
  }

  #add(id: string, source: RowSource): string {
    this.#positions.set(id, this.#ids.length);
    this.#ids.push(id);
    this.#sources.set(id, source);
    return id;
  }
}

function lastKey(map: ReadonlyMap<number, unknown>): number | undefined {
  return [...map.keys()].at(-1);
}

/** The pending approval for the call of a row. */
function approvalOf(source: RowSource, { calls }: LiveTurn): ApprovalCard | null {
  return source.kind === 'call' ? (calls.get(source.call.id)?.approval ?? null) : null;
}

function rowOf(id: string, source: RowSource, context: ContextView, live: LiveTurn): Row {
  switch (source.kind) {
    case 'message':
      return messageRow(id, source, context);
    case 'call':
      return callRow(id, source, context, live);
    case 'event':
      return eventRow(
        id,
        source.entry,
        context,
        source.after && {
          cache: cacheEffect(source.after.requests.before, source.after.requests.after),
          repeated: source.after.repeated.shown(context),
        },
      );
  }
}
