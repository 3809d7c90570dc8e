/** The models to choose from in a quick pick, under a heading for each place they come from, and the ways to more. */

import * as vscode from 'vscode';
import type { Models } from './models.ts';

export type ChosenModel =
  | { readonly kind: 'model'; readonly id: string }
  | { readonly kind: 'extensions' | 'endpoint' };

interface Item extends vscode.QuickPickItem {
  readonly chosen?: ChosenModel;
}

/** `inUse`: the model of the session. Undefined when the person left. */
export async function askForModel(models: Models, inUse: string): Promise<ChosenModel | undefined> {
  const choices = models.choices();
  const current = models.canonical(inUse);
  const headed = new Set(choices.map(({ group }) => group)).size > 1;
  const items = choices.flatMap(({ id, label, description, group }, i): Item[] => {
    const heading = headed && group !== undefined && group !== choices[i - 1]?.group;
    const facts = [description, ...(id === current ? [vscode.l10n.t('in use')] : [])];
    return [
      ...(heading ? [separator(group)] : []),
      { chosen: { kind: 'model', id }, label, description: facts.filter(Boolean).join(' · ') },
    ];
  });
  const more: Item[] = [
    separator(vscode.l10n.t('More')),
    { chosen: { kind: 'endpoint' }, label: vscode.l10n.t('Set up an endpoint…') },
    { chosen: { kind: 'extensions' }, label: vscode.l10n.t('Models of other extensions…') },
  ];
  const title = vscode.l10n.t('Model of This Session');
  return (await vscode.window.showQuickPick([...items, ...more], { title, matchOnDescription: true }))?.chosen;
}

const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
