/** The manifest and the reader of the settings say the same, and nothing a repository brings along moves a key or a right. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { forModel, readCompactionSettings } from '../../../src/core/compaction/settings/compactionSettings.ts';
import type { ModelChoice } from '../../../src/core/model/modelChoice.ts';
import { limitsOf } from '../../../src/core/tools/toolSettings.ts';
import { EndpointModels } from '../../../src/host/models/endpoints/endpointModels.ts';
import { readAgentSettings } from '../../../src/node/agentSettings.ts';
import { memoryFacts } from '../../support/ports/memoryFacts.ts';
import { memorySecrets } from '../../support/ports/memorySecrets.ts';

interface Property {
  readonly default: unknown;
  readonly tags?: readonly string[];
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
    ['agent.output.days', 0],
    ['agent.output.days', '7'],
    ['agent.output.maxLines', 20.5],
    ['hooks', 'file:///etc/passwd'],
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
  const plain = [...properties].filter(([, { tags = [] }]) => !tags.includes('advanced')).map(([key]) => key);

  test('at most 110 in all, 40 of them in plain sight, and among these what a beginner is shown', () => {
    expect(properties.size).toBeLessThanOrEqual(110);
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

describe('what has no setting of its own', () => {
  const compaction = (strategy: string, values: Values) =>
    forModel(
      readCompactionSettings(
        (key) => readOf(values, key),
        () => ({}),
        strategy,
      ).settings,
      'm',
    );

  test.each([
    ['require', 'any', 'all'],
    ['safetyMargin', 500, 700],
    ['holdGrowth', 0.05, 0.2],
  ] as const)('%s is set by a rule for all models', (name, byDefault, value) => {
    expect(compaction('layered', {}).trigger[name]).toBe(byDefault);
    const rules = { 'compaction.trigger.perModel': { '*': `${name} ${value}` } };
    expect(compaction('layered', rules).trigger[name]).toBe(value);
  });

  test('the end of a result that stays is set by a rule for all tools', () => {
    const limits = (values: Values) => limitsOf(readAgent(values).output, 'run_command');
    expect(limits({})).toEqual({ maxLines: 2_000, maxBytes: 51_200 });
    expect(limits({ 'agent.output.perTool': { '*': 'direction head' } })).toMatchObject({ direction: 'head' });
  });

  test.each(['prune-then-summary', 'round-summary'])('%s keeps no reserve unless one is set', (strategy) => {
    expect(compaction(strategy, {}).trigger.reserve).toBe(0);
    expect(compaction(strategy, { 'compaction.trigger.reserve': 400 }).trigger.reserve).toBe(400);
    expect(compaction('layered', {}).trigger.reserve).toBe(2_000);
  });

  test.each(['firstByteTimeout', 'silenceTimeout'])(
    'an endpoint’s client is made anew where its %s differs',
    (name) => {
      const endpoint = { id: 'e', baseUrl: 'http://127.0.0.1:1/v1', models: ['m'] };
      let endpoints: readonly unknown[] = [endpoint];
      const models = new EndpointModels(() => readAgent({ endpoints }), memorySecrets({}), memoryFacts());
      const clientOf = () => (models.resolve('m') as ModelChoice).client;
      const first = clientOf();
      expect(clientOf()).toBe(first);
      endpoints = [{ ...endpoint, [name]: 60 }];
      expect(clientOf()).not.toBe(first);
    },
  );
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
      'palimpsest.endpoints',
      'palimpsest.hooks',
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
