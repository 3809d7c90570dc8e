/** The commands that show what compaction would do, what the model sees, and what was compacted so far. */

import { join } from 'node:path';
import * as vscode from 'vscode';
import { STEP_NAMES } from '../../core/compaction/compactionWords.ts';
import { tellCosts } from '../../core/cost/formatMoney.ts';
import { isAbort, messageOf } from '../../core/errors.ts';
import {
  addStatistics,
  COUNTED,
  type CompactionStatistics,
  countCompactions,
  NO_STATISTICS,
} from '../../core/journal/statistics.ts';
import { ownOf } from '../../core/json.ts';
import { type Translate, tell, verbatim, words } from '../../core/words.ts';
import type { Page, PageBlock } from '../../protocol/pages.ts';
import { column, formatCount, formatShare, list, right, section, table, text } from '../pages/blocks.ts';
import {
  type AskedPreview,
  previewAsked,
  previewCompaction,
  type TryParts,
  tryStrategy,
} from '../preview/previewCompaction.ts';
import type { SessionPlaces } from '../session/sessionPlaces.ts';
import { JOURNAL } from '../storage/sessions/sessionStore.ts';
import { readStatistics } from '../storage/sessions/sessionSummary.ts';
import { listStrategies } from '../tell/listStrategies.ts';
import { say } from '../tell/notify.ts';
import { withCancel } from '../tell/withCancel.ts';
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

/** How much compaction did, as a page: this session beside all of them. Pure. */
interface StatisticsFacts {
  /** Null when no session is open. */
  readonly session: { readonly title: string; readonly statistics: CompactionStatistics } | null;
  readonly all: CompactionStatistics;
  readonly sessions: number;
  /** Sessions that could not be read, with the reason. */
  readonly unread: readonly string[];
  /** The name of a strategy in the person's language. */
  readonly labelOf: (strategy: string) => string;
}

export function describeStatistics(facts: StatisticsFacts, t: Translate): Page {
  const { session, all, sessions, unread } = facts;
  const columns = [...(session ? [session.statistics] : []), all];
  const titles = [...(session ? [t('This session')] : []), t('All sessions ({0})', formatCount(sessions))];
  const row = (name: string, read: (statistics: CompactionStatistics) => string) => [name, ...columns.map(read)];
  const rows = [
    row(t('Compactions'), (it) => formatCount(it.compactions)),
    row(t('Undone'), (it) => formatCount(it.undone)),
    row(t('Failed'), (it) => formatCount(it.failed)),
    row(t('Tokens freed'), (it) => formatCount(it.tokensSaved)),
    row(t('Freed per compaction'), (it) => formatCount(it.tokensSaved / Math.max(1, it.compactions - it.undone))),
    ...(all.elsewhere.compactions > 0
      ? [
          row(t('By other programs, imported'), ({ elsewhere: it }) => formatCount(it.compactions)),
          row(t('Freed by those'), ({ elsewhere: it }) => formatCount(it.tokensSaved)),
        ]
      : []),
    row(t('Tokens read by summaries'), (it) => formatCount(it.summaryUsage.input)),
    row(t('Of these, from the cache'), (it) => formatShare(it.summaryUsage.cached, it.summaryUsage.input)),
    row(t('Tokens written by summaries'), (it) => formatCount(it.summaryUsage.output)),
    row(t('Tokens of unused summaries'), (it) => formatCount(it.unusedUsage.input + it.unusedUsage.output)),
    row(t('Time spent'), (it) => formatSeconds(it.durationMs, t)),
  ];
  const requests = [
    row(t('Requests'), ({ spending }) => formatCount(spending.requests)),
    row(t('Tokens read'), ({ spending }) => formatCount(spending.usage.input)),
    row(t('Of these, from the cache'), ({ spending: { usage } }) => formatShare(usage.cached, usage.input)),
    row(t('Of these, written to the cache'), ({ spending: { usage } }) =>
      usage.written === undefined ? t('not reported') : formatShare(usage.written, usage.input),
    ),
    row(t('Tokens written'), ({ spending }) => formatCount(spending.usage.output)),
    row(t('Cost'), ({ spending }) => tell(tellCosts(spending), t) || '–'),
  ];
  const numbers = titles.map(right);
  return {
    title: t('Compaction statistics'),
    subtitle: session ? t('Session: {0}', session.title) : '',
    blocks: [
      section(t('Compactions'), [table(t('Compactions'), [column(''), ...numbers], rows)]),
      section(t('Requests and their cost'), [table(t('Requests and their cost'), [column(''), ...numbers], requests)]),
      section(t('By strategy'), [describeStrategies(facts, t)]),
      text(
        t(
          'Only compactions that were not undone count towards tokens freed. Branches that you left count too, because they were paid for.',
        ),
        'quiet',
      ),
      ...(unread.length ? [section(t('Not counted'), [list(unread)])] : []),
    ],
  };
}

function describeStrategies({ session, all, labelOf }: StatisticsFacts, t: Translate): PageBlock {
  const ids = Object.keys(all.byStrategy).sort();
  if (ids.length === 0) return text(t('Nothing has been compacted yet.'));
  const numbers = (statistics: CompactionStatistics, id: string) => {
    const { compactions, tokensSaved } = statistics.byStrategy[id] ?? { compactions: 0, tokensSaved: 0 };
    return [formatCount(compactions), formatCount(tokensSaved)];
  };
  return table(
    t('By strategy'),
    [
      column(t('Strategy')),
      ...(session ? [right(t('Here')), right(t('Freed here'))] : []),
      right(t('All')),
      right(t('Freed in total')),
    ],
    ids.map((id) => [labelOf(id), ...(session ? numbers(session.statistics, id) : []), ...numbers(all, id)]),
  );
}

function formatSeconds(ms: number, t: Translate): string {
  if (ms < 60_000) return t('{0} s', (ms / 1_000).toFixed(1));
  const seconds = Math.round(ms / 1_000);
  return t('{0} min {1} s', Math.floor(seconds / 60), seconds % 60);
}
