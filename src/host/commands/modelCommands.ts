/** The model that answers, and the endpoints and extensions that provide models. */

import { tellLoss } from '../../core/cost/formatMoney.ts';
import { DEMO } from '../../core/ports.ts';
import type { Handlers } from '../handlers.ts';
import { askForModel, askForSummaryModel } from '../models/askForModel.ts';
import { EndpointActions } from '../models/endpoints/endpointActions.ts';
import { EndpointSetup } from '../models/endpoints/endpointSetup.ts';
import { chooseExtensionModel } from '../models/extensions/extensionModels.ts';
import type { Parts } from '../parts.ts';
import { writeSetting } from '../settings/agentSettings.ts';
import { say } from '../tell/notify.ts';

export function modelCommands({
  session,
  models,
  windows,
  settings,
}: Pick<Parts, 'session' | 'models' | 'windows' | 'settings'>) {
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
    const loss = say(tellLoss(session.conversation?.compactor.cacheClock ?? null, Date.now()));
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
    removeApiKey: () => endpoints.manage(setUp),
    setApiKey: () => endpoints.setKey(),
    testConnection: () => endpoints.test(),
    takesImages: ({ lasting }) => {
      const choice = models.resolve(modelInUse(), null);
      if (!('problem' in choice)) models.images.say(choice, lasting);
      session.refresh();
    },
    useDemo: () => setModel(DEMO),
  } satisfies Partial<Handlers>;
}
