/** Lines that name the line before them, with lines that are missing, torn, doubled or linked in a circle. */

import { describe, expect, it } from 'vitest';
import { jsonl, readImport } from './readImport.ts';

interface Line {
  readonly id: string;
  readonly parent: string | null | undefined;
  readonly said: string;
  readonly more?: object;
}

/** The same conversation in the form of each program. */
const FORMS = {
  claudeCode: ({ id, parent, said, more }: Line) => ({
    ...(parent === undefined ? {} : { parentUuid: parent }),
    type: 'user',
    uuid: id,
    message: { role: 'user', content: said },
    ...more,
  }),
  pi: ({ id, parent, said, more }: Line) => ({
    type: 'message',
    id,
    ...(parent === undefined ? {} : { parentId: parent }),
    message: { role: 'user', content: said },
    ...more,
  }),
  qwenCode: ({ id, parent, said, more }: Line) => ({
    uuid: id,
    ...(parent === undefined ? {} : { parentUuid: parent }),
    sessionId: 's',
    type: 'user',
    message: { role: 'user', parts: [{ text: said }] },
    ...more,
  }),
};
const NAMES = Object.keys(FORMS) as (keyof typeof FORMS)[];
const HEAD = { pi: [{ type: 'session', version: 3, id: 's', cwd: '/w' }], claudeCode: [], qwenCode: [] };

const chain = (length: number): Line[] =>
  Array.from({ length }, (_, at) => ({ id: `l${at}`, parent: at === 0 ? null : `l${at - 1}`, said: `said ${at}` }));

const read = async (name: keyof typeof FORMS, lines: readonly (Line | string)[]) => {
  const { format, messages, report } = await readImport(
    [jsonl(...HEAD[name]), ...lines.map((line) => (typeof line === 'string' ? line : jsonl(FORMS[name](line))))]
      .filter(Boolean)
      .join('\n'),
  );
  expect(format).toBe(name);
  return { said: messages.map((message) => message.replace('user: ', '')), broken: report.brokenLinks, report };
};
const allBut = (lines: readonly Line[], ...at: number[]) =>
  lines.filter((_, nth) => !at.includes(nth)).map(({ said }) => said);

describe.each(NAMES)('links of %s', (name) => {
  it('of a line that is missing or torn lose nothing else, and are counted', async () => {
    const lines = chain(6);
    expect(await read(name, lines)).toMatchObject({ said: allBut(lines), broken: 0 });
    for (let gone = 0; gone < lines.length; gone++) {
      // What follows a lost first line has nothing before it, and nothing follows a lost last one.
      const broken = gone === 0 || gone === lines.length - 1 ? 0 : 1;
      const without = lines.filter((_, at) => at !== gone);
      expect(await read(name, without)).toMatchObject({ said: allBut(lines, gone), broken });
      const torn = lines.map((line, at) => (at === gone ? JSON.stringify(FORMS[name](line)).slice(0, -9) : line));
      const { said, report, ...rest } = await read(name, torn);
      expect([said, rest.broken, report.badLines]).toEqual([
        allBut(lines, gone),
        broken,
        [{ line: gone + 1 + HEAD[name].length, reason: 'not JSON' }],
      ]);
    }
    const halves = lines.filter((_, at) => at !== 2 && at !== 4);
    expect(await read(name, halves)).toMatchObject({ said: allBut(lines, 2, 4), broken: 2 });
  });

  it('of a line that was written on after a torn one hold', async () => {
    const lines = chain(4);
    const [first, second, third, fourth] = lines.map((line) => JSON.stringify(FORMS[name](line)));
    const { said, report } = await read(name, [first ?? '', `${second?.slice(0, 40)}${third}`, fourth ?? '']);
    expect(said).toEqual(allBut(lines, 1));
    expect(report.badLines).toHaveLength(1);
  });

  it('in a circle, to a line itself, to nothing or of another kind lose nothing', async () => {
    for (const parent of ['l5', 'l3', 'none', '', undefined, 7 as unknown as string]) {
      const lines = chain(6).map((line, at): Line => (at === 3 ? { ...line, parent } : line));
      const { said, broken } = await read(name, lines);
      expect([parent, said, broken]).toEqual([parent, allBut(lines), 1]);
    }
  });

  it('where two lines have one id go to the nearer one before', async () => {
    const lines = chain(6).map((line, at): Line => (at === 3 ? { ...line, id: 'l1' } : line));
    const linked = lines.map((line, at): Line => (at === 4 ? { ...line, parent: 'l1' } : line));
    expect(await read(name, linked)).toMatchObject({ said: allBut(linked), broken: 0 });
    const parts = [...chain(2), { id: 'l1', parent: 'l0', said: 'and more' }, { id: 'l2', parent: 'l1', said: 'well' }];
    expect((await read(name, parts)).said).toEqual(['said 0', 'said 1', 'and more', 'well']);
  });

  it('of lines that were written again are read once', async () => {
    const lines = chain(4);
    expect((await read(name, [...lines.slice(0, 3), ...lines])).said).toEqual(allBut(lines));
  });

  it('still leave out what the person took back', async () => {
    const lines: Line[] = [
      ...chain(3),
      { id: 'other', parent: 'l0', said: 'instead' },
      { id: 'next', parent: 'other', said: 'go on' },
    ];
    expect(await read(name, lines)).toMatchObject({ said: ['said 0', 'instead', 'go on'], broken: 0 });
  });

  it('are followed in a long file in which each is broken', async () => {
    const lines = chain(2_000).map((line): Line => ({ ...line, parent: `x${line.id}` }));
    const { said, broken } = await read(name, lines);
    expect([said.length, broken]).toEqual([2_000, 1_999]);
  });
});

it('Claude Code: a break does not bring in a subagent’s words', async () => {
  const lines: Line[] = [
    ...chain(2),
    { id: 's0', parent: null, said: 'a task', more: { isSidechain: true } },
    { id: 'l3', parent: 'lost', said: 'go on' },
  ];
  expect(await read('claudeCode', lines)).toMatchObject({ said: ['said 0', 'said 1', 'go on'], broken: 1 });
});
