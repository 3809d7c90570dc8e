/**
 * The rows of one conversation, as far back as the reader has scrolled. A long session is not read whole for one
 * screen: the transcript starts near its end and grows as the reader scrolls back.
 */

import { Projection } from '../../core/context/projection.ts';
import type { TreeEntry } from '../../core/journal/entry.ts';
import { type LiveCall, type LiveTurn, NOTHING_LIVE } from '../../core/transcript/liveTurn.ts';
import { type RowPage, Transcript } from '../../core/transcript/transcript.ts';
import type { Row } from '../../protocol/rows.ts';
import { toApprovalCard } from './approvalCard.ts';
import type { Conversation } from './conversation.ts';

const EMPTY = new Projection();

/** Entries of the path in a new transcript. */
const FIRST = 2_000;

export class TranscriptWindow {
  readonly #conversation: Conversation | null;
  #transcript = new Transcript();
  /** Number of entries in the transcript, and whether there are older ones. */
  #count = FIRST;
  #older = false;

  constructor(conversation: Conversation | null) {
    this.#conversation = conversation;
    this.readAgain();
  }

  /** Up to `count` rows before `beforeId`, oldest first; the newest with null. */
  rows(beforeId: string | null, count: number): RowPage {
    const read = () => this.#transcript.rows(this.#context, this.#live(), beforeId, count);
    let page = read();
    while (!page.more && this.#older) {
      this.#read(this.#count * 4);
      page = read();
    }
    return page;
  }

  /** Null when the row has left. */
  row(id: string): Row | null {
    return this.#transcript.row(id, this.#context, this.#live());
  }

  /** Id of the row that shows the call; null if there is none. */
  callRow(toolCallId: string): string | null {
    return this.#transcript.callRow(toolCallId);
  }

  /** New and changed rows, as returned by `Transcript.apply`. */
  apply(entry: TreeEntry): readonly string[] {
    return this.#transcript.apply(entry);
  }

  /** Call when the head moved to another branch. */
  readAgain(): void {
    this.#read(FIRST);
  }

  #read(count: number): void {
    const { entries, more } = this.#conversation?.journal.recentPath(count) ?? { entries: [], more: false };
    this.#count = count;
    this.#older = more;
    this.#transcript = Transcript.of(entries);
  }

  get #context(): Projection {
    return this.#conversation?.journal.context ?? EMPTY;
  }

  #live(): LiveTurn {
    const conversation = this.#conversation;
    if (!conversation || conversation.status === 'idle') return NOTHING_LIVE;
    const pending = new Map(conversation.approvals.pending.map((each) => [each.request.toolCallId, each]));
    const calls = [...conversation.calls].map(([id, { phase, title, output }]): [string, LiveCall] => {
      const question = pending.get(id);
      const status = question ? 'approval' : phase === 'running' ? 'running' : 'waiting';
      return [id, { status, title, output, approval: question ? toApprovalCard(question) : null }];
    });
    return { running: true, answer: conversation.live, calls: new Map(calls) };
  }
}
