/** Replays sessions under strategies in workers, and makes the figures of a run or of the shards of one. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { messageOf } from '../core/errors.ts';
import { isObject, parseObject } from '../core/json.ts';
import { showInOneLine } from '../core/tools/text/showHidden.ts';
import { makeReport, renderMarkdown } from '../lab/makeReport.ts';
import type { LabScore, Variant } from '../lab/replay.ts';
import { runPool } from '../node/lab/runPool.ts';
import { pageHtml } from '../node/pages/pageHtml.ts';
import { pageText } from '../node/pages/pageText.ts';
import { checkPlace, type LabArguments, type Outputs, readArguments, readMergeArguments } from './arguments.ts';
import { describeRun, type Run } from './describeRun.ts';
import { findOwnSessions, listSessions, type SessionSource } from './sessionFiles.ts';
import { checkSets, idOf, openStrategies } from './strategies.ts';
import type { WorkerMessage } from './worker.ts';

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);

/** `folder`: read when no session is named; null for a person's own. Throws an `Error` whose message can be shown. */
export async function runLab(args: readonly string[], folder: string | null, signal: AbortSignal): Promise<void> {
  const { places, newest, html, json, markdown, scores: counts, shard, ...setting } = readArguments(args);
  const outputs = { html, json, markdown };
  const all = chooseSessions(places, folder, newest);
  const sources = takeShard(all, shard);
  // Before any worker starts, so that a file with a fault is told once.
  checkSets(setting.variants, await openStrategies(setting.variants.map(idOf)));
  for (const path of [html, json, markdown, counts]) if (path !== undefined) checkPlace(path);
  if (setting.dump !== null) mkdirSync(setting.dump, { recursive: true });
  const started = performance.now();
  const { scores, leftOut } = await replayAll(sources, setting, signal);
  const { strategies, variants, window, beforeFirstCompaction, settings, summaries } = setting;
  const facts: RunFacts = {
    strategies,
    variants,
    window,
    beforeFirstCompaction,
    settings,
    summaries: summaries.kind,
    sessions: all.length,
  };
  if (counts !== undefined) writeShard(counts, { facts, shard, leftOut, scores });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  tell(`${sources.length - leftOut.length} sessions × ${strategies.length} strategies in ${seconds} s`);
  if (shard) tell(`Shard ${shard.nth}/${shard.of} is in ${counts}: merge makes the figures of all shards.`);
  else report({ ...facts, scores, leftOut }, outputs);
}

export async function mergeShards(args: readonly string[]): Promise<void> {
  const { files, ...outputs } = readMergeArguments(args);
  for (const path of Object.values(outputs)) if (path !== undefined) checkPlace(path);
  const { facts, scores, leftOut } = mergeFiles(files);
  report({ ...facts, scores, leftOut }, outputs);
}

function chooseSessions(places: readonly string[], folder: string | null, newest: number): readonly SessionSource[] {
  if (places.length > 0 || folder !== null) {
    const named = places.length > 0 ? places : [folder ?? ''];
    tell(`Reads ${named.join(', ')}`);
    return listSessions(named);
  }
  const { sessions, places: found } = findOwnSessions(newest);
  if (sessions.length === 0)
    throw new Error(
      'No session of Claude Code, Codex or Palimpsest was found on this machine: name a folder or files.',
    );
  tell(`Reads your own sessions, the newest ${newest} at most (--newest), and sends nothing anywhere:`);
  for (const place of found) tell(`  ${place}`);
  return sessions;
}

async function replayAll(
  sources: readonly SessionSource[],
  setting: Omit<LabArguments, 'places' | 'newest' | 'scores' | 'shard' | keyof Outputs>,
  signal: AbortSignal,
): Promise<{ readonly scores: readonly LabScore[]; readonly leftOut: readonly string[] }> {
  const scores: LabScore[] = [];
  const leftOut: string[] = [];
  await runPool<SessionSource, WorkerMessage>(WORKER, setting, sources, {
    signal,
    onMessage: (message) => {
      if (message.type === 'unreadable') {
        leftOut.push(`${message.session}: ${message.reason}`);
        return;
      }
      const { score, milliseconds } = message;
      scores.push(score);
      const done = `${scores.length}/${sources.length * setting.strategies.length}`;
      tell(`${done} ${score.session} ${score.strategy} ${Math.round(milliseconds)} ms`);
    },
  });
  return { scores: inOrder(scores), leftOut: leftOut.sort() };
}

function report(run: Run, { html, json, markdown }: Outputs): void {
  const { scores, leftOut } = run;
  if (scores.length === 0) throw new Error(['No session could be replayed.', ...leftOut].join('\n'));
  const page = describeRun(run);
  process.stdout.write(pageText(page));
  const figures = makeReport(run, scores);
  if (html !== undefined) writeFileSync(html, pageHtml(page, 'en'));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
  if (markdown !== undefined) writeFileSync(markdown, renderMarkdown(figures));
}

/** Progress goes to the other stream, so that the figures alone can be piped. */
function tell(line: string): void {
  process.stderr.write(`${showInOneLine(line)}\n`);
}

// Counts of sessions in files, so that any job runner can spread a run over machines. The figures that `merge` makes of
// all shards are those of one run, to the digit.

/** One part of a run, from 1. */
export interface Shard {
  readonly nth: number;
  readonly of: number;
}

/** Facts that must agree between the shards of a run. */
export interface RunFacts {
  /** Names of the rows. */
  readonly strategies: readonly string[];
  /** In the same order. */
  readonly variants: readonly (string | Variant)[];
  readonly window: number;
  readonly beforeFirstCompaction: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly summaries: string;
  /** Number of sessions in the whole run. */
  readonly sessions: number;
}

interface ShardFile {
  readonly facts: RunFacts;
  readonly shard: Shard;
  /** Sessions that could not be read, each with the reason. */
  readonly leftOut: readonly string[];
  readonly scores: readonly LabScore[];
}

const FORMAT = 2;
const WHOLE: Shard = { nth: 1, of: 1 };

/** Every shard gets sessions from the whole list, which is in the order of names. */
export function takeShard<Source>(sources: readonly Source[], shard: Shard | null): Source[] {
  const { nth, of } = shard ?? WHOLE;
  return sources.filter((_, at) => at % of === nth - 1);
}

function writeShard(
  path: string,
  { facts, shard, leftOut, scores }: Omit<ShardFile, 'shard'> & { shard: Shard | null },
): void {
  const head = { palimpsestLab: FORMAT, shard: shard ?? WHOLE, facts, leftOut };
  writeFileSync(path, [head, ...inOrder(scores)].map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Throws when the files do not make up one run. */
function mergeFiles(paths: readonly string[]): Omit<ShardFile, 'shard'> {
  const files = paths.map((path) => ({ path, ...readShard(path) }));
  const [first] = files;
  if (!first) throw new Error('No file was named.');
  const seen = new Map<number, string>();
  for (const { path, facts, shard } of files) {
    if (JSON.stringify([facts, shard.of]) !== JSON.stringify([first.facts, first.shard.of]))
      throw new Error(`${path} is of another run than ${first.path}: other sessions, strategies or settings.`);
    const twice = seen.get(shard.nth);
    if (twice !== undefined) throw new Error(`${path} and ${twice} are the same shard, ${shard.nth}/${shard.of}.`);
    seen.set(shard.nth, path);
  }
  const { of } = first.shard;
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter((nth) => !seen.has(nth));
  if (missing.length > 0) throw new Error(`Shards are missing: ${missing.map((nth) => `${nth}/${of}`).join(', ')}.`);
  return {
    facts: first.facts,
    leftOut: files.flatMap(({ leftOut }) => leftOut).sort(),
    scores: inOrder(files.flatMap(({ scores }) => scores)),
  };
}

function readShard(path: string): ShardFile {
  const [head, ...lines] = readLines(path);
  const { palimpsestLab: format, shard, facts, leftOut } = (head === undefined ? null : parseObject(head)) ?? {};
  if (format !== FORMAT || !isObject(shard) || !isObject(facts) || !Array.isArray(leftOut))
    throw new Error(`${path} is not a file that --scores of this version wrote.`);
  const scores = lines.map((line, at) => {
    const score = parseObject(line);
    if (!score || typeof score.session !== 'string' || typeof score.strategy !== 'string')
      throw new Error(`${path}, line ${at + 2}: not the counts of a session. Is the file whole?`);
    return score as unknown as LabScore;
  });
  return { facts: facts as unknown as RunFacts, shard: shard as unknown as Shard, leftOut, scores };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** Workers finish in any order, but the figures and files are the same each time. */
function inOrder(scores: readonly LabScore[]): LabScore[] {
  const key = ({ session, strategy }: LabScore) => `${session} ${strategy}`;
  return scores.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
