/**
 * *Preview Compaction*: what each strategy would do, before anything is done, and its details as a page from which it is
 * applied. Strategies that need no model are tried at once. The others are tried when the person chooses them, because a
 * summary costs money.
 */

import * as vscode from 'vscode';
import type { Preview, PreviewOutcome } from '../../core/compaction/commit/preview.ts';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import type { ListedStrategy } from '../../core/compaction/run/strategyEntry.ts';
import type { CompactionSettings } from '../../core/compaction/settings.ts';
import { type RequestCosts, requestCosts } from '../../core/cost/requestCosts.ts';
import { ToldError } from '../../core/errors.ts';
import type { ConsentAnswer } from '../../core/ports.ts';
import { sumTokens } from '../../core/tokens/meter.ts';
import type { Pages, ShownPage } from '../pages/pages.ts';
import { formatCount } from '../pages/textTable.ts';
import type { Conversation } from '../session/conversation.ts';
import { listStrategies } from '../tell/listStrategies.ts';
import { say } from '../tell/say.ts';
import { describePreviewPage, summariseCosts, summarisePreview } from './describePreview.ts';

export interface PreviewParts {
  readonly registry: StrategyRegistry;
  /** The settings that would be in force with that strategy. */
  readonly settingsFor: (strategy: string) => CompactionSettings;
  readonly pages: Pages;
}

interface StrategyItem extends vscode.QuickPickItem {
  readonly strategy: ListedStrategy;
}

interface Chosen {
  readonly strategy: ListedStrategy;
  readonly preview: Preview;
}

export async function previewCompaction(conversation: Conversation, parts: PreviewParts): Promise<void> {
  const chosen = await choose(conversation, parts);
  if (chosen) showPreview(conversation, parts, chosen);
}

function showPreview(conversation: Conversation, parts: PreviewParts, chosen: Chosen): void {
  const shown = show(conversation, parts, chosen, [
    {
      label: vscode.l10n.t('Apply'),
      primary: true,
      act: async () => {
        await apply(conversation, chosen.preview);
        shown.close();
      },
    },
    { label: vscode.l10n.t('Look at another strategy'), act: () => previewCompaction(conversation, parts) },
  ]);
}

/** What the compaction would do that the conversation asks about now. The answer can be given from the page. */
export async function previewAsked(conversation: Conversation, consentId: string, parts: PreviewParts): Promise<void> {
  const asked = conversation.consent.pending;
  if (asked?.id !== consentId) return;
  const place = { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Trying the strategy…') };
  const preview = await vscode.window.withProgress(place, () => conversation.compactor.previewAsked());
  if (preview.kind === 'failed') throw new ToldError(preview.reason);
  if (preview.kind === 'none') throw new ToldError(preview.reason);
  const strategy = listStrategies(parts.registry).find(({ id }) => id === asked.strategy);
  const answer = (choice: ConsentAnswer) => () => {
    conversation.consent.answer(consentId, choice);
    shown.close();
  };
  const label = strategy?.label ?? asked.strategy;
  const shown = show(conversation, parts, { strategy: { label }, preview }, [
    { label: vscode.l10n.t('Compact'), primary: true, act: answer('compact') },
    { label: vscode.l10n.t('Not now'), act: answer('notNow') },
  ]);
}

interface Offer {
  readonly label: string;
  readonly primary?: boolean;
  readonly act: () => unknown;
}

/** One tab for all previews: another strategy takes the place of the one before. */
function show(
  conversation: Conversation,
  { pages }: PreviewParts,
  { strategy: { label }, preview }: { readonly strategy: Pick<ListedStrategy, 'label'>; readonly preview: Preview },
  offers: readonly Offer[],
): ShownPage {
  const facts = {
    label,
    conversation: conversation.journal.context.conversation,
    costs: costsOf(conversation, preview),
    actions: offers.map((offer, at) => ({ id: `${at}`, label: offer.label, primary: offer.primary ?? false })),
  };
  const acts = Object.fromEntries(offers.map(({ act }, at) => [`${at}`, act]));
  return pages.show('preview', describePreviewPage(preview, facts, vscode.l10n.t), acts);
}

/** Null when the person left. */
function choose(conversation: Conversation, parts: PreviewParts): Promise<Chosen | null> {
  const { registry, settingsFor } = parts;
  const strategies = listStrategies(registry);
  const outcomes = new Map<string, PreviewOutcome>();
  const left = new AbortController();
  const pick = vscode.window.createQuickPick<StrategyItem>();
  pick.title = vscode.l10n.t('Preview Compaction');
  pick.placeholder = vscode.l10n.t('Choose a strategy to see what it would do. Nothing is changed.');
  pick.ignoreFocusOut = true;
  pick.matchOnDescription = true;

  const show = (asking: ListedStrategy | null) => {
    const [active] = pick.activeItems;
    pick.busy = asking !== null;
    pick.items = strategies.map((strategy) => ({
      label: strategy.label,
      description: describe(strategy, registry, outcomes.get(strategy.id), asking === strategy, conversation),
      detail: strategy.description,
      strategy,
    }));
    const again = pick.items.find(({ strategy }) => strategy === active?.strategy);
    if (again) pick.activeItems = [again];
  };
  const preview = async (strategy: ListedStrategy): Promise<void> => {
    show(strategy);
    const request = { strategy: strategy.id, settings: settingsFor(strategy.id) };
    const outcome = await conversation.whileIdle((signal) =>
      conversation.compactor.preview(request, AbortSignal.any([signal, left.signal])),
    );
    if (left.signal.aborted) return;
    outcomes.set(strategy.id, outcome);
    show(null);
  };
  const previewFree = async (): Promise<void> => {
    for (const strategy of strategies) {
      if (left.signal.aborted) return;
      if (asksNobody(strategy, registry)) await preview(strategy);
    }
  };

  return new Promise((resolve, reject) => {
    let working = previewFree();
    const fail = (thrown: unknown) => {
      reject(thrown);
      pick.hide();
    };
    const accept = async (strategy: ListedStrategy) => {
      await working;
      if (outcomes.get(strategy.id)?.kind !== 'preview') await preview(strategy);
      const outcome = outcomes.get(strategy.id);
      if (outcome?.kind !== 'preview') return;
      resolve({ strategy, preview: outcome });
      pick.hide();
    };
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item && !left.signal.aborted) working = accept(item.strategy).catch(fail);
    });
    pick.onDidHide(() => {
      left.abort();
      resolve(null);
      pick.dispose();
    });
    working.catch(fail);
    show(null);
    pick.show();
  });
}

/** A built-in strategy without a model: trying it costs nothing and shows the conversation to nobody. */
function asksNobody({ id, publisher }: ListedStrategy, registry: StrategyRegistry): boolean {
  return publisher === null && registry.get(id)?.factory.needs.includes('llm') === false;
}

function describe(
  strategy: ListedStrategy,
  registry: StrategyRegistry,
  outcome: PreviewOutcome | undefined,
  asking: boolean,
  conversation: Conversation,
): string {
  if (asking) return vscode.l10n.t('trying…');
  switch (outcome?.kind) {
    case 'preview':
      return summarise(outcome, costsOf(conversation, outcome));
    case 'none':
      return say(outcome.reason);
    case 'failed':
      return vscode.l10n.t('failed: {0}', say(outcome.reason));
    case undefined:
      if (strategy.file !== undefined) return vscode.l10n.t('a file of yours: choose it to try it');
      if (strategy.publisher !== null) return vscode.l10n.t('by {0}: choose it to try it', strategy.publisher);
      return asksNobody(strategy, registry)
        ? ''
        : vscode.l10n.t('may ask the model for a summary: choose it to try it');
  }
}

const numbers = ({ tokensBefore, tokensAfter }: Preview) =>
  vscode.l10n.t('{0} → {1} tokens', formatCount(tokensBefore), formatCount(tokensAfter));

/** Tokens, cost of a request where it is known, and what would go. */
function summarise(preview: Preview, costs: RequestCosts | null): string {
  const cost = costs ? [summariseCosts(costs, vscode.l10n.t)] : [];
  return [numbers(preview), ...cost, summarisePreview(preview, vscode.l10n.t)].join(' · ');
}

/** Null where nobody said what the session's model costs. */
function costsOf({ agent, journal }: Conversation, { items, tokensBefore, tokensAfter }: Preview): RequestCosts | null {
  const { model } = agent;
  if ('problem' in model || !model.price) return null;
  const { header, lastUsage } = journal.context;
  const changed = items.findIndex(({ decision }) => decision !== 'undecided');
  const headerTokens = header?.tokens ?? 0;
  const first = changed < 0 ? items : items.slice(0, changed);
  // What a provider counts is not what was estimated item by item.
  const scale = tokensBefore / Math.max(1, headerTokens + sumTokens(items));
  const unchanged = Math.round((headerTokens + sumTokens(first)) * scale);
  return requestCosts({ before: tokensBefore, after: tokensAfter, unchanged }, lastUsage?.usage ?? null, model.price);
}

/** Throws with the reason when the conversation changed meanwhile. */
async function apply(conversation: Conversation, preview: Preview): Promise<void> {
  if (conversation.journal.readOnly) throw conversation.journal.readOnly;
  const outcome = await conversation.whileIdle(() => conversation.compactor.apply(preview));
  if (outcome.kind !== 'compacted')
    throw new Error('reason' in outcome ? say(outcome.reason) : vscode.l10n.t('Nothing was compacted.'));
}
