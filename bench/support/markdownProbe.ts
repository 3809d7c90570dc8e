/** Measures the rendering of a streamed answer inside of a page; `page.evaluate` runs the bundle of this file. */

import { MarkdownStream } from '../../webview/markdown/markdownStream.ts';

/** Characters of a chunk: a token or two. */
const CHUNK = 8;

export interface MarkdownTimes {
  /** Milliseconds for each chunk around two lengths, and for rendering 32 KB whole. */
  readonly short: number;
  readonly long: number;
  readonly middle: number;
  readonly whole: number;
}

/** Times are sums over many chunks, because the page's clock is coarse. */
export function measureMarkdown(text: string): MarkdownTimes {
  const stream = new MarkdownStream();
  document.body.append(stream.element);
  const grow = (from: number, to: number): number => {
    const begun = performance.now();
    for (let at = from; at < to; at += CHUNK) stream.append(text.slice(at, Math.min(at + CHUNK, to)));
    return (performance.now() - begun) / ((to - from) / CHUNK);
  };
  const kilobytes = (count: number) => count * 1_024;
  grow(0, kilobytes(4));
  const short = grow(kilobytes(4), kilobytes(12));
  grow(kilobytes(12), kilobytes(28));
  const middle = grow(kilobytes(28), kilobytes(36));
  grow(kilobytes(36), kilobytes(124));
  const long = grow(kilobytes(124), kilobytes(132));
  const begun = performance.now();
  for (let n = 0; n < 5; n++) MarkdownStream.of(text.slice(0, kilobytes(32)));
  const whole = (performance.now() - begun) / 5;
  stream.element.remove();
  return { short, middle, long, whole };
}

Object.assign(globalThis, { measureMarkdown });
