/**
 * Folds the lines that a program draws again and again (progress bars, spinners, counters): of each such series its first
 * and its last line stay, with the number of those between. A line that says something else stays: an error or a warning
 * between two states, the name of another file, the result of a test.
 */

import { OVER_FRAME, OVER_LINE } from './stripControls.ts';

type Over = 'nothing' | 'line' | 'frame';

class Line {
  readonly text: string;
  /** How it was drawn: at the end of the output, over the line before it, or over one further up. */
  readonly over: Over;
  /** Redrawn lines before it that were left out. */
  left = 0;
  #measure: Measure | null | undefined;
  readonly #keys = new Map<boolean, string>();

  constructor(text: string, over: Over) {
    this.text = text;
    this.over = over;
  }

  get measure(): Measure | null {
    if (this.#measure === undefined) this.#measure = measureOf(this.text);
    return this.#measure;
  }

  keyOfDrawn(inPlace: boolean): string {
    const key = this.#keys.get(inPlace) ?? keyOfDrawn(this.text, inPlace);
    this.#keys.set(inPlace, key);
    return key;
  }
}

export interface FoldedText {
  readonly text: string;
  /** Number of lines left out. */
  readonly left: number;
}

/** The text of `markRedrawn`, folded. */
export function foldRedrawn(marked: string): FoldedText {
  const lines = fold(readLines(marked));
  return { text: showLines(lines), left: lines.reduce((sum, { left }) => sum + left, 0) };
}

/** The newest part of marked output that is still being written, folded as far as it goes. */
export class RedrawnOutput {
  readonly #most: number;
  #lines: readonly Line[] = [];
  #open = '';

  /** `most`: characters that are kept. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns all of it. */
  push(marked: string): string {
    const whole = this.#open + marked;
    const end = whole.lastIndexOf('\n') + 1;
    this.#open = whole.slice(end).slice(-this.#most);
    if (end > 0) {
      const lines = fold([...this.#lines, ...readLines(whole.slice(0, end - 1))]);
      let room = this.#most;
      let from = lines.length;
      while (from > 0 && room > 0) room -= (lines[--from]?.text.length ?? 0) + 1;
      this.#lines = lines.slice(from);
    }
    const open = this.#open === '' ? [] : readLines(this.#open);
    const text = showLines(fold([...this.#lines, ...open]));
    return (open.length === 0 && this.#lines.length > 0 ? `${text}\n` : text).slice(-this.#most);
  }
}

function readLines(marked: string): Line[] {
  return marked.split('\n').map((text) => {
    const over = text.startsWith(OVER_LINE) ? 'line' : text.startsWith(OVER_FRAME) ? 'frame' : 'nothing';
    return new Line(over === 'nothing' ? text : text.slice(1), over);
  });
}

function showLines(lines: readonly Line[]): string {
  return lines
    .flatMap(({ text, left }) => (left === 0 ? [text] : [`(redrawn lines left out: ${left})`, text]))
    .join('\n');
}

/** A series of fewer lines is left as it is. */
const FEWEST = 4;
/** A longer line is no progress. */
const LONGEST = 1_000;

class Series {
  readonly #first: Line;
  /** Neither the first nor the last, and something else is shown in their place. */
  readonly between: Line[] = [];
  last: Line;
  #lastMayGo: boolean;
  count: number;

  constructor(first: Line, mayGo: boolean) {
    this.#first = first;
    this.last = first;
    this.#lastMayGo = mayGo;
    this.count = 1 + first.left;
  }

  add(line: Line, mayGo: boolean): void {
    if (this.#lastMayGo && this.last !== this.#first) this.between.push(this.last);
    this.last = line;
    this.#lastMayGo = mayGo;
    this.count += 1 + line.left;
  }
}

function fold(lines: readonly Line[]): readonly Line[] {
  const gone = new Set<Line>();
  for (const { between, last, count } of [...drawnOver(lines), ...printedBelow(lines)]) {
    if (count < FEWEST) continue;
    for (const line of between) gone.add(line);
    last.left += between.reduce((sum, { left }) => sum + 1 + left, 0);
  }
  const kept = lines.filter((line) => !gone.has(line));
  // One number for the series that end one below the other.
  let first: Line | null = null;
  for (const line of kept) {
    if (first && line.left > 0) {
      first.left += line.left;
      line.left = 0;
    } else first = line.left > 0 ? line : null;
  }
  return kept;
}

/** The series that a terminal would show in one place. */
function drawnOver(lines: readonly Line[]): Iterable<Series> {
  const all = new Map<string, Series>();
  const hasFrames = lines.some(({ over }) => over === 'frame');
  for (const [at, line] of lines.entries()) {
    const { text, over } = line;
    const isReplaced = lines[at + 1]?.over === 'line';
    if (text.length > LONGEST || text.trim() === '') continue;
    // A frame is printed like any lines before the cursor goes back to its first.
    if (over === 'nothing' && !isReplaced && !hasFrames) continue;
    const key = line.keyOfDrawn(isReplaced || over === 'line');
    const mayGo = isReplaced || over === 'frame';
    const series = all.get(key);
    if (series) series.add(line, mayGo);
    else all.set(key, new Series(line, mayGo));
  }
  return all.values();
}

/** The series that a program printed one line below the other, as into a file. */
function printedBelow(lines: readonly Line[]): Iterable<Series> {
  const all: Run[] = [];
  let open = new Map<string, Run>();
  for (const [at, line] of lines.entries()) {
    const { measure } = line;
    if (!measure || line.over !== 'nothing' || lines[at + 1]?.over === 'line') {
      if (line.text.trim() !== '') open = new Map();
      continue;
    }
    const run = open.get(measure.key);
    if (run && goesOn(run.to, measure)) {
      run.series.add(line, true);
      run.to = measure;
    } else {
      const begun = { series: new Series(line, true), from: measure, to: measure };
      all.push(begun);
      open.set(measure.key, begun);
    }
  }
  return all.flatMap(({ series, from, to }) => (isWhole(from, to) ? [series] : []));
}

/** Work begins with nothing or ends with all: a share that only grows in between is a measurement. */
const isWhole = (from: Measure, to: Measure) => to.share > from.share && (from.share <= 0.1 || to.share >= 0.95);

interface Run {
  readonly series: Series;
  readonly from: Measure;
  to: Measure;
}

const NUMBER = '\\d+(?:[.,]\\d+)*';
const UNIT = '(?:[kKMGTP]i?[Bb]?|[Bb]|bytes?)';
const AMOUNT = `${NUMBER}(?:[ ]?${UNIT}(?:/s|ps)?)?`;
/** Neither a part of a word nor of a path, a version or a date. */
const alone = (source: string) => `(?<![\\p{L}\\p{N}_./:-])(?:${source})(?![\\p{L}\\p{N}_/]|[.:-]\\p{N})`;
const PERCENT = new RegExp(alone(`(${NUMBER})[ ]?%`), 'u');
const FRACTION = new RegExp(alone(`(${NUMBER})[ ]?(${UNIT})?(?:[ ]?/[ ]?|[ ]of[ ])(${NUMBER})[ ]?(${UNIT})?`), 'u');
const TIME =
  '[\\d-]+(?::[\\d-]{2}){1,2}(?:\\.\\d+)?|(?:\\d+[hdm][ ]?)*\\d+(?:\\.\\d+)?[ ]?(?:ms|µs|s|m|h|sec|secs|seconds?|min|mins|minutes?)';
/** Blocks, or anything of the sort in brackets; the dots of ten that wget prints. */
const BAR =
  '[\\u2580-\\u259f\\u2501\\u2578-\\u257b]{2,}|[\\[(|<][ #=>.*+~○●■□\\u2500-\\u259f-]{3,}[\\])|>]|\\.{10}(?:[ ]\\.{1,10})+|(?<![^ ])[#=]+>?(?![^ ])';
const SPINNER =
  '[\\u2800-\\u28ff◐-◓◜-◟◰-◳▖▘▝▗←↑→↓↖↗↘↙|/\\\\]|(?<=^[ ]*)-(?=[ ])|(?<=[ ])-(?=[ ]*$)|[\\u{1F550}-\\u{1F567}\\u{1F311}-\\u{1F318}]';

const BARS = new RegExp(BAR, 'gu');
const QUANTITIES = new RegExp(
  alone(`${NUMBER}[ ]?%|${TIME}|${AMOUNT}(?:[ ]?/[ ]?|[ ]of[ ])${AMOUNT}|${NUMBER}[ ]?${UNIT}(?:/s|ps)?`),
  'gu',
);
const DURATION = new RegExp(alone(TIME), 'u');
const NUMBERS = new RegExp(`(?<![\\p{L}_])${NUMBER}[kKMGTP]?(?![\\p{L}_])`, 'gu');
const SPINNERS = new RegExp(`(?<![^ ])(?:${SPINNER})(?![^ ])`, 'gu');

const ALARM =
  /\b(?:errors?|err|warn(?:ing)?s?|fail(?:ed|ures?|s|ing)?|fatal|exceptions?|panic(?:ked)?|denied|refused|time(?:d[ -]?)?out|retry(?:ing)?|conflicts?|missing|not found|cannot|can't|could not|unable|abort(?:ed|ing)?|deprecated|invalid|unsupported|unexpected|killed|corrupt(?:ed)?|skip(?:ped|ping)?|broken|lost|mismatch|rejected|unreachable|nok|ko|HTTP(?:\/[\d.]+)? [45]\d\d)\b|[✖✗✘×⚠❌❗]|错误|出错|警告|失败|异常|无法|エラー|失敗|오류|실패|\b(?:fehler|fehlgeschlagen|warnung|erreurs?|avertissement|fall[oó]|falla|advertencia|erros?|falh(?:a|ou)|errore|fallit[oa])(?!\p{L})|(?<!\p{L})(?:ошибк|предупрежден)|(?<!\p{L})échec|(?<!\p{L})échoué/iu;
const NO_ALARM = /\b(?:0|no) (?:errors?|warnings?|failed|failures?|skipped)\b/giu;
/** The results of tests, also as the dots of pytest. */
const RESULT = /\b(?:pass(?:ed|es)?|ok|tests?|specs?|suites?)\b|[✓✔✅]|^[.sxFEX]{3,}\s*\[/iu;

const isAlarm = (text: string) => ALARM.test(text.replace(NO_ALARM, ''));

const PLACE = '\\u0000';

/** Quantities and pictures of them replaced by one sign. */
function withoutQuantities(text: string, inPlace: boolean): string {
  const plain = text.replace(BARS, PLACE).replace(QUANTITIES, PLACE).replace(SPINNERS, PLACE);
  return (inPlace ? plain.replace(NUMBERS, PLACE) : plain).replace(/\s+/gu, ' ').trim();
}

/**
 * Equal for the states of one series. What a bar or a percentage says behind itself may change with each state, such as
 * the file at hand.
 */
function keyOfDrawn(text: string, inPlace: boolean): string {
  if (isAlarm(text)) return `!${text.trim()}`;
  // Rows of numbers, between which some files have nothing but CR.
  if (inPlace && /^[\d\s.,;-]+$/u.test(text)) return text.trim();
  if (SAYS_OF_WHAT.test(text)) return text.trim();
  const plain = withoutQuantities(text, inPlace);
  const end = plain.indexOf(PLACE);
  if (end < 0) return plain;
  const before = plain.slice(0, end);
  return inPlace || /\p{L}{2}/u.test(before) ? before + PLACE : plain;
}

interface Measure {
  readonly key: string;
  /** From 0 to 1. */
  readonly share: number;
}

/** How far the work is that the line tells about; null for other lines. */
function measureOf(text: string): Measure | null {
  if (text.length > LONGEST || !/\d ?%|\d ?\w{0,5} ?\/ ?\d|\d of \d/u.test(text)) return null;
  if (!TELLS_PROGRESS.test(text)) return null;
  const percent = PERCENT.exec(text);
  const fraction = FRACTION.exec(text);
  // How long each step of a few took is a result.
  if (!percent && !fraction?.[2] && !fraction?.[4] && DURATION.test(text)) return null;
  const told = percent ? Number(percent[1]?.replace(',', '.')) / 100 : null;
  const counted = fraction ? shareOf(fraction) : null;
  const share = told ?? counted;
  if (share === null || !(share >= 0 && share <= 1)) return null;
  const said = SAYS_PROGRESS.exec(text)?.[0] ?? null;
  // A counter beside another percentage, such as that of a result, is no progress alone.
  if (said === null && told !== null && counted !== null && Math.abs(told - counted) > 0.015) return null;
  if (RESULT.test(text) || SAYS_OF_WHAT.test(text) || isAlarm(text)) return null;
  const whole = told === null ? (fraction?.[3] ?? '') : '';
  return { key: `${whole} ${withoutQuantities(said ?? text, false)}`, share };
}

/**
 * Work that goes on, in words or as a bar. A number that grows from line to line is otherwise a result as well: shares of
 * a benchmark, coverage, samples of a log, rows of a table.
 */
const TELLS_PROGRESS = new RegExp(
  [
    '\\bprogress\\b|\\b\\d{1,3}[ ]?%[ ]\\p{Ll}+ing\\b|进度|正在|下载|\\bsha256:',
    '^[^\\d%]*\\b(?:(?:down|up|off)?load|receiv|send|fetch|pull|push|transferr?|sync|copy|writ|sav|extract|unpack|decompress|compress|install|updat|build|compil|transform|bundl|process|resolv|count|enumerat|index|scann|analy[sz]|generat|render|encod|convert|import|export|migrat|clon|filter|prepar|verify)\\p{Ll}*(?<=ing)\\b|^[^\\d%]*\\bchecking out\\b',
    '[\\[(|<][ ]*[#=█━]+[ #=>.\\u2580-\\u259f━-]*[\\])|>]|\\.{10}(?:[ ]\\.{1,10})+',
  ].join('|'),
  'iu',
);

/** Words behind a percentage at the end of a line, such as `10% humidity`: it is a share of them, and no work goes on. */
const SAYS_OF_WHAT = new RegExp(
  '[ ]?%[ ](?!(?:of|complete|done|finished|ready|left|remaining|so far|' +
    '(?:down|up|off)?loaded|received|sent|fetched|pulled|pushed|transferred|synced|copied|read|written|saved|extracted|unpacked|installed|updated|built|compiled|processed|resolved|indexed|scanned|imported|exported|migrated|cloned|verified)\\b' +
    '|\\p{L}+(?:ing|ed)\\b|已|完)(?:rel\\.[ ])?[\\p{L}°]+(?:[ ]\\p{L}+){0,4}[ ]*[.!]?$',
  'iu',
);

/** A line that calls itself progress, or says of what it is a percentage that goes on: what follows may change. */
const SAYS_PROGRESS = /^.{0,60}?\bprogress\b[^\p{L}]*?%|^\s*\d{1,3}\s?%\s+\p{Ll}+ing\b/iu;

function shareOf([, done = '', unit, whole = '', of]: RegExpExecArray): number | null {
  const [a, b] = [amountOf(done, unit ?? of), amountOf(whole, of ?? unit)];
  return b > 0 && a <= b ? a / b : null;
}

const SCALES = 'kmgtp';

function amountOf(digits: string, unit = ''): number {
  const scale = SCALES.indexOf(unit[0]?.toLowerCase() ?? ' ') + 1;
  return Number(digits.replaceAll(',', '')) * 1000 ** scale;
}

/** Progress goes on; what goes back and forth is a row of measurements. */
const goesOn = (before: Measure, next: Measure) => next.share >= before.share;
