/** Agents in files: what is read of them, and what a session has of the one that was chosen. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readAgentFile } from '../../../src/core/agent/parts/agentFile.ts';
import { mayUse } from '../../../src/core/agent/parts/agentTools.ts';
import { readFrontMatter, readSwitch } from '../../../src/core/frontMatter.ts';
import type { WorkspaceTrust } from '../../../src/core/tools/approvals.ts';
import { BUILT_IN_TOOLS } from '../../../src/core/tools/toolList.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { openAgentFolders } from '../../../src/host/instructions/agentCommands.ts';
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
  test('texts, quotes, lists and blocks are read; a colon needs no quotes', async () => {
    const read = await readFrontMatter(
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

  test.each(['', 'text', '---\nname: a\n', '--- x\nname: a\n---\n'])('%j has none', async (text) => {
    expect(await readFrontMatter(text)).toBeNull();
  });

  test.each([
    ['a comment after a value', 'a: x # why', 'x'],
    ['a # inside a value', 'a: x#y', 'x#y'],
    ['a list of one line, with a comma inside a text', "a: ['p, q', r]", ['p, q', 'r']],
    ['a list that is indented no deeper', 'a:\n- p\n- q', ['p', 'q']],
    ['a table', 'a:\n  p: no\n  "*": yes', new Map([['p', 'no'] as const, ['*', 'yes'] as const])],
    ['no value', 'a:', null],
    ['the empty text', 'a: ""', ''],
    ['an empty list', 'a: []', []],
    ['an alias, which YAML would look up', 'b: &x 1\na: *x', '*x'],
    ['a quote inside a quoted text', "a: 'it's'", "it's"],
    ['a field beside one that is no YAML', 'b: @x: y\na: [p]', ['p']],
    ['a tag', 'a: !!js/function "x"', 'x'],
    ['names of what every object has', '__proto__: {a: b}\nconstructor: x\na: y', 'y'],
    ['more levels than are read', `a: ${'['.repeat(21)}${']'.repeat(21)}`, `${'['.repeat(21)}${']'.repeat(21)}`],
  ])('%s', async (_, block, value) => {
    expect((await readFrontMatter(`---\n${block}\n---\n`))?.fields.get('a')).toEqual(value);
  });

  test.each(['\n\n', '# Licence: MIT\n\n', '<!-- made by\na tool -->\n'])('%j may stand above it', async (above) => {
    expect((await readFrontMatter(`${above}---\na: b\n---\nbody`))?.body).toBe('body');
  });

  test('yes and on are true, no and off are false', () => {
    expect(['yes', 'On', 'TRUE', 'y'].map(readSwitch)).toEqual([true, true, true, true]);
    expect(['no', 'off', 'False', 'n'].map(readSwitch)).toEqual([false, false, false, false]);
    expect(['', 'maybe', null, [], undefined].map(readSwitch)).toEqual([null, null, null, null, null]);
  });

  test.each(['[', '- ', '{a: ', '? ', '&x ', 'a: [\n', 'a: \n'])(
    '%j 100,000 times is bounded and throws nothing',
    { tags: ['long'] },
    async (part) => {
      for (const begin of ['', 'z: ']) {
        const text = `---\n${begin}${part.repeat(100_000)}\n---\nbody`;
        expect((await readFrontMatter(text))?.body).toBe('body');
        expect((await readFrontMatter(text.slice(0, 15_000).concat('\n---\nbody')))?.body).toBe('body');
      }
    },
  );

  test('a long hostile file costs time linear in its length', async () => {
    const read = await readFrontMatter(`---\n${'a: '.repeat(200_000)}\n${'- \n'.repeat(200_000)}---\n`);
    expect(read?.fields.size).toBe(1);
  });
});

describe('agent files', () => {
  test('those of another program are read, with its names of tools put into ours and its models left out', {
    tags: ['M10'],
  }, async () => {
    const agent = await readAgentFile(REVIEWER, '.claude/agents/reviewer.md');
    expect(agent).toEqual({
      id: '.claude/agents/reviewer.md',
      name: 'reviewer',
      description: 'Use it for reviews. Examples: "review this"',
      prompt: 'You review.',
      tools: ['read_file', 'search_text'],
      withheld: [],
      model: '',
      strategy: 'rounds',
      remarks: [],
    });
  });

  const NAMES = BUILT_IN_TOOLS.map(({ name }) => name);
  const limitsOf = async (front: string) => {
    const agent = await readAgentFile(`---\nname: a\n${front}\n---\nYou help.`, 'a.md');
    if (!agent) throw new Error('It is no agent');
    return { ...agent, said: agent.remarks.map(inEnglish), has: NAMES.filter((name) => mayUse(agent, name)) };
  };
  const ALL: readonly string[] = NAMES;
  const without = (...names: string[]) => ALL.filter((name) => !names.includes(name));
  const REMOVAL = ['move_file', 'delete_file'];
  const RUN = ['run_command', 'read_output', 'stop_command'];

  test.each<[string, string, readonly string[]]>([
    ['no such line', 'model: inherit', ALL],
    ['no value', 'tools:', ALL],
    ['all', 'tools: "*"', ALL],
    ['an empty list', 'tools: []', ['recall']],
    ['a name that every object has', 'tools: constructor', ['recall']],
    ['Claude Code: what is disallowed', 'disallowedTools: Bash, WebFetch', without(...RUN, 'fetch_url')],
    ['a list of it', 'disallowedTools: [Write, Edit]', without('write_file', 'edit_file', ...REMOVAL)],
    ['it goes before what is allowed', 'tools: Read, Bash\ndisallowedTools: Bash', ['read_file', 'recall']],
    ['everything disallowed', 'disallowedTools: "*"', ['recall']],
    ['recall by its name', 'tools: Read, recall\ndisallowedTools: recall', ['read_file']],
    ['OpenCode: tools switched off', 'tools: {write: false, bash: no}', without('write_file', ...REMOVAL, ...RUN)],
    [
      'only what is switched on',
      'tools:\n  "*": off\n  read: true\n  grep: on',
      ['read_file', 'search_text', 'recall'],
    ],
    [
      'what it may not',
      'permission: {edit: deny, bash: {"*": deny}}',
      without('edit_file', 'write_file', ...REMOVAL, ...RUN),
    ],
    ['nothing', 'permission: deny', ['recall']],
    [
      'Copilot: its aliases',
      "tools: ['read', 'search', 'edit', 'todo', 'agent', 'web']",
      ALL.filter((name) =>
        'read_file list_files search_text edit_file write_file write_todos find_files fetch_url recall task'
          .split(' ')
          .includes(name),
      ),
    ],
    [
      'those of the editor',
      "tools: ['search/codebase', 'edit/editFiles', 'execute/runInTerminal', 'problems', 'usages', 'changes']",
      ALL.filter((name) =>
        [
          ...'list_files search_text edit_file write_file read_problems find_references git_changes find_files recall'.split(
            ' ',
          ),
          ...RUN,
        ].includes(name),
      ),
    ],
    [
      'Gemini CLI',
      'tools:\n  - read_file\n  - grep_search\n  - replace\n  - run_shell_command\n  - list_directory',
      ALL.filter((name) => ['read_file', 'list_files', 'search_text', 'edit_file', ...RUN, 'recall'].includes(name)),
    ],
  ])('tools: %s', { tags: ['M10'] }, async (_, front, has) => {
    expect((await limitsOf(front)).has).toEqual(has);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['mcp__git, mcp__db__read', ['mcp__git__log', 'mcp__db__read'], ['mcp__db__write', 'mcp__github__x', 'read_file']],
    ['mcp__git__*', ['mcp__git__log'], ['mcp__db__read']],
    ['mcp__*', ['mcp__git__log', 'mcp__db__read'], ['read_file']],
    ['["edit/*", "git/*"]', ['edit_file', 'write_file', 'mcp__git__log'], ['read_file']],
    ['"mcp_*"', ['mcp__git__log', 'mcp__db__read'], ['read_file']],
    ['[mcp_git_*, mcp_db_read]', ['mcp__git__log', 'mcp__db__read'], ['mcp__db__write']],
    [
      "['git/*', 'db/read', 'me/pw-mcp/*']",
      ['mcp__git__log', 'mcp__db__read', 'mcp__me_pw-mcp__go'],
      ['mcp__db__write'],
    ],
    ['{"*": false, "git_*": true}', ['mcp__git__log'], ['mcp__db__read', 'read_file']],
  ])('tools of servers as other programs name them: %s', { tags: ['M10'] }, async (tools, may, mayNot) => {
    const agent = await limitsOf(`tools: ${tools}`);
    expect(may.filter((name) => !mayUse(agent, name))).toEqual([]);
    expect(mayNot.filter((name) => mayUse(agent, name))).toEqual([]);
    expect(agent.said).toEqual([]);
  });

  test.each([
    [
      'tools: Read, WebSearch, Frob',
      'a.md names tools that do not exist here: WebSearch, Frob. Its tools are: read_file.',
    ],
    ['tools: toString', 'a.md names tools that do not exist here: toString. Its tools are: none.'],
    ['disallowedTools: Frob', 'a.md names tools that do not exist here: Frob. Its tools are: all.'],
    [
      'tools: Read, Bash(git add:*, git log:*)',
      'a.md limits tools to some uses, which is not possible here: Bash(git add:*, git log:*). It has these tools whole; what they do is asked about as always.',
    ],
    [
      'permission: {bash: {"*": ask, "rm *": deny}}',
      'a.md limits tools to some uses, which is not possible here: bash. It has these tools whole; what they do is asked about as always.',
    ],
    [
      'disallowedTools: Bash(rm:*)',
      'a.md forbids some uses of tools, which is not possible here: Bash(rm:*). It does not have these tools at all.',
    ],
    [
      'model: sonnet[1m]',
      'a.md asks for the model sonnet[1m], a name of another program. The session’s model is used instead.',
    ],
  ])('what means nothing here is told with what was understood: %s', { tags: ['M10'] }, async (front, said) => {
    expect((await limitsOf(front)).said).toEqual([said]);
  });

  test.each(['tools: Read, Bash(*)', 'tools: mcp__git', 'model: inherit', 'model: gpt-5@here', 'tools: []'])(
    'nothing is told of %s',
    { tags: ['M10'] },
    async (front) => expect((await limitsOf(front)).said).toEqual([]),
  );

  test.each(['no front matter', '---\nname: a\n---\n', `---\nname: a\n---\n${'x'.repeat(100_001)}`])(
    'what has no prompt, or is too long, is no agent',
    { tags: ['M10'] },
    async (text) => expect(await readAgentFile(text, 'a.md')).toBeNull(),
  );

  test('hidden characters and forged frames of a file are made visible', { tags: ['M10'] }, async () => {
    const agent = await readAgentFile('---\nname: a\u202eb\n---\nBe\u200b brief.', 'a.md');
    expect(JSON.stringify(agent)).not.toMatch(/[\u202e\u200b]/);
  });

  test('tools are limited by name, those of an MCP server by its name too', { tags: ['M10'] }, () => {
    const agent = { tools: ['read_file', 'mcp__git'], withheld: [] };
    expect(['read_file', 'recall', 'mcp__git__log'].every((name) => mayUse(agent, name))).toBe(true);
    expect(['edit_file', 'mcp__github__x', 'mcp__git2__log'].some((name) => mayUse(agent, name))).toBe(false);
  });

  test("the folder's own only where it is trusted, the person's own always; the nearer of one name counts", {
    tags: ['M10'],
  }, async () => {
    mkdirSync(join(home, '.agents/agents'), { recursive: true });
    writeFileSync(join(home, '.agents/agents/reviewer.md'), '---\nname: reviewer\n---\nMine.');
    writeFileSync(join(home, '.agents/agents/writer.md'), '---\nname: writer\n---\nMine too.');
    const files = createMemoryFiles({ '.agents/agents/reviewer.md': REVIEWER, '.claude/agents/x.txt': REVIEWER });
    const named = async (trust: WorkspaceTrust) =>
      (
        await openAgentFolders(
          () => files,
          () => trust,
          home,
        ).list()
      ).map(({ id }) => id);
    expect(await named('trusted')).toEqual(['.agents/agents/reviewer.md', '~/.agents/agents/writer.md']);
    expect(await named('untrusted')).toEqual(['~/.agents/agents/reviewer.md', '~/.agents/agents/writer.md']);
  });
});

describe('the agent of a session', () => {
  async function started(files: Record<string, string>, options: TestAgentOptions = {}) {
    const model = new ScriptedModel(Array<string>(10).fill('ok'));
    const holder: { files?: ReturnType<typeof createMemoryFiles> } = {};
    const folders = openAgentFolders(
      () => holder.files ?? createMemoryFiles(),
      () => 'trusted',
      '/nowhere',
    );
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

  test('its prompt, tools and strategy are those of the file, from the next turn on', { tags: ['M10'] }, async () => {
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

  test('what its file says that means nothing here is said once, not in every turn', { tags: ['M10'] }, async () => {
    const { agent, folders, say, notes } = await started({
      [PATH]: REVIEWER.replace('Grep', 'Grep, Bash(git:*), Frob'),
    });
    await agent.chooseAgent((await folders.list())[0] ?? null);
    await say();
    await say();
    expect(notes().filter((text) => text.includes('Frob'))).toHaveLength(1);
    expect(notes().filter((text) => text.includes('Bash(git:*)'))).toHaveLength(1);
  });

  test('a strategy that does not exist is said with the file that names it, and the default is used', {
    tags: ['K3', 'M10'],
  }, async () => {
    const { agent, folders, say, notes } = await started({ [PATH]: REVIEWER });
    await agent.chooseAgent((await folders.list())[0] ?? null);
    await say();
    for (let i = 0; i < 3; i++) {
      const read = { id: `t${i}`, name: 'read_file', arguments: '{}' };
      const text = 'word '.repeat(3_000);
      await agent.journal.append({
        type: 'message',
        message: { role: 'assistant', text: '', toolCalls: [read] },
        tokens: 20,
      });
      await agent.journal.append({
        type: 'message',
        message: { role: 'tool', toolCallId: read.id, toolName: read.name, text },
        tokens: 3_000,
      });
    }
    expect(await agent.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({
      entry: { strategy: 'layered' },
    });
    expect(notes().at(-1)).toBe(
      `The compaction strategy rounds cannot be used: no installed extension registers the strategy rounds. Layered is used instead. The agent’s file ${PATH} names it: change its line “strategy”, or remove it.`,
    );
  });

  test('a change of the file holds from the next turn on; one that is gone is said once', {
    tags: ['M10'],
  }, async () => {
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

  test('it is the journal’s, and one of an imported journal is not taken', { tags: ['M10'] }, async () => {
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
