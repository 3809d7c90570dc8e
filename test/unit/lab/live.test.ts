import { describe, expect, it } from 'vitest';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { generateCodingSession } from '../../../src/lab/generateCodingSession.ts';
import type { SummarySource } from '../../../src/lab/live/labModel.ts';
import { prepareSession } from '../../../src/lab/prepareSession.ts';
import { makeContender, replay, runSession } from '../../../src/lab/replay.ts';
import type { Part } from '../../../src/lab/request.ts';
import { type RecordedMessage, type RecordedSession, readSession } from '../../../src/lab/session.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { generateSession } from '../../support/sessions/generateSession.ts';
import { calls, filler, result, says, session, system, user } from '../../support/sessions/labSession.ts';

const NEVER = new AbortController().signal;

function options(window: number, summaries: SummarySource = { kind: 'none' }, settings: Record<string, unknown> = {}) {
  return {
    registry: new StrategyRegistry(),
    crypto: testCrypto(),
    timers: systemTimers,
    window,
    summaries,
    settings,
  };
}

/** `count` tool groups with results of about so many tokens each. */
function work(count: number, tokens: number): RecordedMessage[] {
  const groups = Array.from({ length: count }, (_, i) => [
    calls(`c${i}`, 'run_command', { command: 'ls' }),
    result(`c${i}`, filler(tokens)),
  ]);
  return [system('You help.'), user('Go.'), ...groups.flat(), says('Done.')];
}

async function play(recorded: RecordedSession, strategy: string, made: ReturnType<typeof options>) {
  const prepared = prepareSession(recorded);
  const requests: (readonly Part[])[] = [];
  const score = await replay(prepared, await makeContender(strategy, prepared, made), {
    signal: NEVER,
    onRequest: (_, parts) => requests.push(parts),
  });
  return { score, requests };
}

const inserts = (parts: readonly Part[]) =>
  parts.flatMap((part) => (typeof part === 'object' && part.index === null ? [part] : []));

describe("the product's strategies in the lab", { tags: ['B6', 'long'] }, () => {
  it('send everything below the trigger, the opening system message in front', async () => {
    const { requests, score } = await play(session(...work(3, 100)), 'tool-result-hiding', options(64_000));
    expect(requests.at(-1)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect([score.cost, score.runs]).toEqual([score.fullCost, { due: 0, own: 0, others: [], warnings: [] }]);
  });

  it('hide through the compactor: the stub keeps its index and leads to its message', async () => {
    const { requests, score } = await play(session(...work(10, 1000)), 'tool-result-hiding', options(10_000));
    const last = requests.at(-1) ?? [];
    expect(last.map((part) => (typeof part === 'number' ? part : part.index))).toEqual(last.map((_, i) => i));
    const stubs = last.flatMap((part) => (typeof part === 'number' ? [] : [part]));
    expect(stubs.length).toBeGreaterThan(0);
    for (const stub of stubs) {
      expect(stub.leadsTo).toEqual([stub.index]);
      expect(stub.message.content).toContain('recall with id');
      expect(stub.message.tool_call_id).toBe(session(...work(10, 1000)).messages[stub.index ?? -1]?.tool_call_id);
    }
    expect(score.invalid).toBe(0);
  });

  it('run their deterministic part without a model, and say so', async () => {
    const { score } = await play(session(...work(10, 1000)), 'llm-summary', options(10_000));
    expect(score.model.answered).toBe(0);
    expect(score.model.refused).toBeGreaterThan(0);
    expect(score.input).toBeLessThan(score.fullInput);
  });

  it('get a summary made by rules, and are charged for it', async () => {
    const scripted = options(10_000, { kind: 'scripted' });
    const { requests, score } = await play(session(...work(10, 1000)), 'llm-summary', scripted);
    expect(score.model).toEqual({ name: 'scripted', answered: score.model.answered, refused: 0 });
    expect(inserts(requests.at(-1) ?? [])[0]?.message.content).toContain('Made by rules, not by a model.');
    const prepared = prepareSession(session(...work(10, 1000)));
    const free = await replay(
      prepared,
      { request: (step) => ({ parts: requests[prepared.steps.findIndex((facts) => facts.step === step)] ?? [] }) },
      { signal: NEVER },
    );
    expect(score.cost).toBeGreaterThan(free.cost);
  });

  it('get the recorded summary at its own place, and only there', async () => {
    const recorded = { ...session(...work(6, 1000)), compactions: [{ after: 8, summary: 'What really was noted.' }] };
    const { requests, score } = await play(recorded, 'llm-summary', options(64_000, { kind: 'recorded' }));
    // Requests are those before messages 2, 4, 6, 8 …
    expect(requests.map((parts) => inserts(parts).length)).toEqual([0, 0, 0, 1, 1, 1, 1]);
    expect(inserts(requests[3] ?? [])[0]?.message.content).toContain('What really was noted.');
    expect(score.model).toEqual({ name: 'recorded', answered: 1, refused: 0 });
  });

  it.each(['scripted', 'recorded'] as const)(
    'stand beside the kept lines of layered, where summaries are %s, and take nothing from them',
    async (kind) => {
      const messages = generateCodingSession({ seed: 3, messages: 200 });
      const after = messages.findIndex(({ role }, i) => role === 'assistant' && i > 150);
      const made = { name: 'made', messages, compactions: [{ after, summary: '## Failed\nA table: too slow.' }] };
      // No model is asked within ten answers of the last notes, so these must be longer ago where the recording has one.
      const plain = await play(made, 'layered', options(64_000));
      const { requests, score } = await play(made, 'layered', options(64_000, { kind }));
      expect(score.model.answered).toBeGreaterThan(0);
      expect(score.invalid).toBe(0);
      const texts = requests.flatMap((parts) => inserts(parts).map(({ message }) => message.content));
      const summary = kind === 'recorded' ? '## Failed\nA table: too slow.' : 'Made by rules, not by a model.';
      expect(texts.some((text) => text.includes(summary))).toBe(true);
      expect(texts.some((text) => text.includes('Kept lines of earlier work'))).toBe(true);
      expect(score.user).toEqual(plain.score.user);
    },
  );

  it('take settings as if a person had set them, and name one that cannot be used', async () => {
    const recorded = session(...work(10, 1000));
    const kept = async (preserveRecentGroups: number) => {
      const made = options(10_000, { kind: 'none' }, { 'toolResultHiding.preserveRecentGroups': preserveRecentGroups });
      return (await play(recorded, 'tool-result-hiding', made)).requests
        .at(-1)
        ?.filter((part) => typeof part === 'number').length;
    };
    expect(await kept(2)).toBeLessThan((await kept(5)) ?? 0);
    await expect(kept(-1)).rejects.toThrow('palimpsest.compaction.toolResultHiding.preserveRecentGroups');
  });

  it('never break a pairing rule, and come out the same each time', async () => {
    const recorded = readSession('generated', generateSession({ seed: 11, messages: 120 }), null);
    const scores = async () => {
      const made = [];
      const strategies = new StrategyRegistry().list().map((entry) => entry.id);
      const run = { ...options(6_000, { kind: 'scripted' }), strategies, beforeFirstCompaction: false, signal: NEVER };
      for await (const score of runSession(prepareSession(recorded), run)) made.push(score);
      return made;
    };
    const first = await scores();
    expect(first.map(({ strategy, invalid }) => [strategy, invalid])).toEqual(
      first.map(({ strategy }) => [strategy, 0]),
    );
    expect(await scores()).toEqual(first);
  });

  it('are named when they are not there', async () => {
    const prepared = prepareSession(session(user('Go.')));
    await expect(makeContender('no-such', prepared, options(64_000))).rejects.toThrow(
      /There is no strategy no-such; known are none,/,
    );
  });
});
