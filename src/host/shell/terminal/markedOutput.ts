/** What a command wrote, out of all that its terminal wrote: what stands between the marks of the runner. Pure. */

import { beginMark, endMark } from './runnerScript.ts';

export interface MarkedOutput {
  /** What of the command's output is certain by now, and was not handed out yet. */
  push(text: string): string;
  /** Null until the end mark has come. */
  readonly exitCode: number | null;
  /** Whether the begin mark has come. */
  readonly begun: boolean;
  /** The rest, when no more comes. */
  end(): string;
}

/** An exit code is this long at most, with the bell behind it. */
const LONGEST_END = 5;
/** That of the end, with its bell. */
const LONGEST_SECRET = 65;

export function createMarkedOutput(secret: string): MarkedOutput {
  const begin = beginMark(secret);
  let end = '';
  let waiting = '';
  let begun = false;
  let exitCode: number | null = null;
  return {
    push(text) {
      if (exitCode !== null) return '';
      waiting += text;
      if (!begun) {
        const at = waiting.indexOf(begin);
        if (at < 0) {
          waiting = waiting.slice(-begin.length);
          return '';
        }
        const [whole, its] = /^([0-9a-f]{1,64})\u0007/.exec(waiting.slice(at + begin.length)) ?? [];
        if (whole === undefined || its === undefined) {
          waiting = waiting.slice(at, at + begin.length + LONGEST_SECRET);
          return '';
        }
        begun = true;
        end = endMark(its);
        waiting = waiting.slice(at + begin.length + whole.length);
      }
      const at = waiting.indexOf(end);
      const code = at < 0 ? null : /^(\d{1,3})\u0007/.exec(waiting.slice(at + end.length));
      if (code) {
        exitCode = Number(code[1]);
        const last = waiting.slice(0, at);
        waiting = '';
        return last;
      }
      // What could be the beginning of the end mark waits for the next text.
      const open = at >= 0 ? at : openEnd(waiting, end);
      const certain = waiting.slice(0, open);
      waiting = waiting.slice(open);
      return certain;
    },
    get exitCode() {
      return exitCode;
    },
    get begun() {
      return begun;
    },
    end() {
      const rest = begun ? waiting : '';
      waiting = '';
      return rest;
    },
  };
}

/** Where the longest end of the text begins with which the mark begins; the length when there is none. */
function openEnd(text: string, mark: string): number {
  let at = text.indexOf(mark.charAt(0), Math.max(0, text.length - mark.length - LONGEST_END));
  while (at >= 0 && !mark.startsWith(text.slice(at))) at = text.indexOf(mark.charAt(0), at + 1);
  return at < 0 ? text.length : at;
}
