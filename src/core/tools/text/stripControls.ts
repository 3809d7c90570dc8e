/**
 * Removes terminal control sequences from a command's output, as it streams. A person and the model see plain text: no
 * sequence can colour, hide or overwrite it, set a title, or write to the clipboard. What a terminal would draw over
 * something else gets a line of its own.
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

/** A sequence, or a character that moves the cursor. */
const TOKEN = new RegExp(`${SEQUENCE.source}|[\\r\\n\\b]`, 'gu');

/** Sequences that move the cursor: how far, and in which way. */
const MOVE = new RegExp(`^(?:${CSI_OPEN}(\\d{0,4})(?:;\\d{0,4})?([ABDEFGHfsu])|${ESC}([78]))$`, 'u');

/** A sequence that does not end within this many characters is not one; the held-back text is shown. */
const LONGEST_SEQUENCE = 4096;

/** First character of a line that is drawn over the line before it. */
export const OVER_LINE = '\r';
/** First character of a line that is drawn where the cursor was moved to, over one of the lines before it. */
export const OVER_FRAME = '\v';
const MARKS = /[\r\v]/gu;

/** Characters of a line that are repeated before what a program draws behind them. */
const LONGEST_REPEATED = 200;
/** Of all lines together. */
const MOST_REPEATED = 1_000_000;

interface ControlStripper {
  /** The part of the text that can be shown; an unfinished sequence waits for the next call. */
  push(text: string): string;
  /** The text still held back. */
  end(): string;
}

/** With `marked`, lines that are drawn over others begin with `OVER_LINE` or `OVER_FRAME`. */
export function createControlStripper(marked?: 'marked'): ControlStripper {
  const screen = new Screen();
  let unfinished = '';
  const show = (text: string) => (marked ? text : text.replace(MARKS, ''));
  return {
    push(text) {
      const all = unfinished + text;
      const open = findOpen(all);
      unfinished = all.slice(open);
      return show(screen.write(all.slice(0, open)));
    },
    end() {
      const rest = screen.write(unfinished) + screen.end();
      unfinished = '';
      return show(rest);
    },
  };
}

/** The whole text at once. Progress bars that overwrite their line leave each state on its own line. */
export function stripControls(text: string): string {
  return strip(text, createControlStripper());
}

/** The whole text, with marks before the lines that are drawn over others. */
export function markRedrawn(text: string): string {
  return strip(text, createControlStripper('marked'));
}

export function withoutMarks(marked: string): string {
  return marked.replace(MARKS, '');
}

function strip(text: string, stripper: ControlStripper): string {
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

/** As much of a terminal as is needed to know which text is drawn over another. */
class Screen {
  /** The line of the cursor as far as it is needed to draw it again. */
  #line = '';
  /** Something of this line was written. */
  #open = false;
  /** The cursor went back in the line to this column; -1 where it stands at its end. */
  #column = -1;
  /** It went by a single step. */
  #oneStep = false;
  /** Blanks at the place of the cursor: they erase, if nothing follows them. */
  #blanks = '';
  /** Lines written so far, and how many of them are below the cursor. */
  #lines = 0;
  #below = 0;
  #savedBelow = 0;
  /** The cursor left the lowest line, which holds something. */
  #leftLowest = false;
  /** The cursor was moved to another line. */
  #moved = false;
  /** A return after which a line feed may still come. */
  #returned = false;
  #repeated = 0;

  write(text: string): string {
    let shown = '';
    let from = 0;
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
      if (index > from) shown += this.#print(text.slice(from, index));
      shown += this.#obey(token);
      from = index + token.length;
    }
    return shown + this.#print(text.slice(from));
  }

  end(): string {
    return this.#returned && this.#open ? '\n' : this.#blanksOfLine();
  }

  #obey(token: string): string {
    if (token === '\n') return this.#feed();
    if (token === '\b') {
      this.#back(1);
      return '';
    }
    if (token === '\r') {
      this.#goTo(0);
      return '';
    }
    const [, number = '', letter, digit] = MOVE.exec(token) ?? [];
    const steps = Math.max(1, Number(number));
    switch (letter ?? digit) {
      case 'D':
        this.#back(steps);
        break;
      case 'G':
        this.#goTo(steps - 1);
        break;
      case 'A':
      case 'F':
        this.#goUp(steps);
        break;
      case 'B':
      case 'E':
        this.#goDown(Math.max(0, this.#below - steps));
        break;
      case 'H':
      case 'f':
        this.#goUp(this.#lines);
        break;
      case 's':
      case '7':
        this.#savedBelow = this.#below;
        break;
      case 'u':
      case '8':
        this.#goDown(Math.min(this.#below, this.#savedBelow));
        break;
    }
    return '';
  }

  #goUp(steps: number): void {
    const reached = Math.min(this.#lines, this.#below + steps);
    if (reached > this.#below || this.#open) this.#moved = true;
    if (this.#open && this.#below === 0 && reached > 0) this.#leftLowest = true;
    this.#below = reached;
  }

  #goDown(below: number): void {
    if (below < this.#below) this.#moved = true;
    this.#below = below;
  }

  #goTo(column: number): void {
    this.#returned = column === 0;
    if (!this.#open) this.#blanks = '';
    if (!this.#open || column > this.#line.length) return;
    this.#column = column;
    this.#oneStep = false;
    this.#blanks = '';
  }

  #back(steps: number): void {
    const at = this.#column < 0 ? this.#line.length : this.#column + this.#blanks.length;
    this.#oneStep = steps === 1 && this.#column < 0;
    this.#column = Math.max(0, at - steps);
    this.#blanks = '';
    if (!this.#open) this.#column = -1;
  }

  #feed(): string {
    const drawn = this.#open || this.#below === 0;
    const blanks = this.#blanksOfLine();
    this.#open = false;
    this.#line = '';
    this.#column = -1;
    this.#blanks = '';
    this.#returned = false;
    if (this.#below > 0) {
      this.#below -= 1;
      this.#moved = this.#below > 0 || this.#leftLowest;
    } else {
      this.#lines += 1;
      this.#leftLowest = false;
      this.#moved = false;
    }
    return drawn ? `${blanks}\n` : '';
  }

  /** Those of a line of blanks. */
  #blanksOfLine(): string {
    return this.#open || this.#moved ? '' : this.#blanks;
  }

  #print(text: string): string {
    let plain = text.replace(REST, '');
    if (plain === '') return '';
    this.#returned = false;
    let before = '';
    if (this.#moved || this.#column >= 0 || !this.#open) {
      plain = this.#blanks + plain;
      this.#blanks = '';
      const start = plain.search(/\S/u);
      if (start < 0) {
        this.#blanks = plain;
        return '';
      }
      if (this.#moved) {
        before = this.#beginElsewhere();
        this.#column = -1;
        this.#moved = false;
      } else before = this.#drawOver(plain);
      // The letter is there already.
      if (before === '' && this.#column >= 0 && plain[0] === this.#line[this.#column]) plain = plain.slice(1);
      this.#column = -1;
    }
    this.#open = true;
    this.#line = (this.#line + plain).slice(0, LONGEST_SEQUENCE);
    return before + plain;
  }

  #beginElsewhere(): string {
    this.#line = '';
    const isOver = this.#below > 0 || this.#leftLowest;
    return `${this.#open ? '\n' : ''}${isOver ? OVER_FRAME : ''}`;
  }

  /** A line of its own, unless one letter is struck over: some programs print bold and underlined text so. */
  #drawOver(text: string): string {
    const old = this.#line[this.#column];
    if (old === undefined) return '';
    if (this.#oneStep && (old === '_' || old === text[0])) return '';
    const repeated = this.#column <= LONGEST_REPEATED ? this.#line.slice(0, this.#column) : '';
    this.#repeated += repeated.length;
    this.#line = this.#repeated > MOST_REPEATED ? '' : repeated;
    return `\n${OVER_LINE}${this.#line}`;
  }
}
