/** *Show Cache Timeline*: what each request of the session read from the prompt cache, as a page. */

import { setImmediate as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import { type CacheLife, cacheTimeline, type TimelineRow } from '../../core/cost/cacheTimeline.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { words } from '../../core/words.ts';
import { parseEndpoint } from '../../providers/endpoint.ts';
import { presetOf } from '../../providers/presets.ts';
import type { Pages } from '../pages/pages.ts';
import { withCancel } from '../tell/withCancel.ts';
import { describeTimeline } from './describeTimeline.ts';

interface TimelineParts {
  readonly title: string;
  readonly labelOf: (strategy: string) => string;
  readonly pages: Pages;
}

/** Short, so that a row of the tables fits a narrow editor. */
const MOMENT = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** Rows between two breaths: a session may have very many. */
const BATCH = 200;

export async function showCacheTimeline(journal: Journal, { title, labelOf, pages }: TimelineParts): Promise<void> {
  const rows = await withCancel(words('Reading the requests of this session…'), (signal) => readRows(journal, signal));
  const facts = {
    title,
    rows,
    compactions: [...journal.ofType('compaction')],
    spending: journal.spending,
    labelOf,
    when: (time: number) => new Date(time).toLocaleString(vscode.env.language, MOMENT),
  };
  pages.show('cache timeline', describeTimeline(facts, vscode.l10n.t));
}

async function readRows(journal: Journal, signal: AbortSignal): Promise<TimelineRow[]> {
  const rows: TimelineRow[] = [];
  for (const row of cacheTimeline(journal, livesMs)) {
    rows.push(row);
    if (rows.length % BATCH > 0) continue;
    await pause();
    signal.throwIfAborted();
  }
  return rows;
}

/** As the presets say; an endpoint of another kind, or one that is no address, has none. */
const livesMs: CacheLife = (endpoint) => {
  if (!/^https?:/.test(endpoint)) return null;
  return presetOf(parseEndpoint(endpoint))?.cacheLivesMs ?? null;
};
