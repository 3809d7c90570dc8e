/**
 * `npm run lab -- --sessions DIR --strategies a,b --window 64000 [--before-first-compaction] [--json F] [--markdown F]
 * [--dump DIR]`: replays recorded sessions under each strategy and prints the figures side by side.
 */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { knownStrategies } from '../src/lab/contenders.ts';
import { makeReport, renderMarkdown, renderText } from '../src/lab/labReport.ts';
import type { LabScore } from '../src/lab/runSession.ts';
import { runPool } from './lab/pool.ts';
import { findSessionFolder, listSessions } from './lab/sessions.ts';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string' },
    strategies: { type: 'string' },
    window: { type: 'string', default: '64000' },
    'before-first-compaction': { type: 'boolean', default: false },
    json: { type: 'string' },
    markdown: { type: 'string' },
    dump: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});

const known = knownStrategies();
if (values.list) {
  process.stdout.write(`${known.join('\n')}\n`);
  process.exit(0);
}
const strategies = values.strategies?.split(',').filter((id) => id !== '') ?? known;
const unknown = strategies.filter((id) => !known.includes(id));
const window = Number(values.window);
if (unknown.length > 0) stop(`There is no strategy ${unknown.join(', ')}; known are ${known.join(', ')}.`);
if (!Number.isInteger(window) || window < 1000) stop(`--window ${values.window}: a number of tokens, 1000 or more.`);

const folder = findSessionFolder(values.sessions);
const sources = listSessions(folder);
const controller = new AbortController();
process.once('SIGINT', () => controller.abort(new Error('Stopped.')));

const setting = { window, strategies, beforeFirstCompaction: values['before-first-compaction'] };
const scores: LabScore[] = [];
const started = performance.now();
await runPool(
  sources,
  { ...setting, dump: values.dump ?? null },
  {
    signal: controller.signal,
    onScore: (score, milliseconds) => {
      scores.push(score);
      const done = `${scores.length}/${sources.length * strategies.length}`;
      process.stderr.write(`${done} ${score.session} ${score.strategy} ${Math.round(milliseconds)} ms\n`);
    },
  },
);

const report = makeReport(setting, scores);
process.stdout.write(renderText(report));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
if (values.markdown !== undefined) writeFileSync(values.markdown, renderMarkdown(report));
const seconds = ((performance.now() - started) / 1000).toFixed(1);
process.stderr.write(`${sources.length} sessions × ${strategies.length} strategies in ${seconds} s\n`);

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
