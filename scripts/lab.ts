/** `npm run lab`: replays recorded sessions under each strategy and prints the figures side by side. */

import { writeFileSync } from 'node:fs';
import { messageOf } from '../src/core/errors.ts';
import { makeReport, renderMarkdown, renderText } from '../src/lab/makeReport.ts';
import type { LabScore } from '../src/lab/runSession.ts';
import { type LabArguments, readArguments, USAGE } from './lab/arguments.ts';
import { findSessionFolder, listSessions } from './lab/loadSession.ts';
import { runPool } from './lab/runPool.ts';

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
  process.stderr.write(
    folder === null ? 'No recorded sessions: generated ones are replayed.\n' : `Sessions: ${folder}\n`,
  );
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort(new Error('Stopped.')));
  const scores: LabScore[] = [];
  const started = performance.now();
  await runPool(sources, setting, {
    signal: controller.signal,
    onScore: (score, milliseconds) => {
      scores.push(score);
      const done = `${scores.length}/${sources.length * setting.strategies.length}`;
      process.stderr.write(`${done} ${score.session} ${score.strategy} ${Math.round(milliseconds)} ms\n`);
    },
  });
  const report = makeReport(setting, scores);
  process.stdout.write(renderText(report));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (markdown !== undefined) writeFileSync(markdown, renderMarkdown(report));
  if (counts !== undefined) writeFileSync(counts, scores.map((score) => `${JSON.stringify(score)}\n`).join(''));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stderr.write(`${sources.length} sessions × ${setting.strategies.length} strategies in ${seconds} s\n`);
}
