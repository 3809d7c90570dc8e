/**
 * The strategies with their names in the person's language. Contributed strategies bring their own texts; a person's
 * own file is named as such.
 */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import { parametersQuery } from '../../core/compaction/settings/compactionSettings.ts';
import { BUILT_IN_STRATEGIES, DEFAULT_STRATEGY } from '../../core/compaction/strategies/builtIn.ts';
import { LAB_FIGURES, type LabFigures } from '../../core/compaction/strategies/labFigures.ts';
import type { ListedStrategy } from '../../core/compaction/strategies/strategyEntry.ts';
import { formatPercent } from '../../core/figures.ts';
import { MODE_WORDS, MODES } from '../../core/mode.ts';
import { joinSentences } from '../../core/words.ts';
import type { PanelState } from '../../protocol/messages.ts';
import { inEditorLanguage } from './notify.ts';
import { showQuickPick } from './pickers.ts';

/** `more`: pickers list it only under *More*. */
export function listStrategies(registry: StrategyRegistry): (ListedStrategy & { readonly more?: true })[] {
  return registry.list().map((facts) => {
    const { id, publisher, file } = facts;
    if (file !== undefined) return { ...facts, description: vscode.l10n.t('Yours, from {0}', file) };
    const builtIn = BUILT_IN_STRATEGIES.find((each) => each.id === id);
    if (!builtIn) return facts;
    const { label, description, more } = builtIn;
    const lines = [
      ...(id === DEFAULT_STRATEGY ? [vscode.l10n.t('Recommended.')] : []),
      vscode.l10n.t(description),
      describeFigures(LAB_FIGURES[id]),
    ];
    return { id, label: vscode.l10n.t(label), description: joinSentences(lines), publisher, ...(more && { more }) };
  });
}

function describeFigures(figures: LabFigures | undefined): string {
  if (!figures) return vscode.l10n.t('The lab has not measured it yet.');
  const [kept, cost] = [formatPercent(figures.kept), formatPercent(figures.cost)];
  return vscode.l10n.t(
    'Lab: {0} of what was needed later was kept, at {1} of the cost without compaction, rereads included.',
    kept,
    cost,
  );
}

/** A query that shows the parameters of a strategy in the Settings editor. */
export function queryParameters(id: string): string {
  const builtIn = BUILT_IN_STRATEGIES.find((each) => each.id === id);
  if (builtIn) return parametersQuery(builtIn.section);
  const [extension = ''] = id.split('/');
  return extension.includes('.') ? `@ext:${extension}` : '@id:palimpsest.compaction.strategyFiles';
}

type Answer =
  | { readonly kind: 'strategy'; readonly id: string }
  | { readonly kind: 'forAll' }
  | { readonly kind: 'back' }
  | { readonly kind: 'parameters' };

/** `choice`: what a choice changes, and the other actions that are offered. Undefined when the person cancelled. */
export async function askForStrategy(
  registry: StrategyRegistry,
  inUse: string,
  { note, forAll, back }: PanelState['strategyChoice'],
): Promise<Answer | undefined> {
  const strategies = listStrategies(registry);
  const used = strategies.find(({ id }) => id === inUse);
  const items = strategies.map(({ id, label, description, more }) => ({
    answer: { kind: 'strategy', id } as const,
    label,
    detail: description,
    more,
    ...(id === inUse ? { description: vscode.l10n.t('in use') } : {}),
  }));
  const act = (kind: 'forAll' | 'back' | 'parameters', label: string) =>
    label === '' ? [] : [{ answer: { kind } as const, label, alwaysShow: true }];
  const actions = [
    ...act('forAll', forAll),
    ...act('back', back),
    ...act('parameters', vscode.l10n.t('Parameters of {0}…', used?.label ?? inUse)),
  ];
  const more = { answer: null, label: vscode.l10n.t('More…'), alwaysShow: true };
  const line = { answer: null, label: '', kind: vscode.QuickPickItemKind.Separator };
  const shown = items.filter((item) => !item.more || item.answer.id === inUse);
  const options = { title: vscode.l10n.t('Compaction Strategy of This Session'), placeHolder: note };
  const chosen = await showQuickPick([...shown, more, line, ...actions], options);
  if (chosen !== more) return chosen?.answer ?? undefined;
  return (await showQuickPick([...items, line, ...actions], options))?.answer ?? undefined;
}

/** The modes, for a person's choice. */
export function listModes() {
  return MODES.map((id) => ({
    id,
    label: inEditorLanguage(MODE_WORDS[id].label),
    description: inEditorLanguage(MODE_WORDS[id].description),
  }));
}
