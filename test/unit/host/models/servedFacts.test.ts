/** Which window is in force: the person's number, what was learnt, what the server says, or the default. */

import { afterEach, describe, expect, test } from 'vitest';
import type { ModelChoice } from '../../../../src/core/model/modelChoice.ts';
import { forgetfulMemory, LearnedWindows, windowOf } from '../../../../src/core/tokens/learnedWindows.ts';
import { EndpointModels } from '../../../../src/host/models/endpoints/endpointModels.ts';
import { readAgentSettings } from '../../../../src/node/agentSettings.ts';
import { lmStudio } from '../../../support/localServers/lmStudio.ts';
import { LOCAL_MODEL, type LocalServer, startLocalServer } from '../../../support/localServers/localServer.ts';
import { ollama } from '../../../support/localServers/ollama.ts';
import { memoryFacts } from '../../../support/ports/memoryFacts.ts';
import { memorySecrets } from '../../../support/ports/memorySecrets.ts';
import { testClock } from '../../../support/ports/testClock.ts';

const servers: LocalServer[] = [];
afterEach(async () => {
  for (const { server } of servers.splice(0)) await server.close();
});

async function serve(dialect = ollama(), holds = 16_384): Promise<LocalServer> {
  const local = await startLocalServer(dialect, { holds, answer: () => ({ kind: 'answer', text: 'OK' }) });
  servers.push(local);
  return local;
}

function modelsAt({ server }: LocalServer, values: Record<string, unknown> = {}) {
  const all: Record<string, unknown> = { endpoints: [{ id: 'here', baseUrl: server.baseUrl, models: [] }], ...values };
  const settings = () => readAgentSettings((key) => ({ value: all[key], explicit: key in all })).settings;
  const clock = testClock();
  const memory = forgetfulMemory();
  const windows = new LearnedWindows(forgetfulMemory(), clock);
  const open = () => new EndpointModels(settings, memorySecrets({}), memoryFacts(clock, memory, windows));
  const models = open();
  const inForce = (from = models) => {
    const choice = from.resolve(LOCAL_MODEL) as ModelChoice;
    return [windowOf(choice, windows), choice.windowFrom];
  };
  return { models, open, inForce, clock, memory, windows, all };
}

describe('the window in force', () => {
  test('nothing is known before anybody asks; then the server says it, also after the editor was closed', async () => {
    const local = await serve();
    const { models, open, inForce } = modelsAt(local);
    expect(inForce()).toEqual([128_000, 'default']);
    expect(local.asked).toEqual([]);
    await models.refresh(LOCAL_MODEL);
    expect(inForce()).toEqual([16_384, 'server']);
    expect(inForce(open())).toEqual([16_384, 'server']);
  });

  test('the number of the person goes first, in the setting and for one model', async () => {
    const local = await serve();
    const set = modelsAt(local, { contextWindow: 128_000 });
    await set.models.refresh(LOCAL_MODEL);
    expect(set.inForce()).toEqual([128_000, 'settings']);
    const models = [{ name: LOCAL_MODEL, contextWindow: 8_000 }];
    const own = modelsAt(local, { endpoints: [{ id: 'here', baseUrl: local.server.baseUrl, models }] });
    await own.models.refresh(LOCAL_MODEL);
    expect(own.inForce()).toEqual([8_000, 'settings']);
  });

  test('a smaller one that was learnt goes before all, until the server says that it holds more than before', async () => {
    const local = await serve();
    const { models, inForce, windows, clock } = modelsAt(local);
    await models.refresh(LOCAL_MODEL);
    windows.learn(models.resolve(LOCAL_MODEL) as ModelChoice, 8_192);
    expect(inForce()).toEqual([8_192, 'server']);
    clock.advance(60_000);
    await models.refresh(LOCAL_MODEL);
    expect(inForce()).toEqual([8_192, 'server']);
    local.loaded.holds = 65_536;
    clock.advance(60_000);
    await models.refresh(LOCAL_MODEL);
    expect(inForce()).toEqual([65_536, 'server']);
  });

  test('what the person sets after one was learnt goes before it, and what they had set before does not', async () => {
    const { models, inForce, windows, all } = modelsAt(await serve(), { contextWindow: 100_000 });
    windows.learn(models.resolve(LOCAL_MODEL) as ModelChoice, 4_096);
    expect(inForce()).toEqual([4_096, 'settings']);
    all.contextWindow = 64_000;
    expect(inForce()).toEqual([64_000, 'settings']);
    windows.forget((models.resolve(LOCAL_MODEL) as ModelChoice).client.endpoint, LOCAL_MODEL);
    all.contextWindow = 100_000;
    expect(inForce()).toEqual([100_000, 'settings']);
  });

  test('a model that is not loaded has no window yet, however much it could take', async () => {
    const { models, inForce } = modelsAt(await serve(lmStudio(), 0));
    await models.refresh(LOCAL_MODEL);
    expect(inForce()).toEqual([128_000, 'default']);
  });
});

describe('asking', () => {
  test('a server on this machine is asked before a message, but not for each of many', async () => {
    const local = await serve();
    const { models, clock } = modelsAt(local);
    for (let i = 0; i < 3; i++) await models.refresh(LOCAL_MODEL);
    const once = local.asked.length;
    expect(local.asked.filter((asked) => asked === 'GET /api/ps')).toHaveLength(1);
    clock.advance(60_000);
    await models.refresh(LOCAL_MODEL);
    expect(local.asked.length).toBe(2 * once);
  });

  test('a server that is not there changes nothing and fails nothing', async () => {
    const local = await serve();
    const { models, inForce, clock } = modelsAt(local);
    await models.refresh(LOCAL_MODEL);
    await local.server.close();
    clock.advance(60_000);
    await models.refresh(LOCAL_MODEL);
    expect(inForce()).toEqual([16_384, 'server']);
  });

  test('what is read back is not trusted', async () => {
    const local = await serve();
    const { memory, open, inForce, clock } = modelsAt(local);
    const key = `${local.server.baseUrl} ${LOCAL_MODEL}`;
    const at = clock.now();
    const facts = { model: LOCAL_MODEL, window: 4_096 };
    for (const value of [
      null,
      'x',
      [facts],
      { [key]: facts },
      { [key]: { facts, at: at + 1 } },
      { [key]: { facts: { window: 4_096 }, at } },
      { [key]: { facts: { ...facts, window: 12 }, at } },
      { [key]: { facts: { ...facts, window: '4k' }, at } },
    ]) {
      memory.write(value);
      expect(inForce(open())).toEqual([128_000, 'default']);
    }
    memory.write({ [key]: { facts: { ...facts, server: 'nonsense', tools: 'yes' }, at } });
    expect(inForce(open())).toEqual([4_096, 'server']);
  });
});
