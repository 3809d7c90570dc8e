/**
 * One run of the lab page. Built-in strategies and those in files are replayed in workers; those of other extensions
 * live in the extension host, so they are replayed there, in slices. A strategy without permission to see sessions is
 * left out and reported.
 */

import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import { messageOf, wordsOf } from '../../core/errors.ts';
import { inLanguage, type Words } from '../../core/words.ts';
import type { BrokenReplay, Variant } from '../../lab/replay.ts';
import { BegunReplays, type ReplayOrder } from '../../node/lab/begun.ts';
import type { FromWorker, WorkerSetting } from '../../node/lab/labWorker.ts';
import { type LabResult, replayStored } from '../../node/lab/replayStored.ts';
import { runPool } from '../../node/lab/runPool.ts';
import { Slices } from '../../node/lab/slices.ts';
import type { LabSession } from '../../node/lab/storedSession.ts';
import type { StrategyFile } from '../../node/strategyFiles/program.ts';
import type { StrategyFiles } from '../../node/strategyFiles/strategyFiles.ts';
import type { ContributedStrategies } from '../api/contributedStrategies.ts';
import { type NamedContender, settingsFor, toVariant } from './contenders.ts';

export interface ReplayParts {
  readonly registry: StrategyRegistry;
  readonly strategyFiles: StrategyFiles;
  readonly contributed: ContributedStrategies;
  readonly extensionUri: vscode.Uri;
}

export type Found =
  | { readonly type: 'result'; readonly result: LabResult }
  /** A session that could not be replayed under a strategy. */
  | { readonly type: 'broken'; readonly broken: BrokenReplay }
  /** A session that cannot be read, or a strategy that cannot be used. */
  | { readonly type: 'leftOut'; readonly what: string; readonly reason: string };

export interface ReplayRun {
  readonly sessions: readonly LabSession[];
  readonly contenders: readonly NamedContender[];
  /** In tokens. */
  readonly window: number;
  readonly signal: AbortSignal;
  readonly onFound: (found: Found) => void;
}

/** One core is left for the editor. */
const WORKERS = 2;

/** Rejects with the signal's reason, or with an error outside the strategies. */
export async function runReplay(parts: ReplayParts, run: ReplayRun): Promise<void> {
  const { inWorkers, here, files } = await makeReady(parts, run);
  await Promise.all([
    inWorkers.length ? replayInWorkers(parts, run, { variants: inWorkers, window: run.window, files }) : null,
    here.length ? replayHere(parts, run, here) : null,
  ]);
}

interface Ready {
  readonly inWorkers: Variant[];
  readonly here: Variant[];
  readonly files: { readonly id: string; readonly file: StrategyFile }[];
}

/** Asks for consent if needed, once for each strategy. */
async function makeReady(parts: ReplayParts, { contenders, signal, onFound }: ReplayRun): Promise<Ready> {
  const ready: Ready = { inWorkers: [], here: [], files: [] };
  const refused = new Map<string, Words | null>();
  for (const { contender, name } of contenders) {
    const { id, label, kind } = contender.strategy;
    if (!refused.has(id)) {
      const refusal = await refusalOf(parts, kind, id, ready.files, signal);
      signal.throwIfAborted();
      refused.set(id, refusal);
      if (refusal) onFound({ type: 'leftOut', what: label, reason: inLanguage(refusal, vscode.l10n.t) });
    }
    if (refused.get(id)) continue;
    const general = kind === 'yardstick' ? {} : settingsFor(id);
    const variant = toVariant(contender, name, general, parts.contributed.section(id));
    (kind === 'contributed' ? ready.here : ready.inWorkers).push(variant);
  }
  return ready;
}

/** Null when it may be used. */
async function refusalOf(
  { registry, strategyFiles }: ReplayParts,
  kind: NamedContender['contender']['strategy']['kind'],
  id: string,
  files: Ready['files'],
  signal: AbortSignal,
): Promise<Words | null> {
  switch (kind) {
    case 'builtIn':
    case 'yardstick':
      return null;
    case 'contributed': {
      const resolved = await registry.resolve(id, true, signal);
      return resolved.kind === 'found' ? null : resolved.reason;
    }
    case 'file':
      try {
        files.push({ id, file: await strategyFiles.allowedFile(id, signal) });
        return null;
      } catch (thrown) {
        return wordsOf(thrown);
      }
  }
}

async function replayInWorkers(parts: ReplayParts, run: ReplayRun, setting: WorkerSetting): Promise<void> {
  const { sessions, signal, onFound } = run;
  const script = pathToFileURL(vscode.Uri.joinPath(parts.extensionUri, 'dist', 'labWorker.js').fsPath);
  const begun = new BegunReplays((broken) => onFound({ type: 'broken', broken }));
  await runPool<LabSession & ReplayOrder, FromWorker>(script, setting, sessions, {
    signal,
    most: WORKERS,
    onEnded: (session, ended) => {
      const reason = inLanguage(ended, vscode.l10n.t);
      const left = begun.end(session, session.title, reason);
      if (!left) onFound({ type: 'leftOut', what: session.title, reason });
      return left;
    },
    onMessage: (message) => {
      switch (message.type) {
        case 'begun':
          return begun.begin(message);
        case 'unreadable':
          return onFound({ type: 'leftOut', what: message.session, reason: message.reason });
        default:
          return onFound(message);
      }
    },
  });
}

async function replayHere(parts: ReplayParts, run: ReplayRun, variants: readonly Variant[]): Promise<void> {
  const { sessions, window, signal, onFound } = run;
  const { pause } = new Slices(signal);
  for (const session of sessions) {
    try {
      const onBroken = (broken: BrokenReplay) => onFound({ type: 'broken', broken });
      const replay = { variants, window, registry: parts.registry, signal, pause, onBroken };
      for await (const result of replayStored(session, replay)) onFound({ type: 'result', result });
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      onFound({ type: 'leftOut', what: session.title, reason: messageOf(thrown) });
    }
  }
}
