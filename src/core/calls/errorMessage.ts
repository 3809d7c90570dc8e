/**
 * The message of a failed call: of all that it wrote, what says what went wrong, behind the place that it is about. In a
 * report of tests that is looked for below the name of a failed test, where a passed one may have spoken of errors, too.
 */

import { asRecord, parseObject } from '../json.ts';
import { stripControls } from '../tools/text/stripControls.ts';
import { type OutputLine, placeIn, readOutputLine } from './outputLine.ts';

export interface ErrorMessage {
  /** In one line: `path:line:column`, as far as the output says it, the message, and the values that it compares. */
  readonly text: string;
  /** The line that says it, as it stands in the output; null where the message is put together from several. */
  readonly line: string | null;
}

/** How a call was made whose output is read. */
export interface FailedCall {
  readonly exitCode: number | undefined;
  /** Null for other calls. */
  readonly command: string | null;
  /** The command shows what files say: only its program's own words are a message. */
  readonly shows: boolean;
}

/** Lines of a long output that are read, from its beginning and from its end. */
const MOST_LINES = 600;
/** Characters of an event in JSON. */
const LONGEST_EVENT = 20_000;
/** Lines of a report on one failed test. */
const LONGEST_REPORT = 80;
/** Least sureness of a message outside of such a report, where a bare line is there, too. */
const LEAST_SURE = 2;

/** Below it is what made a test fail. */
const FAILED_TESTS = [
  /^\s*FAIL\s+(?:\|.{1,40}\| )?\S+.* > /,
  /^\s*● (?!Console\b)\S/,
  /^\s{0,8}\d{1,4}\) \S/,
  /^_{3,} .{1,200} _{3,}\s*$/,
  /^---- .{1,200} (?:stdout|stderr) ----/,
  /^\s*--- FAIL: /,
  /^(?!> Task )\S.{0,200}(?<!\.\.\.) FAILED\s*$/,
  /^\s*Failed \S.{0,300} \[[<\d]/,
  /^\s*not ok \d/,
  /^\s*[✖×✕✗✘] \S/,
];
const FAILED_FILE = /^\s*(?:FAIL|FAILED)\s+\S+\.\w{1,6}\b/;
/** Its report stands above it. */
const CLOSING = /^\s*--- FAIL: |^\(fail\) /;
const OPENING = /^=== RUN +[^/\s]+\s*$|^\((?:pass|fail)\) |^\S+\.\w+:$|^--- (?:PASS|FAIL)/;

const COMPARED =
  /^[-+]?\s*(?:expected|received|actual|got|left|right|want|have|but was|symbol|found)\b[^:]{0,24}:\s*\S/i;
const MOST_COMPARED = 3;
/** The lines in which two values differ. */
const DIFFERS = /^[-+] (?!\s*(?:expected|received|actual)\b)\s*\S/i;
const SHOWS_DIFFERENCE = /\bexpect\(|\bto\w*(?:equal|match|snapshot)|toMatch|toEqual|toStrictEqual|deep/i;
const LONGEST_VALUE = 120;

interface Line {
  readonly raw: string;
  readonly read: OutputLine;
}

interface Candidate {
  readonly at: number;
  readonly text: string;
  readonly sure: number;
  readonly place?: string;
  /** It stands in the report on a failed test. */
  readonly reported?: true;
}

/** Null where a command merely ended with another exit code, such as a search without matches. */
export function findErrorMessage(output: string, call: FailedCall): ErrorMessage | null {
  const lines = readLines(output);
  const found = call.command === null ? firstOf(lines) : null;
  const best = found ?? bestOf(lines, call);
  if (!best) return null;
  const line = (lines[best.at] as Line).raw.trim();
  if (best.sure === 0) return { text: best.text, line };
  const { joined, last } = joinValues(lines, best);
  const place = best.place ?? findPlace(lines, best, last);
  const text = joined.replace(BELOW_HEADING, 'error ');
  return { text: place === '' ? text : `${place}: ${text}`, line: joined === best.text ? line : null };
}

/**
 * The lines that say what failed and why: names of failed tests, and messages; where there are none, those that say only
 * that something failed. In order, without the terminal's own signs.
 */
export function tellingLines(output: string): readonly string[] {
  const lines = readLines(output);
  const rawOf = (found: readonly Line[]) => found.map(({ raw }) => raw);
  const telling = lines.filter(
    ({ raw, read }) => read.kind === 'message' || (read.kind !== 'quiet' && isTestName(raw)),
  );
  return rawOf(telling.length > 0 ? telling : lines.filter(({ read }) => read.kind === 'bare'));
}

const isTestName = (raw: string): boolean => FAILED_TESTS.some((pattern) => pattern.test(raw));

function readLines(output: string): readonly Line[] {
  const all = stripControls(output).split('\n');
  const read = all.length > 2 * MOST_LINES ? [...all.slice(0, MOST_LINES), ...all.slice(-MOST_LINES)] : all;
  return read.flatMap(shownIn).map((raw) => ({ raw, read: readOutputLine(raw) }));
}

/** Reports as a stream of events in JSON: the lines that were written. */
function shownIn(line: string): readonly string[] {
  if (!/^\{"(?:Time|ImportPath|Action|reason)":/.test(line) || line.length > LONGEST_EVENT) return [line];
  const event = parseObject(line);
  const shown = event?.Output ?? asRecord(event?.message)?.rendered;
  return typeof shown === 'string' ? stripControls(shown).trimEnd().split('\n') : [];
}

/** A tool says first what it could not do. */
function firstOf(lines: readonly Line[]): Candidate | null {
  const at = lines.findIndex(({ read }) => read.kind !== 'blank');
  const read = lines[at]?.read;
  return read?.kind === 'message' || read?.kind === 'other' ? { at, text: read.text, sure: 8 } : null;
}

function bestOf(lines: readonly Line[], call: FailedCall): Candidate | null {
  if (call.shows) return surest(candidates(lines, 0, lines.length).filter(({ at }) => isOfProgram(lines, at, call)));
  const tests = reportsOf(lines);
  const inTests = surest(tests.flatMap(([from, to]) => [...candidates(lines, from, to), ...firstIn(lines, from, to)]));
  if (inTests && inTests.sure >= LEAST_SURE) return { ...inTests, reported: true };
  const files = lines.flatMap(({ raw }, at) => (FAILED_FILE.test(raw) ? [at] : []));
  const inFiles = surest(files.flatMap((at) => candidates(lines, at, Math.min(lines.length, at + LONGEST_REPORT))));
  if (inFiles && inFiles.sure > LEAST_SURE) return inFiles;
  const anywhere = surest(candidates(lines, 0, lines.length));
  const bare = bareIn(lines);
  if (anywhere && (anywhere.sure >= LEAST_SURE || !bare)) return anywhere;
  return bare ?? onlyWords(lines, call);
}

/** Of equal ones the first, in its fuller form where a report repeats it. */
function surest(all: readonly Candidate[]): Candidate | null {
  const best = all.reduce<Candidate | null>((most, each) => (most && most.sure >= each.sure ? most : each), null);
  const isFuller = ({ text, sure }: Candidate) =>
    best && sure === best.sure && text.length > best.text.length && text.includes(best.text);
  return all.find(isFuller) ?? best;
}

/** `sed: can't read a.ts`, beside the text of another file. */
function isOfProgram(lines: readonly Line[], at: number, { command }: FailedCall): boolean {
  const text = (lines[at] as Line).raw.trim();
  const [, program = ''] = /^(?:\S*\/)?([\w.+-]{1,40})(?:\[\d+\])?: /.exec(text) ?? [];
  const isNamed = program !== '' && (command ?? '').split(/[\s;|&()]+/).includes(program);
  return isNamed || /^(?:\(eval\)|(?:\S*\/)?(?:ba|z|da)?sh):|^fatal: /.test(text);
}

/** From and to which line something is said of a failed test. */
function reportsOf(lines: readonly Line[]): readonly (readonly [from: number, to: number])[] {
  const reports: [number, number][] = [];
  // Some show what passed tests wrote in the same form, before the failed ones.
  const passed = lines.findIndex(({ raw }) => raw === 'successes:');
  const failed = lines.findIndex(({ raw }, at) => at > passed && raw === 'failures:');
  for (const [at, { raw }] of lines.entries()) {
    if (!isTestName(raw) && !CLOSING.test(raw)) continue;
    if (passed >= 0 && at > passed && at < failed) continue;
    let from = at;
    if (CLOSING.test(raw)) {
      const least = Math.max(0, at - LONGEST_REPORT);
      while (from > least && !OPENING.test(lines[from - 1]?.raw ?? '')) from--;
    }
    reports.push([from, Math.min(lines.length, at + LONGEST_REPORT)]);
  }
  // Each ends where the next one begins.
  return reports.map(([from, to], nth) => [from, Math.max(from + 1, Math.min(to, reports[nth + 1]?.[0] ?? to))]);
}

function candidates(lines: readonly Line[], from: number, to: number): Candidate[] {
  const found: Candidate[] = [];
  for (let at = from; at < to; at++) {
    const { read } = lines[at] as Line;
    if (read.kind === 'message') found.push({ at, text: read.text, sure: read.sure });
    else if (read.kind === 'label') found.push(...belowLabel(lines, at, read.text));
    else if (read.kind === 'bare') found.push(...aboveName(lines, at, read.text));
  }
  return found;
}

/** `ArgumentError:`, and what is wrong on the next line. */
function belowLabel(lines: readonly Line[], at: number, label: string): Candidate[] {
  const beside = wordsInGutter(lines, at);
  if (beside) return [{ ...beside, sure: 8, place: placeIn(label) }];
  const named = lines[at + 1]?.read;
  const below = nextWords(lines, named?.kind === 'place' ? at + 1 : at);
  if (below === null) return [];
  const text = wordsOf(lines[below] as Line);
  const name = /^(?:error(?: message)?|failure|message|reason|details|fatal|what went wrong)\s*:|panicked at/i.test(
    label,
  )
    ? ''
    : `${label} `;
  const place = placeIn(label) || (named?.kind === 'place' ? named.place : '');
  return [{ at: below, text: name + text, sure: 8, ...(place ? { place } : {}) }];
}

/** Below `ParserError: build.ps1:7` the code is shown in a gutter, and under it what is wrong with it. */
function wordsInGutter(lines: readonly Line[], label: number): Pick<Candidate, 'at' | 'text'> | null {
  if (!/^Line \|/.test(lines[label + 1]?.raw ?? '')) return null;
  for (let at = label + 2; at < Math.min(lines.length, label + GUTTER_LINES); at++) {
    const [, text] = /^\s*\|\s+([^\s~].*)$/.exec(lines[at]?.raw ?? '') ?? [];
    if (text !== undefined) return { at, text: text.trim() };
  }
  return null;
}

/** `AssertionError` alone, below the line of code that raised it. */
function aboveName(lines: readonly Line[], at: number, name: string): Candidate[] {
  const frame = lines[at - 2]?.raw ?? '';
  if (!/^\w*(?:Error|Exception|Interrupt)$/.test(name) || !/^\s*File "/.test(frame)) return [];
  return [{ at: at - 1, text: `${name}: ${(lines[at - 1]?.raw ?? '').trim()}`, sure: 6, place: placeIn(frame.trim()) }];
}

/** Of a failed test of which no line is known to be a message: the first words below its name. */
function firstIn(lines: readonly Line[], from: number, to: number): Candidate[] {
  for (let at = from; at < to; at++) {
    const { raw, read } = lines[at] as Line;
    const isName = isTestName(raw) && !lines[at - 2]?.raw.includes('━━');
    if (!isName && (read.kind === 'other' || read.kind === 'message')) return [{ at, text: read.text, sure: 3.5 }];
  }
  return [];
}

function bareIn(lines: readonly Line[]): Candidate | null {
  const bare = lines.flatMap(({ read }, at) => (read.kind === 'bare' ? [{ at, text: read.text, sure: 0 }] : []));
  return bare.find(({ text }) => /[\w-]+[./:]\w+|: \w{4,}/.test(text)) ?? bare[0] ?? null;
}

/** Short output of a failed command is about the failure, whatever its words. */
const FEW_LINES = 3;
const GUTTER_LINES = 8;

function onlyWords(lines: readonly Line[], { exitCode }: FailedCall): Candidate | null {
  const said = lines.flatMap(({ read }, at) => (read.kind === 'other' ? [{ at, text: read.text, sure: 1 }] : []));
  return exitCode === undefined || said.length <= FEW_LINES ? (said[0] ?? null) : null;
}

const wordsOf = ({ read }: Line): string => ('text' in read ? read.text : '');

/** Index of the next line with words, over one blank line at most. */
function nextWords(lines: readonly Line[], at: number): number | null {
  for (let next = at + 1; next <= at + 2; next++) {
    const kind = lines[next]?.read.kind;
    if (kind === 'other' || kind === 'message') return next;
    if (kind !== 'blank') return null;
  }
  return null;
}

/** With the words that it announces, and the values that it compares. */
function joinValues(
  lines: readonly Line[],
  { at, text }: Candidate,
): { readonly joined: string; readonly last: number } {
  const parts = [text];
  let last = at;
  while (/[:[{]$/.test(parts.at(-1) ?? '') && parts.length <= 2) {
    const next = nextWords(lines, last);
    if (next === null || COMPARED.test(wordsOf(lines[next] as Line))) break;
    parts.push(wordsOf(lines[next] as Line).slice(0, LONGEST_VALUE));
    last = next;
  }
  let compared = 0;
  for (let next = last + 1; next < Math.min(lines.length, last + 12) && compared < MOST_COMPARED; next++) {
    const { raw, read } = lines[next] as Line;
    const value = raw.trim().replace(/\s+/g, ' ');
    if (COMPARED.test(value) || (SHOWS_DIFFERENCE.test(text) && DIFFERS.test(value))) {
      parts.push(value.slice(0, LONGEST_VALUE));
      compared++;
    } else if (read.kind === 'place' || read.kind === 'bare' || (read.kind === 'message' && read.sure >= 7)) break;
  }
  return { joined: parts.join(' ').replace(/\s+/g, ' ').trim(), last };
}

const HAS_PLACE = /[\w\])]\.\w{1,10}(?::|\(|", line |:line )\d+/;
/** A file by itself on a line, or before the name of a rule, with its findings below. */
const HEADING =
  /^(?:at )?(?:\.?\.?[\\/]|[A-Za-z]:[\\/])?[\w@.+-]+(?:[\\/][\w@.()[\]$+-]+)*\.\w{1,10}(?= [\w/]+ (?:\w+ )*━|:?$)/;
const BELOW_HEADING = /^(\d+):(\d+) error /;

function findPlace(lines: readonly Line[], { at, text, sure, reported }: Candidate, last: number): string {
  if (HAS_PLACE.test(text)) return '';
  const finding = BELOW_HEADING.exec(text);
  if (finding) return [above(lines, at, HEADING), finding[1], finding[2]].filter(Boolean).join(':');
  const frame = lines
    .slice(Math.max(0, at - 6), at)
    .findLast(({ raw }) => /^\s*File "/.test(raw) && placeIn(raw.trim()));
  if (frame) return placeIn(frame.raw.trim());
  const rule = [at - 1, at - 2].find((before) => lines[before]?.raw.includes('━'));
  const ruled = rule === undefined ? '' : headingOf(lines[rule] as Line);
  if (ruled !== '') return ruled;
  for (let next = last + 1; next < Math.min(lines.length, last + 24); next++) {
    const { raw, read } = lines[next] as Line;
    if (read.kind === 'place' && read.place !== '') return read.place;
    if (read.kind === 'message' && read.text.slice(0, 20) === text.slice(0, 20)) continue;
    const isOver = isTestName(raw) || (read.kind === 'message' && read.sure >= 8 && !COMPARED.test(raw.trim()));
    // Words of a program by themselves are not about a place further down.
    if (isOver || (sure < 7 && !reported && read.kind === 'blank')) break;
  }
  if (sure < 6) return '';
  for (let before = at - 1; before >= Math.max(0, at - 6); before--) {
    const { raw, read } = lines[before] as Line;
    const heading = headingOf({ raw, read });
    if (heading !== '') return heading;
    const [, file] = /^\s*FAIL(?:ED)?\s+(?:\|.{1,40}\| )?(\S+\.\w{1,6})\b/.exec(raw) ?? [];
    if (file !== undefined) return file;
    if (read.kind === 'quiet') continue;
    if (read.kind === 'message') break;
  }
  return '';
}

function headingOf({ raw, read }: Line): string {
  const [heading] = HEADING.exec(raw.trim()) ?? [];
  return heading?.replace(/^(?:at )?(?:\.\/)?/, '') ?? (read.kind === 'place' ? read.place : '');
}

function above(lines: readonly Line[], at: number, pattern: RegExp): string {
  for (let before = at - 1; before >= Math.max(0, at - 60); before--) {
    const [found] = pattern.exec((lines[before] as Line).raw.trim()) ?? [];
    if (found) return found;
  }
  return '';
}
