/** What decides how much `layered` takes and keeps, each by itself: the room of notes, how often edits go back, whether it pays. */

import { describe, expect, it } from 'vitest';
import type { CompactionContext, ContextMessage, PastMessage } from '../../../src/api/index.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { choosePlan, type Plan, type Rooms } from '../../../src/core/compaction/strategies/layered/plan.ts';
import { SessionIndex } from '../../../src/core/compaction/strategies/layered/sessionIndex.ts';
import { returnsToLines } from '../../../src/core/compaction/strategies/layered/worth.ts';

const WINDOW = 40_000;
const ROOM = 16_000;
const ROOMS: Rooms = { window: WINDOW, notes: ROOM, users: 4_000, protectedTools: [] };
const NOTES = 'Kept lines of earlier work, word for word. Others were left out; recall gives a source by its id.';

type Given = Pick<ContextMessage, 'role' | 'text' | 'tokens'> & { readonly kind?: string };

const person = (tokens: number): Given => ({ role: 'user', kind: 'user', text: 'Go on.', tokens });
const notes = (tokens: number): Given => ({ role: 'user', kind: 'summary', text: NOTES, tokens });
/** One answer with its result each. */
const steps = (count: number, tokens: number): Given[] =>
  Array.from({ length: count }, () => [
    { role: 'assistant' as const, text: 'Reads.', tokens: 0 },
    { role: 'tool' as const, text: 'const a = 1;', tokens },
  ]).flat();

interface Asked {
  readonly growth: number;
  readonly returns: number;
  readonly hasReturned?: boolean;
}

/** The plan for a history whose newest step stays. */
function planFor(
  given: readonly Given[],
  { growth, returns, hasReturned = false }: Asked,
  more: Partial<CompactionContext> = {},
  rooms = ROOMS,
): Plan | null {
  let block = 0;
  const history = given.map((message, i) => {
    if (message.role !== 'tool') block++;
    return { id: `m${i}`, toolCalls: [], toolName: '', hidden: false, protected: false, ...message, block };
  });
  const tokenCount = history.reduce((sum, { tokens }) => sum + tokens, 0);
  const context = {
    history,
    tokenCount,
    targetTokens: WINDOW / 2,
    attempt: 1,
    trigger: 'threshold',
    prices: null,
    past: steps(20, growth),
    ...more,
  };
  return choosePlan(context as unknown as CompactionContext, rooms, history.length - 2, {
    asks: false,
    returns,
    hasReturned,
    outdatedBefore: () => [],
  });
}

describe('layered: whether a compaction pays before the next one', () => {
  const history = [person(100), notes(10_000), ...steps(3, 1_000), ...steps(1, 1_000)];
  const behindNotes = 2;

  it('leaves earlier notes alone where the session grows slowly', () => {
    expect(planFor(history, { growth: 30, returns: 0.1 })?.frozen).toBe(behindNotes);
  });

  it('takes them too where what is behind them would not last', () => {
    const plan = planFor(history, { growth: 300, returns: 0.1 });
    expect(plan?.frozen).toBe(0);
    expect(plan?.leaving).toBe(13_000);
  });

  it('keeps half as much where nothing would pay', () => {
    const [paying, hopeless] = [300, 20_000].map((growth) => planFor(history, { growth, returns: 0.1 }));
    expect(hopeless).toMatchObject({ frozen: 0, room: (paying?.room ?? 0) / 2 });
  });

  it('leaves them alone at any growth that frees something where edits go back to old lines', () => {
    expect(planFor(history, { growth: 300, returns: 1 })?.frozen).toBe(behindNotes);
  });

  it('counts with the price of the model where it is known', () => {
    const prices = { currency: 'USD', input: 1, output: 5, cacheRead: 0.5, cacheWrite: 1 };
    expect(planFor(history, { growth: 300, returns: 0.1 }, { prices })?.frozen).toBe(behindNotes);
  });
});

describe('layered: how often edits go back to old lines', () => {
  /** A file is read and edited, with so many other tokens between the two each time. */
  function sessionOf(edits: number, tokensBetween: number): SessionIndex {
    const index = new SessionIndex();
    let id = 0;
    const add = (message: object) => index.add({ id: `m${id++}`, tokens: 10, ...message } as unknown as PastMessage);
    const call = (name: string, input: object, text: string, tokens = 10) => {
      const toolCallId = `c${id}`;
      add({ role: 'assistant', text: '', toolCalls: [{ id: toolCallId, name, arguments: JSON.stringify(input) }] });
      add({ role: 'tool', text, tokens, toolCallId, toolName: name });
    };
    for (let nth = 0; nth < edits; nth++) {
      const [path, line] = [`src/file${nth}.ts`, `export const limitOfNumber${nth} = readLimit(${nth});`];
      call('read_file', { path }, line);
      call('run_command', { command: 'make' }, 'ok', tokensBetween);
      call('edit_file', { path, old_string: line, new_string: `${line} // ${nth}` }, 'ok');
    }
    return index;
  }

  it('few edits say little, and many say it all', () => {
    expect(returnsToLines(sessionOf(0, 10))).toBe(1);
    expect(returnsToLines(sessionOf(1, 10))).toBeGreaterThan(0.5);
    expect(returnsToLines(sessionOf(40, 10))).toBeLessThanOrEqual(0.1);
    expect(returnsToLines(sessionOf(1, 20_000))).toBeGreaterThan(1);
    expect(returnsToLines(sessionOf(40, 20_000))).toBe(2);
  });

  it('notes have as much less room as they go back more seldom, at least some, and more where one ever has', () => {
    const history = [person(100), ...steps(26, 1_000), ...steps(1, 1_000)];
    const roomAt = (returns: number, hasReturned = false) =>
      planFor(history, { growth: 100, returns, hasReturned })?.room ?? 0;
    const usual = roomAt(1);
    expect(roomAt(2)).toBe(usual);
    expect(roomAt(0.8) / usual).toBeCloseTo(0.8);
    expect(roomAt(0.3) / usual).toBeCloseTo(10_000 / ROOM);
    expect(roomAt(0.01)).toBe(roomAt(0.3));
    const large = { ...ROOMS, window: 4 * WINDOW, notes: 4 * ROOM };
    const inLarge = (hasReturned: boolean) =>
      planFor(
        [person(100), ...steps(100, 1_000), ...steps(1, 1_000)],
        { growth: 100, returns: 0.1, hasReturned },
        { targetTokens: 2 * WINDOW },
        large,
      )?.room ?? 0;
    expect(inLarge(true) / inLarge(false)).toBeCloseTo((0.5 * large.notes) / 10_000);
  });
});

describe('layered: the room of notes', () => {
  const layered = BUILT_IN_STRATEGIES.find(({ id }) => id === 'layered');
  const roomAt = (window: number, keptShare: number) => layered?.leaves?.({ keptShare }, window).notes ?? 0;

  it('is the same share of every window, a small one too', () => {
    for (const window of [16_000, 32_000, 64_000, 128_000]) {
      expect(roomAt(window, 0.3) / roomAt(40_000, 0.3)).toBeCloseTo(window / 40_000);
      expect(roomAt(window, 0.6) / roomAt(window, 0.3)).toBeCloseTo(2);
    }
  });
});
