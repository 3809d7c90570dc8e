/**
 * Standing orders through the product's own agent: every built-in strategy, every moment at which something leaves the
 * context, and long messages, because the ledger names short ones. What is checked is each request as it goes out.
 */

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../src/core/agent/agent.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { Message } from '../../../src/core/context/message.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { MODE_REMINDERS } from '../../../src/core/instructions/modeReminder.ts';
import { listsInView, roomOfOrders } from '../../../src/core/instructions/orders/orderList.ts';
import { isShapeEntry } from '../../../src/core/journal/entryTypes.ts';
import { markItem } from '../../../src/core/journal/timeTravel.ts';
import type { ChatMessage, ModelClient, ModelEvent, ModelRequest } from '../../../src/core/model/modelClient.ts';
import { countTokens, estimateMessage } from '../../../src/core/tokens/estimate.ts';
import { sumTokens } from '../../../src/core/tokens/meter.ts';
import { verbatim } from '../../../src/core/words.ts';
import { refuseEncoded, refuseRequest } from '../../support/chains/refuseRequest.ts';
import { testAgent } from '../../support/testAgent.ts';

const CHAINS = Number(process.env.PALIMPSEST_CHAINS || (process.env.PALIMPSEST_FULL ? 2_100 : 70));
const SEED = Number(process.env.PALIMPSEST_SEED || Date.now() & 0x7fffffff);
const PER_CHAIN = 3;
const DEMANDS = ['Never touch src/legacy.', '不要改动 migrations 目录。', 'Always answer in English.'];
/** What one result comes to: a few of them fill the smallest window. */
const BODY = `const value = compute(input);\n`.repeat(180);
const FILES = Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`src/f${nth}.ts`, `// ${nth}\n${BODY}`]));

/** What the model does at each request of a turn; when there is no more, it answers. */
const does = fc.constantFrom('read', 'read', 'read', 'read', 'find', 'overflow', 'compact', 'mail');
/** What becomes of the context between two turns. */
const between = fc.constantFrom(
  ...(['on', 'on', 'on', 'manual', 'manual', 'expire', 'undo', 'redo', 'undoRedo', 'travel', 'edit'] as const),
  ...(['pin', 'expand', 'collapse', 'preview', 'demand', 'model'] as const),
);
const many = <T>(each: fc.Arbitrary<T>, most: number) => fc.array(each, { maxLength: most });
const scenario = fc.record({
  window: fc.constantFrom(9_000, 9_000, 12_000, 16_000, 40_000),
  plan: fc.boolean(),
  /** Words of each answer beside its calls: what is reported rises by them, so that a response fires the trigger. */
  says: fc.constantFrom(0, 0, 600),
  /** Words around each demand. */
  long: fc.constantFrom(0, 300, 900),
  demands: fc.integer({ min: 1, max: DEMANDS.length }),
  turns: fc.array(fc.record({ does: many(does, 7), next: between, at: fc.nat() }), {
    minLength: PER_CHAIN,
    maxLength: PER_CHAIN,
  }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;
type Does = typeof does extends fc.Arbitrary<infer T> ? T : never;
type Between = typeof between extends fc.Arbitrary<infer T> ? T : never;

const going = new AbortController().signal;
const filler = (words: number) => 'the parser reads one token after another and '.repeat(words / 8);
const textOf = (messages: readonly ChatMessage[]) => messages.map(({ text }) => text).join('\n');

/** Of the journal alone: what the person demanded on this path. */
function demanded({ journal }: Agent): string[] {
  const said = new Set<string>();
  for (const entry of journal.backward()) {
    if (entry.type !== 'message' || entry.message.role !== 'user' || entry.message.kind !== 'user') continue;
    for (const demand of DEMANDS) if (entry.message.text.includes(demand)) said.add(demand);
  }
  return [...said];
}

class Session {
  agent!: Agent;
  requests = 0;
  compacted = 0;
  readonly #given: Scenario;
  #doing: Does[] = [];
  #nth = 0;
  #sent: { readonly epoch: number; readonly messages: readonly ChatMessage[] } | null = null;

  constructor(given: Scenario) {
    this.#given = given;
  }

  async begin(strategy: string): Promise<void> {
    const { window, plan } = this.#given;
    const turns: ModelClient = { endpoint: 'scripted:', stream: (request) => this.#answer(request) };
    const summaries: ModelClient = {
      endpoint: 'scripted:',
      stream: async function* () {
        yield {
          type: 'done',
          text: '<summary>The parser is being worked on.</summary>',
          toolCalls: [],
          finish: 'stop',
          usage: { input: 100, cached: 0, output: 10, reasoning: 0 },
        };
      },
    };
    const { agent } = await testAgent(
      { client: turns, model: 'scripted', window },
      {
        compaction: { strategy },
        files: FILES,
        settings: { dmail: true },
        models: {
          initial: () => 'scripted',
          resolve: (model, purpose) => ({ client: purpose === 'summary' ? summaries : turns, model, window }),
        },
      },
    );
    this.agent = agent;
    if (plan) await agent.journal.append({ type: 'mode', mode: 'plan' });
  }

  async *#answer(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { journal } = this.agent;
    this.#check(request);
    const nth = this.#nth++;
    const step = this.#doing.shift();
    const checkpoint = journal.checkpoints.at(-2)?.id ?? 0;
    if (step === 'overflow') throw new ModelError('overflow', verbatim('too long'));
    const [name, input] = {
      read: ['read_file', { path: `src/f${nth % 40}.ts` }] as const,
      find: ['find_files', { pattern: '**/*.ts' }] as const,
      compact: ['compact_context', {}] as const,
      mail: ['send_message_to_past', { checkpoint, message: `It is in file ${nth}.` }] as const,
      none: [],
    }[step ?? 'none'];
    const { header, conversation } = journal.context;
    const text = `Step ${nth}. ${filler(this.#given.says)}`;
    yield {
      type: 'done',
      text,
      toolCalls: name ? [{ id: `call_${nth}`, name, arguments: JSON.stringify(input) }] : [],
      finish: name ? 'toolCalls' : 'stop',
      usage: {
        input: (header?.tokens ?? 0) + sumTokens(conversation),
        cached: 0,
        output: countTokens(text),
        reasoning: 0,
      },
    };
  }

  #check({ messages }: ModelRequest): void {
    this.requests++;
    const { journal } = this.agent;
    const text = textOf(messages);
    const known = [...demanded(this.agent), ...(this.#given.plan ? [MODE_REMINDERS.plan] : [])];
    expect(known.filter((each) => !text.includes(each))).toEqual([]);
    // No list is told twice, and none takes more than its room.
    const lists = listsInView(journal);
    expect(lists.length).toBeLessThanOrEqual(1);
    expect(lists.reduce((sum, { message }) => sum + estimateMessage(message), 0)).toBeLessThanOrEqual(
      roomOfOrders(this.#given.window),
    );
    const epoch = journal.context.epoch;
    // Compared one by one: an assertion on long lists costs more than the agent.
    if (this.#sent?.epoch === epoch)
      for (const [nth, was] of this.#sent.messages.entries())
        if (!isDeepStrictEqual(was, messages[nth])) expect(messages[nth]).toEqual(was);
    this.#sent = { epoch, messages };
    expect(refuseRequest(messages)).toBeNull();
    expect(refuseEncoded(messages, this.requests)).toBeNull();
  }

  async turn(doing: readonly Does[], text: string, replaces: number | null = null): Promise<void> {
    this.#doing = [...doing];
    const before = this.agent.journal.entries.length;
    await this.agent.send(text, going, replaces);
    const made = this.agent.journal.entries.slice(before);
    this.compacted += made.filter(({ type }) => type === 'compaction').length;
  }

  async goBetween(then: Between, at: number): Promise<void> {
    const { journal, compactor } = this.agent;
    const items = journal.context.conversation;
    const item = items[at % Math.max(1, items.length)];
    switch (then) {
      case 'on':
      case 'demand':
        return;
      case 'manual':
        await compactor.compact({ trigger: 'manual' }, going);
        return;
      case 'expire':
        for (const nth of [0, 1]) await this.#add(look(`${at}-${nth}`));
        return;
      case 'undo':
        await compactor.undo();
        return;
      case 'redo':
        await compactor.redo();
        return;
      case 'undoRedo':
        if (await compactor.undo()) await compactor.redo();
        return;
      case 'travel': {
        const target = journal.checkpoints[at % Math.max(1, journal.checkpoints.length)];
        if (target && target.seq !== journal.head) await journal.revert(target.seq, 'user');
        return;
      }
      case 'edit': {
        const own = items.filter(({ kind }) => kind === 'user');
        const { seq } = own[at % Math.max(1, own.length)] ?? {};
        if (seq !== undefined && journal.entry(seq)?.type === 'message')
          await this.turn(['read', 'read'], `${filler(this.#given.long)} once more`, seq);
        return;
      }
      case 'pin':
        if (item) await markItem(journal, item.id, 'pinned');
        return;
      case 'expand':
      case 'collapse': {
        const slots = [...journal.context.slots()];
        const slot = slots[at % Math.max(1, slots.length)];
        if (slot) await markItem(journal, slot.id, then === 'expand' ? 'expanded' : 'collapsed');
        return;
      }
      case 'preview': {
        const preview = await compactor.consent.preview({}, going);
        if ('proposal' in preview) await compactor.apply(preview);
        return;
      }
      case 'model':
        await this.agent.configure(`scripted${at % 2}`);
    }
  }

  async #add(messages: readonly Message[]): Promise<void> {
    for (const message of messages)
      await this.agent.journal.append({ type: 'message', message, tokens: estimateMessage(message) });
  }
}

/** A result of which only the newest matters, and a person's question before it. */
const look = (id: string): Message[] => [
  { role: 'assistant', text: '', toolCalls: [{ id, name: 'look', arguments: '{}' }] },
  { role: 'tool', toolCallId: id, toolName: 'look', text: `${id} ${BODY}`, ephemeral: { keepNewest: 1 } },
  { role: 'assistant', text: 'Seen.' },
];

describe.each(BUILT_IN_STRATEGIES.map(({ id }) => id))('chains of turns with %s', (strategy) => {
  it('every request holds what was demanded for good, word for word, after any compaction', {
    tags: ['B14', 'C14'],
    timeout: 24 * 3_600_000,
  }, async () => {
    const runs = Math.ceil(CHAINS / BUILT_IN_STRATEGIES.length);
    let [requests, compacted] = [0, 0];
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const session = new Session(given);
        await session.begin(strategy);
        const around = filler(given.long);
        for (const [nth, { does: doing, next, at }] of given.turns.entries()) {
          const demand = nth < given.demands || next === 'demand' ? DEMANDS[nth % DEMANDS.length] : '';
          await session.turn(doing, [around, `Look at part ${nth}.`, demand, around].join('\n'));
          await session.goBetween(next, at);
        }
        await session.turn(['read', 'read'], 'and the last part?');
        const { entries } = session.agent.journal;
        // A compaction leaves the header as it is.
        for (const [nth, { type }] of entries.entries()) {
          if (type !== 'header' || nth === 0) continue;
          const before = entries.slice(0, nth).findLast((entry) => isShapeEntry(entry) || entry.type === 'request');
          expect(before?.type).not.toBe('compaction');
        }
        requests += session.requests;
        compacted += session.compacted;
        session.agent.dispose();
      }),
      { numRuns: runs, seed: SEED, endOnFailure: true },
    );
    // Chains that are never compacted would show nothing.
    expect(compacted).toBeGreaterThan(0);
    if (process.env.PALIMPSEST_CHAINS)
      console.log(`${runs} chains, ${requests} requests, ${compacted} compactions, seed ${SEED}, 0 violations`);
  });
});

it('a list is bounded by what its text comes to', { tags: ['B14'] }, () => {
  expect(roomOfOrders(9_000)).toBe(160);
  expect(roomOfOrders(32_000)).toBe(160);
  expect(roomOfOrders(200_000)).toBe(1_000);
  expect(countTokens(DEMANDS.join('\n'))).toBeLessThan(160);
});
