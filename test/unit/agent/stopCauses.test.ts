/** Who or what stopped a turn is told as it was: in the result of each call, in its outcome, and in no other words. */

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { findLeft } from '../../../src/core/agent/parts/leftCalls.ts';
import { causeOf, isStopCause, Stop, type StopCause } from '../../../src/core/stop.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { turnHarness } from '../../support/turnHarness.ts';

/** Runs until the turn is stopped; `begun` is called when it does. */
const endless = (begun: () => void): Tool => ({
  name: 'endless',
  toolClass: 'run',
  description: 'Never ends.',
  input: z.object({}),
  prepare: async () => ({
    title: 'endless',
    approval: { title: 'endless', detail: { kind: 'command', command: 'endless', cwd: '' }, mayRemember: true },
    changes: [],
    run: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        begun();
      }),
  }),
});

const calls = { calls: [['endless', {}] as const, ['endless', {}] as const] };

/** Two calls; the turn is stopped while the first of them runs, or while the person is asked about it. */
async function stopped(reason: unknown, when: 'running' | 'asked') {
  let abort: () => void = () => undefined;
  const turn = await turnHarness([calls], { tools: [endless(() => when === 'running' && abort())] });
  abort = () => turn.abort.abort(reason);
  Object.assign(turn.parts, {
    person: {
      approver: {
        ask: async () => {
          if (when === 'asked') abort();
          return when === 'asked' ? { kind: 'deny' } : { kind: 'allow', remember: 'no' };
        },
      },
    },
  });
  const outcome = await turn.send('Go');
  return { outcome, told: turn.story().slice(5), left: findLeft(turn.journal)?.calls.length ?? 0 };
}

const SAID: Readonly<Record<Exclude<StopCause, 'window' | 'session'>, string>> = {
  person: 'The person stopped the turn',
  message: 'The person stopped the turn for another message',
  timeLimit: 'A time limit ended the turn',
  program: 'The turn was stopped',
};

describe('what stopped a turn', () => {
  it.each(Object.entries(SAID))('%s: every call says so, and none is left', async (by, said) => {
    const reason = new Stop(by as StopCause);
    expect(await stopped(reason, 'asked')).toEqual({
      outcome: { kind: 'stopped', by },
      told: [`tool: ${said} before this call ran.`, `tool: ${said} before this call ran.`],
      left: 0,
    });
    expect((await stopped(reason, 'running')).told).toEqual([
      `tool: ${said} while this call ran. What it had done until then is not undone.`,
      `tool: ${said} before this call ran.`,
    ]);
  });

  it.each([
    ['window', 'The window was closed'],
    ['session', 'The session was closed'],
  ] as const)('%s: what had begun is told, what had not can still be asked about', async (by, said) => {
    const asked = await stopped(new Stop(by), 'asked');
    expect([asked.outcome, asked.left, asked.told.length]).toEqual([{ kind: 'stopped', by }, 2, 1]);
    const running = await stopped(new Stop(by), 'running');
    expect(running.left).toBe(1);
    expect(running.told[0]).toBe(`tool: ${said} while this call ran. What it had done until then is not undone.`);
  });

  it('a signal without a cause names nobody, and a time limit of a program is one', async () => {
    expect((await stopped(undefined, 'asked')).outcome).toEqual({ kind: 'stopped', by: 'program' });
    expect((await stopped(new Error('enough'), 'asked')).outcome).toEqual({ kind: 'stopped', by: 'program' });
    const late = new DOMException('late', 'TimeoutError');
    expect((await stopped(late, 'asked')).outcome).toEqual({ kind: 'stopped', by: 'timeLimit' });
    expect(causeOf(AbortSignal.any([AbortSignal.abort(new Stop('window'))]))).toBe('window');
    expect(['person', 'anybody', 'toString', 7].map(isStopCause)).toEqual([true, false, false, false]);
  });

  it('a tool that gives up by itself stops nothing, and nobody is said to have', async () => {
    const givesUp: Tool = {
      ...endless(() => undefined),
      prepare: async () => ({
        title: 'x',
        approval: null,
        changes: [],
        run: async () => {
          throw new DOMException('The inner request was dropped.', 'AbortError');
        },
      }),
      toolClass: 'read',
    };
    const turn = await turnHarness([{ calls: [['endless', {}]] }, 'On.'], { tools: [givesUp] });
    expect(await turn.send('Go')).toEqual({ kind: 'done' });
    expect(turn.story()).toContain('tool: The call was cut off from within: The inner request was dropped.');
  });

  it('where nobody can be asked, nobody has declined', async () => {
    const turn = await turnHarness([{ calls: [['endless', {}]] }, 'Then not.'], {
      tools: [endless(() => undefined)],
      answers: [{ kind: 'unasked', reason: 'Nobody is there to ask.' }],
    });
    await turn.send('Go');
    expect(turn.story().join()).toContain('none could be asked. It did not run. Nobody is there to ask.');
    expect(turn.story().join()).not.toContain('declined');
  });
});
