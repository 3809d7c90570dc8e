/** Measures the rendering of a streamed answer inside of a page; `page.evaluate` runs the bundle of this file. */

import { MarkdownStream } from '../../webview/markdown/markdownStream.ts';

/** Characters of a chunk: a token or two. */
const CHUNK = 8;

/** Chunks that are timed together: the page's clock is coarse. */
const TOGETHER = 64;

/** Milliseconds for groups of chunks around three lengths, and for rendering 32 KB whole. */
export interface MarkdownTimes {
  readonly short: readonly number[];
  readonly middle: readonly number[];
  readonly long: readonly number[];
  readonly whole: readonly number[];
}

export function measureMarkdown(text: string): MarkdownTimes {
  const stream = new MarkdownStream();
  document.body.append(stream.element);
  const grow = (from: number, to: number): number[] => {
    const times: number[] = [];
    for (let at = from * 1_024; at < to * 1_024; ) {
      const begun = performance.now();
      for (let n = 0; n < TOGETHER; n++, at += CHUNK) stream.append(text.slice(at, at + CHUNK));
      times.push(performance.now() - begun);
    }
    return times;
  };
  grow(0, 4);
  const short = grow(4, 12);
  grow(12, 28);
  const middle = grow(28, 36);
  grow(36, 124);
  const long = grow(124, 132);
  const begun = performance.now();
  MarkdownStream.of(text.slice(0, 32 * 1_024));
  const whole = [performance.now() - begun];
  stream.element.remove();
  return { short, middle, long, whole };
}

Object.assign(globalThis, { measureMarkdown });
