/** A person's options for the lab, parsed from the command line and validated. Every error says what would be right. */

import { parseArgs } from 'node:util';
import { knownStrategies } from '../../src/lab/runSession.ts';
import { KEY_VARIABLE, type SummaryChoice } from './nodePorts.ts';
import { isStrategyPath } from './ownStrategies.ts';
import type { WorkerSetting } from './worker.ts';

export interface LabArguments extends WorkerSetting {
  /** Folder of recorded sessions; undefined for the usual places. */
  readonly sessions: string | undefined;
  readonly json: string | undefined;
  readonly markdown: string | undefined;
  readonly scores: string | undefined;
}

export const USAGE = `npm run lab -- [--sessions DIR] [--strategies a,./b.js] [--window 64000] [--before-first-compaction]
  [--json FILE] [--markdown FILE] [--scores FILE] [--dump DIR] [--set key=value]
  [--summaries none|recorded|scripted|live [--base-url URL --model NAME]]

Strategies: ${knownStrategies().join(', ')}, or the path of a file that holds one.
--scores writes the counts of each session and strategy, one a line; --dump writes every request.
--set takes settings below palimpsest.compaction., such as trigger.ratio=0.7.
--summaries live reads a key from ${KEY_VARIABLE} and charges what the model reports.`;

/** Throws an `Error` whose message can be shown. */
export function readArguments(args: readonly string[]): LabArguments | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      sessions: { type: 'string' },
      strategies: { type: 'string' },
      window: { type: 'string', default: '64000' },
      'before-first-compaction': { type: 'boolean', default: false },
      json: { type: 'string' },
      markdown: { type: 'string' },
      scores: { type: 'string' },
      dump: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      summaries: { type: 'string', default: 'none' },
      'base-url': { type: 'string' },
      model: { type: 'string' },
    },
  });
  if (values.help) return 'help';
  const window = Number(values.window);
  if (!Number.isInteger(window) || window < 1000) {
    throw new Error(`--window ${values.window}: expected a number of tokens, 1000 or more.`);
  }
  return {
    sessions: values.sessions,
    json: values.json,
    markdown: values.markdown,
    scores: values.scores,
    window,
    strategies: readStrategies(values.strategies),
    beforeFirstCompaction: values['before-first-compaction'],
    settings: Object.fromEntries(values.set.map(readSetting)),
    summaries: readSummaries(values.summaries, values['base-url'], values.model, window),
    dump: values.dump ?? null,
  };
}

function readStrategies(text: string | undefined): readonly string[] {
  const known = knownStrategies();
  if (text === undefined) return known;
  const asked = [...new Set(text.split(',').map((id) => id.trim()))].filter((id) => id !== '');
  const unknown = asked.filter((id) => !known.includes(id) && !isStrategyPath(id));
  if (unknown.length > 0) throw new Error(`There is no strategy ${unknown.join(', ')}; known are ${known.join(', ')}.`);
  if (asked.length === 0) throw new Error(`--strategies names none; known are ${known.join(', ')}.`);
  return asked;
}

/** `key=value`; the value is JSON, or a bare word. */
function readSetting(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw new Error(`--set ${text}: expected key=value, such as trigger.ratio=0.7.`);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value)];
  } catch {
    // Not JSON: a bare word is taken as it is.
    return [text.slice(0, at), value];
  }
}

function readSummaries(
  kind: string,
  baseUrl: string | undefined,
  model: string | undefined,
  window: number,
): SummaryChoice {
  switch (kind) {
    case 'none':
    case 'recorded':
    case 'scripted':
      return { kind };
    case 'live':
      if (baseUrl && model) return { kind, baseUrl, model, window };
      throw new Error('--summaries live needs --base-url and --model.');
    default:
      throw new Error(`--summaries ${kind}: expected none, recorded, scripted or live.`);
  }
}
