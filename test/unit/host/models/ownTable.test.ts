/** The person's own table of prices and windows: a real file, which may hold anything. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { inEnglish } from '../../../../src/core/words.ts';
import { EndpointModels } from '../../../../src/host/models/endpoints/endpointModels.ts';
import { readAgentSettings } from '../../../../src/node/agentSettings.ts';
import { newTable, OwnTable } from '../../../../src/node/models/ownTable.ts';
import { memoryFacts } from '../../../support/ports/memoryFacts.ts';
import { memorySecrets } from '../../../support/ports/memorySecrets.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function tableWith(text: string | null) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-table-'));
  folders.push(folder);
  const path = join(folder, 'models.json');
  const write = (next: string) => writeFileSync(path, next);
  if (text !== null) write(text);
  const told: string[] = [];
  return { table: new OwnTable(path, (_, reason) => told.push(inEnglish(reason))), told, write };
}

const RATES = { input: 1, output: 2 };
const of = (models: object) => JSON.stringify({ asOf: '2026-11-20', models });
const ENDPOINTS = [
  {
    id: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    models: ['gpt-5', { name: 'set', price: { input: 9, output: 9 } }],
  },
];

async function modelsWith(table: OwnTable) {
  const settings = () =>
    readAgentSettings((key) => ({ value: key === 'endpoints' ? ENDPOINTS : undefined, explicit: key === 'endpoints' }))
      .settings;
  const models = new EndpointModels(settings, memorySecrets({ 'https://api.openai.com': 'k' }), memoryFacts(), table);
  await models.load();
  return (id: string) => {
    const choice = models.resolve(id);
    if ('problem' in choice) throw new Error(inEnglish(choice.problem));
    return choice;
  };
}

describe('the own table', () => {
  test('goes before that of the product, and behind what the person set', async () => {
    const { table, told } = tableWith(
      of({ 'gpt-5@openai': { window: 300_000, price: RATES }, 'set@openai': { window: 7_000, price: RATES } }),
    );
    const choose = await modelsWith(table);
    expect(choose('gpt-5')).toMatchObject({
      window: 300_000,
      windowFrom: 'table',
      price: { ...RATES, currency: 'USD', source: 'ownTable', asOf: '2026-11-20' },
    });
    expect(choose('gpt-5-2025-08-07@openai').price).toMatchObject(RATES);
    expect(choose('set')).toMatchObject({ window: 7_000, price: { input: 9, source: 'settings' } });
    expect(choose('gpt-4.1@openai')).toMatchObject({ window: 1_047_576, price: { source: 'table' } });
    expect(told).toEqual([]);
  });

  test('is read again, and takes prices by length and time', async () => {
    const { table, write } = tableWith(null);
    const choose = await modelsWith(table);
    expect(choose('gpt-5').price).toMatchObject({ source: 'table' });
    const longer = [
      { above: 500, ...RATES },
      { above: 100, ...RATES },
    ];
    write(of({ 'gpt-5@openai': { price: { ...RATES, longer, hours: [{ from: '01:00', to: '02:00', ...RATES }] } } }));
    await table.renew();
    expect(choose('gpt-5').price).toMatchObject({
      longer: [{ above: 100 }, { above: 500 }],
      hours: [{ from: '01:00', to: '02:00' }],
    });
  });

  test.each([
    ['{', 'It is not JSON.'],
    ['{"models": {"m@e": {"price": {"input": -1, "output": 2}}}}', /^models\.m@e\.price\.input: /],
    ['{"models": {"m@e": {"window": "large"}}}', /^models\.m@e\.window: /],
    ['[]', /./],
    ['x'.repeat(2 * 1024 * 1024), 'It is larger than 1,024 KB.'],
  ])('that cannot be read is left out, and named once: %.20s', async (text, reason) => {
    const { table, told, write } = tableWith(text);
    await table.renew();
    await table.renew();
    expect(told).toEqual([expect.stringMatching(reason)]);
    expect(table.of('m', 'e')).toBeNull();
    write(of({ 'm@e': { window: 5_000 } }));
    await table.renew();
    expect(table.of('m', 'e')).toEqual({ window: 5_000 });
  });

  test('of which a row cannot be used keeps the others, and the row is named', async () => {
    const { table, told, write } = tableWith(
      of({ 'm@e': { window: 5_000 }, 'n@e': { windw: 1 }, 'o@e': { window: 'x' } }),
    );
    await table.renew();
    await table.renew();
    expect(table.of('m', 'e')).toEqual({ window: 5_000 });
    expect([table.of('n', 'e'), table.of('o', 'e')]).toEqual([null, null]);
    expect(told).toEqual([
      expect.stringMatching(/^models\.n@e: .*windw.* models\.o@e\.window: .* The other rows are used\.$/),
    ]);
    write(of({ 'n@e': { window: 1_000 } }));
    await table.renew();
    expect(table.of('n', 'e')).toEqual({ window: 1_000 });
  });

  test('that is new says what is known of the model in use, and is read as it says', async () => {
    const price = { ...RATES, currency: 'CNY', source: 'table', asOf: '2026-01-01' } as const;
    const { table, told } = tableWith(newTable('m@e', { window: 9_000, price }, '2026-11-23'));
    await table.renew();
    expect(told).toEqual([]);
    expect(table.of('m', 'e')).toEqual({
      window: 9_000,
      price: { ...price, source: 'ownTable', asOf: '2026-11-23' },
    });
  });
});
