/**
 * Scenarios of what providers do, each through a whole turn of the product: how it ends, what the person reads, how long
 * each retry waits, and the requests byte for byte, all as written in `goldens`. After a change that means to change
 * them, `WRITE_GOLDENS=1` writes them again, one line a scenario; look at what changed.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { OVERFLOWS } from './overflows.ts';
import { REFUSALS } from './refusals.ts';
import { RESPONSES } from './responses.ts';
import { type Played, play } from './runScenario.ts';
import type { Scenario } from './scenario.ts';
import { STREAMS } from './streams.ts';
import { TOOL_CALLS } from './toolCalls.ts';

const GROUPS: Readonly<Record<string, readonly Scenario[]>> = {
  refusals: REFUSALS,
  overflows: OVERFLOWS,
  streams: STREAMS,
  toolCalls: TOOL_CALLS,
  responses: RESPONSES,
};
const fileOf = (group: string) => new URL(`goldens/${group}.json`, import.meta.url);
const writes = process.env.WRITE_GOLDENS === '1';

describe.each(Object.entries(GROUPS))('%s', (group, scenarios) => {
  const goldens = writes ? {} : (JSON.parse(readFileSync(fileOf(group), 'utf8')) as Record<string, Played>);
  afterAll(() => {
    if (!writes) return;
    const lines = Object.entries(goldens).map(
      ([name, played]) => `  ${JSON.stringify(name)}: ${JSON.stringify(played)}`,
    );
    writeFileSync(fileOf(group), `{\n${lines.join(',\n')}\n}\n`);
  });

  test.each(scenarios)('$name', async (scenario) => {
    const played = await play(scenario);
    if (writes) goldens[scenario.name] = played;
    else expect(played).toEqual(goldens[scenario.name]);
  });

  test('each has one golden, and no golden is left over', () => {
    expect(Object.keys(goldens).toSorted()).toEqual(scenarios.map(({ name }) => name).toSorted());
  });
});

test('there are at least 60', () => {
  expect(Object.values(GROUPS).flat().length).toBeGreaterThanOrEqual(60);
});
