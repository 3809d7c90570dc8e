/**
 * Removes terminal control sequences from a command's output, as it streams. A person and the model see plain text: no
 * sequence can colour, hide or overwrite it, set a title, or write to the clipboard.
 */

const ESC = '\\u001B';

/** OSC, DCS, SOS, PM and APC open a string that runs to a terminator. */
const STRING_OPEN = `(?:${ESC}[\\]PX^_]|[\\u0090\\u0098\\u009D-\\u009F])`;

/** Another opening cannot be part of it, so a text of openings only is read once, not once for each. */
const STRING_BODY = `[^\\u0007\\u0090\\u0098${ESC}\\u009C-\\u009F]*`;
const STRING_END = `(?:\\u0007|${ESC}\\\\|\\u009C)`;
const CSI_OPEN = `(?:${ESC}\\[|\\u009B)`;
const PARAMETERS = '[0-?]*[ -\\/]*';

const SEQUENCE = new RegExp(
  [
    `${STRING_OPEN}${STRING_BODY}${STRING_END}`,
    `${CSI_OPEN}${PARAMETERS}[@-~]`,
    // The short escapes, with and without an intermediate.
    `${ESC}[ -\\/]+[0-~]`,
    `${ESC}[0-OQ-WYZ\\\\\`-~]`,
  ].join('|'),
  'gu',
);

/** Matches the beginning of a sequence that the text does not complete. */
const OPEN_SEQUENCE = new RegExp(
  `(?:${STRING_OPEN}${STRING_BODY}${ESC}?|${CSI_OPEN}${PARAMETERS}|${ESC}[ -\\/]*)$`,
  'u',
);

/** Every other control character except tab and line feed, and characters that reorder or hide text. */
const REST = /[[\p{Cc}--[\t\n]]\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gv;

/** A sequence that does not end within this many characters is not one; the held-back text is shown. */
const LONGEST_SEQUENCE = 4096;

interface ControlStripper {
  /** The part of the text that can be shown; an unfinished sequence waits for the next call. */
  push(text: string): string;
  /** The text still held back. */
  end(): string;
}

export function createControlStripper(): ControlStripper {
  let unfinished = '';
  // A line feed may still follow: CR LF is one line end.
  let returns = '';
  const take = (text: string) => {
    const plain = returns + text.replace(SEQUENCE, '');
    let end = plain.length;
    while (plain[end - 1] === '\r') end -= 1;
    // Of several one is enough: together they end one line.
    returns = end < plain.length ? '\r' : '';
    return finish(plain.slice(0, end));
  };
  return {
    push(text) {
      const all = unfinished + text;
      const open = findOpen(all);
      unfinished = all.slice(open);
      return take(all.slice(0, open));
    },
    end() {
      const rest = take(unfinished) + finish(returns);
      unfinished = '';
      returns = '';
      return rest;
    },
  };
}

/** The whole text at once. Progress bars that overwrite their line with CR leave each state on its own line. */
export function stripControls(text: string): string {
  const stripper = createControlStripper();
  return stripper.push(text) + stripper.end();
}

function findOpen(text: string): number {
  const tail = Math.max(0, text.length - LONGEST_SEQUENCE);
  const open = text.slice(tail).search(OPEN_SEQUENCE);
  if (open !== -1) return tail + open;
  // The second half of a surrogate pair arrives with the next text.
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}

function finish(text: string): string {
  return text.replace(/\r+\n?/gu, '\n').replace(REST, '');
}
