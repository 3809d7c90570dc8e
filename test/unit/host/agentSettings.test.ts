/** The manifest and the reader of the settings say the same, and nothing a repository brings along moves a key or a right. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { forModel, readCompactionSettings } from '../../../src/core/compaction/settings/compactionSettings.ts';
import { limitsOf } from '../../../src/core/tools/toolSettings.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { EndpointModels } from '../../../src/host/models/endpoints/endpointModels.ts';
import { readAgentSettings } from '../../../src/node/agentSettings.ts';
import { listEndpoints } from '../../../src/node/models/endpointConfig.ts';
import { memoryFacts } from '../../support/ports/memoryFacts.ts';
import { memorySecrets } from '../../support/ports/memorySecrets.ts';

interface Property {
  readonly default: unknown;
  readonly tags?: readonly string[];
  readonly markdownDeprecationMessage?: string;
  readonly scope?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const properties = new Map<string, Property>(
  manifest.contributes.configuration.flatMap((group: { readonly properties: Readonly<Record<string, Property>> }) =>
    Object.entries(group.properties),
  ),
);
type Values = Readonly<Record<string, unknown>>;
const readOf = (values: Values, key: string) => ({ value: values[key], explicit: key in values });
const readAgent = (values: Values) => readAgentSettings((key) => readOf(values, key)).settings;
const nothing = () => ({ value: undefined, explicit: false });

describe('settings of the model and the agent', () => {
  test('the defaults are those of the manifest', () => {
    const { settings, problems } = readAgentSettings((key) => ({
      value: properties.get(`palimpsest.${key}`)?.default,
      explicit: false,
    }));
    expect(problems).toEqual([]);
    // With no value at all, each falls back: to the same.
    expect(readAgentSettings(nothing).settings).toEqual(settings);
  });

  test.each([
    ['endpoint.firstByteTimeout', 0],
    ['endpoint.firstByteTimeout', '120'],
    ['endpoint.silenceTimeout', 1.5],
    ['endpoint.baseUrl', 'file:///etc/passwd'],
    ['agent.stepLimit', -1],
  ])('%s cannot be %j: it is named, and the default is in force', (name, value) => {
    const read = (key: string) => ({
      value: key === name ? value : properties.get(`palimpsest.${key}`)?.default,
      explicit: key === name,
    });
    const { settings, problems } = readAgentSettings(read);
    expect(problems.map(({ key }) => key)).toEqual([`palimpsest.${name}`]);
    expect(settings).toEqual(readAgentSettings(nothing).settings);
  });
});

describe('ranges', () => {
  const ranged = [...properties].filter(
    ([key, { minimum }]) => minimum !== undefined && !key.startsWith('palimpsest.compaction.'),
  );

  test.each(ranged)(
    '%s has the same ends in the Settings editor and for its reader',
    (key, { minimum = 0, maximum = NaN }) => {
      const refuses = (value: number) =>
        readAgentSettings((name) => ({
          value: `palimpsest.${name}` === key ? value : undefined,
          explicit: true,
        })).problems.some((problem) => problem.key === key);
      expect([minimum - 1, minimum, maximum, maximum + 1].map(refuses)).toEqual([true, false, false, true]);
    },
  );
});

describe('how many there are', () => {
  const current = [...properties].filter(([, { markdownDeprecationMessage: instead }]) => instead === undefined);
  const plain = current.filter(([, { tags = [] }]) => !tags.includes('advanced')).map(([key]) => key);

  test('at most 100 in all, 40 of them in plain sight, and among these what a beginner is shown', () => {
    expect(current.length).toBeLessThanOrEqual(100);
    expect(plain.length).toBeLessThanOrEqual(40);
    const [first] = manifest.contributes.configuration;
    const shown = [...Object.keys(first.properties), ...namedIn('README.md'), ...namedIn('package.nls.json')];
    expect(shown.filter((key) => properties.has(key) && !plain.includes(key))).toEqual([]);
  });

  test('Start Here is the first group', () => {
    expect(english[manifest.contributes.configuration[0].title.replaceAll('%', '')]).toBe('Start Here');
  });
});

const english = JSON.parse(readFileSync(join(ROOT, 'package.nls.json'), 'utf8'));

/** Settings that the page, or the walkthrough of the manifest, names. */
function namedIn(path: string): string[] {
  const text = path.endsWith('.md')
    ? readFileSync(join(ROOT, path), 'utf8')
    : JSON.stringify(Object.entries(english).filter(([key]) => key.startsWith('walkthrough')));
  return [...text.matchAll(/palimpsest\.[\w.]*\w/g)].map(([name]) => name);
}

describe('an earlier setting', () => {
  const ENDPOINT = { id: 'e', baseUrl: 'https://e.example/v1', models: ['m'] };
  const modelsWith = async (settings: () => Values) => {
    const secrets = memorySecrets({ 'https://e.example': 'k' });
    const models = new EndpointModels(() => readAgent(settings()), secrets, memoryFacts());
    await models.load();
    return () => {
      const choice = models.resolve('m');
      if ('problem' in choice) throw new Error(inEnglish(choice.problem));
      return choice;
    };
  };
  /** A client is made anew where its time limits differ. */
  const isMadeAnew = async (values: Values) => {
    let given: Values = { endpoints: values.endpoints ?? [ENDPOINT] };
    const resolve = await modelsWith(() => given);
    const { client } = resolve();
    given = { ...given, ...values };
    return resolve().client !== client;
  };
  const limits = (values: Values) => {
    const { maxBytes, ...limit } = limitsOf(readAgent(values).output, 'run_command');
    return limit;
  };
  const compaction = (strategy: string, values: Values) =>
    forModel(
      readCompactionSettings(
        (key) => readOf(values, key),
        () => ({}),
        strategy,
      ).settings,
      'm',
    );
  const reserve = (strategy: string) => (values: Values) => compaction(strategy, values).trigger.reserve;

  /** By key: a value, what is in force with it, and what in force means; then what the new place makes of both. */
  const EARLIER: Readonly<Record<string, readonly [unknown, unknown, (values: Values) => unknown, Values?, unknown?]>> =
    {
      'endpoint.baseUrl': [
        'https://old.example/v1',
        ['https://old.example/v1', 'https://e.example/v1'],
        (values) => listEndpoints(readAgent({ endpoints: [ENDPOINT], ...values })).map(({ baseUrl }) => baseUrl),
      ],
      'endpoint.models': [
        ['one', 'two'],
        ['one', 'two'],
        (values) =>
          listEndpoints(readAgent({ 'endpoint.baseUrl': 'https://old.example/v1', ...values }))[0]?.models.map(
            ({ name }) => name,
          ),
      ],
      maxOutputTokens: [
        900,
        900,
        async (values) => (await modelsWith(() => ({ endpoints: [ENDPOINT], ...values })))().maxOutputTokens,
        { endpoints: [{ ...ENDPOINT, models: [{ name: 'm', maxOutputTokens: 500 }] }] },
        500,
      ],
      ...Object.fromEntries(
        ['firstByteTimeout', 'silenceTimeout'].map((name) => [
          `endpoint.${name}`,
          [300, true, isMadeAnew, { endpoints: [{ ...ENDPOINT, [name]: 60 }] }, false],
        ]),
      ),
      'demo.contextWindow': [9_000, 9_000, (values) => readAgent(values)['demo.contextWindow']],
      'agent.dmailLimit': [7, 7, (values) => readAgent(values).agent.dmailLimit],
      'mcp.callTimeout': [7, 7, (values) => readAgent(values).mcp.callTimeout],
      'agent.output.direction': [
        'tail',
        { maxLines: 2_000, direction: 'tail' },
        limits,
        { 'agent.output.perTool': { '*': 'direction head' } },
        { maxLines: 2_000, direction: 'head' },
      ],
      'compaction.emitMetaEvents': [true, true, (values) => compaction('layered', values).emitMetaEvents],
      'compaction.coolDown.minutes': [9, 9, (values) => compaction('layered', values).coolDown.minutes],
      'compaction.maxRecoveries': [5, 5, (values) => compaction('layered', values).maxRecoveries],
      'compaction.offload.previewTokens': [9, 9, (values) => compaction('layered', values).offload.previewTokens],
      ...Object.fromEntries(
        (
          [
            ['require', 'all', 'any'],
            ['safetyMargin', 700, 600],
            ['holdGrowth', 0.2, 0.1],
          ] as const
        ).map(([name, old, now]) => [
          `compaction.trigger.${name}`,
          [
            old,
            old,
            (values: Values) => compaction('layered', values).trigger[name],
            { 'compaction.trigger.perModel': { '*': `${name} ${now}` } },
            now,
          ],
        ]),
      ),
      'compaction.pruneThenSummary.triggerReserve': [
        300,
        300,
        reserve('prune-then-summary'),
        { 'compaction.trigger.reserve': 400 },
        400,
      ],
      'compaction.roundSummary.triggerReserve': [
        300,
        300,
        reserve('round-summary'),
        { 'compaction.trigger.reserve': 400 },
        400,
      ],
      'compaction.hidingThenSummary.preserveRecentMessages': [
        4,
        4,
        (values) => compaction('hiding-then-summary', values).section.preserveRecentMessages,
      ],
    };

  const deprecated = [...properties].flatMap(([key, { markdownDeprecationMessage: text }]) =>
    text === undefined ? [] : [[key, english[text.replaceAll('%', '')] as string] as const],
  );

  test('is each of these', () => {
    expect(deprecated.map(([key]) => key).sort()).toEqual(
      Object.keys(EARLIER)
        .map((key) => `palimpsest.${key}`)
        .sort(),
    );
  });

  test.each(Object.entries(EARLIER))('%s still works, unless the new one is set', async (key, row) => {
    const [value, expected, inForce, replaced, now] = row;
    const before = await inForce({});
    expect(before).not.toEqual(expected);
    expect(await inForce({ [key]: value })).toEqual(expected);
    if (replaced) expect(await inForce({ [key]: value, ...replaced })).toEqual(now);
  });

  test.each(deprecated)('%s says what to use instead', (_key, said) => {
    const [, instead] = /#(palimpsest\.[\w.]+)#/.exec(said) ?? [];
    const place = properties.get(instead ?? '');
    const nothing = said.includes('nothing takes the place of this setting');
    expect(nothing || (place !== undefined && place.markdownDeprecationMessage === undefined)).toBe(true);
  });
});

describe('what a workspace may set', () => {
  test('every setting has a scope, and none that a workspace overrides by the back door', () => {
    const scopes = [...properties].filter(([, { scope }]) => scope !== 'window' && scope !== 'application');
    expect(scopes).toEqual([]);
  });

  test('where requests and the key go, which files are kept how long, and what may act by itself or be handed on is the person’s alone', () => {
    const theirs = [...properties].filter(([, { scope }]) => scope === 'application').map(([key]) => key);
    expect(theirs.sort()).toEqual([
      'palimpsest.agent.commandVariables',
      'palimpsest.agent.dmail',
      'palimpsest.agent.dmailRestoresFiles',
      'palimpsest.agent.shell',
      'palimpsest.checkpoints.days',
      'palimpsest.checkpoints.enabled',
      'palimpsest.checkpoints.quota',
      'palimpsest.compaction.fileSettings',
      'palimpsest.compaction.strategyFiles',
      'palimpsest.endpoint.baseUrl',
      'palimpsest.endpoint.firstByteTimeout',
      'palimpsest.endpoint.models',
      'palimpsest.endpoint.silenceTimeout',
      'palimpsest.endpoints',
      'palimpsest.hooks',
      'palimpsest.mcp.callTimeout',
      'palimpsest.mcp.filesOfFolder',
      'palimpsest.mcp.servers',
      'palimpsest.memory.standingOrders',
      'palimpsest.memory.userFile',
      'palimpsest.sessions.folder',
    ]);
  });

  test('without trust a workspace chooses neither model nor strategy nor prompt nor how often is asked nor what survives', () => {
    expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toEqual([
      'palimpsest.model',
      'palimpsest.contextWindow',
      'palimpsest.maxOutputTokens',
      'palimpsest.effort',
      'palimpsest.agent.stepLimit',
      'palimpsest.agent.costLimit',
      'palimpsest.agent.budgets',
      'palimpsest.compaction.contributedStrategy',
      'palimpsest.compaction.summary.model',
      'palimpsest.compaction.summary.prompt',
      'palimpsest.compaction.summary.keepUserTokens',
      'palimpsest.compaction.verify.enabled',
      'palimpsest.compaction.verify.ledgerTokens',
    ]);
  });
});
