/**
 * *Timeline*: the session's size with its compactions, each of which can be inspected, undone and found, and its cache.
 */

import * as vscode from 'vscode';
import type { ContextItem } from '../../core/context/item.ts';
import { Projection } from '../../core/context/projection.ts';
import type { TimelineRow } from '../../core/cost/cacheTimeline.ts';
import { formatMoney } from '../../core/cost/formatMoney.ts';
import { countFates, FATE_NAMES, FATES, fateWords } from '../../core/fates.ts';
import { formatCount, formatShare } from '../../core/figures.ts';
import type { CompactionEntry } from '../../core/journal/entry.ts';
import { fatesIn } from '../../core/journal/removal.ts';
import { readMoney } from '../../core/money.ts';
import { sumTokens } from '../../core/tokens/meter.ts';
import { triggerWords } from '../../core/transcript/compactionWords.ts';
import { listRemoved, type RemovedMessage } from '../../core/transcript/listRemoved.ts';
import { type CompactionMark, type SizeTimeline, sizeTimeline } from '../../core/transcript/sizeTimeline.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import {
  column,
  facts,
  folded,
  minor,
  nameItem,
  right,
  section,
  table,
  text,
  toCell,
} from '../../node/pages/blocks.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { Page, PageBlock } from '../../protocol/pages.ts';
import { inEditorLanguage } from '../notices/notify.ts';
import type { PageContent } from '../pages/pages.ts';
import type { PanelChanges } from '../panel/panelChanges.ts';
import { describeRequests, requestReader, requestsBrokenBy, showMoney } from './showCacheTimeline.ts';

const MOMENT = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

interface Parts {
  readonly session: ShownSession;
  readonly changes: PanelChanges;
}

/** `readLabels` reads the names of strategies, once for each drawing. */
export function viewTimeline(
  conversation: Conversation,
  { session, changes }: Parts,
  readLabels: () => (strategy: string) => string,
  redraw: () => unknown,
): () => Promise<PageContent> {
  const { journal, compactor, id } = conversation;
  const readRequests = requestReader(journal);
  let chosen: number | null = journal.context.activeCompactions.at(-1)?.seq ?? null;
  const actions = () => {
    const acts: Record<string, () => unknown> = { redo: () => session.step('redo') };
    for (const { seq } of journal.ofType('compaction')) {
      acts[`look ${seq}`] = () => {
        chosen = seq;
        return redraw();
      };
      acts[`undo ${seq}`] = () => undoTo(session, conversation, seq);
      acts[`open ${seq}`] = () => changes.publishInFront({ type: 'reveal', rowId: `e${seq}`, text: '' });
    }
    return acts;
  };
  const when = (time: number) => new Date(time).toLocaleString(vscode.env.language, MOMENT);
  return async () => {
    const rows = await readRequests();
    const labelOf = readLabels();
    const page = describeSessionSize(
      {
        title: session.title || id,
        compactions: [...journal.ofType('compaction')],
        rows,
        timeline: sizeTimeline(journal.path(), journal.context),
        tokens: compactor.gauge.reading.tokens,
        window: compactor.gauge.window,
        trigger: compactor.gauge.mark?.at ?? null,
        chosen: chosen === null ? null : choose(conversation, chosen),
        labelOf,
        when,
        triggerName: (trigger) => inEditorLanguage(triggerWords(trigger)),
      },
      vscode.l10n.t,
    );
    const spent = { rows, spending: journal.spending, labelOf, when };
    return {
      page: { ...page, blocks: [...page.blocks, ...describeRequests(spent, vscode.l10n.t)] },
      actions: actions(),
    };
  };
}

function choose({ journal }: Conversation, seq: number): Chosen | null {
  const entry = journal.entry(seq);
  if (entry?.type !== 'compaction') return null;
  const { context } = journal;
  const after = Projection.of(journal.path(seq)).conversation;
  const named = new Set(entry.plan.flatMap((op) => (op.op === 'drop' ? op.ids : op.op === 'replace' ? [op.id] : [])));
  const stayed = after.filter((item) => !named.has(item.id) && item.seq < seq);
  const { messages, scale } = listRemoved(entry, (id) => context.slot(id));
  return { seq, gone: messages, stayed: stayed.map((item) => ({ ...item, tokens: item.tokens * scale })) };
}

/** Undoes compactions one by one, newest first. */
async function undoTo(session: ShownSession, { journal }: Conversation, seq: number): Promise<void> {
  while (journal.context.activeCompaction(seq)) await session.step('undo');
}

/**
 * The timeline of a session's size as a page: the context's size at each request, each compaction as a mark, and the
 * effects of the selected one. Pure.
 */
interface SizeFacts {
  readonly title: string;
  readonly timeline: SizeTimeline;
  /** Includes abandoned branches, because they were paid for. */
  readonly compactions: readonly CompactionEntry[];
  /** The requests with their cache reads and costs. */
  readonly rows: readonly TimelineRow[];
  /** The meter's present reading. */
  readonly tokens: number;
  /** 0 when unknown. */
  readonly window: number;
  /** Tokens at which a compaction starts; null when none starts automatically. */
  readonly trigger: number | null;
  /** The selected compaction; null without one. */
  readonly chosen: Chosen | null;
  readonly labelOf: (strategy: string) => string;
  readonly when: (time: number) => string;
  readonly triggerName: (trigger: string) => string;
}

interface Chosen {
  readonly seq: number;
  readonly gone: readonly RemovedMessage[];
  /** Items in the context right after it. */
  readonly stayed: readonly ContextItem[];
}

/** Rows of one table. */
const MOST = 500;
const LONGEST = 160;

export function describeSessionSize(given: SizeFacts, t: Translate): Page {
  const { title, timeline, tokens, window, trigger, chosen } = given;
  const { points, marks } = timeline;
  const found = marks.find(({ entry }) => entry.seq === chosen?.seq);
  return {
    title: t('Timeline'),
    subtitle: t('Session: {0}', title),
    blocks: [
      facts(
        [
          t('Now'),
          window > 0
            ? t('{0} of {1} tokens ({2})', formatCount(tokens), formatCount(window), formatShare(tokens, window))
            : t('{0} tokens', formatCount(tokens)),
        ],
        [t('Compactions'), countCompactions(given, t)],
      ),
      points.length === 0
        ? text(t('No model has been asked yet.'))
        : {
            kind: 'chart',
            label: t('Timeline'),
            x: t('Requests'),
            y: t('Tokens'),
            series: [
              {
                label: t('Context'),
                shape: 'line',
                // It ends where the context is now: in the next request.
                points: [
                  ...points.map((point): [number, number] => [point.at, point.tokens]),
                  [Math.floor(points.at(-1)?.at ?? 0) + 1, tokens],
                ],
              },
              {
                label: t('From the cache'),
                shape: 'line',
                points: points.flatMap(({ at, cached }) => (cached === null ? [] : [[at, cached] as [number, number]])),
              },
            ],
            levels: [
              ...(trigger === null ? [] : [{ y: trigger, label: t('Compaction starts here') }]),
              ...(window > 0 ? [{ y: window, label: t('Window: {0}', formatCount(window)), limit: true }] : []),
            ],
            marks: marks.map((mark) => ({
              x: mark.at,
              label: nameMark(mark, given, t),
              act: `look ${mark.entry.seq}`,
              faded: !mark.active,
            })),
          },
      ...(found && chosen ? [describeChosen(found, chosen, given, t)] : []),
      section(t('Compactions'), [
        given.compactions.length === 0 ? text(t('Nothing has been compacted yet.')) : listCompactions(given, t),
      ]),
    ],
  };
}

/** As many as the list below has. */
function countCompactions({ compactions, timeline: { marks } }: SizeFacts, t: Translate): string {
  const active = marks.filter((mark) => mark.active).length;
  const all = formatCount(compactions.length);
  return active === compactions.length ? all : t('{0}, active: {1}', all, formatCount(active));
}

function nameMark({ entry, active }: CompactionMark, { labelOf }: SizeFacts, t: Translate): string {
  const change = t('{0} → {1}', formatCount(entry.tokensBefore), formatCount(entry.tokensAfter));
  const named = t('{0}: {1}', labelOf(entry.strategy), change);
  return active ? named : `${named} · ${t('undone')}`;
}

function listCompactions({ compactions, rows, timeline, labelOf, when }: SizeFacts, t: Translate): PageBlock {
  const broken = requestsBrokenBy(rows);
  const marks = new Map(timeline.marks.map((mark) => [mark.entry.seq, mark]));
  return table(
    t('Compactions'),
    [
      column(t('When')),
      right(t('Before')),
      right(t('After')),
      minor(right(t('Summary'))),
      right(t('Read again')),
      minor(right(t('Extra cost'))),
      column(t('Strategy')),
      minor(column(t('State'))),
      column(''),
    ],
    compactions.map((entry) => {
      const row = broken.get(entry.seq);
      const mark = marks.get(entry.seq);
      return [
        when(Date.parse(entry.time)),
        formatCount(entry.tokensBefore),
        formatCount(entry.tokensAfter),
        entry.usage ? showMoney(entry.cost ?? null) : '',
        row?.again == null ? '–' : formatCount(row.again),
        showMoney(row?.againCost ?? null),
        labelOf(entry.strategy),
        mark ? (mark.active ? t('active') : t('undone')) : t('on another branch'),
        mark ? { text: t('View'), act: `look ${entry.seq}` } : '',
      ];
    }),
  );
}

/** Lists lost and kept messages side by side, and offers to undo the compaction. */
function describeChosen(mark: CompactionMark, { gone, stayed }: Chosen, given: SizeFacts, t: Translate): PageBlock {
  const { entry, undoes, canRedo } = mark;
  const freed = entry.tokensBefore - entry.tokensAfter;
  const cost = readMoney(entry.cost);
  const inserted = entry.plan.flatMap((op) => (op.op === 'insert' ? [op.message.text] : []));
  const undo =
    undoes > 1
      ? t('Undo it and the {0} after it', formatCount(undoes - 1))
      : t('Undo: back to {0} tokens', formatCount(given.tokens + freed));
  const lost = FATES.toReversed().flatMap((fate) => {
    const found = gone.filter((each) => each.fate === fate);
    return found.length === 0 ? [] : [foldMessages(`gone ${fate}`, inLanguage(FATE_NAMES[fate], t), found, t)];
  });
  return section(nameMark(mark, given, t), [
    facts(
      [t('When'), given.when(Date.parse(entry.time))],
      [t('Trigger'), given.triggerName(entry.trigger)],
      [
        t('What changed'),
        countFates(fatesIn(entry))
          .map((each) => inLanguage(fateWords(each), t))
          .join(' · ') || t('nothing'),
      ],
      [t('Freed'), `${t('{0} tokens', formatCount(freed))} (${formatShare(freed, entry.tokensBefore)})`],
      ...(cost ? ([[t('Cost of the summary'), formatMoney(cost)]] as const) : []),
    ),
    {
      kind: 'actions',
      actions: [
        ...(undoes > 0 ? [{ id: `undo ${entry.seq}`, label: undo, primary: true }] : []),
        ...(canRedo ? [{ id: 'redo', label: t('Redo this compaction'), primary: true }] : []),
        { id: `open ${entry.seq}`, label: t('Show in the conversation') },
      ],
    },
    {
      kind: 'beside',
      blocks: [
        section(t('Lost'), [...(lost.length > 0 ? lost : [text(t('nothing'))])]),
        section(t('Kept'), [
          ...inserted.map((name, at) =>
            folded(`inserted ${at}`, t('Added'), [{ kind: 'code', text: name }], toCell(name, LONGEST)),
          ),
          foldMessages('stayed', t('Messages, word for word'), stayed, t),
        ]),
      ],
    },
  ]);
}

function foldMessages(
  id: string,
  title: string,
  messages: readonly Pick<RemovedMessage, 'id' | 'kind' | 'tokens' | 'message'>[],
  t: Translate,
): PageBlock {
  const shown = messages.slice(0, MOST);
  const rows = shown.map(({ id: item, kind, tokens, message }) => {
    return [`${item} · ${nameItem({ kind, message }, t)}`, formatCount(tokens), toCell(message.text, LONGEST)];
  });
  const more = messages.length > MOST ? [text(t('Showing the first {0}.', formatCount(MOST)), 'quiet')] : [];
  return folded(
    id,
    title,
    [...more, table(title, [column(t('Message')), right(t('Tokens')), column(t('Text'))], rows)],
    `${formatCount(messages.length)} · ${t('{0} tokens', formatCount(sumTokens(messages)))}`,
  );
}
