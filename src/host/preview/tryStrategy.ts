/**
 * Tries a strategy on the session on screen, and changes nothing: *Try on This Session* shows the effect of a strategy
 * file, whose settings can be changed for the try.
 */

import { relative } from 'node:path';
import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import type { CompactionSettings } from '../../core/compaction/settings/compactionSettings.ts';
import type { ListedStrategy } from '../../core/compaction/strategies/strategyEntry.ts';
import { wordsOf } from '../../core/errors.ts';
import { splitHeader } from '../../core/tokens/meter.ts';
import type { Translate } from '../../core/words.ts';
import { section, text } from '../../node/pages/blocks.ts';
import type { Room } from '../../node/preview/contextBars.ts';
import { describePreviewPage } from '../../node/preview/describePreview.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { StrategyFiles } from '../../node/strategyFiles/strategyFiles.ts';
import type { Page, PageBlock } from '../../protocol/pages.ts';
import type { ContributedStrategies } from '../api/contributedStrategies.ts';
import { type Contender, listLabStrategies, readContender } from '../lab/contenders.ts';
import { toFields } from '../lab/describeLab.ts';
import { ACT } from '../lab/labFacts.ts';
import { listStrategies } from '../notices/listStrategies.ts';
import { inEditorLanguage } from '../notices/notify.ts';
import { showQuickPick } from '../notices/pickers.ts';
import type { PageActions, Pages } from '../pages/pages.ts';
import { type WatchedSettings, withFileSettings, writeSetting } from '../settings.ts';

export interface PreviewParts {
  readonly registry: StrategyRegistry;
  readonly settings: WatchedSettings;
  readonly contributed: ContributedStrategies;
}
export interface TrialParts extends PreviewParts {
  readonly pages: Pages;
  readonly session: ShownSession;
  readonly strategyFiles: StrategyFiles;
}

const KEEP = 'keep settings';

interface Parts {
  readonly registry: StrategyRegistry;
  readonly contributed: ContributedStrategies;
}

/**
 * The settings that a strategy's file declares, as fields on a page that tries it: a typed value holds for the next try
 * only, until the person keeps it.
 */
export class TriedSettings {
  readonly #parts: Parts;
  readonly id: string;
  #typed: Contender['typed'] = {};

  /** `id`: of the strategy. */
  constructor(parts: Parts, id: string) {
    this.#parts = parts;
    this.id = id;
  }

  /** Values that differ from the person's, by name. */
  get values(): Readonly<Record<string, unknown>> {
    const contender = this.#contender;
    if (!contender) return {};
    return Object.fromEntries([...readContender(contender).changed].map(([{ name }, value]) => [name, value]));
  }

  /** False for fields that are not of these settings. */
  write(field: string, text: string): boolean {
    const contender = this.#contender;
    const found = contender?.strategy.fields.find(({ name }) => ACT.set(contender.key, name) === field);
    if (!found) return false;
    this.#typed = { ...this.#typed, [found.name]: text };
    return true;
  }

  /** Nothing for strategies that declare none. */
  describe(t: Translate): PageBlock[] {
    const contender = this.#contender;
    if (!contender) return [];
    const changed = readContender(contender).changed.size > 0;
    return [
      section(t('Settings of {0}', contender.strategy.label), [
        { kind: 'fields', label: t('Settings of {0}', contender.strategy.label), fields: toFields(contender, t) },
        { kind: 'actions', actions: [{ id: KEEP, label: t('Keep These Settings'), off: !changed }] },
      ]),
    ];
  }

  /** `then` is called when the settings are written. */
  actions(then: () => unknown): PageActions {
    return {
      [KEEP]: async () => {
        const changed = [...(this.#contender ? readContender(this.#contender).changed : [])];
        await writeSetting(...withFileSettings(Object.fromEntries(changed.map(([{ key }, value]) => [key, value]))));
        this.#typed = {};
        await then();
      },
    };
  }

  get #contender(): Contender | null {
    const strategy = listLabStrategies(this.#parts).find(({ id, kind }) => id === this.id && kind === 'file');
    const fields = strategy?.fields.filter(({ place }) => place === 'own') ?? [];
    return strategy && fields.length > 0
      ? { key: 'tried', strategy: { ...strategy, fields }, typed: this.#typed }
      : null;
  }
}

/** The settings of the strategy with that id, and the values that are tried. */
export function settingsWith({ settings }: PreviewParts, id: string, tried: TriedSettings | null): CompactionSettings {
  const inForce = settings.compactionFor(id);
  return { ...inForce, section: { ...inForce.section, ...(tried?.id === id ? tried.values : {}) } };
}

export function roomOf({ journal, compactor }: Conversation): Room {
  return {
    header: splitHeader(journal.context),
    window: compactor.gauge.window,
    trigger: compactor.gauge.mark?.at ?? null,
  };
}

/** *Try on This Session*: the effect of a strategy file, on a page that is redrawn at each save of the file as long as its tab is open. */
export async function tryStrategy(parts: TrialParts): Promise<void> {
  const strategy = await chooseFile(parts);
  if (!strategy) return;
  const title = vscode.l10n.t('Trying {0}', strategy.label);
  const shown = parts.pages.show(`try ${strategy.id}`, { title, subtitle: '', blocks: [] }, {}, { beside: true });
  let asked = 0;
  const tried = new TriedSettings(parts, strategy.id);
  const inputs = { write: (id: string, given: string) => (tried.write(id, given) ? renew() : undefined) };
  const renew = async (): Promise<void> => {
    asked += 1;
    // One at a time: a save during a run is handled afterwards.
    if (asked > 1) return;
    for (let seen = 0; seen !== asked; ) {
      seen = asked;
      const { subtitle, blocks } = await describeTry(strategy, parts, tried);
      shown.write(
        { title, subtitle, blocks: [...tried.describe(vscode.l10n.t), ...blocks] },
        tried.actions(renew),
        inputs,
      );
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

/** The file in the active editor, else the only one, else the one that the person picks. */
async function chooseFile({ registry }: TrialParts): Promise<ListedStrategy | undefined> {
  const own = listStrategies(registry).filter(({ file }) => file !== undefined);
  if (own.length === 0)
    throw new Error(vscode.l10n.t('There is no strategy in a file yet. “New Strategy…” creates one.'));
  const inFront = vscode.window.activeTextEditor?.document.uri.fsPath;
  const open =
    own.find(({ file }) => file !== undefined && inFront !== undefined && relative(file, inFront) === '') ??
    (own.length === 1 ? own[0] : undefined);
  if (open) return open;
  const items = own.map((strategy) => ({ label: strategy.label, detail: strategy.description, strategy }));
  return (await showQuickPick(items, { title: vscode.l10n.t('Try on This Session') }))?.strategy;
}

async function describeTry(
  { id, label, file = '' }: ListedStrategy,
  parts: TrialParts,
  tried: TriedSettings,
): Promise<Omit<Page, 'title'>> {
  const again = text(vscode.l10n.t('Tried again at each save of {0}.', file), 'quiet');
  const failed = (reason: string) => ({ subtitle: '', blocks: [text(reason, 'warning'), again] });
  try {
    const conversation = parts.session.require();
    const request = { strategy: id, settings: settingsWith(parts, id, tried) };
    const outcome = await conversation.whileIdle((signal) => conversation.compactor.consent.preview(request, signal));
    if (outcome.kind === 'failed') return failed(vscode.l10n.t('failed: {0}', inEditorLanguage(outcome.reason)));
    if (outcome.kind === 'none') return failed(inEditorLanguage(outcome.reason));
    const facts = { label, conversation: conversation.journal.context.conversation, room: roomOf(conversation) };
    const { subtitle, blocks } = describePreviewPage(outcome, facts, vscode.l10n.t);
    return { subtitle, blocks: [again, ...blocks] };
  } catch (thrown) {
    return failed(inEditorLanguage(wordsOf(thrown)));
  }
}
