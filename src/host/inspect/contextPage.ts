/** *Context*: one page about the session on screen, with a tab for each question about it. */

import { join } from 'node:path';
import * as vscode from 'vscode';
import { explainCosts } from '../../core/cost/formatMoney.ts';
import { formatDuration } from '../../core/duration.ts';
import { isAbort, messageOf } from '../../core/errors.ts';
import { formatCount, formatShare } from '../../core/figures.ts';
import {
  addStatistics,
  COUNTED,
  type CompactionStatistics,
  countCompactions,
  NO_STATISTICS,
} from '../../core/journal/statistics.ts';
import { ownOf } from '../../core/json.ts';
import { STEP_NAMES } from '../../core/transcript/compactionWords.ts';
import { inLanguage, type Translate, verbatim, words } from '../../core/words.ts';
import { column, list, right, section, table, text } from '../../node/pages/blocks.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { SessionPlaces } from '../../node/session/sessionPlaces.ts';
import { readStatistics } from '../../node/storage/sessions/readStatistics.ts';
import { JOURNAL } from '../../node/storage/sessions/sessionStore.ts';
import type { Page, PageBlock } from '../../protocol/pages.ts';
import type { Handlers } from '../handlers.ts';
import { listStrategies } from '../notices/listStrategies.ts';
import { inEditorLanguage, showFault, withCancel } from '../notices/notify.ts';
import type { PageContent, ShownPage } from '../pages/pages.ts';
import type { PanelChanges } from '../panel/panelChanges.ts';
import { PreviewView } from '../preview/previewCompaction.ts';
import { type TrialParts, tryStrategy } from '../preview/tryStrategy.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';
import { viewModel } from './showModelView.ts';
import { viewTimeline } from './showSessionSize.ts';

interface Parts extends TrialParts {
  readonly places: SessionPlaces;
  readonly documents: ReadOnlyDocuments;
  readonly changes: PanelChanges;
}

const TABS = ['now', 'timeline', 'preview', 'totals'] as const;
type ContextTab = (typeof TABS)[number];

/** The tabs of one conversation, with the person's choices on each. */
interface Views {
  readonly conversation: Conversation;
  readonly now: () => Promise<PageContent>;
  readonly timeline: () => Promise<PageContent>;
  readonly preview: PreviewView;
}

export class ContextPage implements vscode.Disposable {
  readonly #parts: Parts;
  readonly #following: { dispose(): unknown };
  #tab: ContextTab = 'now';
  #shown: ShownPage | null = null;
  #views: Views | null = null;
  /** Only the newest drawing is shown. */
  #draws = 0;
  /** The next draw opens the page, or brings it to the front. */
  #opening: ((content: PageContent) => void) | null = null;
  /** The session's state at the last drawing. */
  #drawn = { seq: 0, epoch: 0 };

  readonly handlers = {
    showContext: () => this.#show(),
    showModelView: () => this.#show('now'),
    showContextTimeline: () => this.#show('timeline'),
    previewCompaction: () => this.#show('preview'),
    tryStrategy: () => tryStrategy(this.#parts),
    previewConsent: ({ consentId }) => this.#previewAsked(consentId),
  } satisfies Partial<Handlers>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#following = parts.session.onDidChange(() => this.#follow());
  }

  dispose(): void {
    this.#following.dispose();
  }

  /** Opens the page, or brings it to the front, on that tab or the last one shown. */
  async #show(tab = this.#tab): Promise<void> {
    this.#forgetClosed();
    await this.#bringUp(tab);
  }

  /** Fills the editor tab that the editor restored after a reload. `state`: the page's stored state. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = typeof state === 'object' && state !== null && 'tab' in state ? state.tab : null;
    this.#tab = TABS.find((tab) => tab === kept) ?? this.#tab;
    this.#opening = (content) => this.#open(content, panel);
    await this.#redraw();
  }

  /** Previews the compaction that the session asks about. The person's changes on the page are kept. */
  async #previewAsked(consentId: string): Promise<void> {
    this.#forgetClosed();
    await this.#viewsOf(this.#parts.session.require()).preview.openAsked(consentId);
    await this.#bringUp('preview');
  }

  async #bringUp(tab: ContextTab): Promise<void> {
    this.#tab = tab;
    this.#opening = (content) => this.#open(content);
    await this.#redraw();
  }

  #forgetClosed(): void {
    if (this.#shown?.isOpen) return;
    this.#shown = null;
    this.#views = null;
  }

  #open({ page, actions, inputs }: PageContent, panel?: vscode.WebviewPanel): void {
    const goTo = (id: string) => {
      this.#tab = TABS.find((tab) => tab === id) ?? this.#tab;
      return this.#redraw();
    };
    const onClose = () => this.#views?.preview.leave();
    this.#shown = this.#parts.pages.show('context', page, actions, { inputs, goTo, onClose, panel });
  }

  async #redraw(): Promise<void> {
    const draw = ++this.#draws;
    const { conversation } = this.#parts.session;
    if (conversation) {
      const { nextSeq, context } = conversation.journal;
      this.#drawn = { seq: nextSeq, epoch: context.epoch };
    }
    const { page, ...rest } = await this.#describe(conversation).catch((thrown: unknown) => {
      if (draw === this.#draws) this.#opening = null;
      throw thrown;
    });
    if (draw !== this.#draws) return;
    const { t } = vscode.l10n;
    const names: Readonly<Record<ContextTab, string>> = {
      now: t('Now'),
      timeline: t('Timeline'),
      preview: t('Preview'),
      totals: t('Totals'),
    };
    const tabs = { label: t('Context'), chosen: this.#tab, list: TABS.map((id) => ({ id, label: names[id] })) };
    const content: PageContent = { page: { ...page, tabs }, ...rest };
    const open = this.#opening;
    this.#opening = null;
    if (open) open(content);
    else this.#shown?.write(content.page, content.actions ?? {}, content.inputs);
  }

  async #describe(conversation: Conversation | null): Promise<PageContent> {
    if (this.#tab === 'totals') return { page: await this.#totals() };
    if (!conversation) {
      const blocks = [text(vscode.l10n.t('No session is open.'))];
      return { page: { title: vscode.l10n.t('Context'), subtitle: '', blocks } };
    }
    const views = this.#viewsOf(conversation);
    return this.#tab === 'preview' ? views.preview.describe() : views[this.#tab]();
  }

  #viewsOf(conversation: Conversation): Views {
    if (this.#views?.conversation === conversation) return this.#views;
    const { documents } = this.#parts;
    const redraw = (tab: ContextTab) => async () => {
      if (this.#tab === tab) await this.#redraw();
    };
    this.#views = {
      conversation,
      now: viewModel(conversation, documents, redraw('now')),
      timeline: viewTimeline(conversation, this.#parts, () => this.#readLabels(), redraw('timeline')),
      preview: new PreviewView(conversation, this.#parts, {
        redraw: redraw('preview'),
        close: () => this.#shown?.close(),
        leadTo: (rowId) => this.#parts.changes.publishInFront({ type: 'lead', rowId }),
        isShown: () => this.#tab === 'preview',
      }),
    };
    return this.#views;
  }

  /** Redraws at once after a compaction or its undo, and at the end of a turn. */
  #follow(): void {
    const { conversation } = this.#parts.session;
    if (!this.#shown?.isOpen || this.#tab === 'totals') return;
    if (conversation && conversation === this.#views?.conversation) {
      const { journal, status } = conversation;
      const ended = status === 'idle' && journal.nextSeq > this.#drawn.seq;
      if (!ended && journal.context.epoch === this.#drawn.epoch) return;
    } else if (!conversation && !this.#views) return;
    if (!conversation) this.#views = null;
    this.#redraw().catch((thrown) => showFault(thrown));
  }

  /** The name of a strategy, or of a step of the compactor itself, in the person's language. */
  #readLabels(): (strategy: string) => string {
    const labels = new Map(listStrategies(this.#parts.registry).map(({ id, label }) => [id, label]));
    return (id) => labels.get(id) ?? inEditorLanguage(ownOf(STEP_NAMES, id) ?? verbatim(id));
  }

  async #totals(): Promise<Page> {
    const { session: shown } = this.#parts;
    const { conversation } = shown;
    const { all, sessions, unread } = await withCancel(words('Reading all sessions…'), (signal) =>
      this.#countAll(signal),
    );
    const session = conversation && {
      title: shown.title || conversation.id,
      statistics: countCompactions([...conversation.journal.ofType(...COUNTED)], conversation.journal.spending),
    };
    const labelOf = this.#readLabels();
    return describeStatistics({ session, all, sessions, unread, labelOf }, vscode.l10n.t);
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

/** Totals of compaction, as a page: this session next to all of them. Pure. */
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
  /** Left out where it is nothing in every column. */
  const row = (
    name: string,
    amount: (statistics: CompactionStatistics) => number,
    show = (it: CompactionStatistics) => formatCount(amount(it)),
  ): string[][] => (columns.some((it) => amount(it) > 0) ? [[name, ...columns.map(show)]] : []);
  const cached = ({ cached, input }: { readonly cached: number; readonly input: number }) => formatShare(cached, input);
  const groups: readonly (readonly [title: string, rows: readonly string[][]])[] = [
    [
      t('Compactions'),
      [
        ...row(t('Compactions'), (it) => it.compactions),
        ...row(t('Undone'), (it) => it.undone),
        ...row(t('Failed'), (it) => it.failed),
        ...row(t('Tokens freed'), (it) => it.tokensSaved),
        ...row(t('Freed per compaction'), (it) => it.tokensSaved / Math.max(1, it.compactions - it.undone)),
        ...row(
          t('Time spent'),
          (it) => it.durationMs,
          (it) => inLanguage(formatDuration(it.durationMs), t),
        ),
      ],
    ],
    [
      t('Summaries'),
      [
        ...row(t('Tokens read by summaries'), (it) => it.summaryUsage.input),
        ...row(
          t('Of these, from the cache'),
          (it) => it.summaryUsage.cached,
          (it) => cached(it.summaryUsage),
        ),
        ...row(t('Tokens written by summaries'), (it) => it.summaryUsage.output),
        ...row(t('Tokens of unused summaries'), (it) => it.unusedUsage.input + it.unusedUsage.output),
      ],
    ],
    [
      t('By other programs, imported'),
      [
        ...row(t('Compactions'), ({ elsewhere }) => elsewhere.compactions),
        ...row(t('Tokens freed'), ({ elsewhere }) => elsewhere.tokensSaved),
      ],
    ],
    [
      t('Requests and their cost'),
      [
        ...row(t('Requests'), ({ spending }) => spending.requests),
        ...row(t('Tokens read'), ({ spending }) => spending.usage.input),
        ...row(
          t('Of these, from the cache'),
          ({ spending }) => spending.usage.cached,
          ({ spending }) => cached(spending.usage),
        ),
        ...row(
          t('Of these, written to the cache'),
          ({ spending }) => spending.usage.written ?? 0,
          ({ spending: { usage } }) =>
            usage.written === undefined ? t('not reported') : formatShare(usage.written, usage.input),
        ),
        ...row(t('Tokens written'), ({ spending }) => spending.usage.output),
        ...row(
          t('Cost'),
          ({ spending }) => spending.known.length,
          ({ spending }) => inLanguage(explainCosts(spending), t) || '–',
        ),
      ],
    ],
  ];
  const numbers = titles.map(right);
  return {
    title: t('Totals'),
    subtitle: session ? t('Session: {0}', session.title) : '',
    blocks: [
      ...groups.flatMap(([title, rows]) =>
        rows.length === 0 ? [] : [section(title, [table(title, [column(''), ...numbers], rows)])],
      ),
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
