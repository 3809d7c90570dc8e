/** One door for strategies in files of any language: what it opens runs in the kit, the lab, an agent and pi alike. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../../../src/cli/command.ts';
import { openStrategies } from '../../../../src/cli/strategies.ts';
import { createAgent } from '../../../../src/core/agent/createAgent.ts';
import { checkStrategy } from '../../../../src/core/compaction/conformance/kit.ts';
import { runOnce } from '../../../../src/core/compaction/conformance/testing.ts';
import { compactInPi } from '../../../../src/embedding/pi.ts';
import { memoryStorage, nodeSystem } from '../../../../src/embedding/storage.ts';
import { openStrategy } from '../../../../src/node/strategyFiles/openStrategy.ts';
import { calls, user, words } from '../../../support/compactionHarness.ts';
import { ScriptedModel } from '../../../support/ports/scriptedModel.ts';
import { lookTool } from '../../../support/turnHarness.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pal-open-')));
afterAll(() => rmSync(folder, { recursive: true }));

const has = (program: string, ...given: readonly string[]) => {
  try {
    execFileSync(program, given, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const MODULE = (types = '') => `export default {
  needs: ['settings'],
  settings: { keep: { type: 'integer', default: 1, minimum: 0 } },
  create: ({ settings }) => ({
    async compact({ history, hide }) {
      const results${types} = history.filter((message) => message.role === 'tool');
      const old = new Set(results.slice(0, Math.max(0, results.length - Number(settings().keep))));
      return history.map((message) => (old.has(message) ? hide(message) : message));
    },
  }),
};
`;
const HEADER = 'palimpsest: {"settings": {"keep": {"type": "integer", "default": 1, "minimum": 0}}}';

/** The same strategy in each language: it hides all results but the newest. */
const LANGUAGES: readonly { readonly name: string; readonly text: string; readonly there: boolean }[] = [
  { name: 'mine.js', text: MODULE(), there: true },
  { name: 'mine.mjs', text: `\uFEFF${MODULE().replaceAll('\n', '\r\n')}`, there: true },
  { name: 'mine.ts', text: MODULE(': readonly { readonly role: string }[]'), there: true },
  {
    name: 'mine.py',
    text: `#!/usr/bin/env python3
# ${HEADER}
import json, sys
context = json.load(sys.stdin)
results = [m["id"] for m in context["history"] if m["role"] == "tool"]
old = set(results[: max(0, len(results) - context["settings"]["keep"])])
messages = [{"hide": m["id"]} if m["id"] in old else m["id"] for m in context["history"]]
print(json.dumps({"type": "result", "messages": messages}), end="")
`,
    there: has('python3', '--version'),
  },
  {
    name: 'mine.pl',
    text: `#!/usr/bin/env perl
# ${HEADER}
use JSON::PP;
my $context = decode_json(scalar <STDIN>);
my @results = map { $_->{id} } grep { $_->{role} eq 'tool' } @{ $context->{history} };
splice(@results, -$context->{settings}{keep}) if $context->{settings}{keep};
my %old = map { $_ => 1 } @results;
print encode_json({ type => 'result', messages => [map { $old{$_->{id}} ? { hide => $_->{id} } : $_->{id} } @{ $context->{history} }] });
`,
    there: has('perl', '-MJSON::PP', '-e', '1'),
  },
  {
    name: 'mine.sh',
    text: `#!/bin/sh
# ${HEADER}
exec "${process.execPath}" -e '
const { history, settings } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const results = history.filter(({ role }) => role === "tool").map(({ id }) => id);
const old = new Set(results.slice(0, Math.max(0, results.length - settings.keep)));
console.log(JSON.stringify({ type: "result", messages: history.map(({ id }) => (old.has(id) ? { hide: id } : id)) }));
'
`,
    there: has('sh', '-c', 'true'),
  },
  {
    name: 'mine.tool',
    text: `#!${process.execPath}
// ${HEADER}
require('readline').createInterface({ input: process.stdin }).once('line', (line) => {
  const { history, settings } = JSON.parse(line);
  const results = history.filter(({ role }) => role === 'tool').map(({ id }) => id);
  const old = new Set(results.slice(0, Math.max(0, results.length - settings.keep)));
  process.stdout.write(JSON.stringify({ type: 'result', messages: history.map(({ id }) => (old.has(id) ? { hide: id } : id)) }) + '\\r\\n');
});
`,
    there: true,
  },
];
for (const { name, text } of LANGUAGES) writeFileSync(join(folder, name), text);
const pathOf = (name: string) => join(folder, name);
const there = LANGUAGES.filter((each) => each.there);

const read = ['read_file', 'text '.repeat(2_000)] as const;
const HISTORY = [user('first'), calls([...read]), calls([...read]), calls([...read]), user('second')].flat();
const hiddenIn = async (strategy: Parameters<typeof runOnce>[0]) => {
  const result = await runOnce(strategy, HISTORY as never, { deadlineMs: 60_000 });
  return result.kind === 'compacted' ? result.history.filter(({ hidden }) => hidden).length : result;
};

describe('openStrategy', { tags: ['K11', 'long'] }, () => {
  it.each(there)('opens $name, by its path and its address, with its defaults and others', async ({ name }) => {
    expect(await hiddenIn(await openStrategy(pathOf(name)))).toBe(2);
    expect(await hiddenIn(await openStrategy(pathToFileURL(pathOf(name)), { keep: 2 }))).toBe(1);
  });

  it.each(there)('lets the kit check $name', async ({ name }) => {
    const { broken, compactions } = await checkStrategy(await openStrategy(pathOf(name)), {
      only: 'generated 1',
      deadlineMs: 60_000,
    });
    expect(broken).toEqual([]);
    expect(compactions).toBeGreaterThan(0);
  });

  it.each(there)('is what the lab opens $name with', async ({ name }) => {
    const registry = await openStrategies([pathOf(name)]);
    expect(await hiddenIn(registry.get(pathOf(name))?.factory as never)).toBe(2);
  });

  it.each(there)('gives createAgent $name', async ({ name }) => {
    const run = async () => ({ text: words(700) });
    const prepare = async () => ({ title: '', approval: null, changes: [], run });
    const agent = await createAgent({
      model: {
        client: new ScriptedModel([
          { calls: [['look', { at: 'here' }]], usage: null },
          { calls: [['look', { at: 'there' }]], usage: null },
          { text: 'looked', usage: null },
        ]),
        model: 'test',
        window: 2_000,
      },
      tools: [{ ...lookTool, prepare }],
      system: nodeSystem(),
      ...memoryStorage(),
      compaction: { strategy: await openStrategy(pathOf(name), { keep: 0 }) },
    });
    await agent.send('look', new AbortController().signal);
    const made = [...agent.journal.ofType('compaction')];
    agent.dispose();
    expect(made.map(({ strategy }) => strategy)).toContain('embedded.agent/strategy');
  });

  it.each(there)('gives pi $name', async ({ name }) => {
    type Handler = Parameters<Parameters<ReturnType<typeof compactInPi>>[0]['on']>[1];
    const handlers: Handler[] = [];
    await compactInPi(pathToFileURL(pathOf(name)), { settings: { keep: 0 } })({
      on: (_, handler) => handlers.push(handler),
    });
    const messages = [1, 2].flatMap((nth) => [
      { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
      {
        role: 'assistant',
        content: [{ type: 'toolCall', id: `c${nth}`, name: 'read', arguments: {} }],
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
      },
      { role: 'toolResult', toolCallId: `c${nth}`, toolName: 'read', content: [{ type: 'text', text: words(700) }] },
    ]);
    const said: string[] = [];
    const returned = await handlers[0]?.(
      {
        preparation: {
          firstKeptEntryId: 'e3',
          messagesToSummarize: messages.slice(0, 3),
          turnPrefixMessages: [],
          tokensBefore: 5_000,
          settings: { reserveTokens: 1_000 },
        },
        branchEntries: messages.map((message, at) => ({ type: 'message', id: `e${at}`, message })),
        reason: 'threshold',
        signal: new AbortController().signal,
      },
      {
        model: { contextWindow: 50_000 },
        modelRegistry: {},
        ui: { notify: (text) => said.push(text) },
      },
    );
    expect(said).toEqual([]);
    expect(returned?.compaction?.summary).toContain('[Result of read]: (removed to save room');
  });

  it.each([
    ['nowhere.py', null, 'is not on the machine'],
    ['text.txt', 'hello', 'does not begin with #!'],
    ['broken.mjs', 'export default {', 'has a syntax error in line 1'],
    ['nothing.mjs', 'export const x = 1;', 'it has no default export'],
    ['needs.mjs', "export default { needs: 'llm', create: () => ({}) };", 'not a factory with needs and create'],
    ['needs.py', '#!/usr/bin/env python3\n# palimpsest: {"needs": "llm"}\n', 'needs that are no list of ports'],
  ])('says what is wrong with %s, in the kit, the lab and pi alike', async (name, text, reason) => {
    if (text !== null) writeFileSync(pathOf(name), text);
    await expect(openStrategy(pathOf(name))).rejects.toThrow(reason);
    await expect(openStrategies([pathOf(name)])).rejects.toThrow(reason);
    await expect(compactInPi(pathOf(name))({ on: () => undefined })).rejects.toThrow(reason);
    expect(await check(pathOf(name))).toMatchObject({ code: 1, errors: expect.stringContaining(reason) });
  });

  it.each([
    [{ kept: 1 }, 'has no use for the setting kept.'],
    [{ keep: -1 }, 'It must be at least 0.'],
    [{ keep: 'all' }, 'setting keep.'],
  ])('refuses values that the file cannot use: %o', async (values, reason) => {
    await expect(openStrategy(pathOf('mine.js'), values)).rejects.toThrow(reason);
  });
});

async function check(...given: readonly string[]) {
  const [printed, errors]: [string[], string[]] = [[], []];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const tell = vi.spyOn(process.stderr, 'write').mockImplementation((text) => errors.push(String(text)) > 0);
  try {
    const code = await runCommand(['check', ...given], { folder: null });
    return { code, printed: printed.join(''), errors: errors.join('') };
  } finally {
    write.mockRestore();
    tell.mockRestore();
  }
}

describe('palimpsest-lab check', { tags: ['K11', 'long'] }, () => {
  it('says what a strategy does, and ends with 0', async () => {
    const { code, printed } = await check(pathOf('mine.js'), '--set', 'mine.keep=0');
    expect(printed).toMatch(/mine\.js keeps the rules\.\n {2}compactions: [1-9]/);
    expect(code).toBe(0);
  });

  it('names what a program breaks, with the options that run the case alone, and ends with 1', async () => {
    const path = pathOf('drops.tool');
    writeFileSync(
      path,
      `#!${process.execPath}
const { history } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify({ type: 'result', messages: history.slice(history.length >> 1).map(({ id }) => id) }));
`,
    );
    const { code, printed } = await check(path, '--cases', '4', '--json', pathOf('report.json'));
    expect(code).toBe(1);
    expect(printed).toContain('The strategy breaks the rules in');
    const alone = /run it alone with (--seed 1 --only 'generated \d+')/.exec(printed)?.[1] ?? '';
    const options = [...alone.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    expect((await check(path, ...options)).printed).toContain('The strategy breaks the rules in');
  });

  it.each([
    [[], 'takes one file'],
    [['mine.js', 'other.js'], 'takes one file'],
    [['mine.js', '--set', 'keep=1'], 'expected a setting of the file, mine.name=value'],
    [['mine.js', '--set', 'mine.keep=1,2'], 'expected one value'],
    [['mine.js', '--set', 'mine.keep=-1'], 'It must be at least 0'],
    [['mine.js', '--cases', 'many'], '--cases many'],
    [['mine.js', '--only', 'case 3'], "such as 'generated 57'"],
  ])('says what is wrong with %j', async (given, reason) => {
    const [name, ...rest] = given.map((each) => (each.endsWith('.js') ? pathOf(each) : each));
    const { code, errors } = await check(...(name === undefined ? [] : [name, ...rest]));
    expect([code, errors]).toEqual([1, expect.stringContaining(reason)]);
  });
});
