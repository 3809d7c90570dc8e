/**
 * A short form of long output. Of tests, builds, linters, package managers, searches and diffs, which end with totals, it
 * keeps the beginning, and of the rest failures, places and totals, and counts the lines that are left out. Any other
 * output keeps its beginning only.
 */

import { countTokens, takeTokens } from '../../tokens/estimate.ts';

/** Totals at the end of a run, however it ended. */
const TOTALS: readonly RegExp[] = [
  /^\s*(?:# (?:tests|suites|pass|fail|skipped)\b|Test Files\b|Tests?:?\s+\d|Test Suites:|test result: |Ran \d+ tests?\b|FAILED \(|OK \()/,
  /^=+ .*\b(?:passed|failed|errors?|skipped)\b.* =+$/,
  /^\s*(?:✖ )?\d+ (?:passing|failing|passed|failed|pending|problems?|errors?|warnings?|vulnerabilit|files? changed|matches)\b/,
  /^\s*(?:Found \d+ (?:errors?|warnings?|problems?)|added \d+ packages?|removed \d+ packages?|up to date|found \d+ vulnerabilit|BUILD (?:SUCCESS|FAILED)|Successfully installed|error: could not compile|(?:ok|FAIL)\s+[\w./-]+\s+[\d.]+s)/,
];

/** The beginning of a failure; the lines below it say what went wrong. */
const FAILURES: readonly RegExp[] = [
  /^\s*(?:not ok\b|[✖✗×●] |FAIL(?:ED)?\b|--- FAIL|E\s{2,}|(?:fatal |syntax )?error(?:\[\w+\])?:|npm (?:ERR!|error)\b|ERROR\b|thread '.*' panicked)/i,
  /\b(?:\w*Error|\w*Exception): /,
  /^\s*[^\s:(]+(?:[:(]\d+[:,]\d+\)?:?|:\d+:?)\s+(?:-\s+)?(?:fatal )?error\b/,
  /^\s+\d+:\d+\s+error\b/,
];
const BELOW = 2;

/** Places: a hit of a search, a file or hunk of a diff, a line of a stack trace. */
const PLACE = /^\s*(?:at .*?)?\(?((?:[\w.@~-]*[\\/])*[\w.@-]+\.[A-Za-z]\w{0,9})[:(]\d+/;
const FILE_OF_DIFF = /^diff --git a\/(\S+)/;

const LONGEST_LINE = 300;
/** The lines behind them are not looked at. */
const MOST_LINES = 50_000;

/** At most `tokens`. */
export function shortenOutput(text: string, tokens: number): string {
  const lines = text.split('\n', MOST_LINES);
  const ranks = rankLines(lines);
  // Without totals it may be anything, such as a file that speaks of errors.
  if (!ranks.includes(TOTAL)) return takeTokens(text, tokens);
  const kept = new Set<number>();
  let left = tokens;
  const keep = (at: number, least: number) => {
    // The line that counts what is left out may come before it.
    const cost = countTokens(shown(lines[at])) + 1 + (kept.has(at - 1) ? 0 : GAP_TOKENS);
    if (left - cost < least) return false;
    left -= cost;
    kept.add(at);
    return true;
  };
  for (let at = 0; at < lines.length && keep(at, tokens * (1 - BEGINNING)); at++);
  const telling = [...ranks.keys()].filter((at) => ranks[at] && !kept.has(at));
  for (const at of telling.sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b)) {
    if (left < GAP_TOKENS) break;
    keep(at, 0);
  }
  const parts: string[] = [];
  let next = 0;
  for (const at of [...kept].sort((a, b) => a - b)) {
    if (at > next) parts.push(describeGap(at - next));
    parts.push(shown(lines[at]));
    next = at + 1;
  }
  if (next < lines.length) parts.push(describeGap(lines.length - next));
  return takeTokens(parts.join('\n'), tokens);
}

/** Share of the tokens for the beginning: on recorded sessions it holds what is needed later more often than failures. */
const BEGINNING = 0.4;
const GAP_TOKENS = 8;
const describeGap = (count: number): string => `(lines left out: ${count})`;

const shown = (line = ''): string => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line);

const TOTAL = 4;

/** 4 for totals, 3 for failures, 2 for the lines below them, 1 for the first place in each file, 0 for the rest. */
function rankLines(lines: readonly string[]): Uint8Array {
  const ranks = new Uint8Array(lines.length);
  const files = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (line.length > 4 * LONGEST_LINE || line.trim() === '') continue;
    if (TOTALS.some((pattern) => pattern.test(line))) ranks[at] = TOTAL;
    else if (FAILURES.some((pattern) => pattern.test(line))) {
      ranks[at] = 3;
      for (let below = 1; below <= BELOW; below++) if (lines[at + below]?.trim()) ranks[at + below] = 2;
    } else if (!ranks[at]) {
      const file = (FILE_OF_DIFF.exec(line) ?? PLACE.exec(line))?.[1];
      if (file === undefined || files.has(file)) continue;
      files.add(file);
      ranks[at] = 1;
    }
  }
  return ranks;
}
