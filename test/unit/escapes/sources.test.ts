/**
 * Everything that a folder, a server or a model can break to stop the agent, each in one line: the turn goes on to its
 * end without it. The agent is whole, its files and servers are real.
 */

import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpServers } from '../../../src/core/mcp/mcpServers.ts';
import { openAgentFolders } from '../../../src/host/instructions/agentCommands.ts';
import { readOwnSkills } from '../../../src/host/instructions/skillList.ts';
import { readOwnMemory } from '../../../src/node/instructions/ownMemory.ts';
import { hostile, type StartedServers, startServers } from '../../support/mcp/startServers.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { type TestAgentOptions, testAgent } from '../../support/testAgent.ts';
import { createTemporaryFolder, openFolder } from '../node/files/temporaryFolder.ts';

/** `RegExp.escape` is not in Node 22. */
const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&');

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
  'bytes that are no text': text('{}\0---\nname: one\n---\nDo it.\n'),
};

/** Memory is any text: only what is none is left out. */
const TEXTS = ['200,000 brackets', 'brackets behind a comment'];

type Kind = 'servers' | 'memory' | 'skill' | 'agent';
const FILES: readonly (readonly [where: keyof Place, path: string, kind: Kind])[] = [
  ['folder', '.mcp.json', 'servers'],
  ['folder', '.vscode/mcp.json', 'servers'],
  ['folder', '.cursor/mcp.json', 'servers'],
  ['folder', '.roo/mcp.json', 'servers'],
  ['folder', '.kilocode/mcp.json', 'servers'],
  ['folder', '.amazonq/mcp.json', 'servers'],
  ['folder', 'AGENTS.md', 'memory'],
  ['folder', 'CLAUDE.md', 'memory'],
  ['folder', '.github/copilot-instructions.md', 'memory'],
  ['folder', '.agents/skills/one/SKILL.md', 'skill'],
  ['folder', '.claude/skills/one/SKILL.md', 'skill'],
  ['folder', '.agents/agents/one.md', 'agent'],
  ['folder', '.claude/agents/one.md', 'agent'],
  ['home', '.agents/skills/one/SKILL.md', 'skill'],
  ['home', '.agents/agents/one.md', 'agent'],
  ['home', 'memory.md', 'memory'],
];

async function open(
  place: Place,
  steps: readonly Step[],
  own: Record<string, object> = {},
  more: TestAgentOptions = {},
) {
  const files = await openFolder(place.folder);
  servers = startServers(own, { folder: place.folder, onDisk: true });
  const model = new ScriptedModel(steps);
  const { world, ...others } = more;
  const opened = await testAgent(model.choice(), {
    mcp: servers.servers,
    agents: openAgentFolders(
      () => files,
      () => 'trusted',
      place.home,
    ),
    world: {
      files,
      ownSkills: (reportSkipped) => readOwnSkills(place.home, null, reportSkipped),
      ownMemory: async (reportSkipped) => {
        const path = join(place.home, 'memory.md');
        return lstatSync(path, { throwIfNoEntry: false }) ? readOwnMemory(path, reportSkipped) : null;
      },
      ...world,
    },
    ...others,
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

describe.skipIf(process.platform === 'win32').each(FILES)('%s: %s', { tags: ['long'] }, (where, path, kind) => {
  test.each(Object.keys(BREAKS))('%s', async (name) => {
    const place = makePlace();
    mkdirSync(dirname(join(place[where], path)), { recursive: true });
    BREAKS[name]?.(join(place[where], path));
    const { agent, send, notes } = await open(place, [{ text: 'here' }, { text: 'again' }]);
    const id = where === 'folder' ? path : `~/${path}`;
    // With an agent of its own, and without.
    if (path === '.claude/agents/one.md') await agent.chooseAgent({ id, name: 'one', strategy: '' });
    expect(await send()).toEqual({ kind: 'done' });
    // Named once, with the reason, in the turn that goes on without it.
    const named = new RegExp(
      {
        servers: `^${literally(path)} is left out, and with it the MCP servers in it: It `,
        memory: `${literally(where === 'home' ? join(place.home, path) : path)} cannot be read, so this turn goes on without it: .`,
        skill: `^(?:${literally(id)} cannot be read, so this turn|The skill ${literally(id)} is left out: it )`,
        agent: `^${literally(id)} cannot be read, so this turn goes on without it: .`,
      }[kind],
      'u',
    );
    const expected = kind === 'memory' && TEXTS.includes(name) ? 0 : 1;
    const about = () => notes().filter((note) => named.test(note));
    expect(about()).toHaveLength(expected);
    expect(await send()).toEqual({ kind: 'done' });
    expect(about()).toHaveLength(expected);
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
  const SOURCES: readonly [string, (source: () => Promise<never>) => TestAgentOptions][] = [
    ['the list of MCP servers', (prepare) => ({ mcp: { prepare } as unknown as McpServers })],
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
    expect(await turn).toEqual({ kind: 'stopped', by: 'program' });
  });

  const isAbortOfItsOwn = () => Promise.reject(new DOMException('gave up', 'AbortError'));
  const WAYS: readonly [string, () => Promise<never>][] = [
    ['fails', fails],
    ['breaks off by itself', isAbortOfItsOwn],
  ];
  const git = (changes: () => Promise<never>) => ({ mentions: {}, world: { git: { changes } } });
  const hooks = (run: () => Promise<never>): TestAgentOptions => ({
    world: { hooks: { run } },
    hooks: [{ on: 'beforeTurn', command: 'check', tools: [], onFailure: 'continue', timeout: 60 }],
  });

  test.each(WAYS)('a mention that %s is named to the person and the model', async (_, way) => {
    const { agent, notes, model } = await open(makePlace(), [{ text: 'a' }], {}, git(way));
    expect(await agent.send('see @changes', new AbortController().signal)).toEqual({ kind: 'done' });
    expect(notes()).toEqual([expect.stringMatching(/^@changes could not be read\. ?(?:broken inside|gave up)$/u)]);
    expect(JSON.stringify(model.requests[0])).toMatch(/It could not be read: (?:broken inside|gave up)/u);
  });

  test.each(WAYS)('a hook that %s does not end the turn', async (_, way) => {
    const { send, notes } = await open(makePlace(), [{ text: 'a' }], {}, hooks(way));
    expect(await send()).toEqual({ kind: 'done' });
    expect(notes()).toEqual([expect.stringMatching(/failed: (?:broken inside|gave up)\. ?Work continued without it/u)]);
  });

  test('what a mention is looked up by fails: the turn goes on', async () => {
    const mentions = {
      get mcp(): never {
        throw new Error('broken inside');
      },
    };
    const { agent, notes } = await open(makePlace(), [{ text: 'a' }], {}, { mentions });
    expect(await agent.send('/s:p', new AbortController().signal)).toEqual({ kind: 'done' });
    expect(notes()).toEqual([
      'The content mentioned in the message cannot be read, so this turn goes on without it: broken inside',
    ]);
  });

  test('a mention hangs: Stop ends the turn', async () => {
    const { agent } = await open(makePlace(), [{ text: 'a' }], {}, git(never));
    const stop = new AbortController();
    const turn = agent.send('see @changes', stop.signal);
    setImmediate(() => setImmediate(() => stop.abort()));
    expect(await turn).toEqual({ kind: 'stopped', by: 'program' });
  });
});
