/**
 * Previews each strategy before anything changes, with a page to edit and apply the result. Strategies that need no
 * model are tried at once. The others are tried when the person chooses them, because a summary costs money.
 */

import * as vscode from 'vscode';
import type { Preview, PreviewOutcome } from '../../core/compaction/consent/preview.ts';
import type { ConsentAnswer } from '../../core/compaction/signals/consent.ts';
import type { ListedStrategy } from '../../core/compaction/strategies/strategyEntry.ts';
import { isWarm } from '../../core/cost/coldCache.ts';
import { type RequestCosts, requestCosts } from '../../core/cost/spending.ts';
import { UserFacingError } from '../../core/errors.ts';
import { priceAt } from '../../core/money.ts';
import { sumTokens } from '../../core/tokens/meter.ts';
import { type Words, words } from '../../core/words.ts';
import { column, facts, folded, formatCount, formatShare, right, table, text } from '../../node/pages/blocks.ts';
import { summariseCosts } from '../../node/preview/describePreview.ts';
import { summarisePreview } from '../../node/preview/summarisePreview.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { Page, PageCell } from '../../protocol/pages.ts';
import { listStrategies } from '../notices/listStrategies.ts';
import { inEditorLanguage, showFault } from '../notices/notify.ts';
import type { PageContent } from '../pages/pages.ts';
import { type Offer, PreviewEditor } from './previewEditor.ts';
import { type PreviewParts, roomOf, settingsWith, TriedSettings } from './tryStrategy.ts';

interface Shown {
  readonly label: string;
  readonly preview: Preview;
  readonly offers: readonly Offer[];
  readonly again: (() => Promise<PreviewOutcome>) | null;
  readonly onChange: (shown: Preview) => void;
}

/** The page with the previews. */
interface PreviewPage {
  readonly redraw: () => Promise<void>;
  readonly close: () => void;
  /** The row in the panel of what was made here. */
  readonly leadTo: (rowId: string) => Promise<void>;
  /** While another tab is shown, no further strategy is tried. */
  readonly isShown: () => boolean;
}

/** *Preview*: the strategies with the effect of each, and one of them to inspect, edit and apply. */
export class PreviewView {
  readonly #conversation: Conversation;
  readonly #parts: PreviewParts;
  readonly #page: PreviewPage;
  readonly #outcomes = new Map<string, PreviewOutcome>();
  #trying: ListedStrategy | null = null;
  #working: Promise<void> | null = null;
  #hasTried = false;
  readonly #left = new AbortController();
  #editor: PreviewEditor | null = null;
  #asked: string | null = null;
  /** Of the strategy in the editor. */
  #tried: TriedSettings | null = null;

  constructor(conversation: Conversation, parts: PreviewParts, page: PreviewPage) {
    this.#conversation = conversation;
    this.#parts = parts;
    this.#page = page;
  }

  describe(): PageContent {
    if (this.#editor) return this.#describeEdited(this.#editor);
    const strategies = listStrategies(this.#parts.registry);
    if (this.#conversation.status === 'idle' && !this.#hasTried) {
      this.#hasTried = true;
      // This list is drawn first.
      this.#working = Promise.resolve().then(() => this.#tryFree(strategies));
    }
    return {
      page: this.#list(strategies),
      actions: Object.fromEntries(
        strategies.map((strategy) => [`try ${strategy.id}`, () => this.#tryStrategy(strategy)]),
      ),
    };
  }

  #describeEdited(editor: PreviewEditor): PageContent {
    const tried = this.#tried;
    if (!tried) return { page: editor.describe(), actions: editor.actions, inputs: editor };
    const page = editor.describe();
    const tryAgain = () => editor.renewed();
    return {
      page: { ...page, blocks: [...tried.describe(vscode.l10n.t), ...page.blocks] },
      actions: { ...editor.actions, ...tried.actions(tryAgain) },
      inputs: {
        choose: (row, option) => editor.choose(row, option),
        write: (id, given) => (tried.write(id, given) ? tryAgain() : editor.write(id, given)),
      },
    };
  }

  /** The person has closed the page: a running request for a preview is cancelled. */
  leave(): void {
    this.#left.abort();
  }

  /** Shows the compaction that the conversation asks about, which can be answered here. Its changes so far are kept. */
  async openAsked(consentId: string): Promise<void> {
    const { consent, compactor } = this.#conversation;
    const asked = consent.pending;
    if (asked?.id !== consentId || this.#asked === consentId) return;
    const place = { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Trying the strategy…') };
    const preview = await vscode.window.withProgress(place, () => compactor.consent.previewAsked());
    if (preview.kind !== 'preview') throw new UserFacingError(preview.reason);
    const strategy = listStrategies(this.#parts.registry).find(({ id }) => id === asked.strategy);
    const answer = (choice: ConsentAnswer) => () => {
      consent.answer(consentId, choice);
      this.#page.close();
    };
    const expect = (proposal: Preview['proposal']) => {
      const compact = compactor.consent.expectAsked(proposal);
      consent.change(consentId, (question) => ({ ...question, outlook: { ...question.outlook, compact } }));
    };
    this.#asked = consentId;
    this.#editor = this.#edit({
      label: strategy?.label ?? asked.strategy,
      preview,
      offers: [
        { label: vscode.l10n.t('Compact'), primary: true, applies: true, act: answer('compact') },
        { label: vscode.l10n.t('Not now'), act: answer('notNow') },
      ],
      again: null,
      // Agreeing applies to the version last shown, on the page and on the card.
      onChange: (shown) => {
        if (compactor.consent.amendAsked(preview, shown)) expect(shown.proposal);
      },
    });
    expect(preview.proposal);
  }

  #list(strategies: readonly ListedStrategy[]): Page {
    const { t } = vscode.l10n;
    const title = t('Preview Compaction');
    const now = this.#conversation.compactor.gauge.reading.tokens;
    const rows = strategies.map((strategy) => ({ strategy, does: this.#describe(strategy) }));
    const tried = rows.flatMap(({ strategy: { id } }) => this.#previewOf(id) ?? []);
    const whole = Math.max(1, now, ...tried.map(({ tokensAfter }) => tokensAfter));
    const bar = (tokens: number, tone: 'same' | 'gone') => ({ text: formatCount(tokens), share: tokens / whole, tone });
    const costs = rows.map(({ strategy: { id } }) => this.#costOf(id));
    const hasCosts = costs.some((cost) => cost !== '');
    const note = t('A – means that the strategy may ask the model for a summary: choose it to try it.');
    return {
      title,
      subtitle: t(
        'The context has {0} tokens. Choose a strategy to see what it would leave of them; nothing is changed.',
        formatCount(now),
      ),
      blocks: [
        table(
          title,
          [
            column(t('Strategy')),
            column(t('Tokens afterwards')),
            right(t('Freed')),
            column(t('What it would do')),
            ...(hasCosts ? [right(t('Cost per request'))] : []),
          ],
          [
            [t('As it is now'), bar(now, 'gone'), '', '', ...(hasCosts ? [''] : [])],
            ...rows.map(({ strategy: { id, label }, does }, at): PageCell[] => {
              const preview = this.#previewOf(id);
              return [
                { text: label, act: `try ${id}` },
                preview ? bar(preview.tokensAfter, 'same') : '',
                preview ? formatShare(preview.tokensBefore - preview.tokensAfter, preview.tokensBefore) : '',
                does,
                ...(hasCosts ? [costs[at] ?? ''] : []),
              ];
            }),
          ],
        ),
        ...(rows.some(({ does }) => does === MAY_ASK) ? [text(note, 'quiet')] : []),
        folded('strategies', t('What each strategy is'), [
          facts(...strategies.map(({ label, description }) => [label, description] as const)),
        ]),
      ],
    };
  }

  #previewOf(id: string): Preview | null {
    const outcome = this.#outcomes.get(id);
    return outcome?.kind === 'preview' ? outcome : null;
  }

  /** Once the cache holds the prompt; empty where it is not known. */
  #costOf(id: string): string {
    const preview = this.#previewOf(id);
    const costs = preview && costsOf(this.#conversation, preview);
    return costs ? summariseCosts(costs) : '';
  }

  #describe(strategy: ListedStrategy): string {
    if (this.#trying === strategy) return vscode.l10n.t('trying…');
    const outcome = this.#outcomes.get(strategy.id);
    switch (outcome?.kind) {
      case 'preview':
        return summarisePreview(outcome, vscode.l10n.t);
      case 'none':
        return inEditorLanguage(outcome.reason);
      case 'failed':
        return vscode.l10n.t('failed: {0}', inEditorLanguage(outcome.reason));
      case undefined:
        return describeUntried(strategy, this.#parts);
    }
  }

  async #tryStrategy(strategy: ListedStrategy): Promise<void> {
    await this.#working;
    this.#tried = new TriedSettings(this.#parts, strategy.id);
    const known = this.#outcomes.get(strategy.id);
    const outcome =
      known?.kind === 'preview' && this.#conversation.compactor.consent.isCurrent(known)
        ? known
        : await this.#try(strategy);
    if (outcome.kind === 'preview') this.#editor = this.#open(strategy, outcome);
    await this.#page.redraw();
  }

  /** Strategies that need no model, one after the other. Messages and questions go first. */
  async #tryFree(strategies: readonly ListedStrategy[]): Promise<void> {
    try {
      for (const strategy of strategies) {
        if (this.#outcomes.has(strategy.id) || !asksNobody(strategy, this.#parts)) continue;
        this.#hasTried = this.#page.isShown() && this.#conversation.status === 'idle';
        if (!this.#hasTried) return;
        await this.#try(strategy);
      }
    } catch (thrown) {
      await showFault(thrown);
    }
  }

  async #try(strategy: ListedStrategy): Promise<PreviewOutcome> {
    this.#trying = strategy;
    try {
      await this.#page.redraw();
      const outcome = await this.#again(strategy);
      this.#outcomes.set(strategy.id, outcome);
      return outcome;
    } finally {
      this.#trying = null;
      await this.#page.redraw();
    }
  }

  #again({ id }: ListedStrategy): Promise<PreviewOutcome> {
    const request = { strategy: id, settings: settingsWith(this.#parts, id, this.#tried) };
    return this.#conversation.whileIdle((signal) =>
      this.#conversation.compactor.consent.preview(request, AbortSignal.any([signal, this.#left.signal])),
    );
  }

  #open(strategy: ListedStrategy, preview: Preview): PreviewEditor {
    const editor: PreviewEditor = this.#edit({
      label: strategy.label,
      preview,
      offers: [
        {
          label: vscode.l10n.t('Apply'),
          primary: true,
          applies: true,
          act: async () => {
            const applied = await apply(this.#conversation, editor.shown);
            if (applied.kind === 'refused') return editor.report(applied.reason);
            this.#page.close();
            await this.#page.leadTo(`e${applied.seq}`);
          },
        },
        {
          label: vscode.l10n.t('Look at another strategy'),
          act: () => {
            this.#editor = null;
            this.#tried = null;
            return this.#page.redraw();
          },
        },
      ],
      again: () => this.#again(strategy),
      onChange: () => undefined,
    });
    return editor;
  }

  #edit(shown: Shown): PreviewEditor {
    const { compactor } = this.#conversation;
    return new PreviewEditor({
      ...shown,
      session: {
        isCurrent: (preview) => compactor.consent.isCurrent(preview),
        costs: (preview) => costsOf(this.#conversation, preview),
        unchanged: (preview) => unchangedBy(this.#conversation, preview),
        room: roomOf(this.#conversation),
      },
      write: () => this.#page.redraw(),
      t: vscode.l10n.t,
    });
  }
}

/**
 * True when it is loaded, may see the conversation, and needs no model: trying it is free and discloses nothing new.
 */
function asksNobody(strategy: ListedStrategy, parts: PreviewParts): boolean {
  const { id, publisher } = strategy;
  const mayTry = publisher === null || isAllowed(strategy, parts);
  return mayTry && parts.registry.get(id)?.factory.needs.includes('llm') === false;
}

/** For a strategy that is not built in. A loaded file was allowed in its present form. */
function isAllowed({ id, publisher, file }: ListedStrategy, { registry, contributed }: PreviewParts): boolean {
  return file !== undefined ? registry.get(id) !== null : publisher !== null && contributed.isAllowed(publisher);
}

/** It needs a model, and a summary costs money. */
const MAY_ASK = '–';

/** Why there are no figures yet. */
function describeUntried(strategy: ListedStrategy, parts: PreviewParts): string {
  if (asksNobody(strategy, parts)) return '';
  const { id, publisher, file } = strategy;
  const loaded = parts.registry.get(id) !== null;
  if (file !== undefined && !loaded) return vscode.l10n.t('a file of yours, not loaded yet: choose it to try it');
  if (publisher !== null && file === undefined && !isAllowed(strategy, parts))
    return vscode.l10n.t('by {0}, which you have not allowed yet: choose it to try it', publisher);
  if (publisher !== null && !loaded) return vscode.l10n.t('by {0}, not started yet: choose it to try it', publisher);
  return MAY_ASK;
}

/** Null when the price of the session's model is unknown. */
function costsOf(conversation: Conversation, preview: Preview): RequestCosts | null {
  const { model } = conversation.agent;
  if ('problem' in model || !model.price) return null;
  const { tokensBefore: before, tokensAfter: after } = preview;
  const { clock, cache } = conversation.compactor.gauge;
  const unchanged = unchangedBy(conversation, preview);
  const now = Date.now();
  const cached = isWarm(clock, now) ? clock.held : 0;
  return requestCosts({ before, after, unchanged }, cached, priceAt(model.price, now), cache);
}

/** Tokens at the beginning of the request, up to the first changed message or inserted note. */
function unchangedBy({ journal }: Conversation, { items, tokensBefore, proposal }: Preview): number {
  const headerTokens = journal.context.header?.tokens ?? 0;
  const changed = items.findIndex(({ fate }) => fate !== 'kept');
  const inserted = proposal.draft.inserts[0]?.before ?? items.length;
  const first = items.slice(0, Math.min(changed < 0 ? items.length : changed, inserted));
  // A provider's count differs from the estimates of the items.
  const scale = tokensBefore / Math.max(1, headerTokens + sumTokens(items));
  return Math.round((headerTokens + sumTokens(first)) * scale);
}

type Applied =
  | { readonly kind: 'applied'; readonly seq: number }
  /** Why not, such as a conversation that has changed. */
  | { readonly kind: 'refused'; readonly reason: Words };

async function apply(conversation: Conversation, preview: Preview): Promise<Applied> {
  if (conversation.journal.readOnly) throw conversation.journal.readOnly;
  const outcome = await conversation.whileIdle(() => conversation.compactor.apply(preview));
  if (outcome.kind === 'compacted') return { kind: 'applied', seq: outcome.entry.seq };
  return { kind: 'refused', reason: 'reason' in outcome ? outcome.reason : words('Nothing was compacted.') };
}
