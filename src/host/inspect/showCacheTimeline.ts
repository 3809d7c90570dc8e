/** Cache reads and cost of each request of the session: the second part of *Timeline*. */

import { setImmediate as pause } from 'node:timers/promises';
import { type CacheLife, cacheTimeline, type PrefixBreak, type TimelineRow } from '../../core/cost/cacheTimeline.ts';
import { explainCosts, formatMoney } from '../../core/cost/formatMoney.ts';
import type { Spending } from '../../core/cost/spending.ts';
import { formatCount, formatShare } from '../../core/figures.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { Money, Price } from '../../core/money.ts';
import { inLanguage, type Translate, type Words, words } from '../../core/words.ts';
import {
  column,
  facts as factsOf,
  folded,
  list,
  minor,
  right,
  section,
  table,
  text,
  toCell,
} from '../../node/pages/blocks.ts';
import type { PageBlock } from '../../protocol/pages.ts';
import { parseEndpoint } from '../../providers/endpoint.ts';
import { presetOf } from '../../providers/presets.ts';
import { withCancel } from '../notices/notify.ts';

/** Rows processed before yielding: a session may have very many. */
const BATCH = 200;

/** Reads the requests again only after new entries. */
export function requestReader(journal: Journal): () => Promise<readonly TimelineRow[]> {
  let rows: readonly TimelineRow[] = [];
  let read = -1;
  return async () => {
    if (read === journal.nextSeq) return rows;
    const upTo = journal.nextSeq;
    rows = await withCancel(words('Reading the requests of this session…'), (signal) => readRows(journal, signal));
    read = upTo;
    return rows;
  };
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

/** From the presets; an endpoint of another kind, or an invalid address, has none. */
const livesMs: CacheLife = (endpoint) => {
  if (!/^https?:/.test(endpoint)) return null;
  return presetOf(parseEndpoint(endpoint))?.cacheLivesMs ?? null;
};

/** Facts about the requests. */
interface TimelineFacts {
  readonly rows: readonly TimelineRow[];
  readonly spending: Spending;
  /** The name of a strategy in the person's language. */
  readonly labelOf: (strategy: string) => string;
  /** A time in the person's language. */
  readonly when: (time: number) => string;
}

/** Rows of the last table. */
const MOST_ROWS = 1_000;
const LONGEST_MODEL = 40;

/** Breaks of the prefix, prices, then every request. Empty before the first one. Pure. */
export function describeRequests(facts: TimelineFacts, t: Translate): PageBlock[] {
  const { rows, spending } = facts;
  if (rows.length === 0) return [];
  const numbers = new Map(rows.map(({ seq }, at) => [seq, at + 1]));
  const { usage } = spending;
  const read = t(
    '{0} of {1} tokens ({2})',
    formatCount(usage.cached),
    formatCount(usage.input),
    formatShare(usage.cached, usage.input),
  );
  return [
    section(t('Cache and cost'), [
      factsOf(
        [t('Requests'), formatCount(rows.length)],
        ...(usage.input > 0 ? [[t('Read from the cache'), read] as const] : []),
        ...(spending.known.length > 0 ? [[t('Cost'), inLanguage(explainCosts(spending), t)] as const] : []),
      ),
    ]),
    ...drawReads(facts, numbers, t),
    section(t('Where the prefix broke'), describeBreaks(facts, numbers, t)),
    section(t('Prices per million tokens'), describePrices(rows, t)),
    folded('requests', t('Every request'), describeRows(facts, t), formatCount(rows.length)),
  ];
}

/** Bars of one drawing. */
const MOST_BARS = 200;

/** Each request as a bar: read from the cache, read although it had been there, and new; with the causes of breaks. */
function drawReads({ rows, labelOf }: TimelineFacts, numbers: ReadonlyMap<number, number>, t: Translate): PageBlock[] {
  const counted = rows.filter(({ usage }) => usage !== null).slice(-MOST_BARS);
  if (counted.length === 0) return [];
  const bars = (label: string, read: (row: TimelineRow) => number) => ({
    label,
    shape: 'bars' as const,
    points: counted.map((row): [number, number] => [numbers.get(row.seq) ?? 0, Math.max(0, read(row))]),
  });
  const cached = ({ usage }: TimelineRow) => usage?.cached ?? 0;
  const again = (row: TimelineRow) => Math.min(row.again ?? 0, (row.usage?.input ?? 0) - cached(row));
  return [
    {
      kind: 'chart',
      label: t('Read from the cache'),
      x: t('Requests'),
      y: t('Tokens'),
      series: [
        bars(t('New'), (row) => (row.usage?.input ?? 0) - cached(row) - again(row)),
        bars(t('From the cache'), cached),
        bars(t('Read again'), again),
      ],
      levels: [],
      marks: counted
        .filter(({ breaks }) => breaks.length > 0)
        .map((row) => ({ x: numbers.get(row.seq) ?? 0, label: nameBreaks(row.breaks, labelOf, t), warning: true })),
    },
  ];
}

function describeBreaks(
  { rows, when, labelOf }: TimelineFacts,
  numbers: ReadonlyMap<number, number>,
  t: Translate,
): PageBlock[] {
  const broken = rows.filter(({ breaks }) => breaks.length > 0);
  if (broken.length === 0) return [text(t('Nowhere: each request began with the whole one before it.'))];
  return [
    table(
      t('Where the prefix broke'),
      [column(t('Request')), right(t('Read again')), right(t('Extra cost')), column(t('Cause'))],
      broken.map((row) => [
        `${numbers.get(row.seq) ?? ''} · ${when(row.time)}`,
        row.again === null ? '–' : formatCount(row.again),
        showMoney(row.againCost),
        nameBreaks(row.breaks, labelOf, t),
      ]),
    ),
    text(
      t(
        'Tokens read again had been in the cache. The extra cost is what they cost beyond the price of cached tokens. A – means that the provider did not count them, or that the price is unknown.',
      ),
      'quiet',
    ),
  ];
}

/** By compaction: the first request after it, which had to be read again. */
export function requestsBrokenBy(rows: readonly TimelineRow[]): ReadonlyMap<number, TimelineRow> {
  const broken = new Map<number, TimelineRow>();
  for (const row of rows) {
    // Of several before one request, the newest represents all.
    const newest = row.breaks.findLast(({ kind }) => kind === 'compaction');
    if (newest?.kind === 'compaction') broken.set(newest.seq, row);
  }
  return broken;
}

/** Each price that applied, once, with its source. */
function describePrices(rows: readonly TimelineRow[], t: Translate): PageBlock[] {
  const prices = new Map<string, { readonly model: string; readonly price: Price }>();
  const without = new Set<string>();
  for (const { model, price, cost, usage } of rows) {
    if (price) prices.set(`${model} ${JSON.stringify(price)}`, { model, price });
    // A request that was not answered has no price, and needs none.
    else if (!cost && usage) without.add(model);
  }
  const priced = new Set([...prices.values()].map(({ model }) => model));
  const missing = [...without].map((model) =>
    priced.has(model)
      ? t('{0}: some of its requests were made before this price was known.', toCell(model, LONGEST_MODEL))
      : t('{0}: the price of its tokens is unknown.', toCell(model, LONGEST_MODEL)),
  );
  if (prices.size === 0)
    return [missing.length > 0 ? list(missing) : text(t('The provider said what each request cost.'))];
  const money = (amount: number | undefined, { currency }: Price) =>
    amount === undefined ? '–' : formatMoney({ amount, currency });
  return [
    table(
      t('Prices per million tokens'),
      [
        right(t('Fresh')),
        right(t('Cached')),
        right(t('Written')),
        right(t('Answer')),
        column(t('Model')),
        minor(column(t('From'))),
      ],
      [...prices.values()].map(({ model, price }) => [
        money(price.input, price),
        money(price.cacheRead, price),
        money(price.cacheWrite, price),
        money(price.output, price),
        toCell(model, LONGEST_MODEL),
        price.asOf
          ? t('{0}, as of {1}', inLanguage(SOURCES[price.source], t), price.asOf)
          : inLanguage(SOURCES[price.source], t),
      ]),
    ),
    ...(missing.length > 0 ? [list(missing)] : []),
  ];
}

const SOURCES: Readonly<Record<Price['source'], Words>> = {
  settings: words('your settings'),
  ownTable: words('your own price table'),
  endpoint: words('the endpoint'),
  table: words('the built-in price table'),
};

function describeRows({ rows, when, labelOf }: TimelineFacts, t: Translate): PageBlock[] {
  // Long cells come last, so that a narrow editor wraps only those.
  const shown = rows.slice(-MOST_ROWS);
  const first = rows.length - shown.length;
  const count = (tokens: number | undefined) => (tokens === undefined ? '–' : formatCount(tokens));
  const several = new Set(rows.map(({ model }) => model)).size > 1;
  const requests = table(
    t('Every request'),
    [
      right('#'),
      column(t('When')),
      right(t('Tokens')),
      right(t('Cached')),
      minor(right(t('Written'))),
      minor(right(t('Fresh'))),
      minor(right(t('Answer'))),
      right(t('Cost')),
      minor(column(t('For'))),
      ...(several ? [minor(column(t('Model')))] : []),
      column(t('Prefix')),
    ],
    shown.map(({ time, purpose, usage, cost, model, breaks }, at) => [
      String(first + at + 1),
      when(time),
      count(usage?.input),
      count(usage?.cached),
      count(usage?.written),
      count(usage ? usage.input - usage.cached - (usage.written ?? 0) : undefined),
      count(usage?.output),
      showMoney(cost),
      purpose === 'summary' ? t('a summary') : t('a turn'),
      ...(several ? [toCell(model, LONGEST_MODEL)] : []),
      breaks.length > 0 ? t('broken: {0}', nameBreaks(breaks, labelOf, t)) : '',
    ]),
  );
  return first > 0 ? [text(t('Showing the newest {0}.', formatCount(MOST_ROWS)), 'quiet'), requests] : [requests];
}

export const showMoney = (money: Money | null) => (money ? formatMoney(money) : '–');

function nameBreaks(breaks: readonly PrefixBreak[], labelOf: TimelineFacts['labelOf'], t: Translate): string {
  return breaks.map((each) => inLanguage(breakWords(each, labelOf), t)).join('; ');
}

function breakWords(each: PrefixBreak, labelOf: TimelineFacts['labelOf']): Words {
  switch (each.kind) {
    case 'compaction':
      return words('compaction ({0})', labelOf(each.strategy));
    case 'compactionUndone':
      return words('compaction undone ({0})', labelOf(each.strategy));
    case 'compactionRedone':
      return words('compaction redone ({0})', labelOf(each.strategy));
    case 'expanded':
      return words('something hidden was expanded');
    case 'collapsed':
      return words('something expanded was collapsed');
    case 'pinned':
      return words('something hidden was pinned');
    case 'header':
      return words('system prompt or tools changed');
    case 'orders':
      return words('standing orders were repeated');
    case 'model':
      return each.from === each.to
        ? words('endpoint changed')
        : words('model changed from {0} to {1}', toCell(each.from, LONGEST_MODEL), toCell(each.to, LONGEST_MODEL));
    case 'wentBack':
      return WENT_BACK[each.cause] ?? WENT_BACK.user;
    case 'retold':
      return each.inWords ? words('history sent again as text') : words('history sent in its original form again');
    case 'idle':
      return words('idle for {0} min, and the cache lives for {1} min', minutes(each.idleMs), minutes(each.livesMs));
    case 'unsaid':
      return words('the provider did not say why, {0} min after the request before', minutes(each.idleMs));
  }
}

const WENT_BACK = {
  user: words('went back'),
  edit: words('a message was edited and sent again'),
  dmail: words('the model went back'),
  clear: words('conversation cleared'),
};

const minutes = (ms: number) => Math.round(ms / 60_000);
