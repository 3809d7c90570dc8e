/**
 * The journal's fold written down a second time, as its formal model says it: slots with operations, a stack of active
 * compactions and one of undone ones, pins; from the raw lines, with arrays and loops only. Nothing here is shared with the
 * product, so an error in one shows against the other.
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
  readonly by: number | null;
  readonly ops: { readonly seq: number; readonly op: string; readonly text?: string; readonly hidden?: boolean }[];
}

export interface ReferenceItem {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly pinned: boolean;
  readonly hidden: boolean;
}

export interface Reference {
  readonly view: readonly ReferenceItem[];
  /** Every slot by its id, in order. */
  readonly slots: readonly string[];
  readonly pins: readonly string[];
  /** Compactions that undo takes back and redo brings back, the next one last. */
  readonly active: readonly number[];
  readonly undone: readonly number[];
}

export function referenceOf(lines: readonly string[]): Reference {
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
  return foldPath(path);
}

function foldPath(path: readonly RawEntry[]): Reference {
  const slots: RawSlot[] = [];
  const active: number[] = [];
  const undone: number[] = [];
  const inactive = new Set<number>();
  const pins = new Set<string>();
  const at = (id: string) => {
    const place = slots.findIndex((slot) => slot.id === id);
    if (place < 0) throw new Error(`The reference misses ${id}`);
    return place;
  };
  const addOp = (id: string, seq: number, op: string, by: object = {}) => slots[at(id)]?.ops.push({ ...by, seq, op });
  for (const { seq, type, ...entry } of path) {
    const ids = (entry.ids ?? []) as string[];
    if (type === 'message') slots.push({ id: `m${seq}`, message: entry.message as RawMessage, by: null, ops: [] });
    else if (type === 'compaction') {
      active.push(seq);
      undone.length = 0;
      let place = -1;
      let inserted = 0;
      for (const op of entry.plan as RawOp[]) {
        if (op.op === 'insert') {
          const message = op.message as RawMessage;
          slots.splice(++place, 0, { id: `c${seq}.${inserted++}`, message, by: seq, ops: [] });
          continue;
        }
        for (const id of op.ids ?? [op.id as string]) {
          place = at(id);
          if (op.op !== 'keep') addOp(id, seq, op.op, op.by);
        }
      }
    } else if (type === 'compactionUndone') {
      const taken = active.pop() as number;
      inactive.add(taken);
      undone.push(taken);
    } else if (type === 'compactionRedone') {
      const brought = undone.pop() as number;
      inactive.delete(brought);
      active.push(brought);
    } else if (type === 'collapsed') for (const id of ids) addOp(id, seq, 'collapse');
    else if (type === 'expanded' || type === 'pinned') for (const id of ids) addOp(id, seq, 'show');
    if (type === 'pinned') for (const id of ids) pins.add(id);
    if (type === 'unpinned') for (const id of ids) pins.delete(id);
  }
  const view = slots.flatMap((slot): ReferenceItem[] => {
    const { id, by, message } = slot;
    if (by !== null && inactive.has(by)) return [];
    const ops = slot.ops.filter(({ seq }) => !inactive.has(seq));
    // Collapsing takes back every \`show\` before it.
    const collapsed = ops.findLastIndex(({ op }) => op === 'collapse');
    const last = ops.findLast(({ op }, i) => op !== 'collapse' && !(op === 'show' && i < collapsed));
    if (last?.op === 'drop') return [];
    const item = { id, role: message.role, pinned: pins.has(id), hidden: false, text: message.text };
    return [last?.op === 'replace' ? { ...item, text: last.text ?? '', hidden: last.hidden ?? false } : item];
  });
  return { view, slots: slots.map(({ id }) => id), pins: [...pins], active, undone };
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
