/** How much compaction did (N8), as Markdown for an editor: this session beside all of them. Pure. */

import type { CompactionStatistics } from '../../core/compaction/statistics.ts';
import { alignTable, formatCount, formatShare } from './textTable.ts';

export interface StatisticsFacts {
  /** Null when no session is open. */
  readonly session: { readonly title: string; readonly statistics: CompactionStatistics } | null;
  readonly all: CompactionStatistics;
  readonly sessions: number;
  /** Sessions that could not be read, with the reason. */
  readonly unread: readonly string[];
  /** What a person knows a strategy by. */
  readonly labelOf: (strategy: string) => string;
}

export function describeStatistics({ session, all, sessions, unread, labelOf }: StatisticsFacts): string {
  const columns = [...(session ? [session.statistics] : []), all];
  const titles = [...(session ? ['This session'] : []), `All sessions (${formatCount(sessions)})`];
  const row = (name: string, read: (statistics: CompactionStatistics) => string) => [name, ...columns.map(read)];
  const rows = [
    row('Compactions', (it) => formatCount(it.compactions)),
    row('Undone', (it) => formatCount(it.undone)),
    row('Failed', (it) => formatCount(it.failed)),
    row('Tokens freed', (it) => formatCount(it.tokensSaved)),
    row('Freed by one', (it) => formatCount(it.tokensSaved / Math.max(1, it.compactions - it.undone))),
    row('Tokens read by summaries', (it) => formatCount(it.summaryUsage.input)),
    row('Of them from the cache', (it) => formatShare(it.summaryUsage.cached, it.summaryUsage.input)),
    row('Tokens written by summaries', (it) => formatCount(it.summaryUsage.output)),
    row('Time spent', (it) => formatSeconds(it.durationMs)),
  ];
  const numbers = titles.map((title) => ({ title, align: 'right' as const }));
  const lines = [
    '# Compaction statistics',
    '',
    ...(session ? [`Session: ${session.title}`, ''] : []),
    ...alignTable([{ title: '' }, ...numbers], rows),
    '',
    '## By strategy',
    '',
    ...describeStrategies(session?.statistics ?? null, all, labelOf),
    '',
    'Tokens freed count compactions that were not undone. Branches that were left count too: what was spent there was spent.',
    ...(unread.length ? ['', '## Not counted', '', ...unread.map((text) => `- ${text}`)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function describeStrategies(
  session: CompactionStatistics | null,
  all: CompactionStatistics,
  labelOf: StatisticsFacts['labelOf'],
): string[] {
  const ids = Object.keys(all.byStrategy).sort();
  if (ids.length === 0) return ['Nothing was compacted yet.'];
  const numbers = (statistics: CompactionStatistics, id: string) => {
    const { compactions, tokensSaved } = statistics.byStrategy[id] ?? { compactions: 0, tokensSaved: 0 };
    return [formatCount(compactions), formatCount(tokensSaved)];
  };
  const right = (title: string) => ({ title, align: 'right' as const });
  return alignTable(
    [
      { title: 'Strategy' },
      ...(session ? [right('Here'), right('Freed here')] : []),
      right('All'),
      right('Freed in all'),
    ],
    ids.map((id) => [labelOf(id), ...(session ? numbers(session, id) : []), ...numbers(all, id)]),
  );
}

function formatSeconds(ms: number): string {
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
