/** The manifest and the reader of the settings say the same, and nothing a repository brings along moves a key or a right. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { readAgentSettings } from '../../../src/host/settings/agentSettings.ts';

interface Property {
  readonly default: unknown;
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
      'palimpsest.compaction.contributedStrategy',
      'palimpsest.compaction.summary.model',
      'palimpsest.compaction.summary.prompt',
      'palimpsest.compaction.summary.keepUserTokens',
      'palimpsest.compaction.verify.enabled',
      'palimpsest.compaction.verify.ledgerTokens',
    ]);
  });
});
