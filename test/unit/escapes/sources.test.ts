/**
 * Everything that a folder, a server or a model can break to stop the agent, each in one line: the turn goes on to its
 * end without it. The agent is whole, its files and servers are real.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openAgentFolders } from '../../../src/host/agents/agentFolders.ts';
import { readOwnMemory } from '../../../src/host/memory/ownMemory.ts';
import { readOwnSkills } from '../../../src/host/skills/ownSkills.ts';
import { hostile, type StartedServers, startServers } from '../../support/mcp/startServers.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';
import { createTemporaryFolder, openFolder } from '../host/files/temporaryFolder.ts';

const top = createTemporaryFolder();
let count = 0;
let servers: StartedServers | null = null;
afterEach(async () => {
  await servers?.stop();
  servers = null;
});

interface Place {
  readonly folder: string;
  readonly home: string;
}

type Break = (path: string) => void;
const text =
  (content: string): Break =>
  (path) =>
    writeFileSync(path, content);
const BREAKS: Readonly<Record<string, Break>> = {
  'a link to an endless device': (path) => symlinkSync('/dev/zero', path),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  'a link to a pipe': (path) => {
    execFileSync('mkfifo', [`${path}.pipe`]);
    symlinkSync(`${path}.pipe`, path);
  },
  'a link to itself': (path) => symlinkSync(path, path),
  'a folder': (path) => mkdirSync(path),
  '200,000 brackets': text('['.repeat(200_000)),
  'brackets behind a comment': text(`// "\n{"mcpServers":${'['.repeat(100_000)}`),
  'a file of 30 MB': text('x'.repeat(30_000_000)),
};

/** `named`: the person is told of it. */
const FILES: readonly (readonly [where: keyof Place, path: string, named: boolean])[] = [
  ['folder', '.mcp.json', true],
  ['folder', '.vscode/mcp.json', true],
  ['folder', '.cursor/mcp.json', true],
  ['folder', '.roo/mcp.json', true],
  ['folder', '.kilocode/mcp.json', true],
  ['folder', '.amazonq/mcp.json', true],
  ['folder', 'AGENTS.md', false],
  ['folder', 'CLAUDE.md', false],
  ['folder', '.github/copilot-instructions.md', false],
  ['folder', '.agents/skills/one/SKILL.md', false],
  ['folder', '.claude/skills/one/SKILL.md', false],
  ['folder', '.agents/agents/one.md', false],
  ['folder', '.claude/agents/one.md', false],
  ['home', '.agents/skills/one/SKILL.md', false],
  ['home', '.agents/agents/one.md', false],
  ['home', 'memory.md', false],
];

async function open(place: Place, steps: readonly Step[], own: Record<string, object> = {}, more: object = {}) {
  const files = await openFolder(place.folder);
  servers = startServers(own, { folder: place.folder, onDisk: true });
  const model = new ScriptedModel(steps);
  const opened = await testAgent(model.choice(), {
    mcp: servers.servers,
    agents: openAgentFolders({ files: () => files, trust: () => 'trusted', home: place.home }),
    world: {
      files,
      ownSkills: () => readOwnSkills(place.home),
      ownMemory: () => readOwnMemory(join(place.home, 'memory.md')),
    },
    ...more,
  });
  const { journal } = opened.agent;
  const notes = () => journal.path().flatMap((entry) => (entry.type === 'note' ? [entry.text] : []));
  const results = () =>
    journal.context.conversation.flatMap(({ message }) => (message.role === 'tool' ? [message.text] : []));
  const send = (signal = new AbortController().signal) => opened.agent.send('go', signal);
  return { ...opened, model, notes, results, send };
}

function makePlace(): Place {
  count++;
  const place = { folder: join(top, `folder-${count}`), home: join(top, `home-${count}`) };
  for (const path of Object.values(place)) mkdirSync(path);
  return place;
}

describe.skipIf(process.platform === 'win32').each(FILES)('%s: %s', (where, path, named) => {
  test.each(Object.keys(BREAKS))('%s', async (name) => {
    const place = makePlace();
    mkdirSync(dirname(join(place[where], path)), { recursive: true });
    BREAKS[name]?.(join(place[where], path));
    const { agent, send, notes } = await open(place, [{ text: 'here' }, { text: 'again' }]);
    const id = where === 'folder' ? path : `~/${path}`;
    if (path.includes('/agents/')) await agent.chooseAgent({ id, name: 'one', strategy: '' });
    expect(await send()).toEqual({ kind: 'done' });
    expect(await send()).toEqual({ kind: 'done' });
    // Named once, with the reason.
    const about = notes().filter((note) =>
      note.startsWith(`${path} is left out, and with it the MCP servers in it: It `),
    );
    expect(about).toHaveLength(named ? 1 : 0);
  });
});

const DEEP = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
const call = (name: string, given: string): Step => ({ calls: [[name, given]] });

const TURNS: readonly { name: string; way?: string; steps: readonly Step[]; result?: RegExp; note?: RegExp }[] = [
  {
    name: 'a schema nested 5,000 levels deep',
    way: 'deepSchema',
    steps: [{ calls: [['mcp__s__look', {}]] }],
    result: /^look/u,
    note: /deep of the MCP server s is left out: its schema is nested too deeply/u,
  },
  {
    name: 'an answer nested 10,000 levels deep',
    way: 'deepAnswer',
    steps: [{ calls: [['mcp__s__look', {}]] }],
    result: /Its answer is nested more than 500 levels deep/u,
  },
  {
    name: 'a part of an answer nested 10,000 levels deep',
    way: 'deepPart',
    steps: [{ calls: [['mcp__s__look', {}]] }],
    result: /Its answer is nested more than 500 levels deep/u,
  },
  {
    name: 'arguments nested 100,000 levels deep for a tool of a server',
    way: '',
    steps: [call('mcp__s__look', DEEP)],
    result: /the arguments are nested more than 500 levels deep/u,
  },
  {
    name: 'arguments nested 100,000 levels deep for a tool of the product',
    steps: [call('read_file', DEEP)],
    result: /the arguments are nested more than 500 levels deep/u,
  },
  {
    name: 'arguments that are 100,000 brackets',
    steps: [call('read_file', '['.repeat(100_000))],
    result: /nested more than 500 levels deep/u,
  },
];

describe.skipIf(process.platform === 'win32')('servers and models', () => {
  test.each(TURNS)('$name', async ({ way, steps, result, note }) => {
    const own: Record<string, object> = way === undefined ? {} : { s: hostile(way) };
    const { send, results, notes } = await open(makePlace(), [...steps, { text: 'here' }], own);
    expect(await send()).toEqual({ kind: 'done' });
    if (result) expect(results()).toEqual([expect.stringMatching(result)]);
    if (note) expect(notes()).toEqual([expect.stringMatching(note)]);
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'an agent file with the tool %s',
    async (name) => {
      const place = makePlace();
      mkdirSync(join(place.folder, '.claude/agents'), { recursive: true });
      writeFileSync(
        join(place.folder, '.claude/agents/one.md'),
        `---\nname: one\ntools: ${name}, Read\n---\nYou are one.\n`,
      );
      const { agent, send, model } = await open(place, [{ text: 'here' }]);
      await agent.chooseAgent({ id: '.claude/agents/one.md', name: 'one', strategy: '' });
      expect(await send()).toEqual({ kind: 'done' });
      expect(model.requests[0]?.tools.map((tool) => tool.name).sort()).toEqual(['read_file', 'recall']);
    },
  );
});

describe('any source', () => {
  const never = () => new Promise<never>(() => undefined);
  const fails = () => Promise.reject(new Error('broken inside'));
  const SOURCES: readonly [string, (source: () => Promise<never>) => object][] = [
    ['the list of MCP servers', (prepare) => ({ mcp: { prepare } })],
    ['skills', (ownSkills) => ({ world: { ownSkills } })],
    ['a memory file', (ownMemory) => ({ world: { ownMemory } })],
    ['the agent of the session', (list) => ({ agents: { list } })],
    ['what waits for the session', (waiting) => ({ mailbox: { waiting } })],
  ];

  test.each(SOURCES)('%s fails: it is named once, and the turn goes on', async (_, make) => {
    const { agent, send, notes } = await open(
      makePlace(),
      [{ text: 'a' }, { text: 'b' }, { text: 'c' }],
      {},
      make(fails),
    );
    await agent.chooseAgent({ id: 'x.md', name: 'x', strategy: '' });
    for (let turn = 0; turn < 3; turn++) expect(await send()).toEqual({ kind: 'done' });
    const about = notes().filter((note) => note.includes('so this turn goes on without it: broken inside'));
    expect(about).toHaveLength(1);
  });

  test.each(SOURCES)('%s hangs: Stop ends the turn', async (_, make) => {
    const { agent, send } = await open(makePlace(), [{ text: 'a' }], {}, make(never));
    await agent.chooseAgent({ id: 'x.md', name: 'x', strategy: '' });
    const stop = new AbortController();
    const turn = send(stop.signal);
    setImmediate(() => setImmediate(() => stop.abort()));
    expect(await turn).toEqual({ kind: 'stopped' });
  });
});
