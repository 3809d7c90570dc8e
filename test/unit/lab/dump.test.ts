import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findSessionFolder } from '../../../scripts/lab/recordedFolder.ts';
import { listSessions, loadSession } from '../../../src/cli/sessionFiles.ts';
import { BASELINES } from '../../../src/lab/baselines/baselines.ts';
import { DumpWriter } from '../../../src/lab/dumpWriter.ts';
import { generateCodingSession } from '../../../src/lab/generateCodingSession.ts';
import { prepareSession } from '../../../src/lab/prepareSession.ts';
import { replay } from '../../../src/lab/replay.ts';
import type { RecordedSession } from '../../../src/lab/session.ts';
import { calls, result, says, session, user } from '../../support/sessions/labSession.ts';
import { scoreDump } from '../../support/sessions/scoreDump.ts';

/** The lab's own figures and those worked out from its dump. */
async function scoreTwice(recorded: RecordedSession, strategy: string, window: number) {
  const prepared = prepareSession(recorded);
  const baseline = BASELINES.get(strategy);
  if (!baseline) throw new Error(`No strategy ${strategy}`);
  const writer = new DumpWriter();
  const lines: string[] = [];
  const own = await replay(prepared, baseline(prepared, window), {
    signal: new AbortController().signal,
    onRequest: (step, parts) => lines.push(writer.line(step, parts)),
  });
  const { input, cost, rewrites, all, longRange, verbatim } = own;
  return {
    own: { input, cost, rewrites, all, longRange, verbatim: verbatim.kept },
    dumped: scoreDump(recorded.messages, lines),
    lines,
  };
}

describe('a dump', () => {
  it('names kept messages by index and defines each literal once', async () => {
    const groups = Array.from({ length: 6 }, (_, i) => [
      calls(`${i}`, 'ls', '{}'),
      result(`${i}`, 'x'.repeat(200)),
    ]).flat();
    const { lines } = await scoreTwice(
      session(user('Go.'), ...groups, says('.'), says('.')),
      'hide-5-each-step',
      64_000,
    );
    const stub = { role: 'tool', content: '[Old tool result hidden: 200 chars; recall with id m2]', tool_call_id: '0' };
    expect(lines.slice(-2).map((line) => JSON.parse(line))).toEqual([
      {
        step: 13,
        request: [0, 1, 'L0', 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        literals: { L0: { index: 2, leadsTo: [2], message: stub } },
      },
      { step: 14, request: [0, 1, 'L0', 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] },
    ]);
  });

  it('says what a strategy asked a model for', () => {
    const writer = new DumpWriter();
    const charge = { input: 700, output: 90 };
    expect(JSON.parse(writer.line(1, [0], charge))).toEqual({ step: 1, request: [0], charge });
    const recorded = session(user('abcd'), says('abcd'));
    const cost = (lines: readonly string[]) => scoreDump(recorded.messages, lines).cost;
    const [plain, charged] = [[new DumpWriter().line(1, [0])], [new DumpWriter().line(1, [0], charge)]];
    expect(cost(charged) - cost(plain)).toBeCloseTo(1.25 * 700 + 5 * 90);
  });

  it.each([...BASELINES.keys()])('says enough to score %s again, with the same result', async (strategy) => {
    const recorded = session(...generateCodingSession({ seed: 7, messages: 240 }));
    const { own, dumped } = await scoreTwice(recorded, strategy, 16_000);
    expect(dumped).toEqual(own);
  });

  const folder = findSessionFolder();
  it.runIf(folder !== null && existsSync(folder))('says enough for a recorded session', async () => {
    const { sessions } = await listSessions(folder === null ? [] : [folder], new AbortController().signal);
    const smallest = sessions.toSorted((a, b) => a.size - b.size);
    for (const source of smallest.filter(({ size }) => size > 50_000).slice(0, 3)) {
      const { own, dumped } = await scoreTwice(await loadSession(source), 'digest', 24_000);
      expect(dumped).toEqual(own);
    }
  });
});
