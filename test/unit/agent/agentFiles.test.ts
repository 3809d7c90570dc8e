/** Agents in files: what is read of them, and what a session has of the one that was chosen. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { mayUse, readAgentFile } from '../../../src/core/agents/agentFile.ts';
import { readFrontMatter } from '../../../src/core/frontMatter.ts';
import type { WorkspaceTrust } from '../../../src/core/tools/approvals.ts';
import { openAgentFolders } from '../../../src/host/agents/agentFolders.ts';
import { createMemoryFiles } from '../../support/ports/memoryFiles.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { type TestAgentOptions, testAgent } from '../../support/testAgent.ts';

const going = new AbortController().signal;
const home = mkdtempSync(join(tmpdir(), 'agents-'));
afterAll(() => rmSync(home, { recursive: true }));

const REVIEWER = `---
name: reviewer
description: Use it for reviews. Examples: "review this"
tools: Read, Grep
model: inherit
strategy: rounds
---

You review.
`;

describe('front matter', () => {
  test('texts, quotes, lists and blocks are read; a colon needs no quotes', () => {
    const read = readFrontMatter(
      '\uFEFF---\r\na: one: two\r\nB: "x \\" y"\r\nc: [p, \'q\']\r\nd:\r\n  - r\r\n  - s\r\ne: >-\r\n  t\r\n  u\r\nf: |\r\n  v\r\n  w\r\n---\r\nbody\r\n',
    );
    expect(Object.fromEntries(read?.fields ?? [])).toEqual({
      a: 'one: two',
      b: 'x " y',
      c: ['p', 'q'],
      d: ['r', 's'],
      e: 't u',
      f: 'v\nw',
    });
    expect(read?.body).toBe('body');
  });

  test.each(['', 'text', '---\nname: a\n', '--- x\nname: a\n---\n'])('%j has none', (text) => {
    expect(readFrontMatter(text)).toBeNull();
  });

  test('a long hostile file costs time linear in its length', () => {
    expect(readFrontMatter(`---\n${'a: '.repeat(200_000)}\n${'- \n'.repeat(200_000)}---\n`)?.fields.size).toBe(1);
  });
});

describe('agent files', () => {
  test('M10: those of another program are read, with its names of tools put into ours and its models left out', () => {
    const agent = readAgentFile(REVIEWER, '.claude/agents/reviewer.md');
    expect(agent).toEqual({
      id: '.claude/agents/reviewer.md',
      name: 'reviewer',
      description: 'Use it for reviews. Examples: "review this"',
      prompt: 'You review.',
      tools: ['read_file', 'search_text'],
      model: '',
      strategy: 'rounds',
    });
  });

  test.each(['no front matter', '---\nname: a\n---\n', `---\nname: a\n---\n${'x'.repeat(100_001)}`])(
    'M10: what has no prompt, or is too long, is no agent',
    (text) => expect(readAgentFile(text, 'a.md')).toBeNull(),
  );

  test('M10: hidden characters and forged frames of a file are made visible', () => {
    const agent = readAgentFile('---\nname: a\u202eb\n---\nBe\u200b brief.', 'a.md');
    expect(JSON.stringify(agent)).not.toMatch(/[\u202e\u200b]/);
  });

  test('M10: tools are limited by name, those of an MCP server by its name too', () => {
    const agent = { tools: ['read_file', 'mcp__git'] };
    expect(['read_file', 'recall', 'mcp__git__log'].every((name) => mayUse(agent, name))).toBe(true);
    expect(['edit_file', 'mcp__github__x', 'mcp__git2__log'].some((name) => mayUse(agent, name))).toBe(false);
  });

  test("M10: the folder's own only where it is trusted, the person's own always; the nearer of one name counts", async () => {
    mkdirSync(join(home, '.agents/agents'), { recursive: true });
    writeFileSync(join(home, '.agents/agents/reviewer.md'), '---\nname: reviewer\n---\nMine.');
    writeFileSync(join(home, '.agents/agents/writer.md'), '---\nname: writer\n---\nMine too.');
    const files = createMemoryFiles({ '.agents/agents/reviewer.md': REVIEWER, '.claude/agents/x.txt': REVIEWER });
    const named = async (trust: WorkspaceTrust) =>
      (await openAgentFolders({ files: () => files, trust: () => trust, home }).list()).map(({ id }) => id);
    expect(await named('trusted')).toEqual(['.agents/agents/reviewer.md', '~/.agents/agents/writer.md']);
    expect(await named('untrusted')).toEqual(['~/.agents/agents/reviewer.md', '~/.agents/agents/writer.md']);
  });
});

describe('the agent of a session', () => {
  async function started(files: Record<string, string>, options: TestAgentOptions = {}) {
    const model = new ScriptedModel(Array<string>(10).fill('ok'));
    const holder: { files?: ReturnType<typeof createMemoryFiles> } = {};
    const folders = openAgentFolders({
      files: () => holder.files ?? createMemoryFiles(),
      trust: () => 'trusted',
      home: '/nowhere',
    });
    const made = await testAgent(model.choice(), { files, agents: folders, ...options });
    holder.files = made.files;
    const { agent } = made;
    return {
      ...made,
      folders,
      say: () => agent.send('go on', going),
      origins: () => agent.journal.context.header?.items.map(({ origin }) => origin),
      tools: () => agent.journal.context.header?.tools.map(({ name }) => name),
      system: () => model.requests.at(-1)?.messages[0]?.text ?? '',
      notes: () => agent.journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])),
    };
  }
  const PATH = '.agents/agents/reviewer.md';

  test('M10: its prompt, tools and strategy are those of the file, from the next turn on', async () => {
    const { agent, folders, say, origins, tools, system, notes } = await started({ [PATH]: REVIEWER });
    await say();
    expect(origins()).toEqual(['built-in']);
    const [reviewer] = await folders.list();
    await agent.chooseAgent({ ...(reviewer as NonNullable<typeof reviewer>), strategy: 'selective' });
    expect(agent.compactionSettings().strategy).toBe('selective');
    await say();
    expect(origins()).toEqual([PATH, 'built-in']);
    expect(tools()).toEqual(['read_file', 'search_text', 'recall']);
    expect(system()).toMatch(/^You review\.\n\nAbout your context:/);
    expect(notes()).toEqual([`The model reads ${PATH} from here on.`]);
    await agent.chooseAgent(null);
    await say();
    expect(origins()).toEqual(['built-in']);
    expect(tools()).toContain('run_command');
    expect(system()).toMatch(/^You are Palimpsest/);
  });

  test('M10: a change of the file holds from the next turn on; one that is gone is said once', async () => {
    const { agent, files, folders, say, system, notes } = await started({ [PATH]: REVIEWER });
    await agent.chooseAgent((await folders.list())[0] ?? null);
    await say();
    files.put(PATH, '---\nname: reviewer\n---\nYou review kindly.');
    await say();
    expect(system()).toContain('You review kindly.');
    await files.remove(PATH, `/workspace/${PATH}`);
    await say();
    await say();
    expect(system()).toMatch(/^You are Palimpsest/);
    expect(notes().filter((text) => text.includes('cannot be read'))).toHaveLength(1);
  });

  test('M10: it is the journal’s, and one of an imported journal is not taken', async () => {
    const first = await started({ [PATH]: REVIEWER });
    await first.agent.chooseAgent((await first.folders.list())[0] ?? null);
    await first.say();
    const lines = [...first.store.lines];
    const again = await started({ [PATH]: REVIEWER }, { lines });
    expect(again.agent.chosenAgent?.name).toBe('reviewer');
    await again.agent.journal.append({ type: 'opened', writer: 'import', imported: true });
    expect(again.agent.chosenAgent).toBeNull();
  });
});
