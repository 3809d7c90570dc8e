import { describe, expect, it } from 'vitest';
import { BASELINES } from '../../../src/lab/baselines/baselines.ts';
import { generateCodingSession } from '../../../src/lab/generateCodingSession.ts';
import { prepareSession } from '../../../src/lab/prepareSession.ts';
import { replay } from '../../../src/lab/replay.ts';
import type { Part } from '../../../src/lab/request.ts';
import type { RecordedMessage } from '../../../src/lab/session.ts';
import { calls, filler, result, says, session, system, user } from '../../support/sessions/labSession.ts';

const PUBLISHED = ['transparent', 'pruning-rules', 'drop-queue', 'episodes'];

/** A number for an unmodified message, `h3` for one whose text is hidden, `s2` for shortened arguments, `+` for a text. */
function show(part: Part): number | string {
  if (typeof part === 'number') return part;
  if (part.index === null) return '+';
  return `${part.message.tool_calls ? 's' : 'h'}${part.index}`;
}

/** All requests of a strategy in turn; the last one, and every text of it. */
async function lastRequest(id: string, messages: readonly RecordedMessage[], window = 64_000) {
  const prepared = prepareSession(session(...messages));
  const contender = BASELINES.get(id)?.(prepared, window);
  let parts: readonly Part[] = [];
  for (const { step } of prepared.steps) {
    parts = (await contender?.request(step, new AbortController().signal))?.parts ?? [];
  }
  return { shown: parts.map(show), text: JSON.stringify(parts) };
}

const BEGIN = [system('You help.'), user('Go.')];
const read = (id: string, path: string, tokens: number) => [
  calls(id, 'Read', { file_path: path }),
  result(id, filler(tokens)),
];
const edit = (id: string, path: string, tokens: number) => [
  calls(id, 'Edit', { file_path: path, old_string: 'a', new_string: 'b' }),
  result(id, filler(tokens)),
];

describe('transparent', () => {
  it('keeps all words, and leaves markers for results before a tail of a quarter of the window', async () => {
    const work = Array.from({ length: 9 }, (_, i) => read(`c${i}`, `src/f${i}.ts`, 1000)).flat();
    const { shown } = await lastRequest('transparent', [...BEGIN, ...work, says('Done.')], 10_000);
    expect(shown.filter((part) => typeof part === 'string')).toEqual(['h3', 'h5', 'h7', 'h9', 'h11', 'h13']);
    expect(shown).toHaveLength(20);
  });
});

describe('pruning-rules', () => {
  it('of the same call only the newest result stays, whatever the order of its arguments', async () => {
    const messages = [
      ...BEGIN,
      calls('c1', 'Read', { file_path: 'src/a.ts', limit: 10 }),
      result('c1', filler(100)),
      calls('c2', 'Read', { limit: 10, file_path: 'src/a.ts' }),
      result('c2', filler(100)),
      calls('c3', 'Read', { file_path: 'src/a.ts', limit: 20 }),
      result('c3', filler(100)),
      says('Done.'),
    ];
    expect((await lastRequest('pruning-rules', messages)).shown).toEqual([0, 1, 2, 'h3', 4, 5, 6, 7]);
  });

  it('leaves out what a call wrote once the file was read, and keeps its path', async () => {
    const written = [calls('w', 'Write', { file_path: 'src/a.ts', content: filler(300) }), result('w', 'Written.')];
    const before = await lastRequest('pruning-rules', [...BEGIN, ...written, says('Done.')]);
    expect(before.shown).toEqual([0, 1, 2, 3]);
    const messages = [...BEGIN, ...written, ...read('r', 'src/a.ts', 300), says('Done.')];
    const { shown, text } = await lastRequest('pruning-rules', messages);
    expect(shown).toEqual([0, 1, 's2', 3, 4, 5]);
    expect(text).toContain('src/a.ts');
    expect(text).toContain('input hidden: 1184 chars');
  });

  it('leaves out the input of a failed call after four answers, and keeps its error', async () => {
    const failed = [
      calls('f', 'Bash', { command: filler(300) }),
      { ...result('f', 'No such command.'), is_error: true },
    ];
    const others = (count: number) => Array.from({ length: count }, (_, i) => read(`r${i}`, `src/${i}.ts`, 60)).flat();
    const early = await lastRequest('pruning-rules', [...BEGIN, ...failed, ...others(3), says('Done.')]);
    expect(early.shown[2]).toBe(2);
    const late = await lastRequest('pruning-rules', [...BEGIN, ...failed, ...others(4), says('Done.')]);
    expect(late.shown.slice(2, 4)).toEqual(['s2', 3]);
  });
});

describe('drop-queue', () => {
  it('changes nothing below 0.65 of the window, then drops what the same call returned again', async () => {
    const work = (others: number) => [
      ...BEGIN,
      ...read('c0', 'src/a.ts', 1000),
      ...read('c1', 'src/a.ts', 1000),
      ...Array.from({ length: others }, (_, i) => read(`d${i}`, `src/${i}.ts`, 100)).flat(),
      says('Done.'),
    ];
    expect((await lastRequest('drop-queue', work(20), 10_000)).shown).not.toContain('h3');
    const { shown } = await lastRequest('drop-queue', work(45), 10_000);
    expect(shown.filter((part) => typeof part === 'string')).toEqual(['h3']);
  });

  it('writes a history where dropping does not suffice, and keeps the newest twenty tags', async () => {
    const work = Array.from({ length: 40 }, (_, i) => read(`c${i}`, `src/f${i}.ts`, 200)).flat();
    const { shown } = await lastRequest('drop-queue', [...BEGIN, ...work, says('Done.')], 10_000);
    expect(shown.slice(0, 2)).toEqual([0, '+']);
    expect(shown.filter((part) => typeof part === 'number' && part % 2 === 1).length).toBeGreaterThanOrEqual(20);
  });
});

describe('episodes', () => {
  const messages = (second: string) => [
    ...BEGIN,
    ...read('r1', 'src/a.ts', 1500),
    ...edit('e1', 'src/a.ts', 1500),
    user('And now the other.'),
    ...read('r2', second, 1500),
    ...Array.from({ length: 5 }, (_, i) => edit(`n${i}`, 'src/new.ts', 1000)).flat(),
    says('Done.'),
  ];

  it('empties what acted before what explored, and keeps what a person said', async () => {
    const { shown } = await lastRequest('episodes', messages('src/b.ts'), 12_000);
    expect(shown).toContain('h5');
    expect(shown).toContain(6);
    expect(shown.indexOf('h3') >= 0 || shown.includes(3)).toBe(true);
  });

  it('removes whole episodes when nothing else is left, and names what was explored', async () => {
    const many = Array.from({ length: 30 }, (_, i) => [
      ...read(`r${i}`, `src/a${i}.ts`, 20),
      ...edit(`e${i}`, `src/b${i}.ts`, 20),
    ]).flat();
    const { shown, text } = await lastRequest('episodes', [...BEGIN, ...many, says('Done.')], 1_200);
    expect(shown).toContain('+');
    expect(text).toContain('[Explored before: src/a0.ts]');
    expect(text).not.toContain('src/b0.ts');
    expect(shown.slice(0, 2)).toEqual([0, 1]);
  });

  it('keeps what explored while a later change of the same file is there', async () => {
    const many = [
      ...read('r', 'src/kept.ts', 20),
      ...Array.from({ length: 30 }, (_, i) => read(`a${i}`, `src/a${i}.ts`, 20)).flat(),
      ...Array.from({ length: 5 }, (_, i) => edit(`e${i}`, 'src/kept.ts', 300)).flat(),
    ];
    const { shown } = await lastRequest('episodes', [...BEGIN, ...many, says('Done.')], 2_000);
    expect(shown).toContain(2);
  });
});

describe('the published strategies', () => {
  it.each(PUBLISHED)('%s: no request breaks a rule of calls and results', async (id) => {
    const prepared = prepareSession({
      name: 'made',
      messages: generateCodingSession({ seed: 3, messages: 300 }),
      compactions: [],
    });
    const contender = BASELINES.get(id)?.(prepared, 16_000);
    if (!contender) throw new Error(id);
    const score = await replay(prepared, contender, { signal: new AbortController().signal });
    expect(score.invalid).toBe(0);
    expect(score.input).toBeLessThan(score.fullInput);
  });
});
