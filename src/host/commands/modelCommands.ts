/** The model that answers, and the endpoints and extensions that provide models. */

import * as vscode from 'vscode';
import { describeLoss } from '../../core/cost/coldCache.ts';
import { formatCount } from '../../core/figures.ts';
import { DEMO } from '../../core/model/modelChoice.ts';
import type { LearnedWindows } from '../../core/tokens/learnedWindows.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { Handlers } from '../handlers.ts';
import { EndpointActions } from '../models/endpoints/endpointActions.ts';
import { EndpointSetup } from '../models/endpoints/endpointSetup.ts';
import { chooseExtensionModel } from '../models/extensions/extensionModels.ts';
import type { Models } from '../models/models.ts';
import { inEditorLanguage } from '../notices/notify.ts';
import { showQuickPick } from '../notices/pickers.ts';
import type { WatchedSettings } from '../settings.ts';
import { writeSetting } from '../settings.ts';

interface Parts {
  readonly session: ShownSession;
  readonly models: Models;
  /** Windows of models, learnt from refusals. */
  readonly windows: LearnedWindows;
  readonly settings: WatchedSettings;
}

export function modelCommands({ session, models, windows, settings }: Parts) {
  const modelInUse = () => session.conversation?.agent.modelName ?? settings.current.agent.model;
  const setup = new EndpointSetup(models);
  const endpoints = new EndpointActions(models, modelInUse);

  const setModel = async (id: string) => {
    const { conversation } = session;
    if (conversation) await conversation.change(() => conversation.agent.configure(id));
    if (!conversation || !settings.current.agent.model) await writeSetting('model', id);
  };
  const useModel = async (chosen: Promise<string | null>) => {
    const model = await chosen;
    if (model) await setModel(model);
  };
  const setUp = () => useModel(setup.run());
  const choose = async () => {
    const inUse = modelInUse();
    const choice = models.resolve(inUse, null);
    const learnt = 'problem' in choice ? 0 : windows.of(choice);
    const loss = inEditorLanguage(describeLoss(session.conversation?.compactor.gauge.clock ?? null, Date.now()));
    const chosen = await askForModel(models, inUse, learnt, loss);
    if (chosen?.kind === 'model') await setModel(chosen.id);
    if (chosen?.kind === 'endpoint') await setUp();
    if (chosen?.kind === 'extensions') await useModel(chooseExtensionModel(models.extensions));
    if (chosen?.kind === 'forgetWindow' && !('problem' in choice)) {
      windows.forget(choice.client.endpoint, choice.model);
      session.refresh();
    }
  };

  return {
    chooseModel: ({ model }) => (model === undefined ? choose() : setModel(model)),
    chooseSummaryModel: async () => {
      const chosen = await askForSummaryModel(models, settings.current.compaction.summary.model);
      if (chosen !== undefined) await writeSetting('compaction.summary.model', chosen);
    },
    setUpEndpoint: setUp,
    findLocalServers: () => useModel(setup.runForLocalServer()),
    chooseExtensionModel: () => useModel(chooseExtensionModel(models.extensions)),
    manageEndpoints: () => endpoints.manage(setUp),
    setApiKey: () => endpoints.setKey(),
    testConnection: () => endpoints.test(),
    takesImages: ({ lasting }) => {
      const choice = models.resolve(modelInUse(), null);
      if (!('problem' in choice)) models.images.record(choice, lasting);
      session.refresh();
    },
    useDemo: () => setModel(DEMO),
  } satisfies Partial<Handlers>;
}

type ChosenModel =
  | { readonly kind: 'model'; readonly id: string }
  | { readonly kind: 'extensions' | 'endpoint' | 'forgetWindow' };

interface Item extends vscode.QuickPickItem {
  readonly chosen?: ChosenModel;
}

/**
 * `inUse`: the model of the session; `learnt`: its learned window in tokens, or 0; `loss`: what leaving it costs, or empty.
 * Undefined when the person left.
 */
async function askForModel(
  models: Models,
  inUse: string,
  learnt: number,
  loss: string,
): Promise<ChosenModel | undefined> {
  const size = formatCount(learnt);
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
async function askForSummaryModel(models: Models, inUse: string): Promise<string | undefined> {
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
