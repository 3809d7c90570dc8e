/**
 * *Try on This Session*: what a strategy in a file would do, in a page that is drawn again at each save of the file as
 * long as its tab is open. Nothing is changed.
 */

import * as vscode from 'vscode';
import type { ListedStrategy } from '../../core/compaction/run/strategyEntry.ts';
import { wordsOf } from '../../core/errors.ts';
import type { Page } from '../../protocol/pages.ts';
import { text } from '../pages/blocks.ts';
import type { ShownSession } from '../session/shownSession.ts';
import type { StrategyFiles } from '../strategyFiles/strategyFiles.ts';
import { listStrategies } from '../tell/listStrategies.ts';
import { say } from '../tell/say.ts';
import { describePreviewPage } from './describePreview.ts';
import type { PreviewParts } from './previewCompaction.ts';

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
      shown.write({ ...(await describe(strategy, parts)), title });
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

async function describe({ id, label, file = '' }: ListedStrategy, parts: TryParts): Promise<Omit<Page, 'title'>> {
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
