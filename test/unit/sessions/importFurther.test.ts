/** Sessions of Aider and OpenHands, written by us in the forms that these programs publish. */

import { describe, expect, it } from 'vitest';
import { readRecorded } from '../../../src/core/compaction/conformance/readRecorded.ts';
import { lowerContext } from '../../../src/core/context/lower.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { importRecorded } from '../../../src/core/sessions/importRecorded.ts';
import { recognise } from '../../../src/core/sessions/recognise.ts';
import { newImportReport } from '../../../src/core/sessions/recorded.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { pairingFault } from '../journal/reference.ts';
import { readImport } from './readImport.ts';

function isRecord(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const AIDER = `
# aider chat started at 2026-03-01 10:00:00

> Aider v0.90.0  
> Model: some-model with diff edit format  

#### /add src/retry.ts  

> Added src/retry.ts to the chat  

#### Mend the retry test.  
#### It reads the clock twice.  

The test reads the clock in two places.

> quoted by nobody  

src/retry.ts
\`\`\`ts
# not a heading of Aider
const now = clock();
\`\`\`

> Applied edit to src/retry.ts  

#### /ask Is it done?  

Yes.
`;

const line = (...events: object[]) => events.map((event) => JSON.stringify(event)).join('\n');
const text = (said: string) => [{ type: 'text', text: said }];
const action = (id: string, call: string, response: string, thought: string) => ({
  id,
  kind: 'ActionEvent',
  source: 'agent',
  thought: text(thought),
  tool_name: 'terminal',
  tool_call_id: call,
  tool_call: { id: call, name: 'terminal', arguments: `{"command":"cat ${call}"}` },
  llm_response_id: response,
});
const result = (id: string, call: string, said: string) => ({
  id,
  kind: 'ObservationEvent',
  source: 'environment',
  tool_name: 'terminal',
  tool_call_id: call,
  observation: { content: text(said), is_error: said.startsWith('Error') },
});
const EVENTS = [
  {
    id: 'e0',
    kind: 'SystemPromptEvent',
    source: 'agent',
    system_prompt: { type: 'text', text: 'You are an agent.' },
    tools: [],
  },
  { id: 'e1', kind: 'MessageEvent', source: 'user', llm_message: { role: 'user', content: text('Mend the test.') } },
  action('e2', 'a', 'r1', 'I look.'),
  action('e3', 'b', 'r1', ''),
  result('e4', 'a', 'const now'),
  result('e5', 'b', 'Error: no such file'),
  {
    id: 'e6',
    kind: 'Condensation',
    source: 'environment',
    forgotten_event_ids: ['e2', 'e3', 'e4', 'e5'],
    summary: 'a was read.',
    summary_offset: 2,
    llm_response_id: 'r2',
  },
  { id: 'e7', kind: 'MessageEvent', source: 'agent', llm_message: { role: 'assistant', content: text('Mended.') } },
];

const OLDER = [
  { id: 0, source: 'user', message: 'Mend it', action: 'message', args: { content: 'Mend the test.' } },
  {
    id: 1,
    source: 'environment',
    message: '',
    observation: 'agent_state_changed',
    content: '',
    extras: { agent_state: 'running' },
  },
  {
    id: 2,
    source: 'agent',
    message: 'Running',
    action: 'run',
    args: { command: 'npm test', thought: 'I run it.' },
    tool_call_metadata: { function_name: 'execute_bash', tool_call_id: 'x', model_response: { id: 'r' } },
  },
  {
    id: 3,
    source: 'agent',
    cause: 2,
    message: 'Ran',
    observation: 'run',
    content: 'FAIL',
    extras: { metadata: { exit_code: 1 } },
    tool_call_metadata: { tool_call_id: 'x' },
  },
  { id: 4, source: 'agent', message: 'Reading', action: 'read', args: { path: 'a.ts' } },
  {
    id: 5,
    source: 'agent',
    cause: 4,
    message: 'Read',
    observation: 'read',
    content: 'text of a',
    extras: { path: 'a.ts' },
  },
  {
    id: 6,
    source: 'agent',
    message: '',
    action: 'condensation',
    args: { forgotten_events_start_id: 2, forgotten_events_end_id: 3, summary: 'It failed.', summary_offset: 1 },
  },
];

describe('import from Aider and OpenHands', () => {
  it('reads Aider: the person, the model, and what the program said', { tags: ['M1'] }, async () => {
    expect(await readImport(AIDER)).toMatchObject({
      format: 'aider',
      messages: [
        'reminder: Aider said:\nAider v0.90.0\nModel: some-model with diff edit format',
        'reminder: /add src/retry.ts',
        'reminder: Aider said:\nAdded src/retry.ts to the chat',
        'user: Mend the retry test.\nIt reads the clock twice.',
        'assistant: The test reads the clock in two places.',
        'reminder: Aider said:\nquoted by nobody',
        'assistant: src/retry.ts\n```ts\n# not a heading of Aider\nconst now = clock();\n```',
        'reminder: Aider said:\nApplied edit to src/retry.ts',
        'user: Is it done?',
        'assistant: Yes.',
      ],
    });
    expect(readRecorded(AIDER).filter(({ role }) => role === 'assistant')).toHaveLength(3);
  });

  it('takes no Markdown of another kind for Aider', { tags: ['M1'] }, () => {
    expect(recognise('# Notes\n\n#### Mend it\n\nDone.')).toBeNull();
    expect(recognise(JSON.stringify({ role: 'user', content: '\n# aider chat started at 1' }))?.format).toBe('normal');
  });

  it('reads OpenHands: parallel calls in one answer, and what a condensation forgot', { tags: ['M1'] }, async () => {
    const read = {
      system: ['You are an agent.'],
      messages: [
        'user: Mend the test.',
        'assistant: I look. +terminal({"command":"cat a"}) +terminal({"command":"cat b"})',
        'tool: const now',
        'tool!: Error: no such file',
        'summary: a was read.',
        'assistant: Mended.',
      ],
      context: ['user: Mend the test.', 'summary: a was read.', 'assistant: Mended.'],
    };
    expect(await readImport(line(...EVENTS))).toMatchObject({ format: 'openHands', ...read });
    expect(await readImport(JSON.stringify(EVENTS))).toMatchObject({ format: 'openHandsList', ...read });
  });

  it('reads the older events of OpenHands, with calls that have no id of their own', { tags: ['M1'] }, async () => {
    expect(await readImport(JSON.stringify(OLDER, null, 2))).toMatchObject({
      format: 'openHandsList',
      messages: [
        'user: Mend the test.',
        'assistant: I run it. +execute_bash({"command":"npm test"})',
        'tool!: FAIL',
        'summary: It failed.',
        'assistant:  +read({"path":"a.ts"})',
        'tool: text of a',
      ],
      context: ['user: Mend the test.', 'summary: It failed.', 'assistant:  +read({"path":"a.ts"})', 'tool: text of a'],
    });
  });

  it('of an unknown version, keeps what has a text and loses nothing else that it knows', {
    tags: ['M1'],
  }, async () => {
    const later = [
      { id: 'x', kind: 'PlanEvent', source: 'agent', message: 'First look, then mend.', steps: [1] },
      {
        id: 'y',
        kind: 'ObservationEvent',
        source: 'environment',
        tool_call_id: 'a',
        observation: { kind: 'Later', parts: 7 },
      },
    ];
    const { messages } = await readImport(line(...EVENTS.slice(0, 3), ...later));
    expect(messages.slice(1)).toEqual([
      'assistant: I look. +terminal({"command":"cat a"})',
      expect.stringContaining('tool'),
      'reminder: [PlanEvent] First look, then mend.',
    ]);
    const aider = await readImport(`${AIDER}\n##### Later heading\n\n>> later quote\n`);
    expect(aider.messages.at(-1)).toBe('assistant: Yes.\n\n##### Later heading\n\n>> later quote');
  });

  it('survives 5,100 mutations, and tells each line that is left out', { tags: ['M1', 'long'] }, async () => {
    const random = seededRandom(26);
    const pick = (length: number) => Math.floor(random() * length);
    for (const whole of [AIDER, line(...EVENTS), JSON.stringify(OLDER)])
      for (let i = 0; i < 1_700; i++) {
        const [at, to] = [pick(whole.length), pick(whole.length)];
        const mutated = [
          whole.slice(0, at),
          whole.slice(0, at) + whole.slice(Math.max(at, to)),
          `${whole.slice(0, at)}${'"{}[]\\\n\u0000>#'[pick(10)]}${whole.slice(at + 1)}`,
          whole.slice(0, at) + whole.slice(to, to + 40) + whole.slice(at),
        ][i % 4] as string;
        const format = recognise(mutated)?.format;
        if (!format || format === 'palimpsest') continue;
        const report = newImportReport();
        const { journal } = await memoryJournal();
        async function* lines() {
          yield* mutated.split('\n');
        }
        await importRecorded(format, lines(), report, async () => journal);
        expect(pairingFault(lowerContext(journal.context))).toBe(null);
        // A line that is no JSON any more is told.
        if (format === 'openHands') {
          const bad = mutated.split('\n').filter((each) => each.trim() !== '' && !isRecord(each)).length;
          expect(report.badLines).toHaveLength(bad);
        }
      }
  });
});
