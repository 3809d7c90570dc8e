/** The models to choose from in a quick pick, under a heading for each source, and ways to add more. */

import * as vscode from 'vscode';
import { showQuickPick } from '../tell/pickers.ts';
import type { Models } from './models.ts';

export type ChosenModel =
  | { readonly kind: 'model'; readonly id: string }
  | { readonly kind: 'extensions' | 'endpoint' | 'forgetWindow' };

interface Item extends vscode.QuickPickItem {
  readonly chosen?: ChosenModel;
}

/**
 * `inUse`: the model of the session; `learnt`: its learned window in tokens, or 0; `loss`: what leaving it costs, or empty.
 * Undefined when the person left.
 */
export async function askForModel(
  models: Models,
  inUse: string,
  learnt: number,
  loss: string,
): Promise<ChosenModel | undefined> {
  const size = learnt.toLocaleString(vscode.env.language);
  const forget: Item = {
    chosen: { kind: 'forgetWindow' },
    label: vscode.l10n.t('Forget the learned window of {0} tokens', size),
    description: inUse,
  };
  const more: Item[] = [
    separator(vscode.l10n.t('More')),
    ...(learnt > 0 ? [forget] : []),
    { chosen: { kind: 'endpoint' }, label: vscode.l10n.t('Set up an endpoint…') },
    { chosen: { kind: 'extensions' }, label: vscode.l10n.t('Models of other extensions…') },
  ];
  const title = vscode.l10n.t('Model of This Session');
  const items = [...listItems(models, inUse), ...more];
  const options = { title, matchOnDescription: true, ...(loss && { placeHolder: loss }) };
  return (await showQuickPick(items, options))?.chosen;
}

/** `inUse`: the configured model, empty for the session's own, which can also be chosen. */
export async function askForSummaryModel(models: Models, inUse: string): Promise<string | undefined> {
  const own: Item = {
    chosen: { kind: 'model', id: '' },
    label: vscode.l10n.t('The session’s own model'),
    ...(inUse === '' && { description: vscode.l10n.t('in use') }),
  };
  const title = vscode.l10n.t('Model for Summaries');
  const items = [own, ...listItems(models, inUse)];
  const chosen = (await showQuickPick(items, { title, matchOnDescription: true }))?.chosen;
  return chosen?.kind === 'model' ? chosen.id : undefined;
}

function listItems(models: Models, inUse: string): Item[] {
  const choices = models.choices();
  const current = inUse && models.canonical(inUse);
  const headed = new Set(choices.map(({ group }) => group)).size > 1;
  return choices.flatMap(({ id, label, description, group }, i): Item[] => {
    const heading = headed && group !== undefined && group !== choices[i - 1]?.group;
    const facts = [description, ...(id === current ? [vscode.l10n.t('in use')] : [])];
    return [
      ...(heading ? [separator(group)] : []),
      { chosen: { kind: 'model', id }, label, description: facts.filter(Boolean).join(' · ') },
    ];
  });
}

const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
