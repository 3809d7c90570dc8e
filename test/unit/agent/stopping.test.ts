/** Stop at every point where a turn waits for the world: whatever the moment, what is left is a conversation to go on with. */

import { describe, expect, test } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { ModelEvent, ModelRequest } from '../../../src/core/model/modelClient.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { CHAT, encodeMessages } from '../../../src/providers/chat/chatDialect.ts';
import { parseEndpoint } from '../../../src/providers/endpoint.ts';
import { findViolations } from '../../support/modelServer/modelServerRules.ts';
import { type TurnHarness, turnHarness } from '../../support/turnHarness.ts';

const DIALECT = CHAT.begin(parseEndpoint('https://host.example/v1'), 'm');

/** Everything that was begun, in order; those after the stop are marked. */
interface Watched {
  readonly turn: TurnHarness;
  readonly begun: string[];
}

/** A turn with reading, writing and running calls that is stopped when its `nth` wait begins or, a half later, ends. */
async function stoppedAt(nth: number): Promise<Watched> {
  const turn = await turnHarness(
    [
      { text: 'I look and write.', calls: [['look', { at: 'a' }] as const, ['write', { text: 'new' }] as const] },
      { calls: [['look', { at: 'b' }] as const] },
      'Done.',
    ],
    { answers: [{ kind: 'allow', remember: 'no' }] },
  );
  const begun: string[] = [];
  let waits = 0;
  const watch = async <T>(name: string, wait: () => Promise<T>): Promise<T> => {
    begun.push(turn.abort.signal.aborted ? `${name} after the stop` : name);
    const own = waits++;
    if (own === nth) turn.abort.abort();
    const result = await wait();
    if (own + 0.5 === nth) turn.abort.abort();
    return result;
  };
  const watchAll = <T extends object>(name: string, target: T, methods: readonly (keyof T & string)[]): T => {
    const watched: Record<string, unknown> = {};
    for (const method of methods) {
      const call = target[method] as unknown as (...args: unknown[]) => Promise<unknown>;
      watched[method] = (...args: unknown[]) => watch(`${name}.${method}`, () => call.apply(target, args));
    }
    return Object.assign(Object.create(target), watched);
  };
  const watchTool = (tool: Tool): Tool => ({
    ...tool,
    prepare: (input, ports) =>
      watch(`${tool.name}.prepare`, async () => watchAll(tool.name, await tool.prepare(input, ports), ['run'])),
  });
  const { parts } = turn;
  const { person, system } = parts;
  const { append } = turn.journal;
  const approve = person.approver.ask;
  Object.assign(turn.journal, {
    append: (draft: never) => watch('journal', () => append.call(turn.journal, draft)),
  });
  const tools = parts.tools().map(watchTool);
  Object.assign(parts, {
    tools: () => tools,
    compaction: watchAll('compaction', parts.compaction, ['beforeMessage', 'beforeCall', 'afterResponse']),
    system: { ...system, crypto: watchAll('crypto', system.crypto, ['sha256']) },
    keeper: {
      before: () => watch('keeper.before', async () => {}),
      after: () => watch('keeper.after', async () => {}),
    },
    // As the product's: a question that nobody can answer any more is answered with no.
    person: {
      ...person,
      approver: {
        ask: (...args: Parameters<typeof approve>) =>
          watch('approver', async () => {
            const answer = await approve(...args);
            return turn.abort.signal.aborted ? { kind: 'deny' as const } : answer;
          }),
      },
    },
    model: { ...turn.model.choice(), client: { endpoint: 'scripted:', stream: streamWatched } },
  });
  async function* streamWatched(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    await watch('model', async () => undefined);
    for await (const event of turn.model.stream(request, signal)) {
      if (signal.aborted) return;
      yield event;
      await watch(`model.${event.type}`, async () => undefined);
    }
  }
  const outcome = await turn.send('Go');
  const whole = turn.story().includes('assistant: Done.');
  expect(outcome.kind).toMatch(whole ? /^(stopped|done)$/ : /^stopped$/);
  return { turn, begun };
}

describe('stopped at every point where it waits', async () => {
  const { begun } = await stoppedAt(Number.POSITIVE_INFINITY);

  test('there are many such points, of every kind', () => {
    expect(begun.length).toBeGreaterThan(30);
    expect(new Set(begun.map((name) => name.split('.')[0]))).toEqual(
      new Set(['compaction', 'journal', 'crypto', 'model', 'look', 'write', 'approver', 'keeper']),
    );
  });

  test.each(
    begun.flatMap(
      (name, nth) =>
        [
          [`${name} begins (${nth})`, nth],
          [`${name} ends (${nth})`, nth + 0.5],
        ] as const,
    ),
  )('%s', async (_, nth) => {
    const { turn, begun: done } = await stoppedAt(nth);
    // After the stop nothing is asked of the model or the person, and no tool runs.
    const late = done.filter((name) => /^(model|approver|look\.run|write\.run).* after the stop$/.test(name));
    expect(late).toEqual([]);
    const messages = turn.journal.path().flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
    const called = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
    const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
    expect(answered).toEqual(called.map(({ id }) => id));
    // The person's message is there, and the next request is one that strict providers take.
    const next = [...lowerContext(turn.journal.context), { role: 'user' as const, text: 'Again' }];
    expect(findViolations({ model: 'm', stream: true, messages: encodeMessages(next, DIALECT) })).toEqual([]);
    expect(next.filter(({ text }) => text === 'Go')).toHaveLength(1);
  });
});
