/** The commands that show what compaction would do, what the model sees, and what was compacted so far. */

import { join } from 'node:path';
import * as vscode from 'vscode';
import { STEP_NAMES } from '../../core/compaction/stepNames.ts';
import { isAbort, messageOf } from '../../core/errors.ts';
import { addStatistics, COUNTED, countCompactions, NO_STATISTICS } from '../../core/journal/statistics.ts';
import { ownOf } from '../../core/json.ts';
import { verbatim, words } from '../../core/words.ts';
import { type AskedPreview, previewAsked, previewCompaction } from '../preview/previewCompaction.ts';
import { type TryParts, tryStrategy } from '../preview/tryStrategy.ts';
import type { SessionPlaces } from '../session/sessionPlaces.ts';
import { readStatistics } from '../storage/sessions/readStatistics.ts';
import { JOURNAL } from '../storage/sessions/sessionStore.ts';
import { listStrategies } from '../tell/listStrategies.ts';
import { say } from '../tell/say.ts';
import { withCancel } from '../tell/withCancel.ts';
import { describeStatistics } from './describeStatistics.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';
import { showCacheTimeline } from './showCacheTimeline.ts';
import { showModelView } from './showModelView.ts';
import { showSessionSize } from './showSessionSize.ts';

export interface InspectParts extends TryParts {
  readonly places: SessionPlaces;
  readonly documents: ReadOnlyDocuments;
  /** Brings a row of the conversation into sight, and the panel with it. */
  readonly reveal: (rowId: string) => unknown;
}

export class InspectCommands {
  readonly #parts: InspectParts;
  #asked: AskedPreview | null = null;

  constructor(parts: InspectParts) {
    this.#parts = parts;
  }

  async preview(): Promise<void> {
    await previewCompaction(this.#parts.session.require(), this.#parts);
  }

  /** What the compaction that the session asks about would do. */
  async previewAsked(consentId: string): Promise<void> {
    // What the person changed on the page stands there still.
    if (this.#asked?.consentId === consentId && this.#asked.bring()) return;
    this.#asked = await previewAsked(this.#parts.session.require(), consentId, this.#parts);
  }

  async tryStrategy(): Promise<void> {
    await tryStrategy(this.#parts);
  }

  async modelView(): Promise<void> {
    const { session, pages, documents } = this.#parts;
    await showModelView(session.require(), pages, documents);
  }

  async cacheTimeline(): Promise<void> {
    const { session, pages } = this.#parts;
    const { journal, id } = session.require();
    await showCacheTimeline(journal, { title: session.title || id, labelOf: this.#labels(), pages });
  }

  contextTimeline(): void {
    const { session, pages, reveal } = this.#parts;
    showSessionSize({ session, pages, labelOf: this.#labels(), reveal });
  }

  /** The name of a strategy, or of a step of the compactor's own, in the person's language. */
  #labels(): (strategy: string) => string {
    const labels = new Map(listStrategies(this.#parts.registry).map(({ id, label }) => [id, label]));
    return (id) => labels.get(id) ?? say(ownOf(STEP_NAMES, id) ?? verbatim(id));
  }

  async statistics(): Promise<void> {
    const { session: shown, pages } = this.#parts;
    const { conversation } = shown;
    const { all, sessions, unread } = await withCancel(words('Reading all sessions…'), (signal) =>
      this.#countAll(signal),
    );
    const session = conversation && {
      title: shown.title || conversation.id,
      statistics: countCompactions([...conversation.journal.ofType(...COUNTED)], conversation.journal.spending),
    };
    const labelOf = this.#labels();
    pages.show('statistics', describeStatistics({ session, all, sessions, unread, labelOf }, vscode.l10n.t));
  }

  /** Compactions of the sessions of all folders. */
  async #countAll(signal: AbortSignal) {
    let all = NO_STATISTICS;
    let sessions = 0;
    const unread: string[] = [];
    for (const store of await this.#parts.places.stores()) {
      for (const { id, title } of await store.list(signal)) {
        try {
          all = addStatistics(all, await readStatistics(join(store.folderOf(id), JOURNAL), signal));
          sessions++;
        } catch (thrown) {
          if (isAbort(thrown)) throw thrown;
          unread.push(`${title || id}: ${messageOf(thrown)}`);
        }
      }
    }
    return { all, sessions, unread };
  }
}
