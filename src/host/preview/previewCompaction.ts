/**
 * Previews each strategy before anything changes, with a page to edit and apply the result. All are tried at once without a
 * model; one that would ask it is tried with it when the person chooses it, because a summary costs money.
 */

import * as vscode from 'vscode';
import type { EstimateOutcome, Preview, PreviewOutcome } from '../../core/compaction/consent/preview.ts';
import type { ConsentAnswer } from '../../core/compaction/signals/consent.ts';
import type { ListedStrategy } from '../../core/compaction/strategies/strategyEntry.ts';
import { UserFacingError } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import { sumTokens } from '../../core/tokens/meter.ts';
import { type Words, words } from '../../core/words.ts';
import { facts, folded } from '../../node/pages/blocks.ts';
import { comparePreviews } from '../../node/preview/comparePreviews.ts';
import { costsAfter, readProspects, unchangedBy } from '../../node/preview/previewCosts.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { Page } from '../../protocol/pages.ts';
import { listStrategies } from '../notices/listStrategies.ts';
import { showFault } from '../notices/notify.ts';
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
  readonly #outcomes = new Map<string, EstimateOutcome>();
  #trying: ListedStrategy | null = null;
  #working: Promise<void> | undefined;
  #hasTried = false;
  /** The conversation that the outcomes are of. */
  #triedOn = '';
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
    const shape = shapeOf(this.#conversation);
    if (this.#conversation.status === 'idle' && !(this.#hasTried && this.#triedOn === shape)) {
      // Figures of another conversation than is shown beside them would be wrong.
      if (this.#triedOn !== shape) this.#outcomes.clear();
      this.#triedOn = shape;
      this.#hasTried = true;
      // This list is drawn first, and only one strategy runs at a time.
      this.#working = Promise.resolve(this.#working).then(() => this.#tryFree(strategies));
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
    const prospects = readProspects(this.#conversation, Date.now());
    const compared = strategies.map((strategy) => ({
      label: strategy.label,
      act: `try ${strategy.id}`,
      outcome: this.#trying === strategy ? null : (this.#outcomes.get(strategy.id) ?? null),
      untried: this.#trying === strategy ? t('trying…') : describeUntried(strategy, this.#parts),
    }));
    return {
      title,
      subtitle: t(
        'The context has {0} tokens. Choose a strategy to see what it would leave of them; nothing is changed.',
        formatCount(prospects.tokens),
      ),
      blocks: [
        ...comparePreviews(title, compared, prospects, t),
        folded('strategies', t('What each strategy is'), [
          facts(...strategies.map(({ label, description }) => [label, description] as const)),
        ]),
      ],
    };
  }

  async #tryStrategy(strategy: ListedStrategy): Promise<void> {
    await this.#working;
    this.#tried = new TriedSettings(this.#parts, strategy.id);
    const known = this.#outcomes.get(strategy.id);
    const outcome =
      known?.kind === 'preview' && this.#conversation.compactor.consent.isCurrent(known)
        ? known
        : await this.#try(strategy, () => this.#again(strategy));
    if (outcome.kind === 'preview') this.#editor = this.#open(strategy, outcome);
    await this.#page.redraw();
  }

  /** One after the other, without a model. Messages and questions go first. */
  async #tryFree(strategies: readonly ListedStrategy[]): Promise<void> {
    try {
      for (const strategy of strategies) {
        if (this.#outcomes.has(strategy.id) || !mayTry(strategy, this.#parts)) continue;
        this.#hasTried = this.#page.isShown() && this.#conversation.status === 'idle';
        if (!this.#hasTried) return;
        await this.#try(strategy, () => this.#estimate(strategy));
      }
    } catch (thrown) {
      await showFault(thrown);
    }
  }

  async #try<T extends EstimateOutcome>(strategy: ListedStrategy, run: () => Promise<T>): Promise<T> {
    this.#trying = strategy;
    try {
      await this.#page.redraw();
      const outcome = await run();
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

  #estimate({ id }: ListedStrategy): Promise<EstimateOutcome> {
    const request = { strategy: id, settings: settingsWith(this.#parts, id, null) };
    return this.#conversation.untilMessage((signal) =>
      this.#conversation.compactor.consent.estimate(request, AbortSignal.any([signal, this.#left.signal])),
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
        costs: (preview) => costsAfter(preview, readProspects(this.#conversation, Date.now())),
        unchanged: (preview) => unchangedBy(preview, this.#conversation.journal.context.header?.tokens ?? 0),
        room: roomOf(this.#conversation),
      },
      write: () => this.#page.redraw(),
      t: vscode.l10n.t,
    });
  }
}

/** True when it is loaded and may see the conversation: to try it without a model is free and discloses nothing new. */
function mayTry(strategy: ListedStrategy, parts: PreviewParts): boolean {
  const { id, publisher } = strategy;
  return parts.registry.get(id) !== null && (publisher === null || isAllowed(strategy, parts));
}

/** For a strategy that is not built in. A loaded file was allowed in its present form. */
function isAllowed({ id, publisher, file }: ListedStrategy, { registry, contributed }: PreviewParts): boolean {
  return file !== undefined ? registry.get(id) !== null : publisher !== null && contributed.isAllowed(publisher);
}

/** Why there are no figures yet. */
function describeUntried(strategy: ListedStrategy, parts: PreviewParts): string {
  if (mayTry(strategy, parts)) return '';
  const { publisher, file } = strategy;
  if (file !== undefined) return vscode.l10n.t('a file of yours, not loaded yet: choose it to try it');
  const who = publisher ?? '';
  return isAllowed(strategy, parts)
    ? vscode.l10n.t('by {0}, not started yet: choose it to try it', who)
    : vscode.l10n.t('by {0}, which you have not allowed yet: choose it to try it', who);
}

/** Changes with what a strategy is given. */
function shapeOf({ journal: { context } }: Conversation): string {
  const { conversation } = context;
  return [conversation.length, conversation.at(-1)?.id, sumTokens(conversation)].join(' ');
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
