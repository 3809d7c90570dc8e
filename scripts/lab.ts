/** `npm run lab`: replays recorded sessions under each strategy and prints the figures side by side. */

import { accessSync, constants, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../src/core/errors.ts';
import { runPool } from '../src/host/lab/runPool.ts';
import { makeReport, renderMarkdown, renderText } from '../src/lab/makeReport.ts';
import type { LabScore } from '../src/lab/runSession.ts';
import { type LabArguments, readArguments, USAGE } from './lab/arguments.ts';
import type { SessionSource } from './lab/loadSession.ts';
import { findSessionFolder, listSessions } from './lab/loadSession.ts';
import { openStrategies } from './lab/ownStrategies.ts';
import type { WorkerMessage } from './lab/worker.ts';

try {
  const asked = readArguments(process.argv.slice(2));
  if (asked === 'help') process.stdout.write(`${USAGE}\n`);
  else await runLab(asked);
} catch (thrown) {
  process.stderr.write(`${messageOf(thrown)}\n`);
  process.exitCode = 1;
}

async function runLab(asked: LabArguments): Promise<void> {
  const { sessions, json, markdown, scores: counts, ...setting } = asked;
  const folder = findSessionFolder(sessions);
  const sources = listSessions(folder);
  // Before any worker starts, so that a file with a fault is told once.
  await openStrategies(setting.strategies);
  for (const path of [json, markdown, counts]) if (path !== undefined) checkPlace(path);
  if (setting.dump !== null) mkdirSync(setting.dump, { recursive: true });
  process.stderr.write(
    folder === null ? 'No recorded sessions: generated ones are replayed.\n' : `Sessions: ${folder}\n`,
  );
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort(new Error('Stopped.')));
  const scores: LabScore[] = [];
  const unreadable: string[] = [];
  const started = performance.now();
  await runPool<SessionSource, WorkerMessage>(new URL('./lab/worker.ts', import.meta.url), setting, sources, {
    signal: controller.signal,
    onMessage: (message) => {
      if (message.type === 'unreadable') {
        unreadable.push(`${message.session} was left out: ${message.reason}`);
        return;
      }
      const { score, milliseconds } = message;
      scores.push(score);
      const done = `${scores.length}/${sources.length * setting.strategies.length}`;
      process.stderr.write(`${done} ${score.session} ${score.strategy} ${Math.round(milliseconds)} ms\n`);
    },
  });
  if (scores.length > 0) {
    const report = makeReport(setting, scores);
    process.stdout.write(renderText(report));
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
    if (markdown !== undefined) writeFileSync(markdown, renderMarkdown(report));
    if (counts !== undefined)
      writeFileSync(
        counts,
        inOrder(scores)
          .map((score) => `${JSON.stringify(score)}\n`)
          .join(''),
      );
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const replayed = sources.length - unreadable.length;
  process.stderr.write(`${replayed} sessions × ${setting.strategies.length} strategies in ${seconds} s\n`);
  if (unreadable.length > 0) throw new Error(unreadable.join('\n'));
}

/** Before the run, so that no minutes are spent on figures that cannot be written. */
function checkPlace(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
    if (existsSync(path) && statSync(path).isDirectory()) throw new Error('it is a folder');
  } catch (cause) {
    throw new Error(`${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

/** Workers finish in any order, but the files are the same each time. */
function inOrder(scores: readonly LabScore[]): LabScore[] {
  const key = ({ session, strategy }: LabScore) => `${session} ${strategy}`;
  return scores.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
