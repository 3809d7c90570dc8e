/** A stored session in the form of the lab: its messages, and the compactions that happened in it. */

import type { ContextItem } from '../../core/context/item.ts';
import { CacheFollower } from '../../core/cost/cacheFacts.ts';
import { type PriceShares, sharesOf } from '../../core/cost/priceShares.ts';
import { JournalError } from '../../core/errors.ts';
import {
  type CompactionEntry,
  type Entry,
  insertId,
  isCarriedOver,
  messageId,
  RECORDED,
} from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { type Price, readPrice } from '../../core/money.ts';
import { exportNormalForm } from '../../core/sessions/exportSession.ts';
import { isUnreadableCompaction } from '../../core/sessions/importRecorded.ts';
import { words } from '../../core/words.ts';
import { generateCodingSession } from '../../lab/generateCodingSession.ts';
import { toRecorded } from '../../lab/live/coreMessages.ts';
import { type RecordedCompaction, type RecordedPart, type RecordedSession, readSession } from '../../lab/session.ts';
import { nodeCrypto } from '../storage/disk/fileBlobStore.ts';
import { openJournal } from '../storage/journal/openJournal.ts';

/** A stored session: plain data that can be sent to a worker. */
export interface LabSession {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  /** In bytes of its journal. */
  readonly size: number;
  /** No journal: a session that is made up, the same for the same number. */
  readonly seed?: number;
}

/** Long enough for strategies to differ. */
const SAMPLE_MESSAGES = 600;

/** A coding agent's session that nobody had. `title`: in the person's language. */
export const sampleSession = (title: string): LabSession => ({ id: 'sample', path: '', title, size: 0, seed: 7 });

export async function readStored(
  { path, id, title, seed }: LabSession,
  pause: () => Promise<void> = async () => undefined,
): Promise<RecordedSession> {
  if (seed !== undefined) {
    const messages = generateCodingSession({ seed, messages: SAMPLE_MESSAGES });
    return { name: title, messages, compactions: [] };
  }
  const readOnly = new JournalError('noPermission', path, words('It can only be read here.'));
  const { journal } = await openJournal({ path, id, clock: { now: () => 0 }, crypto: nodeCrypto, readOnly });
  try {
    const lines: string[] = [];
    for (const line of exportNormalForm(journal)) {
      lines.push(line);
      await pause();
    }
    return { ...readSession(title, lines.join(''), null), compactions: readCompactions(journal) };
  } finally {
    await journal.close();
  }
}

/**
 * The compactions that happened in a journal, each with the context that it left. Indices are those of the messages that
 * `exportNormalForm` writes.
 */
export function readCompactions(journal: Journal): RecordedCompaction[] {
  const header = journal.context.header?.items.length ?? 0;
  const indices = new Map<string, number>();
  const found: (RecordedCompaction & { until?: number; readonly seq: number })[] = [];
  const prices = new PriceFollower();
  let count = header;
  for (const entry of journal.path()) {
    prices.follow(entry);
    if (entry.type === 'message') indices.set(messageId(entry.seq), count++);
    else if (entry.type === 'compactionUndone') {
      const undone = found.find(({ seq }) => seq === entry.target);
      if (undone) undone.until = count;
    } else if (entry.type === 'note' && isUnreadableCompaction(entry)) {
      found.push({ seq: entry.seq, after: count, summary: '', by: RECORDED });
    } else if (entry.type !== 'compaction') continue;
    else if (isCarriedOver(entry.trigger)) {
      if (!journal.context.activeCompaction(entry.seq)) continue;
      for (const [nth] of insertsOf(entry).entries()) indices.set(insertId(entry.seq, nth), count++);
    } else {
      const { conversation } = journal.contextAt(entry.seq);
      const parts = conversation.map((item) => partOf(item, indices, journal));
      found.push({
        seq: entry.seq,
        after: count,
        summary: insertsOf(entry)
          .map(({ message }) => message.text)
          .join('\n\n'),
        context: [...Array.from({ length: header }, (_, at) => at), ...parts],
        by: entry.strategy,
        ...(entry.usage ? { usage: entry.usage } : {}),
        ...(prices.shares ? { shares: prices.shares } : {}),
      });
    }
  }
  return found.map(({ seq: _, ...compaction }) => compaction);
}

/** Follows the prices of the model in use: that of its newest answer, with the cache that was reported until then. */
class PriceFollower {
  readonly #cache = new CacheFollower('');
  #endpoint = '';
  #model = '';
  #price: Price | null = null;

  follow(entry: Entry): void {
    this.#cache.follow(entry);
    if (entry.type === 'configured') {
      if (entry.endpoint !== this.#endpoint || entry.model !== this.#model) this.#price = null;
      [this.#endpoint, this.#model] = [entry.endpoint, entry.model];
    } else if (entry.type === 'usage') {
      this.#model = entry.model;
      this.#price = readPrice(entry.price);
    }
  }

  /** Null where no price was recorded. */
  get shares(): PriceShares | null {
    return this.#price && sharesOf(this.#price, this.#cache.of(this.#endpoint, this.#model));
  }
}

function insertsOf({ plan }: CompactionEntry) {
  return plan.flatMap((op) => (op.op === 'insert' ? [op] : []));
}

function partOf(item: ContextItem, indices: ReadonlyMap<string, number>, journal: Journal): RecordedPart {
  const index = indices.get(item.id);
  const source = index === undefined ? null : journal.entry(item.seq);
  if (index !== undefined && source?.type === 'message' && source.message.text === item.message.text && !item.hidden)
    return index;
  return { index: index ?? null, message: toRecorded(item) };
}
