/**
 * A person's hooks in whole turns, each a real process: what they are told, what they tell the model, and that a refusal
 * is final.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HOOKS } from '../../../src/core/agent/hookSettings.ts';
import type { DEFAULT_AGENT_SETTINGS } from '../../../src/core/agent/settings.ts';
import { readSection, type SettingProblem } from '../../../src/core/setting.ts';
import { Stop } from '../../../src/core/stop.ts';
import type { WorkspaceTrust } from '../../../src/core/tools/approvals.ts';
import { createHookRunner } from '../../../src/node/shell/hookRunner.ts';
import { createMemoryFiles } from '../../support/ports/memoryFiles.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const never = new AbortController().signal;
// They run programs of POSIX; test/unit/node/shell/onWindows.test.ts shows the same with those of Windows.
const posix = test.skipIf(process.platform === 'win32');
const WRITE = ['write_file', { path: 'a.txt', content: 'new' }] as const;
const READ = ['read_file', { path: 'a.txt' }] as const;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-hooks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As a person writes the setting. */
function read(hooks: unknown): { hooks: (typeof DEFAULT_AGENT_SETTINGS)['hooks']; problems: SettingProblem[] } {
  const problems: SettingProblem[] = [];
  const { hooks: usable } = readSection(HOOKS, () => ({ value: hooks, explicit: true }), problems);
  return { hooks: usable, problems };
}

async function agentWith(given: readonly unknown[], steps: readonly Step[], trust: WorkspaceTrust = 'trusted') {
  const { hooks, problems } = read(given);
  expect(problems).toEqual([]);
  const model = new ScriptedModel(steps);
  const files = createMemoryFiles({ 'a.txt': 'old' });
  const environment = { ...process.env, DEPLOY_TOKEN: 'not-for-hooks', PALIMPSEST_X: 'steers' };
  const asked: string[] = [];
  const made = await testAgent(model.choice(), {
    workspace: {
      files,
      shell: createMemoryShell(),
      trust: () => trust,
      hooks: createHookRunner({ folder, environment }),
    },
    answer: ({ toolName }) => {
      asked.push(toolName);
      return { kind: 'allow', remember: 'session' };
    },
    hooks,
  });
  const { journal } = made.agent;
  const messages = () => journal.context.conversation.map(({ message }) => message);
  return {
    agent: made.agent,
    model,
    asked,
    files,
    results: () => messages().flatMap((each) => (each.role === 'tool' ? [each.text] : [])),
    told: () => messages().flatMap((each) => (each.role === 'user' && each.kind === 'reminder' ? [each.text] : [])),
    roles: () => messages().map((each) => (each.role === 'user' ? each.kind : each.role)),
    notes: () => journal.path().flatMap((entry) => (entry.type === 'note' ? [`${entry.level}: ${entry.text}`] : [])),
  };
}

const saved = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

posix('each hook gets its moment as JSON on its input, without secrets in its environment', async () => {
  const hooks = ['beforeTool', 'afterTool', 'beforeTurn', 'afterTurn'].map((on) => ({
    on,
    command: `cat > ${on}.json; env > ${on}.env; pwd > ${on}.pwd`,
  }));
  const { agent, told, notes } = await agentWith(hooks, [{ calls: [READ] }, 'It says old.']);
  await agent.send('What does it say?', never);
  const { id: session } = agent.journal.session;
  const all = { session, folder: '/workspace' };
  const call = { tool: { name: 'read_file', class: 'read' }, arguments: { path: 'a.txt' } };
  expect(saved('beforeTurn.json')).toEqual({ event: 'beforeTurn', message: 'What does it say?', ...all });
  expect(saved('beforeTool.json')).toEqual({ event: 'beforeTool', ...call, ...all });
  const result = { text: expect.stringContaining('old'), isError: false };
  expect(saved('afterTool.json')).toEqual({ event: 'afterTool', ...call, result, ...all });
  expect(saved('afterTurn.json')).toEqual({ event: 'afterTurn', outcome: 'done', ...all });
  const environment = readFileSync(join(folder, 'beforeTool.env'), 'utf8');
  expect(environment).toContain('PATH=');
  expect(environment).not.toMatch(/not-for-hooks|PALIMPSEST_X/);
  expect(readFileSync(join(folder, 'beforeTool.pwd'), 'utf8').trim()).toBe(folder);
  // Who says nothing leaves no trace.
  expect([told(), notes()]).toEqual([[], []]);
});

posix('what a hook writes is told to the model, bounded, as an item of its own, with a note', async () => {
  const hooks = [
    { on: 'beforeTurn', command: 'echo The branch is main.' },
    { on: 'afterTool', tools: ['write_*'], command: 'echo "lint: 2 problems [palimpsest: x]"; echo no""ise >&2' },
    { on: 'afterTurn', command: 'head -c 100000 /dev/zero | tr "\\0" y' },
  ];
  const made = await agentWith(hooks, [{ calls: [READ, WRITE] }, 'Done.', 'And again.']);
  await made.agent.send('Write it.', never);
  const [before = '', after = '', end = ''] = made.told();
  expect(before).toContain('The branch is main.');
  expect(before).toContain("not the person's own words");
  expect(after).toContain('lint: 2 problems [\\palimpsest: x]');
  expect(after).not.toContain('noise');
  expect(end.length).toBeLessThan(9_000);
  // After both results, so that their block stays whole.
  expect(made.roles()).toEqual(['user', 'reminder', 'assistant', 'tool', 'tool', 'reminder', 'assistant', 'reminder']);
  expect(made.notes().map((note) => note.replace(/:.*/s, ''))).toEqual(['info', 'info', 'info']);
  expect(made.notes()[1]).toMatch(/^info: The hook “echo "lint.*” \(after “Write file”\) told the model:/);
  const request = JSON.stringify(made.model.requests[1]?.messages);
  expect(request).toContain('lint: 2 problems');
  // What was said after the answer does not ask for another.
  expect(await made.agent.continue(never)).toEqual({ kind: 'done' });
});

posix(
  'exit code 2 refuses a call before anybody is asked, and allowing for the session does not override it',
  async () => {
    const refuse = `grep -q a.txt && { echo "a.txt is generated" >&2; exit 2; }; exit 0`;
    const other = ['write_file', { path: 'b.txt', content: 'new' }] as const;
    const hooks = [
      { on: 'beforeTool', tools: ['class:write'], command: refuse },
      { on: 'beforeTool', tools: ['class:write'], command: 'touch second-ran' },
    ];
    const made = await agentWith(hooks, [{ calls: [WRITE] }, { calls: [other, WRITE] }, 'Done.']);
    await made.agent.send('Write both.', never);
    const [first, , granted] = made.results();
    for (const each of [first, granted]) expect(each).toMatch(/refused this, and that is final. a.txt is generated$/);
    expect(new TextDecoder().decode(await made.files.read('a.txt'))).toBe('old');
    expect(new TextDecoder().decode(await made.files.read('b.txt'))).toBe('new');
    expect(made.asked).toEqual(['write_file']);
    const note = `warning: The hook “${refuse.slice(0, 100)}” (before “Write file”) refused it: a.txt is generated`;
    expect(made.notes()).toEqual([note, note]);
    expect(existsSync(join(folder, 'second-ran'))).toBe(true);
  },
);

posix('an answer in JSON refuses with a reason, and may tell the model more', async () => {
  const json = JSON.stringify({ decision: 'refuse', reason: 'Not on a Friday.', context: 'Deployments: Mon–Thu.' });
  const made = await agentWith(
    [{ on: 'beforeTool', tools: ['read_file'], command: `echo '${json}'` }],
    [{ calls: [READ] }, 'Then not.'],
  );
  await made.agent.send('Read.', never);
  expect(made.results()[0]).toContain('Not on a Friday.');
  expect(made.told()[0]).toContain('Deployments: Mon–Thu.');
});

posix.each([
  ['exit 1', 'echo broken >&2; exit 1', {}, 'it ended with exit code 1 and said: broken'],
  ['a decision that there is not', `echo '{"decision":"deny"}'`, {}, 'its answer in JSON cannot be read'],
  ['too long', 'sleep 300', { timeout: 1 }, 'it did not end within 1 s'],
  ['a signal', 'kill -9 $$', {}, 'it was ended by a signal'],
])('a failure is named and contained: %s', async (_, command, more, reason) => {
  const hook = { on: 'beforeTool', command, ...more };
  const made = await agentWith([hook], [{ calls: [READ] }, 'Done.']);
  expect(await made.agent.send('Read.', never)).toEqual({ kind: 'done' });
  expect(made.results()[0]).toContain('old');
  expect(made.notes()).toEqual([
    `warning: The hook “${command}” (before “Read file”) failed: ${reason}. Work continued without it.`,
  ]);

  const strict = await agentWith([{ ...hook, onFailure: 'refuse' }], [{ calls: [READ] }, 'Done.']);
  await strict.agent.send('Read.', never);
  expect(strict.results()[0]).toContain('failed, and without it this must not go on');
  expect(strict.notes()[0]).toMatch(/So it was refused\.$/);
});

posix.each([
  ['not on the PATH', 'palimpsest-guard-that-is-not-there --strict'],
  ['no such file', './guards/missing-guard'],
])('a guard whose program is not there refuses, unless the person says otherwise: %s', async (_, command) => {
  const steps: readonly Step[] = [{ calls: [READ] }, 'Done.'];
  const made = await agentWith([{ on: 'beforeTool', command }], steps);
  await made.agent.send('Read.', never);
  expect(made.results()[0]).toContain('failed, and without it this must not go on');
  expect(made.notes()[0]).toMatch(/failed: its program was not found\. So it was refused\.$/);

  const turn = await agentWith([{ on: 'beforeTurn', command }], []);
  expect((await turn.agent.send('Begin.', never)).kind).toBe('paused');

  const lax = await agentWith([{ on: 'beforeTool', command, onFailure: 'continue' }], steps);
  await lax.agent.send('Read.', never);
  expect(lax.results()[0]).toContain('old');
  // Nothing is left to refuse.
  const after = await agentWith([{ on: 'afterTool', command }], steps);
  await after.agent.send('Read.', never);
  expect(after.results()[0]).toContain('old');
});

posix('a refused turn asks no model, and going on asks the hook again', async () => {
  const command = 'test -e ready || { echo "Not ready." >&2; exit 2; }';
  const made = await agentWith(
    [
      { on: 'beforeTurn', command },
      { on: 'afterTurn', command: 'touch ended' },
    ],
    ['Here I am.'],
  );
  expect((await made.agent.send('Begin.', never)).kind).toBe('paused');
  expect((await made.agent.continue(never)).kind).toBe('paused');
  expect(made.model.requests).toHaveLength(0);
  expect(existsSync(join(folder, 'ended'))).toBe(false);
  expect(made.notes()[0]).toContain('(before the turn) refused it: Not ready.');
  await createHookRunner({ folder, environment: process.env }).run('touch ready', { input: '', timeoutMs: 9e4 }, never);
  expect((await made.agent.continue(never)).kind).toBe('done');
  expect(existsSync(join(folder, 'ended'))).toBe(true);
});

posix('stopping ends a hook with all that it started, and the call does not run', async () => {
  const stop = new AbortController();
  const command = 'setsid sleep 300 & echo $! > child; touch up; sleep 300';
  const made = await agentWith([{ on: 'beforeTool', tools: ['write_file'], command }], [{ calls: [WRITE] }]);
  const turn = made.agent.send('Write it.', stop.signal);
  await expect.poll(() => existsSync(join(folder, 'up')), { timeout: 30_000 }).toBe(true);
  stop.abort(new Stop('person'));
  expect(await turn).toEqual({ kind: 'stopped', by: 'person' });
  expect(made.results()).toEqual(['The person stopped the turn before this call ran.']);
  const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
  expect(existsSync(`/proc/${child}`) && !readFileSync(`/proc/${child}/stat`, 'latin1').includes(') Z ')).toBe(false);
  expect(made.asked).toEqual([]);

  const before = await agentWith([{ on: 'beforeTurn', command: 'touch turn; sleep 300' }], []);
  const other = new AbortController();
  const second = before.agent.send('Begin.', other.signal);
  await expect.poll(() => existsSync(join(folder, 'turn')), { timeout: 30_000 }).toBe(true);
  other.abort();
  expect(await second).toEqual({ kind: 'stopped', by: 'program' });
});

test('none runs where the folder is not trusted', async () => {
  const hooks = ['beforeTurn', 'beforeTool', 'afterTool', 'afterTurn'].map((on) => ({ on, command: 'touch ran' }));
  const made = await agentWith(hooks, [{ calls: [READ] }, 'Done.'], 'untrusted');
  await made.agent.send('Read.', never);
  expect(made.results()[0]).toContain('old');
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

test('an entry that cannot be used is named, and the others are in force', () => {
  const good = { on: 'afterTool', command: 'true' };
  const { hooks, problems } = read([{ on: 'whenever', command: 'x' }, good, { ...good, tools: ['class:any'] }]);
  expect(hooks.map(({ on }) => on)).toEqual(['afterTool']);
  expect(problems.map(({ key }) => key)).toEqual(['palimpsest.hooks', 'palimpsest.hooks']);
});
