/**
 * The journal's fold written down a second time, as plainly as possible: every view is computed from the raw lines, with
 * arrays and loops only. Nothing here is shared with the product, so an error in one shows against the other.
 */

interface RawEntry {
  readonly seq: number;
  readonly parent?: number | null;
  readonly type: string;
  readonly [field: string]: unknown;
}

interface RawMessage {
  readonly role: string;
  readonly kind?: string;
  readonly text: string;
  readonly toolCalls?: readonly { readonly id: string }[];
  readonly toolCallId?: string;
}

type RawOp = { op: string; ids?: string[]; id?: string; by?: { text: string; hidden?: boolean }; message?: RawMessage };

interface RawSlot {
  readonly id: string;
  readonly message: RawMessage;
  readonly insertedBy: number | null;
  readonly marks: { readonly seq: number; readonly op: string; readonly text?: string; readonly hidden?: boolean }[];
}

export interface ReferenceItem {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly pinned: boolean;
  readonly hidden: boolean;
}

export function referenceView(lines: readonly string[]): ReferenceItem[] {
  const entries = lines.map((line) => JSON.parse(line) as RawEntry);
  let head: number | null = null;
  for (const entry of entries) {
    if (entry.type === 'revert') head = entry.target as number | null;
    else if (entry.parent !== undefined) head = entry.seq;
  }
  const path: RawEntry[] = [];
  for (let seq = head; seq !== null; ) {
    const entry = entries.find((candidate) => candidate.seq === seq);
    if (!entry) throw new Error(`The reference misses entry ${seq}`);
    path.unshift(entry);
    seq = entry.parent as number | null;
  }
  return viewOf(path);
}

function viewOf(path: readonly RawEntry[]): ReferenceItem[] {
  const slots: RawSlot[] = [];
  const undone: number[] = [];
  let pinned: string[] = [];
  const of = (id: string) => {
    const slot = slots.find((candidate) => candidate.id === id);
    if (!slot) throw new Error(`The reference misses ${id}`);
    return slot;
  };
  for (const entry of path) {
    const ids = entry.ids as string[];
    if (entry.type === 'message') {
      slots.push({ id: `m${entry.seq}`, message: entry.message as RawMessage, insertedBy: null, marks: [] });
    } else if (entry.type === 'compaction') {
      let place = 0;
      let inserted = 0;
      for (const op of entry.plan as RawOp[]) {
        if (op.op === 'insert') {
          const slot = {
            id: `c${entry.seq}.${inserted++}`,
            message: op.message as RawMessage,
            insertedBy: entry.seq,
            marks: [],
          };
          slots.splice(place++, 0, slot);
          continue;
        }
        for (const id of op.ids ?? [op.id as string]) {
          place = slots.indexOf(of(id)) + 1;
          if (op.op === 'drop') of(id).marks.push({ seq: entry.seq, op: 'drop' });
          if (op.op === 'replace') of(id).marks.push({ seq: entry.seq, op: 'replace', ...(op.by as { text: string }) });
        }
      }
    } else if (entry.type === 'compactionUndone') undone.push(entry.target as number);
    else if (entry.type === 'compactionRedone') undone.splice(undone.indexOf(entry.target as number), 1);
    else if (entry.type === 'expanded') for (const id of ids) of(id).marks.push({ seq: entry.seq, op: 'show' });
    else if (entry.type === 'collapsed') for (const id of ids) of(id).marks.push({ seq: entry.seq, op: 'collapse' });
    else if (entry.type === 'pinned') {
      for (const id of ids) of(id).marks.push({ seq: entry.seq, op: 'show' });
      pinned = [...pinned, ...ids];
    } else if (entry.type === 'unpinned') pinned = pinned.filter((id) => !ids.includes(id));
  }
  return slots.flatMap((slot): ReferenceItem[] => {
    if (slot.insertedBy !== null && undone.includes(slot.insertedBy)) return [];
    const { id, message } = slot;
    const item = { id, role: message.role, pinned: pinned.includes(id), hidden: false, text: message.text };
    let marks = slot.marks.filter(({ seq }) => !undone.includes(seq));
    // Collapsing takes back every `show` before it.
    const collapsed = marks.findLastIndex(({ op }) => op === 'collapse');
    marks = marks.filter(({ op }, i) => op !== 'collapse' && !(op === 'show' && i < collapsed));
    const last = marks.at(-1);
    if (last?.op === 'drop') return [];
    return [last?.op === 'replace' ? { ...item, text: last.text ?? '', hidden: last.hidden ?? false } : item];
  });
}

/** What breaks the pairing of calls and results; null when nothing does. */
export function pairingFault(view: readonly RawMessage[]): string | null {
  let open: string[] = [];
  for (const message of view) {
    if (message.role === 'tool') {
      if (!open.includes(message.toolCallId as string)) return `stray result ${message.toolCallId}`;
      open = open.filter((id) => id !== message.toolCallId);
    } else {
      if (open.length > 0) return `unanswered ${open.join()}`;
      open = (message.toolCalls ?? []).map(({ id }) => id);
    }
  }
  return open.length > 0 ? `open at the end: ${open.join()}` : null;
}
