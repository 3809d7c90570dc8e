/**
 * Panel states and rows as data: one function for each kind of row, in which a caller names the few fields that matter.
 */

import { toolOf } from '../../src/core/tools/toolList.ts';
import { verbatim, words } from '../../src/core/words.ts';
import type { PanelState, SessionInfo, ToPanel } from '../../src/protocol/messages.ts';
import type { RowOf as Of, Row } from '../../src/protocol/rows.ts';

const TIME = Date.UTC(2026, 0, 15, 9, 30);

export const READY: PanelState = {
  sessionId: 's1',
  title: 'Fix the flaky retry test',
  status: 'idle',
  activity: '',
  others: [],
  background: [],
  meter: {
    tokens: 61_200,
    window: 128_000,
    windowFrom: 'server',
    auto: true,
    trigger: 102_400,
    counted: null,
    messages: null,
    reserve: 8_000,
    rule: '',
    parts: [
      { name: 'system', tokens: 2_100 },
      { name: 'memory', tokens: 1_400 },
      { name: 'tools', tokens: 3_200 },
      { name: 'user', tokens: 4_100 },
      { name: 'assistant', tokens: 12_800 },
      { name: 'toolResults', tokens: 33_000 },
      { name: 'summaries', tokens: 4_600 },
      { name: 'other', tokens: 0 },
    ],
    cacheHit: 0.83,
    cache: {
      says: 'reported',
      usedAt: TIME,
      livesMs: 300_000,
      held: 58_000,
      warm: { amount: 0.031, currency: 'USD' },
      cold: { amount: 0.38, currency: 'USD' },
      loss: { amount: 0.33, currency: 'USD' },
    },
    estimated: false,
    fixed: '',
  },
  strategy: 'hiding-then-summary',
  prompts: [],
  skills: [],
  agents: [],
  strategyChoice: {
    note: 'This session follows the default. Another choice changes this session only.',
    forAll: '',
    back: '',
  },
  strategies: [
    { id: 'llm-summary', label: 'Summary', description: 'A model writes a summary; the newest messages stay.' },
    {
      id: 'tool-result-hiding',
      label: 'Hide tool results',
      description: 'Old tool results go behind stubs. No model is called.',
    },
    {
      id: 'hiding-then-summary',
      label: 'Hide, then summarise',
      description: 'Hides first, and summarises when that is not enough.',
    },
  ],
  model: 'gpt',
  models: [
    { id: 'demo', label: 'Demo model', description: 'Scripted. No key, no network.' },
    { id: 'gpt', label: 'example-large', description: 'https://models.example.org/v1 · 128k' },
  ],
  endpoints: true,
  agent: '',
  demo: false,
  readOnly: '',
  canTakeOver: false,
  canContinueHere: false,
  costs: { known: [{ amount: 0.42, currency: 'USD' }], unknown: 0 },
  checkpoints: { bytes: 3_200_000, limit: 200_000_000 },
  sending: null,
  consent: null,
  question: null,
  mode: 'act',
  modes: [
    { id: 'ask', label: 'Ask', description: 'Reads and answers. Nothing is changed or run.' },
    { id: 'plan', label: 'Plan', description: 'Reads and makes a plan, which you approve, change or refuse.' },
    { id: 'act', label: 'Act', description: 'Does the work, and asks you before it writes or runs anything.' },
  ],
  todo: [],
  queue: [],
  retry: 'none',
  selection: null,
  room: null,
  images: 'yes',
  modelReady: true,
  folderOpen: true,
  trusted: true,
};

export const CONSENT: NonNullable<PanelState['consent']> = {
  id: 'c1',
  strategyLabel: 'Hide tool results',
  insteadOf: '',
  byHand: false,
  tokens: 61_200,
  window: 64_000,
  ownCount: false,
  messages: null,
  summary: null,
  compact: { tokens: 31_000, fates: [{ fate: 'hidden', messages: 23, inPart: 0 }] },
  dropOldest: { tokens: 40_000, fates: [{ fate: 'unread', messages: 54, inPart: 0 }] },
};

export const SELECTED: NonNullable<PanelState['selection']> = {
  mention: '@src/retry.ts:3-9',
  name: 'src/retry.ts:3-9',
  tokens: 120,
  on: true,
  isNew: true,
};

export const RUNNING: PanelState = { ...READY, status: 'running' };

export const FIRST_START: PanelState = {
  ...READY,
  sessionId: '',
  title: '',
  model: '',
  modelReady: false,
  costs: { known: [], unknown: 0 },
  meter: {
    tokens: 0,
    window: 0,
    windowFrom: 'default',
    auto: true,
    trigger: null,
    counted: null,
    messages: null,
    reserve: 0,
    rule: '',
    parts: [],
    cacheHit: null,
    cache: null,
    estimated: false,
    fixed: '',
  },
};

const SEEN = { fate: 'kept', pinned: false } as const;

export const user = (id: string, text: string, more: Partial<Of<'user'>> = {}): Row => ({
  type: 'user',
  id,
  time: TIME,
  text,
  tokens: 40,
  ...SEEN,
  ...more,
});

export const assistant = (id: string, text: string, more: Partial<Of<'assistant'>> = {}): Row => ({
  type: 'assistant',
  id,
  time: TIME,
  text,
  reasoning: '',
  live: false,
  scripted: false,
  interrupted: false,
  tokens: 310,
  ...SEEN,
  ...more,
});

export const tool = (id: string, toolName: string, title: string, more: Partial<Of<'tool'>> = {}): Row => ({
  type: 'tool',
  id,
  itemId: `${id}r`,
  opens: toolOf(toolName)?.opens,
  time: TIME,
  toolName,
  title,
  status: 'done',
  arguments: JSON.stringify({ path: title }, null, 2),
  result: '1\texport const retries = 3;\n2\texport const delay = 250;',
  resultTruncated: false,
  detail: { kind: 'none' },
  approval: null,
  durationMs: 120,
  tokens: 1_240,
  ...SEEN,
  ...more,
});

export const compaction = (id: string, more: Partial<Of<'compaction'>> = {}): Row => ({
  type: 'compaction',
  id,
  time: TIME,
  strategy: 'hiding-then-summary',
  strategyName: verbatim('hiding-then-summary'),
  trigger: 'precheck',
  triggerName: words('before a request'),
  lost: [
    { fate: 'hidden', kind: 'toolResult', messages: 23, inPart: 0, tokens: 98_250, left: 1_100 },
    { fate: 'read', kind: 'assistant', messages: 9, inPart: 0, tokens: 12_000, left: 0 },
    { fate: 'unread', kind: 'assistant', messages: 3, inPart: 0, tokens: 3_000, left: 0 },
  ],
  added: 900,
  asked: '',
  inPart: false,
  fates: [
    { fate: 'hidden', messages: 23, inPart: 0 },
    { fate: 'read', messages: 9, inPart: 0 },
    { fate: 'unread', messages: 3, inPart: 0 },
  ],
  read: { tokens: 12_000, of: 15_000 },
  tokensBefore: 142_300,
  tokensAfter: 31_050,
  durationMs: 4_210,
  rounds: 3,
  summary:
    '## Goal\nThe retry test fails 1 in 20.\n\n## State\n- `src/retry.ts` reads the clock twice\n- the fix is not written yet',
  repairs: [words('Your latest message was put back.')],
  changed: [],
  reasons: [verbatim('a call used retryLater: const retryLater = 3;')],
  ledger: ['Open request: find out why the retry test fails', 'File touched: src/retry.ts'].map(verbatim),
  summaryModel: 'example-large',
  summaryTokens: 18_400,
  preparedMs: null,
  cost: { amount: 0.031, currency: 'USD' },
  cache: { read: 8_200, input: 15_400, again: 6_900, cost: { amount: 0.012, currency: 'USD' } },
  state: 'active',
  canUndo: true,
  repeated: null,
  canRedo: false,
  ...more,
});

export const notice = (
  id: string,
  level: Of<'notice'>['level'],
  text: string,
  { detail = '', ...more }: Partial<Omit<Of<'notice'>, 'detail'>> & { readonly detail?: string } = {},
): Row => ({
  type: 'notice',
  id,
  time: TIME,
  level,
  text: verbatim(text),
  detail: detail ? [verbatim(detail)] : [],
  action: 'none',
  also: [],
  retryAt: null,
  ...more,
});

export const checkpoint = (id: string, label: string): Row => ({
  type: 'checkpoint',
  id,
  time: TIME,
  checkpoint: 1,
  label,
});

export const dmail = (id: string, text: string, detail = 'Files were left as they are.'): Row => ({
  type: 'dmail',
  from: '',
  id,
  time: TIME,
  checkpoint: 1,
  text,
  detail: [verbatim(detail)],
});

export const changes = (id: string, text: string): Row => ({
  type: 'changes',
  id,
  time: TIME,
  since: 1,
  text: verbatim(text),
  ms: 72_000,
  costs: { known: [{ amount: 0.04, currency: 'USD' }], unknown: 0 },
});

const DIFF = `@@ -12,7 +12,9 @@
 export async function retry<T>(run: () => Promise<T>, options: Options): Promise<T> {
   for (let attempt = 1; ; attempt++) {
-    const started = Date.now();
-    const deadline = Date.now() + options.timeout;
+    // One reading: two could lie on both sides of a tick.
+    const started = options.clock.now();
+    const deadline = started + options.timeout;
     try {
       return await run();
     } catch (thrown) {
`;

export const ANSWER = `The clock is read **twice**, so the deadline can lie before the start:

\`\`\`ts
const started = Date.now();
const deadline = Date.now() + options.timeout; // a tick later
if (deadline - started > 250) throw new RangeError('late');
\`\`\`

| run | failed | share |
| --- | ---: | ---: |
| before | 11 | 5.5% |
| after | 0 | 0% |

1. Read it once, see [retry.ts](src/retry.ts#L14).
2. Pass the clock in, so that the test can hold it still.

- [x] reproduce
- [ ] fix \`retry()\`

> A test that fails 1 in 20 hides a bug that fails 1 in 20.
`;

export const CONVERSATION: readonly Row[] = [
  checkpoint('e1', 'before the first message'),
  user('m2', 'The retry test fails 1 in 20. Find out why, and fix it.', { checkpoint: 1 }),
  assistant('m3', 'I will look at the test and at what it tests.', {
    reasoning: 'The test is likely timing dependent.',
  }),
  tool('m3.0', 'read_file', 'src/retry.ts', { fate: 'hidden' }),
  tool('m3.1', 'read_file', 'test/retry.test.ts', { fate: 'hidden' }),
  tool('m3.2', 'search_text', 'Date\\.now', { fate: 'hidden', tokens: 12_400, durationMs: 1_340 }),
  tool('m3.3', 'run_command', 'npm test -- retry', {
    status: 'failed',
    fate: 'kept',
    pinned: true,
    detail: { kind: 'command', command: 'npm test -- retry', exitCode: 1 },
    result: 'Exit code 1\n\n1 failing\n  retry › gives up after the deadline\n    expected 3 to equal 2',
    durationMs: 3_210,
  }),
  compaction('e20'),
  assistant('m21', ANSWER),
  tool('m21.0', 'edit_file', 'src/retry.ts', {
    detail: { kind: 'edit', path: 'src/retry.ts', added: 3, removed: 2, diff: DIFF, effect: 'changed' },
    result: 'Changed src/retry.ts.',
    tokens: 210,
    durationMs: 34,
  }),
  user('m24', 'Now run it a hundred times.', { checkpoint: 2 }),
];

export const EDIT_APPROVAL = tool('m25.0', 'edit_file', 'src/retry.ts', {
  status: 'approval',
  result: '',
  tokens: 0,
  durationMs: null,
  detail: { kind: 'edit', path: 'src/retry.ts', added: 3, removed: 2, diff: DIFF, effect: 'open' },
  approval: {
    id: 'a1',
    hash: 'h1',
    title: 'src/retry.ts',
    detail: {
      kind: 'edit',
      path: 'src/retry.ts',
      diff: DIFF,
      added: 3,
      removed: 2,
      creates: false,
      amended: false,
      cut: false,
    },
    why: words('Changes to files are not allowed yet in this session.'),
    by: '',
    mayRemember: true,
    mayAlways: false,
  },
});

export const COMMAND_APPROVAL = tool('m26.0', 'run_command', 'for i in $(seq 100); do npm test -- retry; done', {
  status: 'approval',
  result: '',
  tokens: 0,
  durationMs: null,
  detail: { kind: 'command', command: 'for i in $(seq 100); do npm test -- retry; done', exitCode: null },
  approval: {
    id: 'a2',
    hash: 'h2',
    title: 'for i in $(seq 100); do npm test -- retry; done',
    detail: {
      kind: 'command',
      command: 'for i in $(seq 100); do npm test -- retry; done',
      cwd: '~/project',
      cut: false,
      parts: [],
      reads: false,
      danger: [],
    },
    why: words('It cannot be read with certainty: {0}.', words('a condition or a loop')),
    by: '',
    mayRemember: false,
    mayAlways: false,
  },
});

export const WEB_APPROVAL = tool('m27.0', 'fetch_url', 'http://xn--ypal-43d9g.example:8080/a?b=c%20d', {
  status: 'approval',
  result: '',
  tokens: 0,
  durationMs: null,
  approval: {
    id: 'a3',
    hash: 'h3',
    title: 'http://xn--ypal-43d9g.example:8080/a?b=c%20d',
    detail: {
      kind: 'web',
      url: 'http://xn--ypal-43d9g.example:8080/a?b=c%20d',
      host: 'xn--ypal-43d9g.example:8080',
      local: { address: '169.254.169.254', place: 'link' },
      cut: false,
    },
    why: words('Each web address is asked about.'),
    by: '',
    mayRemember: false,
    mayAlways: false,
  },
});

const session = (id: string, title: string, more: Partial<SessionInfo> = {}): SessionInfo => ({
  id,
  title,
  time: TIME,
  messages: 2,
  current: false,
  compacted: false,
  favourite: false,
  workspace: '',
  passage: '',
  hit: null,
  problem: null,
  ...more,
});

export const SESSIONS: readonly SessionInfo[] = [
  session('s1', 'Fix the flaky retry test', { messages: 24, current: true, favourite: true }),
  session('s2', 'Move the settings page to the new router and delete the old one', {
    time: TIME - 3_600_000,
    messages: 131,
    passage: 'the old router kept its routes in a table, see routes.ts',
    hit: 17,
  }),
  session('s3', '', { time: TIME - 86_400_000 * 3, workspace: '/home/me/other-project' }),
  session('s4', 'Where the time goes', { problem: words('The session file has no readable line.') }),
];

export const show = (state: PanelState, rows: readonly Row[], more = false): ToPanel => ({
  type: 'show',
  state,
  rows: [...rows],
  more,
});
