/** The panel in a real browser for the benchmarks, with a conversation of any length and the page's real clock. */

import { type Browser, chromium, type Page } from '@playwright/test';
import { chromiumOptions } from '../../scripts/host/browser.ts';
import type { ToPanel } from '../../src/protocol/messages.ts';
import type { Row } from '../../src/protocol/rows.ts';
import { servePanel } from '../../test/e2e/panel/servePanel.ts';
import { assistant, READY, show, tool, user } from '../../test/support/panelScenes.ts';

const PARAGRAPH = 'The clock is read twice, once before the wait and once after it, so a retry may come early. ';

/** Rows of the heights that a long piece of work has. */
export function longConversation(count: number): Row[] {
  return Array.from({ length: count }, (_, n): Row => {
    if (n % 5 === 0) return user(`m${n}`, `Question ${n}. ${PARAGRAPH.repeat(n % 4)}`);
    if (n % 5 === 4)
      return assistant(
        `m${n}`,
        `${PARAGRAPH.repeat(1 + (n % 7))}\n\n- one\n- two\n\n\`\`\`ts\nconst n = ${n};\n\`\`\``,
      );
    return tool(`m${n}`, n % 5 === 3 ? 'run_command' : 'read_file', `src/part${n}.ts`, {
      ...(n % 5 === 3 ? { detail: { kind: 'command', command: 'npm test', exitCode: 0 } } : {}),
    });
  });
}

/** A page of Markdown as models write it, of `length` characters. */
export function markdown(length: number): string {
  let text = '';
  for (let n = 1; text.length < length; n++)
    text += `## Step ${n}\n\n${PARAGRAPH.repeat(3)}\n\n1. first **one**\n2. second \`two\`\n\n\`\`\`ts\nconst step = ${n};\nawait run(step);\n\`\`\`\n\n`;
  return text.slice(0, length);
}

/** Opens the page of an entry script, runs `act` in it, and closes everything. */
export async function onPage<T>(act: (page: Page) => Promise<T>, entry?: string): Promise<T> {
  const served = await servePanel(entry);
  const browser: Browser = await chromium.launch(chromiumOptions());
  try {
    const page = await browser.newPage({ viewport: { width: 380, height: 900 } });
    await page.goto(served.url({ clock: 'real' }));
    await page.waitForFunction(() => (window as unknown as { posted: unknown[] }).posted.length > 0);
    return await act(page);
  } finally {
    await browser.close();
    await served.close();
  }
}

export function deliver(page: Page, ...frame: ToPanel[]): Promise<void> {
  return page.evaluate(async (sent) => {
    window.postMessage(sent, '*');
    await new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done))));
  }, frame);
}

/**
 * Milliseconds from the moment at which the rows are handed over until the frame that shows the newest of them is out.
 * `more`: there are older ones.
 */
export async function timeToShow(page: Page, rows: readonly Row[], more: boolean): Promise<number> {
  return page.evaluate(
    async (frame) => {
      const begun = performance.now();
      window.postMessage(frame, '*');
      while (!document.querySelector('.row')) await new Promise((done) => requestAnimationFrame(done));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - begun;
    },
    [{ ...show(READY, rows), more }],
  );
}

/** Milliseconds between frames, while every frame a piece of the text is streamed; without a text, of an idle page. */
export function frameTimes(page: Page, pieces: readonly string[], frames: number): Promise<number[]> {
  return page.evaluate(
    async ([texts, count]) => {
      const times: number[] = [];
      let last = await new Promise<number>((done) => requestAnimationFrame(done));
      for (let n = 0; n < count; n++) {
        const text = texts[n % Math.max(texts.length, 1)];
        if (text !== undefined) window.postMessage([{ type: 'delta', rowId: 'live', text, reasoning: '' }], '*');
        const now = await new Promise<number>((done) => requestAnimationFrame(done));
        times.push(now - last);
        last = now;
      }
      return times;
    },
    [pieces, frames] as const,
  );
}
