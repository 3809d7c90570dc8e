import { describe, expect, it } from 'vitest';
import type { CompactionStrategy } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/run/registry.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { viewNext, viewRequest } from '../../../src/core/context/modelView.ts';
import type { ModelChoice } from '../../../src/core/model/modelChoice.ts';
import type { ChatMessage } from '../../../src/core/model/modelClient.ts';
import { sumTokens } from '../../../src/core/tokens/meter.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { pngOf } from '../../support/images.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const CHART = pngOf(600, 400);
const SEEN = { type: 'image', mime: 'image/png', base64: Buffer.from(CHART).toString('base64') };
const label = (name: string) => ({ type: 'text', text: `[image "${name}" (image/png, 600 × 400)]` });
const signal = new AbortController().signal;

async function begin(steps: readonly Step[], images = true, more: Partial<ModelChoice> = {}) {
  const model = new ScriptedModel(steps);
  const choice = { ...model.choice(), model: 'gpt-4o', ...(images ? { images } : {}), ...more };
  const { agent, files } = await testAgent(choice, { compaction: { 'verify.ledgerTokens': 0 } });
  files.put('chart.png', CHART);
  const say = async (text: string, given: readonly { name: string; bytes: Uint8Array }[] = []) => {
    const message = await agent.compose(text, given);
    if ('refused' in message) throw new Error(inEnglish(message.refused));
    return agent.send(message, signal);
  };
  const sent = (at = -1): readonly ChatMessage[] => model.requests.at(at)?.messages ?? [];
  return { agent, say, sent, model };
}

const given = { name: 'shot.png', bytes: CHART };
const NOTE =
  /^\[palimpsest:\w+ image "(?:shot|chart)\.png" \(image\/png, 600 × 400\) taken out; recall with id m\d+ shows it again\]$/m;

describe('images of a person', () => {
  it('go to a model that takes them, and are counted as its maker says', async () => {
    const { agent, say, sent } = await begin(['I see.']);
    await say('what is this?', [given]);
    expect(sent().at(-1)).toEqual({ role: 'user', text: 'what is this?', parts: [label('shot.png'), SEEN] });
    const item = agent.journal.context.conversation.find(({ kind }) => kind === 'user');
    // 765 tokens would be four tiles; this image has two.
    expect(item?.tokens).toBe(4 + 4 + 85 + 2 * 170 + 4);
    expect(agent.journal.context.configured?.images).toBe(true);
  });

  it('are named to any other, which is honest to both sides', async () => {
    const { agent, say, sent } = await begin(['I cannot.'], false);
    await say('what is this?', [given]);
    expect(sent().at(-1)).toEqual({
      role: 'user',
      text: 'what is this?\n[image "shot.png" (image/png, 600 × 400) is not shown to you: this model takes no images.]',
    });
    expect(agent.journal.context.conversation.find(({ kind }) => kind === 'user')?.tokens).toBeLessThan(60);
  });

  it('are kept for a model that is chosen later, and what was sent is seen as it was', async () => {
    const model = new ScriptedModel(['I cannot.', 'I see.']);
    const choices: Record<string, ModelChoice> = {
      blind: { ...model.choice(), model: 'blind' },
      sees: { ...model.choice(), model: 'sees', images: true },
    };
    const { agent } = await testAgent(model.choice(), {
      models: { initial: () => 'blind', resolve: (name) => choices[name] as ModelChoice },
    });
    const message = await agent.compose('see', [given]);
    await agent.send(message as never, signal);
    await agent.configure('sees');
    await agent.send('and now?', signal);
    expect(model.requests[0]?.messages.some((each) => 'parts' in each)).toBe(false);
    expect(model.requests[1]?.messages).toContainEqual({ role: 'user', text: 'see', parts: [label('shot.png'), SEEN] });
    const requests = agent.journal.entries.filter(({ type }) => type === 'request');
    const views = await Promise.all(
      requests.map(({ seq }) => viewRequest(agent.journal, seq, { crypto: testCrypto(), blobs: agent.blobs })),
    );
    expect(views.map((view) => view?.exact)).toEqual([true, true]);
    expect(views[1]?.parts.find(({ text }) => text.startsWith('see'))?.text).toBe(
      'see\n[image "shot.png" (image/png, 600 × 400)]\n[image/png]',
    );
  });

  it('that cannot be used are refused with the reason, and nothing is kept', async () => {
    const { agent } = await begin([]);
    const message = await agent.compose('see', [given, { name: 'x.svg', bytes: new TextEncoder().encode('<svg/>') }]);
    expect(message).toEqual({ refused: expect.anything() });
    expect(agent.journal.entries.some(({ type }) => type === 'message')).toBe(false);
  });
});

describe('images that tools return', () => {
  it('are seen where the model takes them: read_file', async () => {
    const { say, sent } = await begin([{ calls: [['read_file', { path: 'chart.png' }]] }, 'A chart.']);
    await say('look at chart.png');
    expect(sent().at(-1)).toEqual({
      role: 'tool',
      toolCallId: 'call_0',
      text: `chart.png: image/png, 600 × 400 pixels, ${CHART.length} bytes`,
      parts: [label('chart.png'), SEEN],
    });
  });

  it('are named where it does not, in words that are true', async () => {
    const { agent, say, sent } = await begin([{ calls: [['read_file', { path: 'chart.png' }]] }, 'Well.'], false);
    await say('look at chart.png');
    expect(sent().at(-1)).toEqual({
      role: 'tool',
      toolCallId: 'call_0',
      text: `chart.png: image/png, 600 × 400 pixels, ${CHART.length} bytes\n[image "chart.png" (image/png, 600 × 400) is not shown to you: this model takes no images.]`,
    });
    expect(JSON.stringify(agent.journal.entries)).not.toContain('"attachments"');
  });
});

describe('a compaction', () => {
  const steps: readonly Step[] = [{ calls: [['read_file', { path: 'chart.png' }]] }, 'A chart.', 'Another.', 'Done.'];

  async function compacted() {
    const model = new ScriptedModel(steps);
    const { agent, files } = await testAgent(
      { ...model.choice(), model: 'gpt-4o', images: true },
      // The rules alone: by hand all of them run, and a summary would replace the messages that had the images.
      { compaction: { strategy: 'selective', 'selective.fallbackToFullSummary': false } },
    );
    files.put('chart.png', CHART);
    await agent.send('look at chart.png', signal);
    await agent.send((await agent.compose('and at this', [given])) as never, signal);
    await agent.send('go on', signal);
    const before = JSON.stringify(viewNext(agent.journal).parts);
    const tokens = sumTokens(agent.journal.context.conversation);
    const outcome = await agent.compactor.compact({ trigger: 'manual' }, signal);
    return { agent, model, before, tokens, outcome };
  }

  it('puts a line that names it in place of each image from before the latest message; undo brings them back', async () => {
    const { agent, before, tokens, outcome } = await compacted();
    expect(outcome.kind).toBe('compacted');
    const messages = agent.journal.context.conversation.map(({ message }) => message);
    expect(messages.some((message) => message.role !== 'assistant' && message.attachments)).toBe(false);
    const [asked] = messages.filter(({ text }) => text.startsWith('and at this'));
    expect(asked?.text).toMatch(NOTE);
    expect(asked?.text.split('\n')[0]).toBe('and at this');
    expect(tokens - sumTokens(agent.journal.context.conversation)).toBeGreaterThan(600);
    await agent.compactor.undo();
    expect(JSON.stringify(viewNext(agent.journal).parts)).toBe(before);
  });

  it('keeps the images of the latest message; a strategy that hides a result takes its image out', async () => {
    const model = new ScriptedModel(['One.', { calls: [['read_file', { path: 'chart.png' }]] }, 'Two.']);
    const seen: number[] = [];
    const hideAll: CompactionStrategy = {
      compact: async ({ history, hide }) => {
        for (const message of history) if (message.role === 'tool') seen.push(message.attachments?.length ?? 0);
        return history.map((message) => (message.role === 'tool' ? hide(message) : message));
      },
    };
    const factory = { needs: [], create: () => hideAll };
    const entry = { id: 'own.er/hideAll', label: 'Hide all', description: '', publisher: 'own', factory };
    const { agent, files } = await testAgent(
      { ...model.choice(), model: 'gpt-4o', images: true },
      {
        compaction: { strategy: 'contributed', contributedStrategy: entry.id },
        registry: new StrategyRegistry([...BUILT_IN_STRATEGIES, entry]),
      },
    );
    files.put('chart.png', CHART);
    await agent.send((await agent.compose('old', [given])) as never, signal);
    await agent.send((await agent.compose('new', [given])) as never, signal);
    expect((await agent.compactor.compact({ trigger: 'manual' }, signal)).kind).toBe('compacted');
    expect(seen).toEqual([1]);
    const messages = agent.journal.context.conversation.map(({ message }) => message);
    const having = messages.filter((message) => message.role !== 'assistant' && message.attachments);
    expect(having.map(({ text }) => text)).toEqual(['new']);
    const result = agent.journal.context.conversation.find(({ kind }) => kind === 'toolResult');
    expect(result).toMatchObject({ hidden: true, message: { text: expect.stringContaining('tool result hidden') } });
    expect(result?.tokens).toBeLessThan(40);
  });

  it('what was taken out stays out through the next one, and recall shows it again', async () => {
    const { agent, model } = await compacted();
    const id = agent.journal.context.conversation.find(({ message }) => message.text.startsWith('and at this'))?.id;
    const more = new ScriptedModel([{ calls: [['recall', { id }]] }, 'Seen again.', 'And more.']);
    Object.assign(model, { stream: more.stream.bind(more) });
    await agent.send('show it again', signal);
    expect(more.requests.at(-1)?.messages.at(-1)).toMatchObject({
      role: 'tool',
      text: 'and at this\n[image "shot.png" (image/png, 600 × 400)]',
      parts: [label('shot.png'), SEEN],
    });
    await agent.send('go on', signal);
    await agent.compactor.compact({ trigger: 'manual' }, signal);
    const texts = agent.journal.context.conversation.flatMap(({ kind, message }) =>
      kind === 'user' ? [message.text] : [],
    );
    expect(texts.filter((text) => text.startsWith('and at this'))).toEqual([expect.stringMatching(NOTE)]);
    expect(viewNext(agent.journal).parts.some(({ text }) => text.endsWith('[image/png]'))).toBe(false);
  });
});
