/** Recorded times are replayed: a cache that nobody used for five minutes is cold, for the bill and for the strategy. */

import { describe, expect, it } from 'vitest';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { exportNormalForm } from '../../../src/core/sessions/exportSession.ts';
import { importRecorded } from '../../../src/core/sessions/importRecorded.ts';
import { newImportReport } from '../../../src/core/sessions/recorded.ts';
import { describeTimes } from '../../../src/lab/describeRuns.ts';
import { makeReport } from '../../../src/lab/makeReport.ts';
import { prepareSession } from '../../../src/lab/prepareSession.ts';
import { RecordedTimes } from '../../../src/lab/recordedTimes.ts';
import { runSession } from '../../../src/lab/replay.ts';
import { type RecordedMessage, readSession } from '../../../src/lab/session.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { calls, filler, result, says, session, system, user } from '../../support/sessions/labSession.ts';

const MINUTE = 60_000;
const BEGUN = Date.UTC(2026, 5, 1);

/** Each message a second after the one before, but the one at `pause` comes so many minutes later; null for no times. */
function timed(messages: readonly RecordedMessage[], pause: number, minutes: number | null): RecordedMessage[] {
  if (minutes === null) return [...messages];
  return messages.map((message, i) => ({
    ...message,
    time: BEGUN + i * 1_000 + (i >= pause ? minutes * MINUTE : 0),
  }));
}

/** Eight commands with results of so many tokens each, then a pause. */
const work = (tokens: number): RecordedMessage[] => [
  system('You help.'),
  user('Go.'),
  ...Array.from({ length: 8 }, (_, i) => [
    calls(`c${i}`, 'run_command', { command: `ls ${i}` }),
    result(`c${i}`, filler(tokens)),
  ]).flat(),
  says('Done.'),
];
const PAUSE = work(4).length;
const later = (tokens: number) => [...work(tokens), user('And now?'), says('More.'), user('Thanks.'), says('Yes.')];
const LATER = later(1_000);

async function play(
  minutes: number | null,
  strategy: string,
  settings: Readonly<Record<string, unknown>> = {},
  { tokens, window } = { tokens: 1_000, window: 16_000 },
) {
  const prepared = prepareSession(session(...timed(later(tokens), PAUSE, minutes)));
  const run = {
    registry: new StrategyRegistry(),
    crypto: testCrypto(),
    timers: systemTimers,
    window,
    summaries: { kind: 'scripted' } as const,
    settings,
    strategies: [strategy],
    beforeFirstCompaction: false,
    signal: new AbortController().signal,
  };
  for await (const score of runSession(prepared, run)) return score;
  throw new Error('no score');
}

describe('recorded times', { tags: ['B6'] }, () => {
  it('make a request cold that was sent over five minutes after the one before', () => {
    const cold = (minutes: number | null) => {
      const messages = timed(LATER, PAUSE, minutes);
      const times = new RecordedTimes(messages);
      return [times.isRecorded, messages.flatMap((_, i) => (times.isCold(i) ? [i] : []))];
    };
    expect(cold(6)).toEqual([true, [PAUSE + 1]]);
    expect(cold(4)).toEqual([true, []]);
    expect(cold(null)).toEqual([false, []]);
  });

  it('never go back, whatever the recording says', () => {
    const times = new RecordedTimes([
      { ...user('a'), time: BEGUN },
      { ...says('b'), time: BEGUN - MINUTE },
      { ...says('c'), time: BEGUN + 1 },
    ]);
    expect([0, 1, 2].map((i) => times.saidAt(i) - BEGUN)).toEqual([0, 0, 1]);
  });

  it('bill a cold request as read anew, with compaction and without', async () => {
    const [warm, cold] = [await play(4, 'none'), await play(6, 'none')];
    // 8,000 for system prompt and tools, and everything up to the pause.
    const held = 8_000 + (prepareSession(session(...LATER)).ends[PAUSE - 1] ?? 0);
    expect(cold.cost - warm.cost).toBeCloseTo((1.25 - 0.1) * held);
    expect(cold.fullCost - warm.fullCost).toBeCloseTo((1.25 - 0.1) * held);
    expect([warm.coldSteps, cold.coldSteps, cold.isTimed]).toEqual([0, 1, true]);
  });

  it('let a strategy compact because the cache is cold', async () => {
    const settings = { 'trigger.ratio': 0.95, 'layered.summary': false };
    const [even, warm, cold] = [
      await play(null, 'layered', settings),
      await play(4, 'layered', settings),
      await play(6, 'layered', settings),
    ];
    expect([even, warm, cold].map(({ paid }) => paid.total)).toEqual([0, 0, 1]);
    // It would all have been read anew in any case.
    expect(cold.paid.kept).toBe(1);
    expect(cold.cost).toBeLessThan(cold.fullCost);
  });

  it('let one compact before the cache goes cold, from which its summary still reads', async () => {
    const settings = { 'trigger.ratio': 0.95, 'trigger.beforeCold': true };
    const large = { tokens: 5_000, window: 64_000 };
    const { model, paid } = await play(60, 'llm-summary', settings, large);
    expect([model.answered, paid]).toEqual([1, { total: 1, kept: 1 }]);
    // Three minutes end before it is due.
    expect((await play(3, 'llm-summary', settings, large)).model.answered).toBe(0);
    expect((await play(60, 'llm-summary', { 'trigger.ratio': 0.95 }, large)).model.answered).toBe(0);
  });

  it('say in the report by which clock the sessions went', async () => {
    const setting = { window: 64_000, beforeFirstCompaction: false, strategies: ['none'] };
    const [one, other] = [await play(6, 'none'), { ...(await play(null, 'none')), session: 'other' }];
    expect(describeTimes(makeReport(setting, [one, other]))).toBe(
      '1 of 2 sessions say when their messages were said: 9.1% of their requests came more than five minutes after the one before, and found a cold cache. The others follow an even clock, and their caches never go cold.',
    );
    expect(describeTimes(makeReport(setting, [other]))).toMatch(/^No session says when its messages were said/);
  });
});

describe('the times of an imported session', { tags: ['B6'] }, () => {
  const at = (second: number) => `2026-06-01T10:00:${String(second).padStart(2, '0')}.000Z`;
  const FORMATS = {
    claudeCode: [
      { type: 'user', uuid: 'a', parentUuid: null, timestamp: at(1), message: { role: 'user', content: 'Go.' } },
      {
        type: 'assistant',
        uuid: 'b',
        parentUuid: 'a',
        timestamp: at(2),
        message: { id: 'm', role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'ls', input: {} }] },
      },
      {
        type: 'user',
        uuid: 'd',
        parentUuid: 'b',
        timestamp: at(3),
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] },
      },
    ],
    codex: [
      {
        type: 'response_item',
        timestamp: at(1),
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
      },
      {
        type: 'response_item',
        timestamp: at(2),
        payload: { type: 'function_call', call_id: 'c', name: 'ls', arguments: '{}' },
      },
      { type: 'response_item', timestamp: at(3), payload: { type: 'function_call_output', call_id: 'c', output: 'x' } },
    ],
    pi: [
      { type: 'message', timestamp: at(1), message: { role: 'user', content: 'Go.' } },
      {
        type: 'message',
        timestamp: at(2),
        message: { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'ls', arguments: {} }] },
      },
      {
        type: 'message',
        timestamp: at(3),
        message: { role: 'toolResult', toolCallId: 'c', content: [{ type: 'text', text: 'x' }] },
      },
    ],
    copilotCli: [
      { type: 'user.message', timestamp: at(1), data: { content: 'Go.' } },
      {
        type: 'assistant.message',
        timestamp: at(2),
        data: { content: '', toolRequests: [{ toolCallId: 'c', name: 'ls', arguments: {} }] },
      },
      {
        type: 'tool.execution_complete',
        timestamp: at(3),
        data: { toolCallId: 'c', success: true, result: { content: 'x' } },
      },
    ],
    normal: [
      { role: 'user', content: 'Go.', time: at(1) },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'ls', arguments: '{}' } }],
        time: at(2),
      },
      { role: 'tool', tool_call_id: 'c', content: 'x', timestamp: Date.parse(at(3)) },
    ],
  } as const;

  it.each(Object.entries(FORMATS))('are those of the recording: %s', async (format, lines) => {
    const { journal } = await memoryJournal();
    async function* read() {
      for (const line of lines) yield JSON.stringify(line);
    }
    await importRecorded(format as keyof typeof FORMATS, read(), newImportReport(), async () => journal);
    const { messages } = readSession('imported', [...exportNormalForm(journal)].join(''), null);
    expect(messages.map(({ role, time }) => [role, time])).toEqual([
      ['user', Date.parse(at(1))],
      ['assistant', Date.parse(at(2))],
      ['tool', Date.parse(at(3))],
    ]);
  });
});
