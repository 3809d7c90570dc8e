/** Settings of a person reach other machines: what they name there and is absent is said in words, and never run. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { SETTING_GROUPS, settingsOf } from '../../../scripts/manifest/describeSettings.ts';
import { ROOT } from '../../../scripts/paths.ts';
import { wordsOf } from '../../../src/core/errors.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { readOwnMemory } from '../../../src/node/instructions/ownMemory.ts';
import { StdioTransport } from '../../../src/node/mcp/transport/stdioTransport.ts';
import { createHookRunner } from '../../../src/node/shell/hookRunner.ts';
import { classifyConnectionError } from '../../../src/providers/errors/connectionError.ts';

const folder = mkdtempSync(join(tmpdir(), 'pal-machine-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const HERE = 'on the machine that this window works on';

test('settings with paths or local addresses are a person’s alone and are not synchronised', () => {
  const { configuration } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).contributes;
  const properties: Record<string, { scope: string; ignoreSync?: boolean }> = Object.assign(
    {},
    ...configuration.map((group: { properties: object }) => group.properties),
  );
  const named = ['hooks', 'endpoints', 'mcp.servers', 'compaction.strategyFiles', 'memory.userFile'];
  for (const key of named)
    expect(properties[`palimpsest.${key}`], key).toMatchObject({ scope: 'application', ignoreSync: true });
  for (const [key, { scope, ofThisMachine }] of SETTING_GROUPS.flatMap(settingsOf))
    if (ofThisMachine) expect(scope, key).toBe('application');
});

describe('a hook', () => {
  const runner = createHookRunner({ folder, environment: process.env });
  const run = (command: string) =>
    runner.run(command, { input: '', timeoutMs: 60_000 }, new AbortController().signal).then(
      ({ output }) => output,
      (thrown) => inEnglish(wordsOf(thrown)),
    );

  test.each(['/no/such/guard.sh --strict', '"/no/such/guard.sh"', '~/no-such-folder/guard.sh', 'C:\\no\\guard.exe /x'])(
    '%s does not run where its program is absent, and says so',
    async (command) => {
      const marked = `${command}; node -e "require('fs').writeFileSync('ran','')"`;
      expect(await run(marked)).toMatch(`is not ${HERE}`);
      expect(() => readFileSync(join(folder, 'ran'))).toThrow();
    },
  );

  test('runs where its program is there, or is looked up by its name', async () => {
    writeFileSync(join(folder, 'say.js'), 'console.log("said")');
    expect(await run(`"${process.execPath}" say.js`)).toBe('said\n');
    expect(await run('node say.js')).toBe('said\n');
  });
});

test.each([
  ['/no/such/server', folder, `The program /no/such/server was not found ${HERE}.`],
  [process.execPath, '/no/such/folder', `There is no folder /no/such/folder ${HERE}.`],
])('an MCP server %s in %s says what is absent', async (command, cwd, said) => {
  const transport = new StdioTransport({ command, cwd, args: [], env: {}, onLine: () => undefined, now: Date.now });
  const fault = await transport.start().then(
    () => 'started',
    (thrown) => inEnglish(wordsOf(thrown)),
  );
  expect(fault).toBe(said);
});

test.each([
  ['http://127.0.0.1:11434/v1', `Nothing answers at 127.0.0.1:11434 ${HERE}`],
  ['https://models.example/v1', 'Nothing answers at models.example (connection refused)'],
])('an address that refuses, %s, says where it was tried', (url, said) => {
  const { message } = classifyConnectionError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), url);
  expect(message.startsWith(said)).toBe(true);
});

test('a memory file of a person’s own that is absent is named, and the usual one is not', async () => {
  const left: string[] = [];
  const read = (setting: string) => readOwnMemory(setting, (origin, why) => left.push(`${origin}: ${inEnglish(why)}`));
  expect(await read('/no/such/AGENTS.md')).toBeNull();
  expect(await read('~/.agents/AGENTS.md')).toBeNull();
  expect(left).toEqual([`/no/such/AGENTS.md: It is not ${HERE}.`]);
});
