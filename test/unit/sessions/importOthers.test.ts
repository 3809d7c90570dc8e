/** Sessions of further programs and of the two other message forms, each written here by its published definition. */

import { describe, expect, it } from 'vitest';
import { readRecorded } from '../../../src/core/compaction/conformance/readRecorded.ts';
import { recognise } from '../../../src/core/sessions/recognise.ts';
import { jsonl, readImport } from './readImport.ts';

const at = '2026-05-01T10:00:00.000Z';

const GEMINI = [
  { id: '1', timestamp: at, type: 'user', content: [{ text: 'Fix it' }] },
  { id: '2', timestamp: at, type: 'info', content: 'Update available' },
  {
    id: '3',
    timestamp: at,
    type: 'gemini',
    content: 'I look.',
    model: 'gemini-3-pro',
    thoughts: [{ subject: 'Plan', description: 'read first', timestamp: at }],
    tokens: { input: 900, output: 20, cached: 700, thoughts: 5, tool: 0, total: 925 },
    toolCalls: [
      {
        id: 'c1',
        name: 'read_file',
        args: { path: 'a.ts' },
        status: 'success',
        timestamp: at,
        result: [{ functionResponse: { id: 'c1', name: 'read_file', response: { output: 'const a = 1;' } } }],
      },
      {
        id: 'c2',
        name: 'shell',
        args: {},
        status: 'error',
        result: [{ functionResponse: { response: { error: 'no' } } }],
      },
    ],
  },
];
const GEMINI_READ = [
  'user: Fix it',
  'assistant(Plan: read first): I look. +read_file({"path":"a.ts"}) +shell({})',
  'tool: const a = 1;',
  'tool!: no',
];
const GEMINI_HEAD = { sessionId: 's', projectHash: 'h', startTime: at, lastUpdated: at };

const tool = (callID: string, state: object) => ({ type: 'tool', callID, tool: 'read', state });
const OPEN_CODE = {
  info: { id: 'ses', title: 'Fix it', summary: { diffs: [{ file: 'a.ts' }] } },
  messages: [
    {
      info: { id: 'm1', role: 'user' },
      parts: [
        { type: 'text', text: 'Fix it' },
        { type: 'text', text: 'Called the read tool', synthetic: true },
        { type: 'file', mime: 'image/png', filename: 'a.png', url: 'data:' },
      ],
    },
    {
      info: { id: 'm2', role: 'assistant', modelID: 'big-pickle' },
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'I look.' },
        tool('t1', { status: 'completed', input: { filePath: 'a.ts' }, output: 'const a = 1;' }),
        { type: 'step-finish', tokens: { input: 100, output: 7, reasoning: 2, cache: { read: 800, write: 50 } } },
        { type: 'step-start' },
        tool('t2', { status: 'error', input: {}, error: 'no' }),
        { type: 'text', text: 'Again.' },
      ],
    },
    { info: { id: 'm3', role: 'user' }, parts: [{ type: 'compaction', auto: true, tail_start_id: 'm2' }] },
    { info: { id: 'm4', role: 'assistant', summary: true }, parts: [{ type: 'text', text: 'what was said' }] },
    { info: { id: 'm5', role: 'user' }, parts: [{ type: 'text', text: 'Go on' }, { type: 'of a later version' }] },
  ],
};

const COPILOT_CLI = [
  { type: 'session.start', data: { sessionId: 's', version: 1, producer: 'copilot-agent' }, id: 'e1', parentId: null },
  { type: 'user.message', data: { content: 'Fix it' }, id: 'e2', parentId: 'e1' },
  {
    type: 'assistant.message',
    data: { content: '', toolRequests: [{ toolCallId: 't', name: 'view', arguments: { path: 'a.ts' } }] },
  },
  { type: 'tool.execution_start', data: { toolCallId: 't', toolName: 'view' } },
  { type: 'tool.execution_complete', data: { toolCallId: 't', success: true, result: { content: 'const a = 1;' } } },
  { type: 'session.compaction_complete', data: { success: true, summaryContent: 'what was said' } },
  { type: 'assistant.message', data: { content: 'Done.' } },
  { type: 'session.of_a_later_version', data: { content: 'x' } },
];

const COPILOT_CHAT = {
  requesterUsername: 'me',
  responderUsername: 'GitHub Copilot',
  requests: [
    {
      requestId: 'r1',
      message: { text: 'Fix it', parts: [] },
      response: [{ value: 'I look.' }, { kind: 'toolInvocationSerialized', toolCallId: 't' }],
      result: {
        metadata: {
          toolCallRounds: [
            { response: 'I look.', toolCalls: [{ id: 't', name: 'read_file', arguments: '{"path":"a.ts"}' }] },
            { response: 'Done.', toolCalls: [] },
          ],
          toolCallResults: {
            t: {
              content: [{ value: { node: { type: 1, children: [{ type: 2, text: 'const ' }, { text: 'a = 1;' }] } } }],
            },
          },
        },
      },
    },
    {
      message: { text: 'Thanks' },
      response: [{ value: 'You are ' }, { kind: 'inlineReference' }, { value: 'welcome.' }],
    },
  ],
};

const COPILOT_SAYS = [
  'user: Fix it',
  'assistant: I look. +read_file({"path":"a.ts"})',
  'tool: const a = 1;',
  'assistant: Done.',
  'user: Thanks',
  'assistant: You are welcome.',
];

/** As newer versions of VS Code keep it: the state at first, then changes of it. */
const [ASKED, THANKED] = COPILOT_CHAT.requests;
const CHAT_LOG = [
  { kind: 0, v: { version: 3, creationDate: 1, sessionId: 'chat-1', requests: [], pendingRequests: [] } },
  { kind: 1, k: ['customTitle'], v: 'A title' },
  { kind: 2, k: ['requests'], v: [{ ...ASKED, response: [], result: undefined }] },
  { kind: 2, k: ['requests', 0, 'response'], v: [{ value: 'I' }] },
  { kind: 2, k: ['requests', 0, 'response'], i: 0, v: ASKED?.response },
  { kind: 1, k: ['requests', 0, 'result'], v: ASKED?.result },
  { kind: 1, k: ['inputState', 'inputText'], v: 'Th' },
  { kind: 2, k: ['requests'], v: [{ message: { text: 'Forget it' } }] },
  { kind: 2, k: ['requests'], i: 1, v: [{ message: { text: 'Thank' }, response: [{ value: 'No' }] }] },
  { kind: 1, k: ['requests', 1, 'message', 'text'], v: 'Thanks' },
  { kind: 3, k: ['requests', 1, 'response'] },
  { kind: 2, k: ['requests', 1, 'response'], v: THANKED?.response },
];

const CONTINUE = {
  sessionId: 's',
  title: 'Fix it',
  workspaceDirectory: '/w',
  history: [
    { message: { role: 'user', content: [{ type: 'text', text: 'Fix it' }] }, contextItems: [{ content: 'a.ts: 1' }] },
    {
      message: {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 't', type: 'function', function: { name: 'read', arguments: '{"p":1}' } }],
      },
      contextItems: [],
      reasoning: { active: false, text: 'hm' },
      toolCallStates: [{ toolCallId: 't', status: 'done', output: [{ name: 'read', content: 'const a = 1;' }] }],
      conversationSummary: 'what was said',
    },
    { message: { role: 'assistant', content: 'Done.' }, contextItems: [] },
    { message: { role: 'of a later version', content: 'x' } },
  ],
};

const BLOCKS = [
  { role: 'user', content: 'Fix it' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'x' },
      { type: 'text', text: '<read_file> is the tool.' },
      { type: 'tool_use', id: 't', name: 'read', input: { path: 'a.ts' } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', is_error: true, content: 'no' }] },
];
const BLOCKS_READ = ['user: Fix it', 'assistant(hm): <read_file> is the tool. +read({"path":"a.ts"})', 'tool!: no'];

const ITEMS = [
  { role: 'user', content: 'Fix it' },
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
  { type: 'function_call', call_id: 't', name: 'read', arguments: '{"path":"a.ts"}' },
  { type: 'function_call_output', call_id: 't', output: 'const a = 1;' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
];

const CHAT = [
  { role: 'user', content: 'Fix it' },
  { role: 'assistant', content: '', tool_calls: [{ id: 't', function: { name: 'read', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 't', content: 'const a = 1;' },
];
const CHAT_READ = ['user: Fix it', 'assistant:  +read({})', 'tool: const a = 1;'];

const FILES: readonly (readonly [title: string, format: string, text: string, messages: readonly string[]])[] = [
  [
    'a chat of Gemini CLI',
    'geminiCliList',
    JSON.stringify({ ...GEMINI_HEAD, directories: ['/w'], messages: GEMINI }, null, 2),
    GEMINI_READ,
  ],
  ['lines of Gemini CLI', 'geminiCli', jsonl(GEMINI_HEAD, ...GEMINI), GEMINI_READ],
  [
    'OpenCode',
    'openCode',
    JSON.stringify(OPEN_CODE),
    [
      'user: Fix it\n[a.png]',
      'reminder: Called the read tool',
      'summary: what was said',
      'assistant(hm): I look. +read({"filePath":"a.ts"})',
      'tool: const a = 1;',
      'assistant: Again. +read({})',
      'tool!: no',
      'user: Go on',
    ],
  ],
  [
    'Copilot CLI',
    'copilotCli',
    jsonl(...COPILOT_CLI),
    [
      'user: Fix it',
      'assistant:  +view({"path":"a.ts"})',
      'tool: const a = 1;',
      'summary: what was said',
      'assistant: Done.',
    ],
  ],
  ['Copilot Chat', 'copilotChat', JSON.stringify(COPILOT_CHAT), COPILOT_SAYS],
  ['Copilot Chat, as a log of changes', 'copilotChatLog', jsonl(...CHAT_LOG), COPILOT_SAYS],
  [
    'Continue',
    'continue',
    JSON.stringify(CONTINUE),
    [
      'mention: a.ts: 1',
      'user: Fix it',
      'assistant(hm):  +read({"p":1})',
      'tool: const a = 1;',
      'summary: what was said',
      'assistant: Done.',
    ],
  ],
  ['a list of the Messages API', 'messagesApiList', JSON.stringify(BLOCKS), BLOCKS_READ],
  [
    'a request to the Messages API',
    'messagesApiList',
    JSON.stringify({ system: ['x'], messages: BLOCKS }),
    BLOCKS_READ,
  ],
  ['lines of the Messages API', 'messagesApi', jsonl(...BLOCKS), BLOCKS_READ],
  ['chat completions under a name', 'normalList', JSON.stringify({ tools: [{ a: [1] }], messages: CHAT }), CHAT_READ],
  [
    'a list with texts alone',
    'normalList',
    JSON.stringify([CHAT[0], { role: 'assistant', content: 'Yes.' }]),
    ['user: Fix it', 'assistant: Yes.'],
  ],
  [
    'a list of the Responses API',
    'responsesList',
    JSON.stringify(ITEMS),
    ['user: Fix it', 'assistant(hm):  +read({"path":"a.ts"})', 'tool: const a = 1;', 'assistant: Done.'],
  ],
];

describe('import from further programs', () => {
  it.each(FILES)('%s', async (_, format, text, messages) => {
    expect(recognise(`\uFEFF${text}`)).toEqual({ format });
    const read = await readImport(text);
    expect([read.format, read.messages, read.report.badLines]).toEqual([format, messages, []]);
    expect(readRecorded(text).some(({ role }) => role === 'user')).toBe(true);
  });

  it.each(FILES)('%s, cut off anywhere: nothing fails, and what is there is read', async (_, _format, text) => {
    for (let length = 0; length < text.length; length += 97) await readImport(text.slice(0, length));
  });

  it('takes usage as each program counts it', async () => {
    const usageOf = async (text: string) => (await readImport(text)).usage;
    expect(await usageOf(jsonl(GEMINI_HEAD, ...GEMINI))).toEqual([
      { input: 900, cached: 700, output: 25, reasoning: 5 },
    ]);
    expect(await usageOf(JSON.stringify(OPEN_CODE))).toEqual([{ input: 950, cached: 800, output: 9, reasoning: 2 }]);
  });

  it('leaves what a compaction of OpenCode kept', async () => {
    const { context } = await readImport(JSON.stringify(OPEN_CODE));
    expect(context).toEqual([
      'summary: what was said',
      'assistant(hm): I look. +read({"filePath":"a.ts"})',
      'tool: const a = 1;',
      'assistant: Again. +read({})',
      'tool!: no',
      'user: Go on',
    ]);
  });

  it('reads a log of VS Code up to a torn line, and says which changes had no place', async () => {
    const text = jsonl(...CHAT_LOG);
    const torn = await readImport(text.slice(0, -20));
    expect(torn.messages.at(-1)).toBe('user: Thanks');
    expect(torn.report.badLines).toEqual([{ line: CHAT_LOG.length, reason: 'not JSON' }]);
    const whole = JSON.stringify({ kind: 0, v: { sessionId: 'chat-1', requests: COPILOT_CHAT.requests } });
    expect((await readImport(whole.slice(0, -30))).messages).toEqual([
      'user: Fix it',
      'assistant: I look. +read_file({"path":"a.ts"})',
      'tool: const a = 1;',
      'assistant: Done.',
    ]);
    const lost = jsonl(...CHAT_LOG.filter((_, at) => at !== 2 && at < 7), {
      kind: 2,
      k: ['requests'],
      v: [{ message: { text: 'Go on' }, response: [{ value: 'Well' }], modelState: { value: 2 } }],
    });
    const read = await readImport(lost);
    expect(read.messages).toEqual(['user: Go on', 'assistant: Well …']);
    expect(read.report.brokenLinks).toBe(4);
  });

  it('takes nothing but places of the session from a log of VS Code', async () => {
    const paths = [
      ['__proto__', 'polluted'],
      ['requests', 'length'],
      ['requests', 1e9],
      ['requests', -1],
      [null],
      [{}],
    ];
    const { report } = await readImport(jsonl(...CHAT_LOG, ...paths.map((k) => ({ kind: 1, k, v: 1 }))));
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
    expect(report.brokenLinks).toBe(paths.length + 1);
  });

  it('replaces and takes back lines of Gemini CLI', async () => {
    const [first, , answer] = GEMINI;
    const later = { ...answer, content: 'I have looked.', toolCalls: [], thoughts: [] };
    const gone = { id: '9', type: 'user', content: 'Forget it' };
    const { messages } = await readImport(jsonl(GEMINI_HEAD, first, answer, gone, later, { $rewindTo: '9' }));
    expect(messages).toEqual(['user: Fix it', 'assistant: I have looked.']);
    const set = await readImport(
      jsonl(GEMINI_HEAD, first, answer, { $set: { messages: [first] } }, { $set: { summary: 'x' } }),
    );
    expect(set.messages).toEqual(['user: Fix it']);
  });
});
