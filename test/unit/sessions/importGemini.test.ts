/** Chats of the newest Gemini CLI (0.56) and Qwen Code (0.19): contents in the form of Gemini's API. */

import { describe, expect, it } from 'vitest';
import { readRecorded } from '../../../src/core/compaction/conformance/readRecorded.ts';
import { jsonl, readImport } from './readImport.ts';

const at = '2026-08-21T10:00:00.000Z';
const call = (id: string, path: string) => ({ functionCall: { id, name: 'read_file', args: { path } } });
const response = (id: string, output: string) => ({
  functionResponse: { id, name: 'read_file', response: { output } },
});

describe('import from Gemini CLI', () => {
  const HEAD = { sessionId: 's', projectHash: 'h', startTime: at, lastUpdated: at, kind: 'main' };
  const results = [response('c1', 'text of a'), response('c2', 'text of b'), { text: 'note beside' }];
  const toolCall = (id: string, path: string, result: unknown, status = 'success') => ({
    id,
    name: 'read_file',
    args: { path },
    status,
    timestamp: at,
    result,
  });
  const user = { id: 'u1', timestamp: at, type: 'user', content: [{ text: 'Look at both' }] };
  const gemini = {
    id: 'g1',
    timestamp: at,
    type: 'gemini',
    model: 'gemini-3-pro',
    content: [{ text: 'thinking', thought: true }, { text: 'I look.' }, call('c1', 'a'), call('c2', 'b')],
    toolCalls: [toolCall('c1', 'a', results), toolCall('c2', 'b', results, 'error')],
  };
  const responses = { id: 'u2', timestamp: at, type: 'user', content: results };
  const READ = [
    'user: Look at both',
    'assistant(thinking): I look. +read_file({"path":"a"}) +read_file({"path":"b"})',
    'tool: text of a\nnote beside',
    'tool!: text of b\nnote beside',
  ];

  it('reads calls and responses once, wherever they are', { tags: ['M1'] }, async () => {
    const lines = jsonl(HEAD, user, gemini, responses, { $set: { lastUpdated: at } });
    expect(await readImport(lines)).toMatchObject({
      format: 'geminiCli',
      messages: READ,
      report: { strayResults: 0, missingResults: 0 },
    });
    const bare = { ...gemini, toolCalls: undefined };
    expect((await readImport(jsonl(HEAD, user, bare, responses))).messages).toEqual([
      ...READ.slice(0, 2),
      'tool: text of a',
      'tool: text of b',
      'user: note beside',
    ]);
    expect(readRecorded(lines).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
  });

  it('pairs responses that have only a name, and makes no message of a part without text', async () => {
    const named = (output: string) => ({ functionResponse: { name: 'read_file', response: { output } } });
    const without = { functionCall: { name: 'read_file', args: {} } };
    const { messages, report } = await readImport(
      jsonl(
        HEAD,
        { ...gemini, content: [without, without], toolCalls: undefined },
        { ...responses, content: [named('first'), named('second')] },
        { id: 'u3', type: 'user', content: [{ thoughtSignature: 'x' }] },
        { id: 'u4', type: 'user', content: [{ inlineData: { mimeType: 'image/png', data: 'x' } }] },
      ),
    );
    expect(messages).toEqual([
      'assistant:  +read_file({}) +read_file({})',
      'tool: first',
      'tool: second',
      'user: [image/png]',
    ]);
    expect(report).toMatchObject({ strayResults: 0, missingResults: 0 });
  });

  it('keeps what was said before a compression, which is repeated here', async () => {
    const summary = {
      id: 'n1',
      timestamp: at,
      type: 'user',
      content: [{ text: '<state_snapshot>all</state_snapshot>' }],
    };
    const well = { id: 'n2', timestamp: at, type: 'gemini', content: [{ text: 'Got it.' }] };
    const next = { id: 'u5', timestamp: at, type: 'user', content: [{ text: 'Go on' }] };
    const more = { id: 'u6', timestamp: at, type: 'user', content: [{ text: 'And stop' }] };
    const { messages, context } = await readImport(
      jsonl(HEAD, user, gemini, next, { $set: { messages: [summary, well, next] } }, more),
    );
    expect(messages).toEqual(
      [
        ...READ,
        'summary: <state_snapshot>all</state_snapshot>',
        'assistant: Got it.',
        'user: Go on',
        'user: And stop',
      ].toSorted((a, b) => messages.indexOf(a) - messages.indexOf(b)),
    );
    expect(context).toEqual([
      'summary: <state_snapshot>all</state_snapshot>',
      'assistant: Got it.',
      'user: Go on',
      'user: And stop',
    ]);
  });

  it('loses nothing where the place to go back to is missing', async () => {
    const { messages, report } = await readImport(jsonl(HEAD, user, { $rewindTo: 'lost' }));
    expect([messages, report.brokenLinks]).toEqual([['user: Look at both'], 1]);
  });
});

describe('import from Qwen Code', () => {
  let previous: string | null = null;
  const line = (type: string, uuid: string, more: object) => {
    const made = {
      uuid,
      parentUuid: previous,
      sessionId: 's',
      timestamp: at,
      type,
      cwd: '/w',
      version: '0.19.1',
      ...more,
    };
    previous = uuid;
    return made;
  };
  const content = (role: string, ...parts: object[]) => ({ message: { role, parts } });

  it('reads answers, responses, notes of the program and a compression', { tags: ['M1'] }, async () => {
    previous = null;
    const kept = content('user', { text: 'Go on' });
    const text = jsonl(
      line('user', '1', { ...content('user', { text: 'Look at a' }), provenance: 'real_user' }),
      line('system', '2', { subtype: 'ui_telemetry', systemPayload: { uiEvent: {} } }),
      line('assistant', '3', {
        ...content('model', { text: 'hm', thought: true }, { text: 'I look.' }, call('c1', 'a')),
        model: 'qwen3-coder',
        usageMetadata: {
          promptTokenCount: 90,
          cachedContentTokenCount: 40,
          candidatesTokenCount: 7,
          thoughtsTokenCount: 2,
        },
      }),
      line('tool_result', '4', {
        ...content('user', response('c1', 'text of a')),
        toolCallResult: { callId: 'c1', status: 'success' },
      }),
      line('assistant', '5', content('model', call('c2', 'b'))),
      line('tool_result', '6', {
        ...content('user', { functionResponse: { id: 'c2', name: 'read_file', response: { error: 'no such file' } } }),
        toolCallResult: { callId: 'c2', status: 'error' },
      }),
      { ...line('user', '6s', content('user', { text: 'Of a subagent' })), isSidechain: true, parentUuid: '6' },
      {
        ...line('user', '7', {
          ...content('user', { text: 'A task ended' }),
          subtype: 'notification',
          provenance: 'system',
        }),
        parentUuid: '6',
      },
      line('user', '8', kept),
      line('system', '9', {
        subtype: 'chat_compression',
        systemPayload: {
          info: {},
          compressedHistory: [
            content('user', { text: '<state_snapshot>all</state_snapshot>' }).message,
            content('model', { text: 'Got it.' }).message,
            kept.message,
          ],
        },
      }),
      line('assistant', '10', content('model', { text: 'Done.' })),
    );
    const { format, messages, context, usage, report } = await readImport(text);
    expect(format).toBe('qwenCode');
    expect(messages.filter((each) => !each.startsWith('summary') && each !== 'assistant: Got it.')).toEqual([
      'user: Look at a',
      'assistant(hm): I look. +read_file({"path":"a"})',
      'tool: text of a',
      'assistant:  +read_file({"path":"b"})',
      'tool!: no such file',
      'reminder: A task ended',
      'user: Go on',
      'assistant: Done.',
    ]);
    expect(context).toEqual([
      'summary: <state_snapshot>all</state_snapshot>',
      'assistant: Got it.',
      'user: Go on',
      'assistant: Done.',
    ]);
    expect(usage).toEqual([{ input: 90, cached: 40, output: 7, reasoning: 2 }]);
    expect(report).toMatchObject({ strayResults: 0, missingResults: 0, brokenLinks: 0 });
  });

  it('reads its older chats, which have the form of Gemini CLI', async () => {
    const head = { sessionId: 's', projectHash: 'h', startTime: at, lastUpdated: at };
    const messages = [
      { id: '1', timestamp: at, type: 'user', content: 'Look' },
      { id: '2', timestamp: at, type: 'qwen', content: 'Seen.' },
    ];
    expect(await readImport(JSON.stringify({ ...head, messages }))).toMatchObject({
      format: 'geminiCliList',
      messages: ['user: Look', 'assistant: Seen.'],
    });
  });
});
