import { describe, expect, it } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { Message, Usage } from '../../../src/core/context/message.ts';
import {
  detectFormat,
  importRecorded,
  journalId,
  type RecordedFormat,
} from '../../../src/core/sessions/importRecorded.ts';
import { type ImportReport, newImportReport } from '../../../src/core/sessions/recorded.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { pairingFault } from '../journal/reference.ts';

interface Imported {
  readonly format: RecordedFormat | null;
  readonly system: readonly string[];
  readonly messages: readonly string[];
  readonly usage: readonly Usage[];
  readonly report: ImportReport;
}

/** One line a message: `user: text`, `assistant(thought): text +call(arguments)`, `tool!: text`. */
function show(message: Message): string {
  switch (message.role) {
    case 'user':
      return `${message.kind}: ${message.text}`;
    case 'assistant': {
      const calls = message.toolCalls?.map(({ name, arguments: args }) => ` +${name}(${args})`) ?? [];
      const said = `${message.text}${message.interrupted ? ' …' : ''}${calls.join('')}`;
      return `assistant${message.reasoning ? `(${message.reasoning.text})` : ''}: ${said}`;
    }
    case 'tool':
      return `tool${message.isError ? '!' : ''}: ${message.text}`;
  }
}

async function read(text: string): Promise<Imported> {
  const format = detectFormat(text);
  const report = newImportReport();
  const { journal } = await memoryJournal();
  async function* lines() {
    yield* text.split('\n');
  }
  const usage: Usage[] = [];
  if (format) {
    for await (const draft of importRecorded(format, lines(), report)) {
      await journal.append(draft);
      if (draft.type === 'usage') usage.push(draft.usage);
    }
  }
  expect(pairingFault(lowerContext(journal.context))).toBe(null);
  const system = journal.context.header?.items.map((item) => item.text) ?? [];
  return { format, system, messages: journal.context.conversation.map(({ message }) => show(message)), usage, report };
}

const jsonl = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join('\n');

describe('import of other programs’ sessions', () => {
  it('reads Claude Code: split answers, parallel calls, rewound branches, sidechains, compactions', async () => {
    const line = (uuid: string, parentUuid: string | null, role: string, content: unknown, more: object = {}) => ({
      type: role,
      uuid,
      parentUuid,
      message: { role, content, ...(role === 'assistant' ? { id: 'msg1', model: 'claude', usage: USAGE } : {}) },
      ...more,
    });
    const USAGE = { input_tokens: 3, cache_read_input_tokens: 90, cache_creation_input_tokens: 7, output_tokens: 5 };
    const use = (id: string) => [{ type: 'tool_use', id, name: 'Read', input: { file_path: `${id}.ts` } }];
    const result = (id: string, more: object = {}) => [
      { type: 'tool_result', tool_use_id: id, content: `${id} content`, ...more },
    ];
    const { format, messages, usage } = await read(
      jsonl(
        { type: 'file-history-snapshot', messageId: 'x' },
        line('0', null, 'user', 'an old question'),
        { type: 'system', subtype: 'compact_boundary', uuid: 'b', parentUuid: null, logicalParentUuid: '0' },
        line('1', 'b', 'user', 'This session is being continued', { isCompactSummary: true }),
        line('r', '1', 'user', 'a rewound question'),
        line('2', '1', 'user', 'fix it'),
        line('s', '2', 'user', 'a subagent’s task', { isSidechain: true }),
        line('3', '2', 'assistant', [{ type: 'thinking', thinking: 'hm', signature: 's' }]),
        line('4', '3', 'assistant', use('a')),
        line('5', '4', 'assistant', use('b')),
        line('6', '4', 'user', result('a')),
        line('7', '5', 'user', [...result('b', { is_error: true }), { type: 'text', text: 'and quickly' }]),
        {
          type: 'attachment',
          uuid: '8',
          parentUuid: '7',
          attachment: { type: 'queued_command', commandMode: 'prompt', prompt: 'typed meanwhile' },
        },
      ),
    );
    expect(format).toBe('claudeCode');
    expect(messages).toEqual([
      'user: an old question',
      'summary: This session is being continued',
      'user: fix it',
      'assistant(hm):  +Read({"file_path":"a.ts"}) +Read({"file_path":"b.ts"})',
      'tool: a content',
      'tool!: b content',
      'user: and quickly',
      'user: typed meanwhile',
    ]);
    expect(usage).toEqual([{ input: 100, cached: 90, output: 5, reasoning: 0 }]);
  });

  it('reads Codex: items put together, outputs unwrapped, usage behind the answer', async () => {
    const item = (payload: unknown) => ({ timestamp: 't', type: 'response_item', payload });
    const { format, system, messages, usage } = await read(
      jsonl(
        { timestamp: 't', type: 'session_meta', payload: { id: '1', base_instructions: { text: 'You are Codex.' } } },
        item({ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'rules' }] }),
        item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context>x' }] }),
        item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'run it' }] }),
        item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'think' }], encrypted_content: 'x' }),
        item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I run it.' }] }),
        item({ type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' }),
        item({ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'c2' }),
        {
          timestamp: 't',
          type: 'event_msg',
          payload: {
            type: 'token_count',
            info: {
              last_token_usage: {
                input_tokens: 50,
                cached_input_tokens: 40,
                output_tokens: 9,
                reasoning_output_tokens: 4,
              },
            },
          },
        },
        item({ type: 'function_call_output', call_id: 'c1', output: '{"output":"a.ts","metadata":{"exit_code":1}}' }),
        item({ type: 'custom_tool_call_output', call_id: 'c2', output: 'done' }),
        { timestamp: 't', type: 'compacted', payload: { message: 'what was before' } },
        item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'no, this' }] }),
        item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context>y' }] }),
        item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Taken back.' }] }),
        { timestamp: 't', type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } },
      ),
    );
    expect([format, system]).toEqual(['codex', ['You are Codex.', 'rules']]);
    expect(messages).toEqual([
      'reminder: <environment_context>x',
      'user: run it',
      'assistant(think): I run it. +shell({"command":["ls"]}) +apply_patch({"input":"*** Begin"})',
      'tool!: a.ts',
      'tool: done',
      'summary: what was before',
    ]);
    expect(usage).toEqual([{ input: 50, cached: 40, output: 9, reasoning: 4 }]);
  });

  it('reads pi: the branch that ends last', async () => {
    const line = (id: string, parentId: string | null, message: unknown) => ({
      type: 'message',
      id,
      parentId,
      message,
    });
    const { format, messages, usage } = await read(
      jsonl(
        { type: 'session', id: 's', version: 3, cwd: '/x' },
        line('a', null, { role: 'user', content: 'hi' }),
        line('b', 'a', { role: 'assistant', content: [{ type: 'text', text: 'left' }] }),
        line('c', 'a', {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'toolCall', id: '1', name: 'read', arguments: { path: 'x' } },
          ],
          model: 'm',
          usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
        }),
        line('d', 'c', {
          role: 'toolResult',
          toolCallId: '1',
          toolName: 'read',
          content: [{ type: 'text', text: 'no' }],
          isError: true,
        }),
        { type: 'compaction', id: 'e', parentId: 'd', summary: 'so far', firstKeptEntryId: 'd', tokensBefore: 9 },
        line('f', 'e', { role: 'bashExecution', command: 'ls', output: 'a.ts', exitCode: 0 }),
        { type: 'custom_message', id: 'g', parentId: 'f', customType: 'x', content: 'by an extension', display: true },
        line('h', 'g', { role: 'assistant', content: [{ type: 'text', text: 'Half an' }], stopReason: 'aborted' }),
        { type: 'session_info', id: 'i', parentId: 'h', name: 'named' },
      ),
    );
    expect(format).toBe('pi');
    expect(messages).toEqual([
      'user: hi',
      'assistant(hm):  +read({"path":"x"})',
      'tool!: no',
      'summary: so far',
      'reminder: Ran `ls` (exit code 0)\n\na.ts',
      'reminder: by an extension',
      'assistant: Half an …',
    ]);
    expect(usage).toEqual([{ input: 6, cached: 2, output: 4, reasoning: 0 }]);
  });

  it('M1: reads Kimi CLI with its own kinds of lines', async () => {
    const { format, system, messages, usage } = await read(
      jsonl(
        { role: '_system_prompt', content: 'You are Kimi.' },
        { role: '_checkpoint', id: 0 },
        { role: 'user', content: '<system>CHECKPOINT 0</system>' },
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        {
          role: 'assistant',
          content: [
            { type: 'think', think: 'hm' },
            { type: 'text', text: 'look' },
          ],
          tool_calls: [{ type: 'function', id: '1', function: { name: 'ReadFile', arguments: '{"path":"x"}' } }],
        },
        { role: '_usage', token_count: 1234 },
        { role: 'tool', content: [{ type: 'text', text: 'content' }], tool_call_id: '1' },
        { role: 'assistant', content: '', tool_calls: [{ id: '2', function: { name: 'Shell', arguments: '{}' } }] },
        { role: 'tool', content: [{ type: 'text', text: '<system>ERROR: no such file</system>' }], tool_call_id: '2' },
        {
          role: 'user',
          content: [
            {
              type: 'text',
              text: '<system>Previous context has been compacted. Here is the compaction output:</system>',
            },
            { type: 'text', text: 'so far' },
          ],
        },
      ),
    );
    expect([format, system]).toEqual(['kimi', ['You are Kimi.']]);
    expect(messages).toEqual([
      'reminder: <system>CHECKPOINT 0</system>',
      'user: hi',
      'assistant(hm): look +ReadFile({"path":"x"})',
      'tool: content',
      'assistant:  +Shell({})',
      'tool!: <system>ERROR: no such file</system>',
      'summary: <system>Previous context has been compacted. Here is the compaction output:</system>\nso far',
    ]);
    expect(usage).toEqual([{ input: 1234, cached: 0, output: 0, reasoning: 0 }]);
  });

  it('reads Kimi CLI’s wire: events put together, also what a compaction took out', async () => {
    const event = (type: string, payload: object = {}) => ({ timestamp: 1.5, message: { type, payload } });
    const { format, messages, usage } = await read(
      jsonl(
        { type: 'metadata', protocol_version: '1.9' },
        event('TurnBegin', { user_input: [{ type: 'text', text: 'look' }] }),
        event('StepBegin', { n: 1 }),
        event('ContentPart', { type: 'think', think: 'hm' }),
        event('ContentPart', { type: 'text', text: 'I look.' }),
        event('ToolCall', { type: 'function', id: 't', function: { name: 'ReadFile', arguments: '{"pa' } }),
        event('ToolCallPart', { arguments_part: 'th":"x"}' }),
        event('StatusUpdate', {
          token_usage: { input_other: 5, input_cache_read: 3, input_cache_creation: 2, output: 4 },
        }),
        event('ToolResult', {
          tool_call_id: 't',
          return_value: { is_error: true, output: '', message: 'No such file.' },
        }),
        event('CompactionBegin'),
        event('CompactionEnd'),
        event('StepBegin', { n: 2 }),
        event('ContentPart', { type: 'text', text: 'It is ' }),
        event('ContentPart', { type: 'text', text: 'not there' }),
        event('StepInterrupted'),
        event('TurnBegin', { user_input: 'then stop' }),
      ),
    );
    expect(format).toBe('kimiWire');
    expect(messages).toEqual([
      'user: look',
      'assistant(hm): I look. +ReadFile({"path":"x"})',
      'tool!: No such file.',
      'assistant: It is not there …',
      'user: then stop',
    ]);
    expect(usage).toEqual([{ input: 10, cached: 3, output: 4, reasoning: 0 }]);
  });

  it('reads Roo’s second form', async () => {
    const { format, messages } = await read(
      JSON.stringify({
        version: 2,
        messages: [
          { role: 'user', content: '<user_message>\nFix it\n</user_message>' },
          { type: 'reasoning', encrypted_content: 'x' },
          {
            role: 'assistant',
            content: [
              { type: 'reasoning', text: 'hm' },
              { type: 'tool-call', toolCallId: 't', toolName: 'read_file', input: { path: 'a.ts' } },
            ],
          },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: 't',
                toolName: 'read_file',
                output: { type: 'text', value: '[ERROR] no' },
              },
            ],
          },
        ],
      }),
    );
    expect([format, messages]).toEqual([
      'cline',
      ['user: Fix it', 'assistant(hm):  +read_file({"path":"a.ts"})', 'tool!: [ERROR] no'],
    ]);
  });

  it('reads Cline and Roo: tags become calls, the environment a reminder', async () => {
    const { format, messages } = await read(
      JSON.stringify(
        [
          {
            role: 'user',
            content: [
              { type: 'text', text: '<task>\nFix it\n</task>' },
              { type: 'text', text: '<environment_details>\nopen: a.ts\n</environment_details>' },
            ],
            ts: 1,
          },
          {
            role: 'assistant',
            content: [{ type: 'text', text: 'I look.\n<read_file>\n<path>a.ts</path>\n</read_file>' }],
          },
          { role: 'user', content: [{ type: 'text', text: "[read_file for 'a.ts'] Result:\nconst a = 1;" }] },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 't', name: 'execute_command', input: { command: 'ls' } }],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'a.ts' }] }],
          },
          { role: 'user', content: 'what was said', isSummary: true, condenseId: 'x' },
        ],
        null,
        1,
      ),
    );
    expect(format).toBe('cline');
    expect(messages).toEqual([
      'user: Fix it',
      'reminder: <environment_details>\nopen: a.ts\n</environment_details>',
      'assistant: I look. +read_file({"path":"a.ts"})',
      'tool: const a = 1;',
      'assistant:  +execute_command({"command":"ls"})',
      'tool: a.ts',
      'summary: what was said',
    ]);
  });

  it('knows a journal of ours from sessions of pi, whose first line looks alike', async () => {
    const { journal, store } = await memoryJournal();
    await journal.append({ type: 'title', title: 'x' });
    expect(journalId(`${store.lines.join('\n')}\n`)).toBe(journal.session.id);
    expect(journalId(jsonl({ type: 'session', id: 's', version: 3 }))).toBe(null);
    expect(journalId('')).toBe(null);
  });

  it('knows the normal form, and says of nothing else that it knows it', async () => {
    expect(detectFormat(jsonl({ role: 'user', content: 'hi' }))).toBe('normal');
    for (const other of ['', 'hello', '{}', '[]', '{"level":"info"}\n{"msg":1}', '\0\u0001'])
      expect(detectFormat(other)).toBe(null);
  });

  it('says where a file is cut off and reads what is there', async () => {
    const claude = jsonl({ type: 'user', uuid: '1', parentUuid: null, message: { role: 'user', content: 'hi' } });
    const cut = await read(`${claude}\n{"type":"assist`);
    expect([cut.messages, cut.report.badLines]).toEqual([['user: hi'], [{ line: 2, reason: 'not JSON' }]]);
    const array = await read('[{"role":"user","content":"hi \\"[{\\""},\n{"role":"ass');
    expect([array.messages, array.report.badLines]).toEqual([
      ['user: hi "[{"'],
      [{ line: 2, reason: 'the list of messages does not end: the file is cut off' }],
    ]);
  });
});

it('Codex’s newer wrappings and Roo’s marker are no words of a person', async () => {
  const said = (text: string) => ({
    timestamp: 't',
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  });
  const wrapped = ['<user_shell_command>ls', '<skill>\n<name>x', '<subagent_notification>done', 'my words'];
  const codex = await read(jsonl({ timestamp: 't', type: 'session_meta', payload: { id: '1' } }, ...wrapped.map(said)));
  expect(codex.messages.map((text) => text.split(':')[0])).toEqual(['reminder', 'reminder', 'reminder', 'user']);
  const roo = await read(
    JSON.stringify([
      { role: 'user', content: 'my words' },
      { role: 'user', content: '[Sliding window truncation: 4 messages hidden]', isTruncationMarker: true },
    ]),
  );
  expect(roo.messages.map((text) => text.split(':')[0])).toEqual(['user', 'reminder']);
});
