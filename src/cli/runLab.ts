/** Replays sessions under strategies in workers, and makes the figures of a run or of the shards of one. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { showInOneLine } from '../core/tools/text/showHidden.ts';
import { inEnglish } from '../core/words.ts';
import { makeReport, renderMarkdown } from '../lab/makeReport.ts';
import type { BrokenReplay, LabScore } from '../lab/replay.ts';
import { BegunReplays, type ReplayOrder } from '../node/lab/begun.ts';
import { runPool } from '../node/lab/runPool.ts';
import { pageHtml } from '../node/pages/pageHtml.ts';
import { pageText } from '../node/pages/pageText.ts';
import { checkPlace, type LabArguments, type Outputs, readArguments, readMergeArguments } from './arguments.ts';
import { describeRun, type Run } from './describeRun.ts';
import { findOwnSessions } from './ownSessions.ts';
import { listSessions, type SessionSource } from './sessionFiles.ts';
import { inOrder, mergeFiles, type RunFacts, takeShard, writeShard } from './shards.ts';
import { checkSets, idOf, openStrategies } from './strategies.ts';
import type { WorkerMessage } from './worker.ts';

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);

/** `folder`: read when no session is named; null for a person's own. Throws an `Error` whose message can be shown. */
export async function runLab(args: readonly string[], folder: string | null, signal: AbortSignal): Promise<void> {
  const { places, newest, html, json, markdown, scores: counts, shard, ...setting } = readArguments(args);
  const outputs = { html, json, markdown };
  const all = await chooseSessions(places, folder, newest, signal);
  const sources = takeShard(all, shard);
  // Before any worker starts, so that a file with a fault is told once.
  checkSets(setting.variants, await openStrategies(setting.variants.map(idOf)));
  for (const path of [html, json, markdown, counts]) if (path !== undefined) checkPlace(path);
  if (setting.dump !== null) mkdirSync(setting.dump, { recursive: true });
  const started = performance.now();
  const { scores, broken, leftOut } = await replayAll(sources, setting, signal);
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
  if (counts !== undefined) writeShard(counts, { facts, shard, leftOut, broken, scores });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  tell(`${sources.length - leftOut.length} sessions × ${strategies.length} strategies in ${seconds} s`);
  if (shard) tell(`Shard ${shard.nth}/${shard.of} is in ${counts}: merge makes the figures of all shards.`);
  else report({ ...facts, scores, broken, leftOut }, outputs);
}

export async function mergeShards(args: readonly string[]): Promise<void> {
  const { files, ...outputs } = readMergeArguments(args);
  for (const path of Object.values(outputs)) if (path !== undefined) checkPlace(path);
  const { facts, ...counts } = mergeFiles(files);
  report({ ...facts, ...counts }, outputs);
}

async function chooseSessions(
  places: readonly string[],
  folder: string | null,
  newest: number,
  signal: AbortSignal,
): Promise<readonly SessionSource[]> {
  if (places.length > 0 || folder !== null) {
    const named = places.length > 0 ? places : [folder ?? ''];
    tell(`Reads ${named.join(', ')}`);
    const { sessions, notes } = await listSessions(named, signal);
    for (const note of notes) tell(note);
    return sessions;
  }
  const { sessions, places: found } = await findOwnSessions(newest, signal);
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
): Promise<Pick<Run, 'scores' | 'broken' | 'leftOut'>> {
  const scores: LabScore[] = [];
  const broken: BrokenReplay[] = [];
  const leftOut: string[] = [];
  const begun = new BegunReplays((one) => {
    broken.push(one);
    tell(`${one.session} ${one.strategy}: ${one.reason}`);
  });
  await runPool<SessionSource & ReplayOrder, WorkerMessage>(WORKER, setting, sources, {
    signal,
    onEnded: (source, reason) => {
      const left = begun.end(source, source.name, inEnglish(reason));
      if (!left) leftOut.push(`${source.name}: ${inEnglish(reason)}`);
      return left;
    },
    onMessage: (message) => {
      switch (message.type) {
        case 'begun':
          return begun.begin(message);
        case 'fault':
          throw new Error(message.reason);
        case 'unreadable':
          leftOut.push(`${message.session}: ${message.reason}`);
          return;
        case 'broken': {
          const { session, strategy, reason } = message;
          return begun.report({ session, strategy, reason });
        }
        case 'score': {
          const { score, milliseconds } = message;
          scores.push(score);
          const done = `${scores.length}/${sources.length * setting.strategies.length}`;
          tell(`${done} ${score.session} ${score.strategy} ${Math.round(milliseconds)} ms`);
        }
      }
    },
  });
  return { scores: inOrder(scores), broken: inOrder(broken), leftOut: leftOut.sort() };
}

function report(run: Run, { html, json, markdown }: Outputs): void {
  const { scores, broken, leftOut } = run;
  if (scores.length + broken.length === 0) throw new Error(['No session could be replayed.', ...leftOut].join('\n'));
  const page = describeRun(run);
  process.stdout.write(pageText(page));
  const figures = makeReport(run, scores, broken);
  if (html !== undefined) writeFileSync(html, pageHtml(page, 'en'));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
  if (markdown !== undefined) writeFileSync(markdown, renderMarkdown(figures));
}

/** Progress goes to the other stream, so that the figures alone can be piped. */
function tell(line: string): void {
  process.stderr.write(`${showInOneLine(line)}\n`);
}
