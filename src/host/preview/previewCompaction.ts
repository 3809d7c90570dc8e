/**
 * *Preview Compaction*: what each strategy would do, before anything is done, and its details as a page on which it is
 * changed and applied. Strategies that need no model are tried at once. The others are tried when the person chooses them, because a
 * summary costs money.
 */

import * as vscode from 'vscode';
import type { Preview, PreviewOutcome } from '../../core/compaction/commit/preview.ts';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import type { ListedStrategy } from '../../core/compaction/run/strategyEntry.ts';
import type { CompactionSettings } from '../../core/compaction/settings.ts';
import { type RequestCosts, requestCosts } from '../../core/cost/spending.ts';
import { ToldError, wordsOf } from '../../core/errors.ts';
import type { ConsentAnswer } from '../../core/ports.ts';
import { sumTokens } from '../../core/tokens/meter.ts';
import { type Words, words } from '../../core/words.ts';
import type { Page } from '../../protocol/pages.ts';
import { formatCount, text } from '../pages/blocks.ts';
import type { Pages, ShownPage } from '../pages/pages.ts';
import type { Conversation } from '../session/conversation.ts';
import type { ShownSession } from '../session/shownSession.ts';
import type { StrategyFiles } from '../strategyFiles/strategyFiles.ts';
import { listStrategies } from '../tell/listStrategies.ts';
import { say } from '../tell/notify.ts';
import { describePreviewPage, summariseCosts, summarisePreview } from './describePreview.ts';
import { type Offer, PreviewEditor } from './previewEditor.ts';

export interface PreviewParts {
  readonly registry: StrategyRegistry;
  /** The settings that would be in force with that strategy. */
  readonly settingsFor: (strategy: string) => CompactionSettings;
  readonly pages: Pages;
  /** The person has allowed a strategy that is not built in. */
  readonly mayTry: (strategy: ListedStrategy) => boolean;
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

function showPreview(conversation: Conversation, parts: PreviewParts, { strategy, preview }: Chosen): void {
  const request = { strategy: strategy.id, settings: parts.settingsFor(strategy.id) };
  const open = show(conversation, parts, {
    label: strategy.label,
    preview,
    offers: [
      {
        label: vscode.l10n.t('Apply'),
        primary: true,
        applies: true,
        act: async () => {
          const refused = await apply(conversation, open.editor.shown);
          if (refused) open.editor.tell(refused);
          else open.page.close();
        },
      },
      { label: vscode.l10n.t('Look at another strategy'), act: () => previewCompaction(conversation, parts) },
    ],
    again: () => conversation.whileIdle((signal) => conversation.compactor.preview(request, signal)),
    onChange: () => undefined,
  });
}

/**
 * What the compaction would do that the conversation asks about now. The answer can be given from the page. Gives what
 * brings the page to the front again as long as it is open; null where nothing is asked any more.
 */
export async function previewAsked(
  conversation: Conversation,
  consentId: string,
  parts: PreviewParts,
): Promise<AskedPreview | null> {
  const asked = conversation.consent.pending;
  if (asked?.id !== consentId) return null;
  const place = { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Trying the strategy…') };
  const preview = await vscode.window.withProgress(place, () => conversation.compactor.previewAsked());
  if (preview.kind === 'failed') throw new ToldError(preview.reason);
  if (preview.kind === 'none') throw new ToldError(preview.reason);
  const strategy = listStrategies(parts.registry).find(({ id }) => id === asked.strategy);
  const answer = (choice: ConsentAnswer) => () => {
    conversation.consent.answer(consentId, choice);
    open.page.close();
  };
  const open = show(conversation, parts, {
    label: strategy?.label ?? asked.strategy,
    preview,
    offers: [
      { label: vscode.l10n.t('Compact'), primary: true, applies: true, act: answer('compact') },
      { label: vscode.l10n.t('Not now'), act: answer('notNow') },
    ],
    again: null,
    // Agreeing means what was last shown, on the page and on the card.
    onChange: (shown) => {
      if (conversation.compactor.amendAsked(preview, shown))
        conversation.consent.expect(consentId, conversation.compactor.expectAsked(shown.proposal));
    },
  });
  conversation.consent.expect(consentId, conversation.compactor.expectAsked(preview.proposal));
  const bring = () => {
    if (!open.page.isOpen) return false;
    open.bring();
    return true;
  };
  return { consentId, bring };
}

export interface AskedPreview {
  readonly consentId: string;
  /** False when the person has closed the page. */
  readonly bring: () => boolean;
}

interface Shown {
  readonly label: string;
  readonly preview: Preview;
  readonly offers: readonly Offer[];
  readonly again: (() => Promise<PreviewOutcome>) | null;
  readonly onChange: (shown: Preview) => void;
}

/** One tab for all previews: another strategy takes the place of the one before. */
function show(
  conversation: Conversation,
  { pages }: PreviewParts,
  shown: Shown,
): { readonly page: ShownPage; readonly editor: PreviewEditor; bring(): ShownPage } {
  const { compactor } = conversation;
  const editor = new PreviewEditor({
    ...shown,
    session: {
      isCurrent: (preview) => compactor.isCurrent(preview),
      costs: (preview) => costsOf(conversation, preview),
      unchanged: (preview) => unchangedBy(conversation, preview),
      window: compactor.window,
      trigger: compactor.mark?.at ?? null,
    },
    write: (written) => page.write(written, editor.actions),
    t: vscode.l10n.t,
  });
  const bring = () => pages.show('preview', editor.describe(), editor.actions, { inputs: editor });
  const page = bring();
  return { page, editor, bring };
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
      description: describe(strategy, parts, outcomes.get(strategy.id), asking === strategy, conversation),
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
      if (asksNobody(strategy, parts)) await preview(strategy);
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

/** It is loaded, may see the conversation, and needs no model: trying it costs nothing and shows nobody anything new. */
function asksNobody(strategy: ListedStrategy, { registry, mayTry }: PreviewParts): boolean {
  const { id, publisher } = strategy;
  return (publisher === null || mayTry(strategy)) && registry.get(id)?.factory.needs.includes('llm') === false;
}

function describe(
  strategy: ListedStrategy,
  parts: PreviewParts,
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
      return describeUntried(strategy, parts);
  }
}

/** Why there are no figures yet. */
function describeUntried(strategy: ListedStrategy, parts: PreviewParts): string {
  if (asksNobody(strategy, parts)) return '';
  const { id, publisher, file } = strategy;
  const loaded = parts.registry.get(id) !== null;
  if (file !== undefined && !loaded) return vscode.l10n.t('a file of yours, not loaded yet: choose it to try it');
  if (publisher !== null && file === undefined && !parts.mayTry(strategy))
    return vscode.l10n.t('by {0}, which you have not allowed yet: choose it to try it', publisher);
  if (publisher !== null && !loaded) return vscode.l10n.t('by {0}, not started yet: choose it to try it', publisher);
  return vscode.l10n.t('may ask the model for a summary: choose it to try it');
}

const numbers = ({ tokensBefore, tokensAfter }: Preview) =>
  vscode.l10n.t('{0} → {1} tokens', formatCount(tokensBefore), formatCount(tokensAfter));

/** Tokens, cost of a request where it is known, and what would go. */
function summarise(preview: Preview, costs: RequestCosts | null): string {
  const cost = costs ? [summariseCosts(costs, vscode.l10n.t)] : [];
  return [numbers(preview), ...cost, summarisePreview(preview, vscode.l10n.t)].join(' · ');
}

/** Null where nobody said what the session's model costs. */
function costsOf(conversation: Conversation, preview: Preview): RequestCosts | null {
  const { model } = conversation.agent;
  if ('problem' in model || !model.price) return null;
  const { tokensBefore: before, tokensAfter: after } = preview;
  const { lastUsage } = conversation.journal.context;
  const unchanged = unchangedBy(conversation, preview);
  return requestCosts({ before, after, unchanged }, lastUsage?.usage ?? null, model.price);
}

/** Tokens at the beginning of the request, up to the first message that changes or the first note that goes in. */
function unchangedBy({ journal }: Conversation, { items, tokensBefore, proposal }: Preview): number {
  const headerTokens = journal.context.header?.tokens ?? 0;
  const changed = items.findIndex(({ decision }) => decision !== 'undecided');
  const inserted = proposal.draft.inserts[0]?.before ?? items.length;
  const first = items.slice(0, Math.min(changed < 0 ? items.length : changed, inserted));
  // What a provider counts is not what was estimated item by item.
  const scale = tokensBefore / Math.max(1, headerTokens + sumTokens(items));
  return Math.round((headerTokens + sumTokens(first)) * scale);
}

/** Why it was not applied, such as a conversation that changed meanwhile; null when it was. */
async function apply(conversation: Conversation, preview: Preview): Promise<Words | null> {
  if (conversation.journal.readOnly) throw conversation.journal.readOnly;
  const outcome = await conversation.whileIdle(() => conversation.compactor.apply(preview));
  if (outcome.kind === 'compacted') return null;
  return 'reason' in outcome ? outcome.reason : words('Nothing was compacted.');
}

/**
 * *Try on This Session*: what a strategy in a file would do, in a page that is drawn again at each save of the file as
 * long as its tab is open. Nothing is changed.
 */
export interface TryParts extends PreviewParts {
  readonly session: ShownSession;
  readonly strategyFiles: StrategyFiles;
}

export async function tryStrategy(parts: TryParts): Promise<void> {
  const strategy = await chooseFile(parts);
  if (!strategy) return;
  const title = vscode.l10n.t('Trying {0}', strategy.label);
  const shown = parts.pages.show(`try ${strategy.id}`, { title, subtitle: '', blocks: [] }, {}, { beside: true });
  let asked = 0;
  const renew = async () => {
    asked += 1;
    // One at a time: a save while it runs is seen when it has ended.
    if (asked > 1) return;
    for (let seen = 0; seen !== asked; ) {
      seen = asked;
      shown.write({ ...(await describeTry(strategy, parts)), title });
    }
    asked = 0;
  };
  const following = parts.strategyFiles.onDidChange((id) => {
    if (id !== strategy.id) return;
    if (shown.isOpen) void renew();
    else following.dispose();
  });
  await renew();
}

/** The file in front, else the only one, else the one that the person picks. */
async function chooseFile({ registry }: TryParts): Promise<ListedStrategy | undefined> {
  const own = listStrategies(registry).filter(({ file }) => file !== undefined);
  if (own.length === 0)
    throw new Error(vscode.l10n.t('There is no strategy in a file yet. “New Strategy…” creates one.'));
  const inFront = vscode.window.activeTextEditor?.document.uri.fsPath;
  const open = own.find(({ file }) => file === inFront) ?? (own.length === 1 ? own[0] : undefined);
  if (open) return open;
  const items = own.map((strategy) => ({ label: strategy.label, detail: strategy.description, strategy }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Try on This Session') }))?.strategy;
}

async function describeTry({ id, label, file = '' }: ListedStrategy, parts: TryParts): Promise<Omit<Page, 'title'>> {
  const again = text(vscode.l10n.t('Tried again at each save of {0}.', file), 'quiet');
  const failed = (reason: string) => ({ subtitle: '', blocks: [text(reason, 'warning'), again] });
  try {
    const conversation = parts.session.require();
    const request = { strategy: id, settings: parts.settingsFor(id) };
    const outcome = await conversation.whileIdle((signal) => conversation.compactor.preview(request, signal));
    if (outcome.kind === 'failed') return failed(vscode.l10n.t('failed: {0}', say(outcome.reason)));
    if (outcome.kind === 'none') return failed(say(outcome.reason));
    const facts = { label, conversation: conversation.journal.context.conversation };
    const { subtitle, blocks } = describePreviewPage(outcome, facts, vscode.l10n.t);
    return { subtitle, blocks: [again, ...blocks] };
  } catch (thrown) {
    return failed(say(wordsOf(thrown)));
  }
}
