/** What `read_file` and a command give the model in a turn, with the limits as they are shipped. */

import { describe, expect, it } from 'vitest';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const lines = (count: number, text = 'line') => Array.from({ length: count }, (_, i) => `${text} ${i + 1}\n`).join('');

/** What the model gets for each call, one after the other. */
async function results(
  calls: readonly (readonly [name: string, input: unknown])[],
  world: { readonly files?: Readonly<Record<string, string>>; readonly output?: string },
): Promise<readonly string[]> {
  const model = new ScriptedModel([...calls.map((call) => ({ calls: [call] })), 'Done.']);
  const { agent } = await testAgent(model.choice(), {
    files: world.files ?? {},
    commands: { many: { output: [world.output ?? ''] } },
  });
  expect(await agent.send('look', new AbortController().signal)).toEqual({ kind: 'done' });
  return model.requests.at(-1)?.messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : [])) ?? [];
}

describe('read_file in a turn', () => {
  it.each([1_999, 2_000])('a file of %i lines is given whole', { tags: ['N1'] }, async (count) => {
    const content = lines(count);
    const [text = ''] = await results([['read_file', { path: 'a.txt' }]], { files: { 'a.txt': content } });
    const [head = '', ...body] = text.split('\n');
    expect(head).toBe(`a.txt: lines 1-${count} of ${count}`);
    expect(body.map((line) => `${line}\n`).join('')).toBe(content);
  });

  it('of a longer one 2000 lines from its head, and by the offset that it names the rest', {
    tags: ['N1'],
  }, async () => {
    const read = (offset: number) => ['read_file', { path: 'a.txt', offset }] as const;
    const content = lines(4_500);
    const parts = await results([read(1), read(2_001), read(4_001)], { files: { 'a.txt': content } });
    expect(parts.map((text) => text.split('\n')[0])).toEqual([
      'a.txt: lines 1-2000 of 4500, read on with offset 2001',
      'a.txt: lines 2001-4000 of 4500, read on with offset 4001',
      'a.txt: lines 4001-4500 of 4500',
    ]);
    expect(parts.map((text) => text.slice(text.indexOf('\n') + 1)).join('\n')).toBe(content.trimEnd());
  });

  it('of long lines at most 50 KB, in whole ones', { tags: ['N1'] }, async () => {
    const content = lines(1_000, 'é'.repeat(100));
    const [text = ''] = await results([['read_file', { path: 'a.txt' }]], { files: { 'a.txt': content } });
    const bytes = new TextEncoder().encode(text.slice(text.indexOf('\n') + 1)).length;
    expect(bytes).toBeLessThanOrEqual(51_200);
    expect(bytes).toBeGreaterThan(49_000);
    const [head = '', ...body] = text.split('\n');
    expect(head).toBe(`a.txt: lines 1-${body.length} of 1000, read on with offset ${body.length + 1}`);
    expect(content.startsWith(`${body.join('\n')}\n`)).toBe(true);
  });
});

it('a command’s output keeps 2000 lines, and names where read_file finds the whole', { tags: ['N1'] }, async () => {
  const [cut = ''] = await results([['run_command', { command: 'many' }]], { output: lines(3_000) });
  const name = /read_file with path "(output:[0-9a-f]{64})"/.exec(cut)?.[1] ?? '';
  const [again = '', whole = ''] = await results(
    [
      ['run_command', { command: 'many' }],
      ['read_file', { path: name, offset: 1_400, limit: 2 }],
    ],
    { output: lines(3_000) },
  );
  expect(again).toBe(cut);
  // The line of the cut stands for those it names.
  expect(cut.split('\n').filter((line) => line.startsWith('line '))).toHaveLength(1_999);
  expect(cut).toMatch(/cut here: lines \d+-\d+ of 3001/);
  expect(whole).toMatch(
    /^output:[0-9a-f]{64}: lines 1400-1401 of 3001, .*read on with offset 1402\nline 1399\nline 1400$/,
  );
});
