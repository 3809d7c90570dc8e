/** F10: a conversation of ten thousand messages in a real browser: elements, frames, the first rows, and memory. */

import type { CDPSession, Page } from '@playwright/test';
import type { Row } from '../src/protocol/rows.ts';
import { assistant, RUNNING, show } from '../test/support/panelScenes.ts';
import { type Line, median, quantile, ratioLine } from './support/line.ts';
import { deliver, frameTimes, longConversation, markdown, onPage, timeToShow } from './support/panelPage.ts';

export const id = 'F10';

const MESSAGES = 10_000;
const FRAMES = 120;
const ROUNDS = 12;
/** Rows of the first page. */
const PAGE = 60;
const OPENINGS = 3;
/** Characters of a line of `markdown`, on average. */
const LINE = 40;
/** Characters of a chunk: a token or two. */
const CHUNK = 8;

const live = (text: string): Row => ({ ...assistant('live', text), live: true }) as Row;

export async function run(): Promise<Line[]> {
  const rows = longConversation(MESSAGES);
  const plain = await onPage((page) => timeToShow(page, rows, false), 'bench/support/plainPanel.ts');
  // The extension hands over the newest rows of a session, and older ones when the reader nears them.
  const newest = rows.slice(-PAGE);
  const firsts: number[] = [];
  for (let n = 0; n < OPENINGS; n++) firsts.push(await onPage((page) => timeToShow(page, newest, true)));
  const first = median(firsts);
  const { nodes, frames } = await onPage((page) => measure(page, rows));
  const memory = await onPage(measureMemory);
  return [
    ratioLine(
      id,
      `95 of 100 frames while an answer streams below ${MESSAGES} messages, against an idle page`,
      frames,
      1.1,
    ),
    { id, name: 'elements on the page', figure: String(nodes), goal: '≤ 1500', ok: nodes <= 1_500 },
    {
      id,
      name: `the first rows of ${MESSAGES} (${Math.round(first)} ms), against a plain list of them (${Math.round(plain)} ms)`,
      figure: `1/${Math.round(plain / first)}`,
      goal: '≤ 1/30',
      ok: plain / first >= 30,
    },
    ratioLine(
      id,
      'work for a chunk after 2,000 lines of an answer, against one after 100',
      await onPage(measureGrowth),
      2.2,
    ),
    ratioLine(id, 'memory after 20,000 chunks in 50 turns, against 2,000 in 5', memory, 1.1),
  ];
}

async function measure(page: Page, rows: readonly Row[]): Promise<{ nodes: number; frames: number }> {
  await timeToShow(page, rows, false);
  const before = await countElements(page);
  await deliver(page, show(RUNNING, [...rows, live('Now')]));
  const text = markdown(60_000);
  const pieces = Array.from({ length: Math.floor(text.length / CHUNK) }, (_, n) =>
    text.slice(n * CHUNK, (n + 1) * CHUNK),
  );
  const idle: number[] = [];
  const streaming: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    idle.push(quantile(await frameTimes(page, [], FRAMES), 0.95));
    streaming.push(quantile(await frameTimes(page, pieces.slice(round * FRAMES), FRAMES), 0.95));
  }
  // The calmest round of each: what else the machine does only ever adds.
  const nodes = Math.max(before, await countElements(page));
  return { nodes, frames: Math.min(...streaming) / Math.min(...idle) };
}

/** Script, style and layout of the chunks of one answer, late against early: how busy the machine is does not count. */
async function measureGrowth(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await deliver(page, show(RUNNING, [...longConversation(20), live('')]));
  const text = markdown(2_100 * LINE);
  const stream = (from: number, to: number, together: number) =>
    page.evaluate(
      async ([all, size]) => {
        for (let at = 0; at < all.length; at += size) {
          window.postMessage([{ type: 'delta', rowId: 'live', text: all.slice(at, at + size), reasoning: '' }], '*');
          await new Promise((done) => requestAnimationFrame(done));
        }
      },
      [text.slice(from * LINE, to * LINE), together] as const,
    );
  const timed = async (from: number, to: number) => {
    const before = await workOf(session);
    await stream(from, to, CHUNK);
    return (await workOf(session)) - before;
  };
  await stream(0, 100, 4 * LINE);
  const early = await timed(100, 140);
  await stream(140, 2_000, 4 * LINE);
  return (await timed(2_000, 2_040)) / early;
}

/** In seconds of the page's own thread. */
async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const names = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];
  return metrics.reduce((sum, { name, value }) => (names.includes(name) ? sum + value : sum), 0);
}

function countElements(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('*').length);
}

/** Turns of 400 chunks each: what is kept of one is its text. */
async function measureMemory(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await deliver(page, show(RUNNING, longConversation(200)));
  await streamTurns(page, 0, 5);
  const before = await usedMemory(session);
  await streamTurns(page, 5, 50);
  return (await usedMemory(session)) / before;
}

async function streamTurns(page: Page, from: number, to: number): Promise<void> {
  const text = markdown(400 * CHUNK);
  for (let turn = from; turn < to; turn++) {
    await deliver(page, { type: 'rows', rows: [live('')] });
    await page.evaluate(
      async ([all, size]) => {
        for (let at = 0; at < all.length; at += size) {
          window.postMessage([{ type: 'delta', rowId: 'live', text: all.slice(at, at + size), reasoning: '' }], '*');
          if ((at / size) % 8 === 0) await new Promise((done) => requestAnimationFrame(done));
        }
      },
      [text, CHUNK] as const,
    );
    await deliver(page, { type: 'rows', rows: [assistant(`a${turn}`, text)] }, { type: 'removeRows', ids: ['live'] });
  }
}

async function usedMemory(session: CDPSession): Promise<number> {
  for (let n = 0; n < 3; n++) await session.send('HeapProfiler.collectGarbage');
  const { usedSize, embedderHeapUsedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize + embedderHeapUsedSize;
}
