/** Collects a command's output: decodes bytes without splitting characters, in bounded memory. */

import { createDecoder } from './decodeOutput.ts';

export interface BufferLimits {
  /** Characters stored from the beginning, and as many from the end. */
  readonly keep: number;
  /** Characters shown live; further output is stored but not shown. */
  readonly live: number;
}

interface OutputBuffer {
  /**
   * One decoder for each stream, since a character may be split between two chunks of the same one. `encodings` are
   * those of output that is not UTF-8, where that can occur.
   */
  openStream(encodings?: readonly string[]): { write(bytes: Buffer): void; end(): void };
  append(text: string): void;
  text(): string;
}

export function createOutputBuffer({ keep, live }: BufferLimits, onOutput: (text: string) => void): OutputBuffer {
  let head = '';
  let tail = '';
  let leftOut = 0;
  let shown = 0;

  const append = (text: string) => {
    if (text === '') return;
    showLive(text);
    const room = keep - head.length;
    head += text.slice(0, room);
    tail += text.slice(room);
    // Cut in large steps, so that a long output is not copied for every chunk.
    if (tail.length > 2 * keep) {
      leftOut += tail.length - keep;
      tail = tail.slice(-keep);
    }
  };

  const showLive = (text: string) => {
    if (shown >= live) return;
    onOutput(text.slice(0, live - shown));
    shown += text.length;
    if (shown >= live) onOutput('\n… more output follows, not shown live\n');
  };

  return {
    append,
    openStream(encodings = []) {
      const decoder = createDecoder(encodings);
      return { write: (bytes) => append(decoder.write(bytes)), end: () => append(decoder.end()) };
    },
    text() {
      const over = Math.max(0, tail.length - keep);
      const cut = leftOut + over;
      return cut === 0 ? head + tail : `${head}\n… ${cut} characters left out …\n${tail.slice(over)}`;
    },
  };
}
