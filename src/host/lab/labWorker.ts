/**
 * One worker of the lab page: reads a stored session, replays it under each strategy, and posts each result as soon as it
 * is there. Nothing is written and no model is asked, so summaries are those that strategies make without one.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import { JournalError, messageOf } from '../../core/errors.ts';
import { exportNormalForm } from '../../core/sessions/exportSession.ts';
import { words } from '../../core/words.ts';
import { countedCrypto } from '../../lab/countedCrypto.ts';
import { prepareSession } from '../../lab/prepareSession.ts';
import { tokensOfPart } from '../../lab/request.ts';
import { type LabScore, runSession } from '../../lab/runSession.ts';
import { readSession } from '../../lab/session.ts';
import { systemTimers } from '../../providers/timers.ts';
import { nodeCrypto } from '../storage/disk/nodeCrypto.ts';
import { openJournal } from '../storage/journal/openJournal.ts';
import { compileStrategyFile, loadStrategyFile } from '../strategyFiles/loadStrategyFile.ts';
import type { StrategyFile } from '../strategyFiles/readStrategyFile.ts';

/** A stored session: plain data that can be sent to a worker. */
export interface LabSession {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  /** In bytes of its journal. */
  readonly size: number;
}

export interface LabSetting {
  readonly strategies: readonly string[];
  /** In tokens. */
  readonly window: number;
  /** What is set of each strategy, by key below `palimpsest.compaction.`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Contents that the person allowed, by the strategy's id. */
  readonly files: readonly { readonly id: string; readonly file: StrategyFile }[];
}

/** What a step needed and the request did not hold. */
export interface Miss {
  readonly step: number;
  readonly kind: string;
  readonly text: string;
}

export interface LabResult {
  readonly score: LabScore;
  /** Tokens of each request, in order. */
  readonly sizes: readonly number[];
  /** The first ones. */
  readonly misses: readonly Miss[];
}

export type FromWorker =
  | { readonly type: 'result'; readonly result: LabResult }
  | { readonly type: 'unreadable'; readonly session: string; readonly reason: string }
  | { readonly type: 'done' };

/** A reader looks at a few; a session may have thousands. */
const MOST_MISSES = 200;

const port = parentPort;
if (!port) throw new Error('This file runs as a worker of the lab.');
const setting = workerData as LabSetting;
const registry = openRegistry();

port.on('message', async (session: LabSession) => {
  const post = (message: FromWorker) => port.postMessage(message);
  try {
    await run(session, post);
  } catch (thrown) {
    post({ type: 'unreadable', session: session.title, reason: messageOf(thrown) });
  }
  post({ type: 'done' });
});

async function run(source: LabSession, post: (message: FromWorker) => void): Promise<void> {
  const prepared = prepareSession(readSession(source.title, await normalForm(source), null));
  let sizes: number[] = [];
  let misses: Miss[] = [];
  const scores = runSession(prepared, {
    ...setting,
    beforeFirstCompaction: false,
    summaries: { kind: 'none' },
    registry: await registry,
    crypto: countedCrypto(nodeCrypto),
    timers: systemTimers,
    // To cancel, the whole worker is ended.
    signal: new AbortController().signal,
    onRequest: (_strategy, _step, parts) => {
      sizes.push(parts.reduce<number>((sum, part) => sum + tokensOfPart(prepared.tokens, part), 0));
    },
    onMissing: (step, { kind, text }) => {
      if (misses.length < MOST_MISSES) misses.push({ step, kind, text });
    },
  });
  for await (const score of scores) {
    post({ type: 'result', result: { score, sizes, misses } });
    [sizes, misses] = [[], []];
  }
}

async function normalForm({ path, id }: LabSession): Promise<string> {
  const readOnly = new JournalError('noPermission', path, words('It can only be read here.'));
  const { journal } = await openJournal({ path, id, clock: { now: () => 0 }, crypto: nodeCrypto, readOnly });
  try {
    return [...exportNormalForm(journal)].join('');
  } finally {
    await journal.close();
  }
}

async function openRegistry(): Promise<StrategyRegistry> {
  const opened = new StrategyRegistry();
  for (const { id, file } of setting.files) {
    const factory = await loadStrategyFile(file, await compileStrategyFile(file));
    opened.register({ id, label: id, description: '', publisher: null, file: file.path, factory });
  }
  return opened;
}
