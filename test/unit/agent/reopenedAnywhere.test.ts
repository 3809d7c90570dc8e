/**
 * A turn with several calls whose window is closed at any moment, or whose journal ends at any line: opened again, it goes
 * on, takes a message or is compacted, no call runs twice or without consent, and every call has exactly one result before
 * anything else follows.
 */

import { expect, test } from 'vitest';
import * as z from 'zod';
import { closeLeft } from '../../../src/core/agent/parts/leftCalls.ts';
import type { EntryDraft } from '../../../src/core/journal/entry.ts';
import type { Journal } from '../../../src/core/journal/journal.ts';
import type { ModelEvent, ModelRequest } from '../../../src/core/model/modelClient.ts';
import { Stop } from '../../../src/core/stop.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const STEPS: readonly Step[] = [
  {
    calls: [
      ['look', { at: 'a' }],
      ['write', { at: 'W1' }],
      ['look', { at: 'b' }],
      ['write', { at: 'W2' }],
    ],
  },
  {
    calls: [
      ['write', { at: 'W3' }],
      ['unknown', {}],
      ['write', { wrong: 1 }],
    ],
  },
  'Done.',
];
const LATER: readonly Step[] = [{ calls: [['write', { at: 'W4' }]] }, 'End.', 'End.', 'End.'];
const NEVER = Number.POSITIVE_INFINITY;

/** What was done over all windows, and what went wrong. */
interface World {
  readonly done: string[];
  readonly faults: string[];
}

/** `stopAt`: the window is closed at this wait of the turn; halves are the ends of waits. */
async function openWindow(world: World, steps: readonly Step[], lines: readonly string[] | null, stopAt: number) {
  const abort = new AbortController();
  const close = () => abort.abort(new Stop('window'));
  const allowed = new Set<string>();
  let waits = 0;
  const watch = async <T>(wait: () => Promise<T>): Promise<T> => {
    const own = waits++;
    if (own === stopAt) close();
    const result = await wait();
    if (own + 0.5 === stopAt) close();
    return result;
  };
  const tool = (name: string, toolClass: 'read' | 'write'): Tool<{ at: string }> => ({
    name,
    toolClass,
    description: name,
    input: z.object({ at: z.string() }),
    prepare: async ({ at }) => ({
      title: at,
      changes: [],
      approval:
        toolClass === 'read'
          ? null
          : { title: at, detail: { kind: 'command', command: at, cwd: '' }, mayRemember: true },
      run: () =>
        watch(async () => {
          if (toolClass === 'write' && !allowed.has(at)) world.faults.push(`without consent: ${at}`);
          if (toolClass === 'write' && world.done.includes(at)) world.faults.push(`twice: ${at}`);
          world.done.push(at);
          return { text: `did ${at}` };
        }),
    }),
  });
  const model = new ScriptedModel(steps);
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    await watch(async () => undefined);
    for await (const event of model.stream(request, signal)) {
      if (signal.aborted) return;
      yield event;
    }
  }
  const { agent, store } = await testAgent(
    { ...model.choice(), client: { endpoint: 'scripted:', stream } },
    {
      ...(lines ? { lines } : {}),
      header: async () => [{ kind: 'systemPrompt', origin: 'built-in', text: 'Be useful.' }],
      compaction: { 'recall.tokensPerTurn': 0, strategy: 'tool-result-hiding' },
      tools: [tool('look', 'read'), tool('write', 'write')] as Tool[],
      person: {
        consent: async () => 'compact',
        approver: {
          ask: ({ title }, signal) =>
            watch(async () => {
              if (signal.aborted) return { kind: 'deny' };
              allowed.add(title);
              return { kind: 'allow', remember: 'no' };
            }),
        },
      },
    },
  );
  const { append } = agent.journal;
  Object.assign(agent.journal, { append: (draft: EntryDraft) => watch(() => append.call(agent.journal, draft)) });
  return { agent, store, signal: abort.signal, waits: () => waits };
}

/** Calls without a result at the end; what breaks a block is a fault. */
function openCalls(journal: Journal, { faults }: World): readonly string[] {
  let open: string[] = [];
  for (const entry of journal.path()) {
    if (entry.type !== 'message') continue;
    const { message } = entry;
    if (message.role === 'tool') {
      if (!open.includes(message.toolCallId)) faults.push(`a result too many: ${message.toolCallId}`);
      open = open.filter((id) => id !== message.toolCallId);
      continue;
    }
    if (open.length > 0) faults.push(`a message of the role ${message.role} before the results of ${open.join()}`);
    open = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [];
  }
  return open;
}

const THEN = {
  continue: async ({ agent, signal }: Awaited<ReturnType<typeof openWindow>>) => void (await agent.continue(signal)),
  send: async ({ agent, signal }) => void (await agent.send('Next', signal)),
  compact: async ({ agent, signal }, world) => {
    await closeLeft(agent.journal);
    const outcome = await agent.compactor.compact({ trigger: 'manual' }, signal);
    if (outcome.kind === 'none' && /no result yet/.test(outcome.reason.toString())) world.faults.push('not compacted');
    await agent.send('Next', signal);
  },
} satisfies Record<string, (window: Awaited<ReturnType<typeof openWindow>>, world: World) => Promise<void>>;

/** Closes the window at `stopAt`, loses the last `lost` lines, and goes on in another window. */
async function faultsOf(stopAt: number, lost: number, then: keyof typeof THEN, again = NEVER) {
  const world: World = { done: [], faults: [] };
  const first = await openWindow(world, STEPS, null, stopAt);
  await first.agent.send('Go', first.signal);
  openCalls(first.agent.journal, world);
  const { lines } = first.store;
  const second = await openWindow(world, LATER, lines.slice(0, Math.max(2, lines.length - lost)), again);
  await THEN[then](second, world);
  const third = await openWindow(world, ['End.', 'End.'], second.store.lines, NEVER);
  if (again !== NEVER) await third.agent.continue(third.signal);
  if (openCalls(third.agent.journal, world).length > 0) world.faults.push('calls are open at the end');
  return { faults: world.faults.map((fault) => `${then} ${stopAt} ${lost} ${again}: ${fault}`), waits: first.waits() };
}

const WAYS = Object.keys(THEN) as (keyof typeof THEN)[];

test('closed at any moment', async () => {
  const { waits } = await faultsOf(NEVER, 0, 'send');
  expect(waits).toBeGreaterThan(20);
  const faults: string[] = [];
  for (let at = 0; at < waits; at += 0.5) for (const then of WAYS) faults.push(...(await faultsOf(at, 0, then)).faults);
  expect(faults).toEqual([]);
});

test('closed, and closed again while it goes on', async () => {
  const faults: string[] = [];
  for (let at = 8; at < 20; at += 1)
    for (let again = 0; again < 14; again += 1.5) faults.push(...(await faultsOf(at, 0, 'continue', again)).faults);
  expect(faults).toEqual([]);
});

test('a journal that ends at any line', async () => {
  const faults: string[] = [];
  for (let lost = 1; lost < 30; lost++)
    for (const then of WAYS)
      faults.push(...(await faultsOf(NEVER, lost, then)).faults.filter((fault) => !/ twice: /.test(fault)));
  expect(faults).toEqual([]);
});
