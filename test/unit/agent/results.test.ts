import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ToolMessage } from '../../../src/core/context/message.ts';
import { readFile } from '../../../src/core/tools/builtIn/readFile.ts';
import { recall } from '../../../src/core/tools/builtIn/recall.ts';
import { RecallBudget } from '../../../src/core/tools/builtIn/recallBudget.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { createMemoryFiles } from '../../support/ports/memoryFiles.ts';
import { turnHarness } from '../../support/turnHarness.ts';

const BODY = Array.from({ length: 300 }, (_, i) => `line ${i} of a long result`).join('\n');
type ResultSettings = Pick<NonNullable<Parameters<typeof turnHarness>[1]>, 'output' | 'compaction'>;
const offload = (onReturn: boolean): ResultSettings => ({
  compaction: { offload: { onReturn, threshold: 100 } },
});
const [ON, OFF] = [offload(true), offload(false)];

const big = (facts: { readonly readBack?: true } = {}): Tool => ({
  name: 'big',
  toolClass: 'read',
  description: 'Answers at length.',
  input: z.object({}),
  prepare: async () => ({ title: '', approval: null, changes: [], run: async () => ({ text: BODY, ...facts }) }),
});

/** The result that is journaled for one call of `tool`. */
async function resultOf(tool: Tool, results: ResultSettings) {
  const turn = await turnHarness([{ calls: [[tool.name, {}]] }, 'Done.'], { tools: [tool], ...results });
  await turn.send('go');
  const found = turn.journal.entries.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'tool' ? [entry.message] : [],
  );
  return { message: found[0] as ToolMessage, turn };
}

describe('results as they are journaled', () => {
  it('a large one is put aside as it arrives, and its reference leads to the whole', { tags: ['C10'] }, async () => {
    const { message, turn } = await resultOf(big(), ON);
    const name = message.offload?.blob ?? '';
    expect(message.text).toContain(`output:${name}`);
    expect(message.text.length).toBeLessThan(1_000);
    expect(new TextDecoder().decode((await turn.parts.toolPorts.blobs.get(name)) ?? undefined)).toBe(BODY);
  });

  it('nothing is put aside where that is switched off, or when the model reads it back', {
    tags: ['C10'],
  }, async () => {
    expect((await resultOf(big(), OFF)).message.text).toBe(BODY);
    expect((await resultOf(big({ readBack: true }), ON)).message.text).toBe(BODY);
  });

  it('a disk that is full costs the model nothing', { tags: ['C10'] }, async () => {
    const turn = await turnHarness([{ calls: [['big', {}]] }, 'Done.'], { tools: [big()], ...ON });
    const blobs = { put: () => Promise.reject(new Error('no space left')), get: async () => null };
    Object.assign(turn.parts.toolPorts, { blobs });
    await turn.send('go');
    expect(turn.story().join('\n')).toContain('[not offloaded: no space left]');
  });

  it('the limits of the settings are used, and what was cut is not cut again (C11)', { tags: ['N1'] }, async () => {
    const { message } = await resultOf(big(), { ...ON, output: { maxLines: 10, perTool: { '*': 'direction tail' } } });
    expect(message.text.split('\n').slice(-10)).toEqual(BODY.split('\n').slice(-10));
    expect([message.truncation?.originalLines, message.offload]).toEqual([300, undefined]);
  });
});

describe('what is read of a file', () => {
  const content = Array.from({ length: 300 }, (_, i) => `note ${i} of many`).join('\n');
  const files = createMemoryFiles({ 'a.txt': `${content}\n` });
  const tool: typeof readFile = {
    ...readFile,
    prepare: (input, ports) => readFile.prepare(input, { ...ports, files }),
  };
  const read = async (input: object, settings: ResultSettings) => {
    const turn = await turnHarness([{ calls: [['read_file', { path: 'a.txt', ...input }]] }, 'Done.'], {
      tools: [tool],
      ...settings,
    });
    await turn.send('go');
    const [message] = turn.journal.entries.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'tool' ? [entry.message] : [],
    );
    return message as ToolMessage;
  };

  it('a range that the model asked for is put aside like any other result', { tags: ['C11'] }, async () => {
    const range = await read({ offset: 11, limit: 200 }, ON);
    expect([range.truncation, range.offload?.tokens]).toEqual([undefined, expect.any(Number)]);
    expect(range.text).toMatch(/^a\.txt: lines 11-.*tool result offloaded/s);
  });

  it('what the limits of the settings cut of it is not put aside', { tags: ['C11', 'N1'] }, async () => {
    const cut = await read({ offset: 11 }, { ...ON, output: { maxLines: 100 } });
    expect([cut.truncation?.originalLines, cut.offload]).toEqual([300, undefined]);
    expect(cut.text.split('\n')[0]).toBe('a.txt: lines 11-110 of 300, read on with offset 111');
  });
});

describe('recall in a turn', () => {
  it('the budget is whole again with each turn', { tags: ['B3'] }, async () => {
    const turn = await turnHarness([
      { calls: [['recall', { id: 'm3' }]] },
      { calls: [['recall', { id: 'm3' }]] },
      'First.',
      { calls: [['recall', { id: 'm3' }]] },
      'Second.',
    ]);
    const budget = new RecallBudget(() => 60);
    const session = { context: turn.journal.context, recall: budget };
    Object.assign(turn.parts, { tools: () => [recall], recall: budget });
    Object.assign(turn.parts.toolPorts, { session });
    await turn.send('words '.repeat(40));
    await turn.send('again');
    const results = turn.journal.entries.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'tool' ? [entry.message.isError === true] : [],
    );
    expect(results).toEqual([false, true, false]);
  });
});
