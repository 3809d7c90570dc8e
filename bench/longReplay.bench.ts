/**
 * F17: many tokens of sessions replayed in the lab under the strategy that keeps the most. Eight million here; all eighty
 * million with `npm run bench -- long`.
 */

import type { Line } from './support/line.ts';
import { type LongReplay, type Recall, replayLong } from './support/longReplay.ts';

export const id = 'F17';

const MILLION = 1_000_000;
const WINDOW = 64_000;
/** Of a made-up session at most, and how many there are at least. */
const SESSION_TOKENS = 2 * MILLION;
const SESSIONS = 10;
/** How much later tenths may fall behind. */
const RECALL_KEPT = 0.97;
const TIME_MOST = 1.3;
const HEAP_MOST = 1.1;

export function run(): Promise<Line[]> {
  return replayAll(8 * MILLION);
}

export function runLong(): Promise<Line[]> {
  return replayAll(80 * MILLION);
}

async function replayAll(tokens: number): Promise<Line[]> {
  const done = await replayLong({
    strategy: 'layered',
    tokens,
    window: WINDOW,
    sessionTokens: Math.min(SESSION_TOKENS, tokens / SESSIONS),
    onProgress: (now) => process.stderr.write(`\r${(now / MILLION).toFixed(1)} of ${tokens / MILLION} million tokens `),
  });
  process.stderr.write('\n');
  return linesOf(done);
}

function linesOf(done: LongReplay): Line[] {
  const size = `${(done.tokens / MILLION).toFixed(0)} million tokens`;
  // In its first tenths a session is not much larger than the window, so little can be missing there yet.
  const early = pool(done.bySession.slice(2, 5));
  const late = pool(done.bySession.slice(-3));
  const kept = share(late) / share(early);
  const pace = ratioOfEnds(done.pace);
  const heap = ratioOfEnds(done.heap);
  const seconds = Math.round(done.milliseconds / 1000);
  const shares = (tenths: readonly Recall[]) => tenths.map((one) => (100 * share(one)).toFixed(1)).join(' ');
  return [
    {
      id,
      name: `recall late in long sessions, against early; ${size}, ${done.sessions} sessions, ${done.compactions} rewrites; by tenth of a session: ${shares(done.bySession)}`,
      figure: `${kept.toFixed(3)} ×`,
      goal: `≥ ${RECALL_KEPT} ×`,
      ok: kept >= RECALL_KEPT,
    },
    {
      id,
      name: `recall in the last tenths of the replay, by tenth: ${shares(done.byReplay)}; recorded sessions ${(100 * share(done.recorded)).toFixed(1)}`,
      figure: `${(share(pool(done.byReplay.slice(-3))) / share(pool(done.byReplay.slice(1, 4)))).toFixed(3)} ×`,
      goal: `≥ ${RECALL_KEPT} ×`,
      ok: share(pool(done.byReplay.slice(-3))) / share(pool(done.byReplay.slice(1, 4))) >= RECALL_KEPT,
    },
    {
      id,
      name: `time for a token in the last tenths, against the first (${seconds} s in all)`,
      figure: `${pace.toFixed(2)} ×`,
      goal: `≤ ${TIME_MOST} ×`,
      ok: pace <= TIME_MOST,
    },
    {
      id,
      name: `memory after a session in the last tenths (${Math.round(Math.max(...done.heap) / 1024 / 1024)} MB at most), against the first`,
      figure: `${heap.toFixed(2)} ×`,
      goal: `≤ ${HEAP_MOST} ×`,
      ok: heap <= HEAP_MOST,
    },
    { id, name: 'requests that break a pairing rule', figure: String(done.invalid), goal: '0', ok: done.invalid === 0 },
  ];
}

function pool(tenths: readonly Recall[]): Recall {
  return tenths.reduce((sum, one) => ({ kept: sum.kept + one.kept, needed: sum.needed + one.needed }));
}

const share = ({ kept, needed }: Recall) => (needed === 0 ? 1 : kept / needed);

/** The last three tenths against the three after the first. Tenths in which no session begins do not count. */
function ratioOfEnds(tenths: readonly number[]): number {
  const mean = (values: readonly number[]) => {
    const there = values.filter((value) => value > 0);
    return there.reduce((sum, value) => sum + value, 0) / Math.max(1, there.length);
  };
  return mean(tenths.slice(-3)) / mean(tenths.slice(1, 4));
}
