/**
 * Offers what a compaction took to a model that has room for it. Never by itself, and once for each compaction and model:
 * an answer is kept with the workspace.
 */

import type * as vscode from 'vscode';
import { findRoomAgain, type RoomAgain } from '../../core/compaction/roomAgain.ts';
import { UserFacingError } from '../../core/errors.ts';
import { asText, listOf } from '../../core/json.ts';
import { words } from '../../core/words.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { Handlers } from '../handlers.ts';

/** Workspace state: the offers that were answered. */
const ANSWERED = 'palimpsest.roomAgain';

/** The newest of them that are kept. */
const MOST_ANSWERED = 500;

interface Parts {
  readonly session: ShownSession;
  readonly state: Pick<vscode.Memento, 'get' | 'update'>;
}

export class RoomOffer {
  readonly #parts: Parts;
  readonly #answered: Set<string>;
  /** The newest answer to what is asked with every change of the panel. */
  #found: { readonly key: string; readonly room: RoomAgain | null } = { key: '', room: null };

  readonly handlers = {
    roomAgain: async ({ compaction, act }) => {
      const { offer } = this;
      if (offer?.compaction !== compaction) throw new UserFacingError(NOT_OFFERED);
      // Named before the undo: another session may be on screen after it.
      const name = nameOf(this.#parts.session.conversation?.id ?? '', offer);
      if (act === 'bringBack') await this.#parts.session.step('undo');
      await this.#settle(name);
      this.#parts.session.refresh();
    },
  } satisfies Partial<Handlers>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#answered = new Set(listOf(parts.state.get(ANSWERED)).map(asText));
  }

  /** Null where there is none, or it was answered. */
  get offer(): RoomAgain | null {
    const { conversation } = this.#parts.session;
    if (conversation?.status !== 'idle' || conversation.journal.readOnly) return null;
    const { journal, compactor } = conversation;
    const { gauge } = compactor;
    const key = [conversation.id, journal.nextSeq, gauge.model, gauge.window, gauge.mark?.at].join();
    if (this.#found.key !== key) this.#found = { key, room: findRoomAgain(journal, gauge) };
    const { room } = this.#found;
    return room && !this.#answered.has(nameOf(conversation.id, room)) ? room : null;
  }

  async #settle(name: string): Promise<void> {
    this.#answered.add(name);
    await this.#parts.state.update(ANSWERED, [...this.#answered].slice(-MOST_ANSWERED));
  }
}

const nameOf = (id: string, { compaction, model }: RoomAgain) => `${id} ${compaction} ${model}`;

const NOT_OFFERED = words(
  'The context has changed, so nothing was brought back. The row of the compaction can undo it.',
);
