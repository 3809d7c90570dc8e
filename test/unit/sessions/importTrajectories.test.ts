/** Trajectories of SWE-agent (0.7 and 1.1), and OpenHands' evaluation outputs, written by us in the forms they publish. */

import { describe, expect, it } from 'vitest';
import { readRecorded } from '../../../src/core/compaction/conformance/readRecorded.ts';
import { jsonl, readImport } from './readImport.ts';

const TASK = { message_type: 'observation', role: 'user', content: 'Mend the precision.', agent: 'main' };
const SYSTEM = { message_type: 'system_prompt', role: 'system', content: 'You use a terminal.', agent: 'main' };

describe('import from SWE-agent', () => {
  const asked = (id: string, text: string, action: string) => ({
    message_type: 'action',
    role: 'assistant',
    content: text,
    thought: text,
    action,
    agent: 'main',
    tool_calls: [{ id, type: 'function', function: { name: 'bash', arguments: JSON.stringify({ command: action }) } }],
    thinking_blocks: [{ type: 'thinking', thinking: 'hm' }],
  });
  const seen = (id: string, content: string) => ({
    message_type: 'observation',
    role: 'tool',
    content,
    agent: 'main',
    tool_call_ids: [id],
  });
  const step = (action: string, observation: string) => ({
    action,
    observation,
    response: 'I look.',
    thought: 'I look.',
    state: {},
    query: [SYSTEM, TASK],
  });

  it('reads 1.1, with calls whose ids come again', { tags: ['M1'] }, async () => {
    const history = [
      SYSTEM,
      TASK,
      asked('c', 'I look.', 'ls'),
      seen('c', 'a.py'),
      asked('c', 'Done.', 'submit'),
      seen('c', 'ok'),
    ];
    const file = { trajectory: [step('ls', 'a.py')], history, info: { swe_agent_version: '1.1.0' } };
    const read = await readImport(JSON.stringify(file, null, 2));
    expect(read).toMatchObject({
      format: 'sweAgent',
      system: ['You use a terminal.'],
      messages: [
        'user: Mend the precision.',
        'assistant(hm): I look. +bash({"command":"ls"})',
        'tool: a.py',
        'assistant(hm): Done. +bash({"command":"submit"})',
        'tool: ok',
      ],
      report: { missingResults: 0, strayResults: 0 },
    });
    expect(readRecorded(JSON.stringify(file)).filter(({ role }) => role === 'tool')).toHaveLength(2);
  });

  it('reads 0.7, whose commands are in the text, and whose demonstration the person did not say', async () => {
    const says = (thought: string, action: string) => ({
      role: 'assistant',
      content: `${thought}\n\`\`\`\n${action}\n\`\`\``,
      thought: `${thought}\n`,
      action: `${action}\n`,
      agent: 'primary',
    });
    const user = (content: string, more: object = {}) => ({ role: 'user', content, agent: 'primary', ...more });
    const history = [
      { role: 'system', content: 'You use a terminal.', agent: 'primary' },
      user('Here is a demonstration', { is_demo: true }),
      user('Mend the precision.'),
      says('I look.', 'ls'),
      user('a.py'),
      { role: 'assistant', content: 'No command', thought: 'No command', action: '', agent: 'primary' },
      user('Your output was not formatted correctly.'),
      says('I end.', 'submit'),
    ];
    expect(await readImport(JSON.stringify({ environment: 'swe_main', history }))).toMatchObject({
      messages: [
        'reminder: Here is a demonstration',
        'user: Mend the precision.',
        'assistant: I look. +bash({"command":"ls"})',
        'tool: a.py',
        'assistant: No command',
        'user: Your output was not formatted correctly.',
        'assistant: I end. +bash({"command":"submit"})',
        expect.stringContaining('not recorded'),
      ],
      report: { missingResults: 1 },
    });
  });

  it('reads the steps of a file that ends before its messages', async () => {
    const whole = JSON.stringify({ environment: 'e', trajectory: [step('ls', 'a.py'), step('cat a.py', 'x = 1')] });
    expect(await readImport(whole.slice(0, -30))).toMatchObject({
      format: 'sweAgent',
      messages: ['assistant: I look. +bash({"command":"ls"})', 'tool: a.py'],
    });
  });
});

describe('import from OpenHands’ evaluations', () => {
  const said = { id: 0, source: 'user', action: 'message', args: { content: 'Mend the test.' } };
  const run = { id: 1, source: 'agent', action: 'run', args: { command: 'ls', thought: 'I look.' } };
  const ran = { id: 2, source: 'agent', cause: 1, observation: 'run', content: 'a.py', extras: {} };
  const MESSAGES = ['user: Mend the test.', 'assistant: I look. +run({"command":"ls"})', 'tool: a.py'];
  const output = (history: unknown, more: object = {}) => ({
    instance_id: 'astropy-1',
    test_result: { git_patch: 'x' },
    instruction: 'Mend the test.',
    metadata: { agent_class: 'CodeActAgent' },
    history,
    ...more,
  });

  it.each([
    ['events', [said, run, ran]],
    [
      'pairs',
      [
        [said, {}],
        [run, ran],
      ],
    ],
    ['events without the task', [run, ran]],
  ])('reads the %s of an instance', { tags: ['M1'] }, async (_, history) => {
    expect(await readImport(jsonl(output(history)))).toMatchObject({
      format: 'openHandsOutput',
      messages: MESSAGES,
      report: { badLines: [] },
    });
  });

  it.each([
    ['finish', { final_thought: 'All tests pass.', thought: '' }, 'All tests pass.'],
    ['finish', { outputs: {}, thought: 'It is done.' }, 'It is done.'],
    ['reject', { outputs: {}, thought: 'I cannot.' }, 'I cannot.'],
  ])('reads %s with %j as the last answer, to which no result belongs', async (action, args, text) => {
    const end = {
      id: 3,
      source: 'agent',
      action,
      args,
      tool_call_metadata: { function_name: action, tool_call_id: 'c' },
    };
    const { messages, report } = await readImport(jsonl(output([said, run, ran, end])));
    expect([messages, report.missingResults]).toEqual([[...MESSAGES, `assistant: ${text}`], 0]);
  });
});

it('calls that were whole when an answer was stopped are kept with their results', { tags: ['M1'] }, async () => {
  const line = (id: string, parentId: string | null, message: object) => ({ type: 'message', id, parentId, message });
  const asks = (path: string) => ({ type: 'toolCall', id: path, name: 'read', arguments: { path } });
  const pi = jsonl(
    { type: 'session', version: 3, id: 's', cwd: '/w' },
    line('1', null, { role: 'user', content: 'Look' }),
    line('2', '1', { role: 'assistant', content: [asks('a')], stopReason: 'aborted' }),
    line('3', '2', { role: 'user', content: 'Again' }),
    line('4', '3', { role: 'assistant', content: [{ type: 'text', text: 'Half' }], stopReason: 'error' }),
  );
  expect(await readImport(pi)).toMatchObject({
    messages: [
      'user: Look',
      'assistant:  +read({"path":"a"})',
      'tool!: [The result of this tool call was not recorded.]',
      'user: Again',
      'assistant: Half …',
    ],
    report: { missingResults: 1 },
  });
  expect(readRecorded(pi).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
  const openCode = {
    info: { id: 'ses' },
    messages: [
      {
        info: { id: 'm', role: 'assistant', error: { name: 'MessageAbortedError' } },
        parts: [{ type: 'tool', callID: 't', tool: 'read', state: { status: 'completed', input: {}, output: 'text' } }],
      },
    ],
  };
  expect(await readImport(JSON.stringify(openCode))).toMatchObject({
    messages: ['assistant:  +read({})', 'tool: text'],
    report: { strayResults: 0 },
  });
});
