/**
 * Sessions replayed one after the other under one strategy, until so many tokens have gone by: recall at each tenth of
 * the sessions and of the whole, time, and memory. What is made up goes from project to project in sessions far longer
 * than the window; recorded sessions come first.
 */

import { StrategyRegistry } from '../../src/core/compaction/hosting/registry.ts';
import { generateCodingSession } from '../../src/lab/generateCodingSession.ts';
import { type PreparedSession, prepareSession } from '../../src/lab/prepareSession.ts';
import { runSession } from '../../src/lab/replay.ts';
import { type RecordedMessage, type RecordedSession, readSession } from '../../src/lab/session.ts';
import { countedCrypto } from '../../src/node/lab/replayStored.ts';
import { nodeCrypto } from '../../src/node/storage/disk/fileBlobStore.ts';
import { systemTimers } from '../../src/providers/timers.ts';
import { findRecordedSessions, readRecording } from '../../test/support/sessions/recordedSessions.ts';
import { usedHeap } from './session.ts';

export const TENTHS = 10;

export interface Recall {
  kept: number;
  needed: number;
}

export interface LongReplay {
  readonly tokens: number;
  readonly sessions: number;
  readonly steps: number;
  readonly compactions: number;
  readonly invalid: number;
  /** Of long-range anchors, at each tenth of a made-up session, over all of them. */
  readonly bySession: readonly Recall[];
  /** At each tenth of all that is made up, by tokens. */
  readonly byReplay: readonly Recall[];
  /** The same of recorded sessions, which the tenths leave out. */
  readonly recorded: Recall;
  /** Milliseconds of the processor for a million tokens, at each tenth. */
  readonly pace: readonly number[];
  /** Bytes of the heap in use once a session was replayed, at each tenth: the largest. */
  readonly heap: readonly number[];
  readonly milliseconds: number;
}

export interface LongOptions {
  readonly strategy: string;
  readonly tokens: number;
  readonly window: number;
  /** Of each made-up session. */
  readonly sessionTokens: number;
  readonly onProgress?: (tokens: number) => void;
}

/** Messages of work on one project, before it goes on to the next. */
const PROJECT = 800;

export async function replayLong(options: LongOptions): Promise<LongReplay> {
  const { strategy, tokens: all, window, onProgress } = options;
  const tenths = <T>(make: () => T) => Array.from({ length: TENTHS }, make);
  const made = {
    tokens: 0,
    sessions: 0,
    steps: 0,
    compactions: 0,
    invalid: 0,
    milliseconds: 0,
    bySession: tenths((): Recall => ({ kept: 0, needed: 0 })),
    byReplay: tenths((): Recall => ({ kept: 0, needed: 0 })),
    recorded: { kept: 0, needed: 0 } as Recall,
    pace: tenths(() => ({ tokens: 0, milliseconds: 0 })),
    heap: tenths(() => 0),
  };
  let recordedTokens = 0;
  for (const { session, isRecorded } of sessionsUntil(all, options.sessionTokens, () => made.tokens)) {
    const prepared = prepareSession(session);
    const size = prepared.ends.at(-1) ?? 0;
    if (isRecorded) recordedTokens += size;
    const begins = made.tokens - recordedTokens;
    const madeUp = Math.max(1, all - recordedTokens);
    const missing = new Map<number, number>();
    const begun = performance.now();
    const worked = process.cpuUsage();
    const scores = runSession(prepared, {
      strategies: [strategy],
      window,
      settings: {},
      beforeFirstCompaction: false,
      summaries: { kind: 'none' },
      registry: new StrategyRegistry(),
      crypto: countedCrypto(nodeCrypto),
      timers: systemTimers,
      signal: new AbortController().signal,
      onMissing: (step) => missing.set(step, (missing.get(step) ?? 0) + 1),
    });
    for await (const score of scores) {
      made.steps += score.steps;
      made.compactions += score.rewrites;
      made.invalid += score.invalid;
    }
    const { user, system } = process.cpuUsage(worked);
    made.milliseconds += performance.now() - begun;
    for (const { share, tokens, needed, kept } of recallOf(prepared, missing)) {
      const rows = isRecorded
        ? [made.recorded]
        : [made.byReplay[tenthOf((begins + tokens) / madeUp)], made.bySession[tenthOf(share)]];
      for (const row of rows) {
        if (!row) continue;
        row.needed += needed;
        row.kept += kept;
      }
    }
    made.tokens += size;
    made.sessions++;
    const tenth = tenthOf(begins / madeUp);
    const pace = made.pace[tenth];
    if (pace && !isRecorded) {
      pace.tokens += size;
      pace.milliseconds += (user + system) / 1000;
      made.heap[tenth] = Math.max(made.heap[tenth] ?? 0, usedHeap());
    }
    onProgress?.(made.tokens);
  }
  return { ...made, pace: made.pace.map((one) => (1_000_000 * one.milliseconds) / Math.max(1, one.tokens)) };
}

/** Recorded ones first, once each; then made-up ones as long as tokens are wanted. */
function* sessionsUntil(
  tokens: number,
  sessionTokens: number,
  done: () => number,
): Generator<{ readonly session: RecordedSession; readonly isRecorded: boolean }> {
  for (const path of findRecordedSessions()) {
    if (done() >= tokens) return;
    yield { session: readSession(path, readRecording(path), null), isRecorded: true };
  }
  for (let seed = 1; done() < tokens; ) {
    const messages: RecordedMessage[] = [];
    let size = 0;
    while (size < sessionTokens * CHARACTERS_A_TOKEN) {
      const project = generateCodingSession({ seed, messages: PROJECT }).slice(messages.length ? 1 : 0);
      for (const message of project) messages.push(withId(message, seed));
      size += JSON.stringify(project).length;
      seed++;
    }
    yield { session: { name: `made up ${seed}`, messages, compactions: [] }, isRecorded: false };
  }
}

const CHARACTERS_A_TOKEN = 4;

/** Each project counts its calls from 1. */
function withId(message: RecordedMessage, project: number): RecordedMessage {
  const idOf = (id: string) => `${id}_${project}`;
  return {
    ...message,
    ...(message.tool_calls ? { tool_calls: message.tool_calls.map((call) => ({ ...call, id: idOf(call.id) })) } : {}),
    ...(message.tool_call_id ? { tool_call_id: idOf(message.tool_call_id) } : {}),
  };
}

const tenthOf = (share: number) => Math.min(TENTHS - 1, Math.floor(share * TENTHS));

/** `share` and `tokens`: how far into the session, by tokens. */
function recallOf({ steps, ends }: PreparedSession, missing: ReadonlyMap<number, number>) {
  const all = Math.max(1, ends.at(-1) ?? 1);
  return steps.map(({ step, longRange }) => ({
    share: (ends[step] ?? 0) / all,
    tokens: ends[step] ?? 0,
    needed: longRange.length,
    kept: longRange.length - (missing.get(step) ?? 0),
  }));
}
