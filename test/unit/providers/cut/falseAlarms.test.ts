/**
 * Over sessions of the product's own agent, whose answers are counted as providers document it: no cut is seen where there
 * is none, and every real one is.
 */

import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../../../src/core/seededRandom.ts';
import { TOOLS } from '../../../../src/core/tools/toolList.ts';
import {
  type CountingModel,
  type CountingOptions,
  countingModel,
  WAYS,
  type WayOfCounting,
} from '../../../support/localServers/countingModel.ts';
import { testAgent } from '../../../support/testAgent.ts';

const going = new AbortController().signal;

/** The figures below hold for what these take, however many tools the product has and whatever it says about them. */
const SIX_TOOLS = TOOLS.slice(0, 6).map((tool) => ({ ...tool, description: `${tool.name} `.repeat(30) }));

const CONTENTS = [
  (i: number) => `第${i}条笔记：每次重试都等待更长时间，直到达到上限为止，然后放弃并告诉用户原因。`,
  (i: number) => `      const attempt${i} = retry({ wait: ${i} * 100, limit: [1, 2, 3] }); // again`,
  (i: number) => `{"id":${i},"name":"note","tags":["retry","wait"],"limit":{"most":${i * 7}}}`,
  (i: number) => `- note ${i}: a retry waits longer each time, up to a limit, and then says what went wrong`,
];

function makeFiles(random: Random): Record<string, string> {
  return Object.fromEntries(
    CONTENTS.map((line, at) => [
      `file${at}.txt`,
      Array.from({ length: 20 + Math.floor(random() * 220) }, (_, i) => line(i)).join('\n'),
    ]),
  );
}

/** Three turns, each with some files read, one or two in a request. */
async function runSession(
  random: Random,
  window: number,
  options: Pick<CountingOptions, 'way' | 'holds' | 'cut' | 'says'>,
): Promise<CountingModel & { readonly told: readonly string[] }> {
  let calls = 0;
  const thinks = random() < 0.4;
  const left = { reads: 0 };
  const model = countingModel({
    ...options,
    random,
    dropsReasoning: random() < 0.5,
    answer: ({ tools, toolChoice }) => {
      if (tools.length === 0 || toolChoice === 'none') return { text: 'Notes on retries.', toolCalls: [] };
      const reasoning = thinks
        ? { reasoning: { field: 'reasoning_content', text: 'Let me look. '.repeat(Math.floor(random() * 300)) } }
        : {};
      if (left.reads-- <= 0)
        return { text: 'That is what they say. '.repeat(1 + random() * 20), toolCalls: [], ...reasoning };
      const read = () => ({
        id: `call_${++calls}`,
        name: 'read_file',
        arguments: JSON.stringify({ path: `file${Math.floor(random() * CONTENTS.length)}.txt` }),
      });
      return { text: 'Reading.', toolCalls: random() < 0.3 ? [read(), read()] : [read()], ...reasoning };
    },
  });
  const given = { files: makeFiles(random), tools: SIX_TOOLS };
  const { agent } = await testAgent({ client: model.client, model: 'counted', window }, given);
  for (let turn = 0; turn < 3; turn++) {
    left.reads = Math.floor(random() * 5);
    await agent.send(CONTENTS[Math.floor(random() * 4)]?.(turn).repeat(1 + random() * 30) ?? '', going);
  }
  const told = agent.journal.entries.flatMap((entry) =>
    entry.type === 'note' && /dropped the rest|counted only/.test(entry.text) ? [entry.text] : [],
  );
  return { ...model, told };
}

describe('no false alarm', { tags: ['B17', 'long'] }, () => {
  it.each(WAYS.map((way) => [way.name, way] as const))('%s', async (_, way) => {
    const random = seededRandom(WAYS.indexOf(way) + 1);
    const alarms: string[] = [];
    let usages = 0;
    for (let session = 0; session < 10; session++) {
      const holds = [16_000, 32_000, 64_000, 128_000][Math.floor(random() * 4)] ?? 0;
      const says = random() < 0.5 ? { window: holds } : null;
      const { told, requests } = await runSession(random, holds, { way, holds, cut: null, says });
      usages += requests.length;
      alarms.push(...told, ...requests.filter(({ found }) => found === 'cut').map(({ sent }) => `${sent} of ${holds}`));
    }
    expect(alarms).toEqual([]);
    // Each session has three turns, and each of them asks at least once.
    expect(usages).toBeGreaterThanOrEqual(10 * 3);
  });
});

/** The share of a prompt that is not missed as long as the vocabulary of its model is not known. */
const UNSEEN = 0.93;

/** What is left of a prompt that is too long, and at which request after the first cut it is noticed at the latest. */
const CUTS: readonly (readonly [string, (tokens: number, holds: number) => number, number])[] = [
  ['to the window', (_, holds) => holds, 0],
  ['to half of it', (_, holds) => holds - Math.floor((holds - 4) / 2), 0],
  // What is left is of no telling size, and each count that was believed makes the next estimate lower.
  ['by whole messages', (tokens, holds) => holds - (tokens % Math.floor(holds / 4)), 4],
];
const honest = WAYS.filter(({ name }) => ['Ollama', 'llama.cpp', 'LM Studio', 'vLLM'].includes(name));
const cases = CUTS.flatMap(([name, cut, latest]) => honest.map((way) => [name, way.name, cut, way, latest] as const));

describe('every real cut', { tags: ['B17', 'long'] }, () => {
  it.each(cases)('%s, as %s counts', async (_name, _way, cut, way: WayOfCounting, latest) => {
    const random = seededRandom(100 + WAYS.indexOf(way));
    const late: string[] = [];
    let cuts = 0;
    for (let session = 0; session < 10; session++) {
      const holds = [8_192, 12_000, 16_384][Math.floor(random() * 3)] ?? 0;
      const { requests } = await runSession(random, 128_000, { way, holds, cut, says: { window: holds } });
      // Whole messages that are less than what estimates differ by can be lost unseen.
      const seen = latest === 0 ? 1 : UNSEEN;
      const first = requests.findIndex(({ sent, read }) => read < sent * seen);
      if (first < 0) continue;
      const found = requests.findIndex(({ found }) => found === 'cut');
      cuts++;
      // A session that ends before is not late.
      if (found > first + latest || (found < 0 && requests.length > first + latest))
        late.push(`${JSON.stringify(requests[first])} of ${holds}: ${found} after ${first}`);
    }
    // One that leaves as much as a vocabulary may differ by, or as the model's thinking took, is not always told from it,
    // and nothing is known of a vocabulary at the first requests.
    expect(late.length, late.join('; ')).toBeLessThanOrEqual(latest === 0 ? 1 : 4);
    // Sessions that all fit would show nothing.
    expect(cuts).toBeGreaterThan(0);
  });
});

const uncached = WAYS.filter(({ name, local }) => local && /not in the cache|such a gateway/.test(name));
const [toWindow, toHalf] = CUTS.map(([name, cut]) => [name, cut] as const);
const uncachedCases = [toWindow, toHalf].flatMap((given) =>
  given
    ? uncached.flatMap((way) => [true, false].map((says) => [given[0], way.name, says, given[1], way] as const))
    : [],
);

describe('every real cut of a server that leaves out what was in its cache', { tags: ['B17', 'long'] }, () => {
  it.each(uncachedCases)('%s, as %s, and says what it holds: %s', async (_name, _way, says, cut, way) => {
    const random = seededRandom(200 + WAYS.indexOf(way));
    const late: string[] = [];
    let cuts = 0;
    for (let session = 0; session < 16; session++) {
      const holds = [8_192, 12_000, 16_384][Math.floor(random() * 3)] ?? 0;
      const { requests } = await runSession(random, 128_000, {
        way,
        holds,
        cut,
        says: says ? { window: holds } : null,
      });
      // Without a window nobody can tell a cut of little from an estimate that is too high.
      const [seen, latest] = says ? [0.75, 2] : [0.75, 4];
      const first = requests.findIndex(({ sent, read }) => read < sent * seen);
      if (first < 0) continue;
      const found = requests.findIndex(({ found }) => found === 'cut');
      cuts++;
      // A session that ends before is not late.
      if (found > first + latest || (found < 0 && requests.length > first + latest))
        late.push(`${JSON.stringify(requests[first])} of ${holds}: ${found} after ${first}`);
    }
    expect(late).toEqual([]);
    expect(cuts).toBeGreaterThan(0);
  });
});

const elsewhere = WAYS.filter(
  ({ name, local }) => !local && /^(OpenAI|DeepSeek|Moonshot)$|without the cache alone/.test(name),
);

describe('a server elsewhere that does not say what it holds', { tags: ['B17', 'long'] }, () => {
  it.each(elsewhere.map((way) => [way.name, way] as const))(
    '%s: a count that stands still while results are appended is a cut',
    async (_, way) => {
      const random = seededRandom(300 + WAYS.indexOf(way));
      const late: string[] = [];
      let cuts = 0;
      for (let session = 0; session < 10; session++) {
        const { told, requests } = await runSession(random, 128_000, {
          way,
          holds: session % 2 ? 8_192 : 10_000,
          cut: (_sent, holds) => holds,
          says: null,
        });
        const first = requests.findIndex(({ sent, read }) => read < sent * 0.75);
        if (first < 0 || requests.length <= first + 2) continue;
        cuts++;
        const found = requests.findIndex((each) => each.found === 'cut');
        if (found < 0 || found > first + 2 || !told[0]?.includes('dropped the rest'))
          late.push(`${found} after ${first}`);
      }
      // One that leaves out its cache, too, may just be adding as much each time.
      expect(late.length, late.join('; ')).toBeLessThanOrEqual(1);
      expect(cuts).toBeGreaterThan(0);
    },
  );
});
