/** Sessions of agents in a terminal. */

import { describe, expect, it } from 'vitest';
import { jsonl, readImport } from './readImport.ts';

describe('import from agents in a terminal', () => {
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
    const { format, messages, context, usage } = await readImport(
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
    expect(context).toEqual(messages.slice(1));
    expect(usage).toEqual([{ input: 100, cached: 90, output: 5, reasoning: 0 }]);
  });

  it('reads Codex: items put together, outputs unwrapped, usage behind the answer', async () => {
    const item = (payload: unknown) => ({ timestamp: 't', type: 'response_item', payload });
    const { format, system, messages, context, usage } = await readImport(
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
    expect(context).toEqual(['reminder: <environment_context>x', 'user: run it', 'summary: what was before']);
    expect(usage).toEqual([{ input: 50, cached: 40, output: 9, reasoning: 4 }]);
  });

  it('reads pi: the branch that ends last', async () => {
    const line = (id: string, parentId: string | null, message: unknown) => ({
      type: 'message',
      id,
      parentId,
      message,
    });
    const { format, messages, context, usage } = await readImport(
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
    expect(context).toEqual(messages.slice(3));
    expect(usage).toEqual([{ input: 6, cached: 2, output: 4, reasoning: 0 }]);
  });

  it('reads Kimi CLI with its own kinds of lines', { tags: ['M1'] }, async () => {
    const { format, system, messages, context, usage } = await readImport(
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
    expect(context).toEqual(messages.slice(-1));
    expect(usage).toEqual([{ input: 1234, cached: 0, output: 0, reasoning: 0 }]);
  });

  it('reads Kimi CLI’s wire: events put together, also what a compaction took out', async () => {
    const event = (type: string, payload: object = {}) => ({ timestamp: 1.5, message: { type, payload } });
    const { format, messages, context, usage } = await readImport(
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
    expect(context).toEqual(messages);
    expect(usage).toEqual([{ input: 10, cached: 3, output: 4, reasoning: 0 }]);
  });
});
