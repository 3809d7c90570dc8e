import { describe, expect, it } from 'vitest';
import { BASELINES } from '../../../src/lab/baselines/baselines.ts';
import { writeDigest } from '../../../src/lab/baselines/digest.ts';
import { generateCodingSession } from '../../../src/lab/generateCodingSession.ts';
import { prepareSession } from '../../../src/lab/prepareSession.ts';
import { replay } from '../../../src/lab/replay.ts';
import type { Part } from '../../../src/lab/request.ts';
import { charactersOf, type RecordedMessage } from '../../../src/lab/session.ts';
import { calls, filler, result, says, session, system, user } from '../../support/sessions/labSession.ts';

/** A number for an unmodified message, `h3` for message 3 hidden, `+` for an inserted one. */
const show = (part: Part): number | string =>
  typeof part === 'number' ? part : part.index === null ? '+' : `h${part.index}`;

/** The requests of one strategy for all steps of a session, by step. */
async function requests(
  id: string,
  messages: readonly RecordedMessage[],
  window = 64_000,
): Promise<Map<number, (number | string)[]>> {
  const prepared = prepareSession(session(...messages));
  const contender = BASELINES.get(id)?.(prepared, window);
  const made = new Map<number, (number | string)[]>();
  for (const { step } of prepared.steps) {
    const request = await contender?.request(step, new AbortController().signal);
    made.set(step, request?.parts.map(show) ?? []);
  }
  return made;
}

/** `count` tool groups with results of so many tokens each; group n is messages 2n+1 and 2n+2 behind the first two. */
function work(count: number, tokens: number): RecordedMessage[] {
  const groups = Array.from({ length: count }, (_, i) => [
    calls(`c${i}`, 'Bash', { command: 'ls' }),
    result(`c${i}`, filler(tokens)),
  ]);
  return [system('You help.'), user('Go.'), ...groups.flat(), says('Done.')];
}

describe('the plain strategies', () => {
  it('none: sends everything', async () => {
    expect((await requests('none', work(2, 100))).get(6)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('last-40: the head, then whole groups within 40 messages', async () => {
    const sent = await requests('last-40', [...work(30, 100)]);
    expect(sent.get(62)).toEqual([0, 1, ...Array.from({ length: 40 }, (_, i) => 22 + i)]);
    const odd = [...work(30, 100).slice(0, -1), says('.'), says('.')];
    // 63 messages: the window of 40 would begin inside of a group, so it begins at the next one.
    expect((await requests('last-40', odd)).get(63)?.slice(0, 4)).toEqual([0, 1, 24, 25]);
  });

  it('truncate-80-50: the oldest groups behind the head go until half the window, and stay away', async () => {
    // A group is 1,000 + 7 tokens; over 8,000 at the eighth result; 5,000 is reached when four are left.
    const sent = await requests('truncate-80-50', work(10, 1000), 10_000);
    expect(sent.get(16)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(sent.get(18)).toEqual([0, 1, 10, 11, 12, 13, 14, 15, 16, 17]);
    expect(sent.get(20)).toEqual([0, 1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });

  it('hide-5-each-step: results outside of the newest five tool groups are stubs, short ones stay', async () => {
    const messages = work(7, 1000);
    expect((await requests('hide-5-each-step', messages)).get(16)).toEqual([
      0,
      1,
      2,
      'h3',
      4,
      'h5',
      6,
      7,
      8,
      9,
      10,
      11,
      12,
      13,
      14,
      15,
    ]);
    const short = messages.with(3, result('c0', 'x'.repeat(199)));
    expect((await requests('hide-5-each-step', short)).get(16)?.slice(0, 6)).toEqual([0, 1, 2, 3, 4, 'h5']);
  });

  it('hide-5-batched: the border moves only over the trigger', async () => {
    const sent = await requests('hide-5-batched', work(10, 1000), 10_000);
    expect(sent.get(16)?.filter((part) => typeof part === 'string')).toEqual([]);
    expect(sent.get(18)?.filter((part) => typeof part === 'string')).toEqual(['h3', 'h5', 'h7']);
    expect(sent.get(20)?.filter((part) => typeof part === 'string')).toEqual(['h3', 'h5', 'h7']);
  });

  it('prune-each-step: beyond 40,000 tokens of newer output, when more than 20,000 would go', async () => {
    const sent = await requests('prune-each-step', work(8, 10_000));
    // After seven results 30,000 lie beyond the newest four; after six only 20,000.
    expect(sent.get(14)?.filter((part) => typeof part === 'string')).toEqual([]);
    expect(sent.get(16)?.filter((part) => typeof part === 'string')).toEqual(['h3', 'h5', 'h7']);
    expect(sent.get(18)?.filter((part) => typeof part === 'string')).toEqual(['h3', 'h5', 'h7']);
  });

  it('digest: one message and a tail of a quarter of the window', async () => {
    const sent = await requests('digest', work(10, 1000), 10_000);
    expect(sent.get(18)).toEqual([0, '+', 14, 15, 16, 17]);
    expect(sent.get(20)).toEqual([0, '+', 14, 15, 16, 17, 18, 19]);
  });

  it('hide-then-digest: hides first, and digests only what is still over 0.6 of the window', async () => {
    // Five newest groups are 5,035: hidden stubs and all stay under 6,000.
    expect((await requests('hide-then-digest', work(10, 1000), 10_000)).get(18)).toEqual([
      0,
      1,
      2,
      'h3',
      4,
      'h5',
      6,
      'h7',
      8,
      9,
      10,
      11,
      12,
      13,
      14,
      15,
      16,
      17,
    ]);
    // Five newest groups of 1,500 are over 6,000.
    expect((await requests('hide-then-digest', work(10, 1500), 10_000)).get(14)).toEqual([0, '+', 12, 13]);
  });

  it('oracle: keeps the latest provider of what is needed later, hides the rest', async () => {
    const messages = work(10, 1000);
    const named = messages
      .with(3, result('c0', `maxDepth ${filler(998)}`))
      .with(20, calls('c9', 'Grep', { pattern: 'maxDepth' }));
    const sent = await requests('oracle', named, 10_000);
    expect(sent.get(18)?.filter((part) => typeof part === 'string')).toEqual(['h5', 'h7']);
    // The step that needed it is over, so it may go.
    expect(sent.get(22)?.filter((part) => typeof part === 'string')).toContain('h3');
  });
});

describe('on generated sessions', () => {
  const recorded = session(...generateCodingSession({ seed: 5, messages: 300 }));
  const prepared = prepareSession(recorded);
  const scoreOf = async (id: string) => {
    const contender = BASELINES.get(id)?.(prepared, 16_000);
    if (!contender) throw new Error(`No strategy ${id}`);
    return replay(prepared, contender, { signal: new AbortController().signal });
  };

  it.each([...BASELINES.keys()])('%s breaks no pairing rule', async (id) => {
    expect((await scoreOf(id)).invalid).toBe(0);
  });

  it('the bound that knows the future keeps everything that is needed, the others do not', async () => {
    const [oracle, hiding, digest] = await Promise.all(['oracle', 'hide-5-batched', 'digest'].map(scoreOf));
    expect(oracle?.all.kept).toBe(oracle?.all.total);
    expect(hiding?.longRange.kept).toBeLessThan(hiding?.longRange.total ?? 0);
    expect(digest?.longRange.kept).toBeLessThan(digest?.longRange.total ?? 0);
  });
});

describe('a digest', () => {
  it('stays within its size and keeps what the user said first', () => {
    const messages = [user('Make parseLine faster.'), ...work(20, 500).slice(2), user('And test it.')];
    const text = writeDigest(messages, 2000);
    expect(text.length).toBeLessThanOrEqual(2000);
    expect(text.startsWith('## What the user said\nMake parseLine faster.\nAnd test it.')).toBe(true);
  });

  it('is a few characters for a few messages', () => {
    expect(charactersOf(user(writeDigest([user('Hello.')], 2000)))).toBe('## What the user said\nHello.'.length);
  });
});
