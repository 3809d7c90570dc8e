/** How much compaction did, as a page: this session beside all of them. Pure. */

import { tellCosts } from '../../core/cost/formatMoney.ts';
import type { CompactionStatistics } from '../../core/journal/statistics.ts';
import { type Translate, tell } from '../../core/words.ts';
import type { Page, PageBlock } from '../../protocol/pages.ts';
import { column, list, right, section, table, text } from '../pages/blocks.ts';
import { formatCount, formatShare } from '../pages/textTable.ts';

export interface StatisticsFacts {
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
