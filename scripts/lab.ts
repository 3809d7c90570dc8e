/**
 * `npm run lab -- --sessions DIR --strategies a,b --window 64000 [--before-first-compaction] [--json F] [--markdown F]
 * [--dump DIR] [--set key=value] [--summaries none|recorded|scripted|live]`: replays recorded sessions under each strategy
 * and prints the figures side by side.
 */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { knownStrategies } from '../src/lab/contenders.ts';
import { makeReport, renderMarkdown, renderText } from '../src/lab/labReport.ts';
import type { LabScore } from '../src/lab/runSession.ts';
import { KEY_VARIABLE, type SummaryChoice } from './lab/nodePorts.ts';
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
    set: { type: 'string', multiple: true, default: [] },
    summaries: { type: 'string', default: 'none' },
    'base-url': { type: 'string' },
    model: { type: 'string' },
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
  {
    ...setting,
    settings: Object.fromEntries(values.set.map(readSetting)),
    summaries: readSummaries(),
    dump: values.dump ?? null,
  },
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

/** `key=value` below `palimpsest.compaction.`; the value is JSON, or a bare word. */
function readSetting(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) return stop(`--set ${text}: expected key=value, such as trigger.ratio=0.8.`);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value)];
  } catch {
    // Not JSON: a bare word stands for itself.
    return [text.slice(0, at), value];
  }
}

function readSummaries(): SummaryChoice {
  const { summaries, model, 'base-url': baseUrl } = values;
  switch (summaries) {
    case 'none':
    case 'recorded':
    case 'scripted':
      return { kind: summaries };
    case 'live':
      if (!baseUrl || !model)
        return stop(`--summaries live needs --base-url and --model; a key is read from ${KEY_VARIABLE}.`);
      return { kind: 'live', baseUrl, model, window };
    default:
      return stop(`--summaries ${summaries}: one of none, recorded, scripted, live.`);
  }
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
