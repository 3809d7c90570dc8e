/** The agent loop: what a turn leaves in the journal, whatever happens on the way. */

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isQuiescent } from '../../../src/core/compaction/trigger/quiescence.ts';
import { lowerContext } from '../../../src/core/context/lower.ts';
import { listRequests, viewRequest } from '../../../src/core/context/modelView.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { Stop } from '../../../src/core/stop.ts';
import { verbatim, words } from '../../../src/core/words.ts';
import { memoryBlobs } from '../../support/ports/memoryStore.ts';
import type { Step } from '../../support/ports/scriptedModel.ts';
import { lookTool, turnHarness } from '../../support/turnHarness.ts';

const ALLOW = { kind: 'allow', remember: 'no' } as const;
const look = (at: string) => ['look', { at }] as const;

describe('a turn', () => {
  it('checkpoint, message, checkpoint, request, answer; synced at its end', { tags: ['M8'] }, async () => {
    const turn = await turnHarness(['Hello.']);
    expect(await turn.send('Hi')).toEqual({ kind: 'done' });
    expect(turn.story()).toEqual(['checkpoint', 'user: Hi', 'checkpoint', 'assistant: Hello.', 'usage']);
    expect(turn.store.synced).toBe(turn.store.lines.length);
    expect(turn.asked).toEqual(['beginTurn', 'beforeMessage', 'beforeCall', 'afterResponse']);
  });

  it('tells the model the checkpoint only when asked to, in a reminder beside the message', {
    tags: ['M2'],
  }, async () => {
    const turn = await turnHarness(['a', 'b'], { settings: { tellCheckpoints: true } });
    await turn.send('one');
    await turn.send('two');
    expect(turn.story().filter((line) => line.startsWith('user'))).toEqual([
      'user: CHECKPOINT 0',
      'user: one',
      'user: CHECKPOINT 2',
      'user: two',
    ]);
  });

  it('runs parallel calls in order and goes on with their results', async () => {
    const turn = await turnHarness([{ calls: [look('a'), look('b')] }, 'Both seen.']);
    await turn.send('Look twice');
    expect(turn.story()).toEqual([
      'checkpoint',
      'user: Look twice',
      'checkpoint',
      'assistant:  +look +look',
      'usage',
      'tool: saw a',
      'tool: saw b',
      'assistant: Both seen.',
      'usage',
    ]);
    expect(turn.asked.filter((point) => point === 'afterResponse')).toHaveLength(2);
  });

  it('keeps the epoch rule: each request begins with the one before it', async () => {
    const turn = await turnHarness([{ calls: [look('a')] }, 'Seen.', 'Again.']);
    await turn.send('one');
    await turn.send('two');
    const [first, second, third] = turn.model.requests.map((request) => request.messages);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(third?.slice(0, second?.length)).toEqual(second);
  });

  it('journals a header once, and again when the tools change', async () => {
    const turn = await turnHarness(['a', 'b', 'c']);
    await turn.send('one');
    await turn.send('two');
    const headers = () => turn.journal.path().filter((entry) => entry.type === 'header').length;
    expect(headers()).toBe(1);
    Object.assign(turn.parts, { tools: () => [] });
    await turn.send('three');
    expect(headers()).toBe(2);
  });

  it('answers malformed arguments with what was wrong and lets the model try again', async () => {
    const turn = await turnHarness([{ calls: [['look', '{"at":']] }, { calls: [['look', { at: {} }]] }, 'Given up.']);
    await turn.send('Look');
    const results = turn.story().filter((line) => line.startsWith('tool'));
    expect(results[0]).toMatch(/not valid JSON/);
    expect(results[1]).toMatch(/\bat\b.*expected string/i);
  });

  it('stores, shows and runs the call that was taken, and sends that one back', async () => {
    const wrapped = JSON.stringify({ arguments: JSON.stringify({ text: 7 }) });
    const turn = await turnHarness([{ calls: [['write', wrapped]] }, 'Done.'], {
      answers: [{ kind: 'allow', remember: 'no' }],
    });
    await turn.send('Write 7');
    const meant = '{"text":"7"}';
    const calls = turn.journal.path().flatMap((entry) => {
      return entry.type === 'message' && entry.message.role === 'assistant' ? (entry.message.toolCalls ?? []) : [];
    });
    expect(calls.map((call) => call.arguments)).toEqual([meant]);
    expect(turn.approvals[0]?.detail).toMatchObject({ after: '7' });
    expect(turn.written).toEqual(['7']);
    const sent = turn.model.requests
      .at(-1)
      ?.messages.flatMap((each) => ('toolCalls' in each ? (each.toolCalls ?? []) : []));
    expect(sent?.map((call) => call.arguments)).toEqual([meant]);
    expect(turn.model.requests).toHaveLength(2);
    expect(turn.story().find((line) => line.startsWith('tool'))).toContain('written');
  });

  it('pauses at the step limit', async () => {
    const turn = await turnHarness([{ calls: [look('a')] }, { calls: [look('b')] }], { settings: { stepLimit: 2 } });
    expect(await turn.send('Look for ever')).toEqual({
      kind: 'paused',
      reason: words('The turn reached its limit of {0} requests. Continue, or send a message.', 2),
      limit: 'steps',
    });
  });

  it('estimates usage when the provider reports none: never 0', async () => {
    const turn = await turnHarness([{ text: 'Hello.', usage: null }]);
    await turn.send('Hi');
    const usage = turn.journal.path().findLast((entry) => entry.type === 'usage');
    expect(usage).toMatchObject({ estimated: true, usage: { cached: 0 } });
    expect(usage?.type === 'usage' && usage.usage.input).toBeGreaterThan(5);
  });
});

describe('approval', () => {
  const write = { calls: [['write', { text: 'new' }] as const] };

  it('asks before a write, and writes what was shown', async () => {
    const turn = await turnHarness([write, 'Done.'], { answers: [ALLOW] });
    await turn.send('Write');
    expect(turn.approvals.map(({ toolName, title, detail }) => ({ toolName, title, detail }))).toEqual([
      { toolName: 'write', title: 'file.txt', detail: { kind: 'edit', path: 'file.txt', before: null, after: 'new' } },
    ]);
    expect(turn.written).toEqual(['new']);
  });

  it('tells the model of a refusal with its reason; nothing is written', async () => {
    const turn = await turnHarness([write, 'Understood.'], { answers: [{ kind: 'deny', reason: 'not that file' }] });
    await turn.send('Write');
    expect(turn.written).toEqual([]);
    expect(turn.story()).toContain('tool: The person declined this call. They said: not that file');
  });

  it('tells the model what the person said when they allowed it', async () => {
    const answers = [{ ...ALLOW, reason: 'only this once' }];
    const turn = await turnHarness([write, 'Understood.'], { answers });
    await turn.send('Write');
    expect(turn.written).toEqual(['new']);
    expect(turn.story().join('\n')).toContain('[The person allowed this call and said: only this once]');
  });

  it('one of several calls declined: the others run, each has its own result', async () => {
    const calls = [look('a'), ['write', { text: 'one' }] as const, ['write', { text: 'two' }] as const, look('b')];
    const turn = await turnHarness([{ calls }, 'Done.'], { answers: [{ kind: 'deny' }, ALLOW] });
    await turn.send('Write');
    expect(turn.written).toEqual(['two']);
    expect(turn.story().filter((line) => line.startsWith('tool'))).toEqual([
      'tool: saw a',
      'tool: The person declined this call.',
      'tool: written',
      'tool: saw b',
    ]);
  });

  it('a question that a stop has answered is told as a stop, not as a decision', async () => {
    const turn = await turnHarness([write]);
    Object.assign(turn.parts, {
      person: {
        approver: {
          ask: async () => {
            turn.abort.abort(new Stop('person'));
            return { kind: 'deny' };
          },
        },
      },
    });
    expect(await turn.send('Write')).toEqual({ kind: 'stopped', by: 'person' });
    expect(turn.story().at(-1)).toBe('tool: The person stopped the turn before this call ran.');
  });

  it('asks once when a class was allowed for the session', async () => {
    const turn = await turnHarness([write, write, 'Done.'], { answers: [{ kind: 'allow', remember: 'session' }] });
    await turn.send('Write twice');
    expect(turn.approvals).toHaveLength(1);
    expect(turn.written).toEqual(['new', 'new']);
  });

  it('refuses writing in an untrusted workspace without asking', async () => {
    const turn = await turnHarness([write, 'I may only read.']);
    Object.assign(turn.parts, { trust: () => 'untrusted' });
    await turn.send('Write');
    expect([turn.approvals, turn.written]).toEqual([[], []]);
    expect(turn.story()[5]).toMatch(/^tool: This workspace is not trusted/);
  });
});

describe('what an answer ended with is said', () => {
  it.each<readonly [string, Step, string]>([
    ['content filter', { text: 'Half', finish: 'contentFilter' }, 'The provider’s content filter ended the answer.'],
    ['output limit', { text: 'Half', finish: 'length' }, 'The answer reached the output limit and was cut off there.'],
    ['an unknown reason', { text: 'Half', finish: 'other' }, 'The provider ended the answer without saying why.'],
    ['nothing at all', { text: '' }, 'The model gave an empty answer.'],
    ['only thoughts', { reasoning: 'Hm.' }, 'The model gave an empty answer.'],
  ])('%s', async (_, step, said) => {
    const turn = await turnHarness([step]);
    expect(await turn.send('Hi')).toEqual({ kind: 'done' });
    expect(turn.story().filter((line) => line.startsWith('note'))).toEqual([expect.stringContaining(`note: ${said}`)]);
  });
});

describe('an answer without a word, ended by length', () => {
  const compacted = { kind: 'compacted' as const, entry: {} as never };
  const usage = (input: number, output: number) => ({ input, cached: 0, output, reasoning: 0 });

  it.each<readonly [string, Step]>([
    ['not one token was allowed', { text: '', finish: 'length', usage: usage(4_000, 0) }],
    ['no usage was told', { text: '', finish: 'length', usage: null }],
    ['thoughts filled the window', { reasoning: 'Hm.', finish: 'length', usage: usage(90_000, 9_000) }],
  ])('with a full window it is compacted and asked again: %s', async (_, step) => {
    const turn = await turnHarness([step, 'Fits now.'], { outcomes: { afterOverflow: [compacted] } });
    expect(await turn.send('Hi')).toEqual({ kind: 'done' });
    expect(turn.asked.filter((point) => point === 'afterOverflow')).toHaveLength(1);
    expect(turn.story().at(-2)).toContain('Fits now.');
  });

  it('with room in the window it is the output limit', async () => {
    const turn = await turnHarness([{ reasoning: 'Hm.', finish: 'length', usage: usage(1_000, 4_096) }]);
    expect(await turn.send('Hi')).toEqual({ kind: 'done' });
    expect(turn.story().at(-1)).toContain('The answer reached the output limit');
  });
});

describe('a history that is refused as malformed', () => {
  const refused = new ModelError('badRequest', 'No tool output found for call_0.', {
    status: 400,
    malformedHistory: true,
  });
  const inWords = {
    role: 'user',
    text: '<tool-result>\nYou called look with {"at":"a"}. Its result:\n\nsaw a\n</tool-result>',
  };

  it('is sent once more in words, which is told; what comes later is sent as it is', async () => {
    const turn = await turnHarness([
      { text: 'I look.', calls: [look('a')] },
      { error: refused },
      { calls: [look('b')] },
      'Seen.',
    ]);
    expect(await turn.send('Look')).toEqual({ kind: 'done' });
    const [, plain, mended, later] = turn.model.requests.map(({ messages }) => messages.slice(2));
    expect(plain?.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(mended).toEqual([{ role: 'assistant', text: 'I look.' }, inWords]);
    expect(later?.slice(0, 2)).toEqual(mended);
    expect(later?.slice(2).map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(turn.story().filter((line) => line.startsWith('note'))).toEqual([
      'note: No tool output found for call_0. The earlier tool calls and their results are sent again, as text.',
    ]);
    for (const { seq } of listRequests(turn.journal)) {
      const view = await viewRequest(turn.journal, seq, { ...turn.parts.system, blobs: memoryBlobs() });
      expect(view?.exact).toBe(true);
    }
  });

  it('is not sent a third time', async () => {
    const turn = await turnHarness([{ calls: [look('a')] }, { error: refused }, { error: refused }]);
    expect(await turn.send('Look')).toEqual({ kind: 'failed', error: refused });
    turn.model.assertDone();
  });

  it('without a call in it is not sent again', async () => {
    const turn = await turnHarness([{ error: refused }]);
    expect(await turn.send('Hi')).toEqual({ kind: 'failed', error: refused });
  });
});

describe('stopping and failing', () => {
  it('a tool that fails as it should not: every call has a result, the turn ends, and the session can go on', async () => {
    const bug = new TypeError('x is undefined');
    const turn = await turnHarness([{ calls: [look('a'), ['broken', {}], look('b')] }, 'Again.']);
    const broken = { ...lookTool, name: 'broken', input: z.object({}), prepare: () => Promise.reject(bug) };
    Object.assign(turn.parts, { tools: () => [lookTool, broken] });
    await expect(turn.send('Look')).rejects.toBe(bug);
    expect(turn.story().slice(-3)).toEqual([
      'tool: saw a',
      'tool: The tool failed in a way it should not: x is undefined',
      'tool: This call did not run, because the one before it failed in a way it should not.',
    ]);
    expect(isQuiescent(turn.journal.context.conversation)).toBe(true);
    expect(await turn.send('And now?')).toEqual({ kind: 'done' });
  });

  it('a disk that fills up while an answer is journaled does not journal it twice', async () => {
    const turn = await turnHarness([{ text: 'Hello.' }]);
    const { append } = turn.journal;
    Object.assign(turn.journal, {
      append: (draft: { type: string }) => {
        if (draft.type === 'usage') turn.store.failNext(1);
        return append.call(turn.journal, draft as never);
      },
    });
    await expect(turn.send('Hi')).rejects.toThrow('The disk is full.');
    expect(turn.story().filter((line) => line.startsWith('assistant'))).toEqual(['assistant: Hello.']);
  });

  it('keeps a broken answer as interrupted and never runs its calls', async () => {
    const error = new ModelError('interrupted', 'cut off');
    const turn = await turnHarness([{ text: 'Half an ans', error }]);
    expect(await turn.send('Hi')).toEqual({ kind: 'failed', error });
    expect(turn.story()).toEqual(['checkpoint', 'user: Hi', 'checkpoint', 'assistant: Half an ans (interrupted)']);
  });

  it('answers every call of a stopped turn, so that no block is left open', async () => {
    const turn = await turnHarness([{ calls: [look('a'), look('b')] }]);
    Object.assign(turn.parts, {
      onEvent: (event: { type: string; phase?: string }) => {
        if (event.type === 'call' && event.phase === 'running') turn.abort.abort(new Stop('person'));
      },
    });
    expect(await turn.send('Look')).toEqual({ kind: 'stopped', by: 'person' });
    expect(turn.story().slice(-2)).toEqual([
      'tool: The person stopped the turn before this call ran.',
      'tool: The person stopped the turn before this call ran.',
    ]);
    expect(lowerContext(turn.journal.context).filter((message) => message.role === 'tool')).toHaveLength(2);
  });

  it('ends quietly when it is stopped before the answer begins', async () => {
    let abort = () => {};
    const turn = await turnHarness([{ before: () => abort() }]);
    abort = () => turn.abort.abort();
    expect(await turn.send('Hi')).toEqual({ kind: 'stopped', by: 'program' });
    expect(turn.story()).toEqual(['checkpoint', 'user: Hi', 'checkpoint']);
  });
});

describe('compaction in a turn', () => {
  const compacted = { kind: 'compacted' as const, entry: {} as never };
  const overflow = new ModelError('overflow', 'too long', { learnedWindow: 4096 });

  it('recovers from an overflow: compacts and asks again', async () => {
    const turn = await turnHarness([{ error: overflow }, 'Fits now.'], { outcomes: { afterOverflow: [compacted] } });
    expect(await turn.send('Hi')).toEqual({ kind: 'done' });
    turn.model.assertDone();
  });

  it('stops with the numbers when nothing more can go', async () => {
    const turn = await turnHarness([{ error: overflow }], {
      outcomes: { afterOverflow: [{ kind: 'stuck', reason: verbatim('9,000 tokens do not fit into 4,096.') }] },
    });
    expect(await turn.send('Hi')).toEqual({ kind: 'paused', reason: verbatim('9,000 tokens do not fit into 4,096.') });
  });

  it('goes on after a compaction, or pauses when autoContinue is off', { tags: ['N5'] }, async () => {
    const outcomes = () => ({ beforeCall: [{ kind: 'none' as const, reason: verbatim('') }, compacted] });
    const on = await turnHarness([{ calls: [look('a')] }, 'Seen.'], { outcomes: outcomes() });
    expect(await on.send('Look')).toEqual({ kind: 'done' });
    const off = await turnHarness([{ calls: [look('a')] }], {
      outcomes: outcomes(),
      compaction: { autoContinue: false },
    });
    expect(await off.send('Look')).toMatchObject({ kind: 'paused' });
  });

  it('with autoContinue off it pauses after an overflow too, and goes on when asked', { tags: ['N5'] }, async () => {
    const turn = await turnHarness([{ error: overflow }], {
      outcomes: { afterOverflow: [compacted] },
      compaction: { autoContinue: false },
    });
    expect(await turn.send('Hi')).toMatchObject({ kind: 'paused' });
    turn.model.assertDone();
  });

  it('a new session can be chosen instead; the message is then not appended', { tags: ['P4'] }, async () => {
    const turn = await turnHarness([], { outcomes: { beforeMessage: [{ kind: 'refused', choice: 'newSession' }] } });
    expect(await turn.send('Hi')).toEqual({ kind: 'newSession' });
    expect(turn.story()).toEqual([]);
  });
});
