import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { CompactionContext } from '../../../../src/api/index.ts';
import { StrategyRegistry } from '../../../../src/core/compaction/hosting/registry.ts';
import type { AnyFactory } from '../../../../src/core/compaction/strategies/strategyEntry.ts';
import { Journal } from '../../../../src/core/journal/journal.ts';
import type { NamedContender } from '../../../../src/host/lab/contenders.ts';
import { describeLab } from '../../../../src/host/lab/describeLab.ts';
import { generateCodingSession } from '../../../../src/lab/generateCodingSession.ts';
import { coreMessages } from '../../../../src/lab/live/coreMessages.ts';
import { makeReport } from '../../../../src/lab/makeReport.ts';
import { prepareSession } from '../../../../src/lab/prepareSession.ts';
import type { BrokenReplay } from '../../../../src/lab/replay.ts';
import { type LabResult, replayStored } from '../../../../src/node/lab/replayStored.ts';
import { Slices } from '../../../../src/node/lab/slices.ts';
import { type LabSession, readStored } from '../../../../src/node/lab/storedSession.ts';
import { pageText } from '../../../../src/node/pages/pageText.ts';
import { nodeCrypto } from '../../../../src/node/storage/disk/fileBlobStore.ts';
import { DiskFile, FileJournalStore } from '../../../../src/node/storage/journal/fileJournalStore.ts';
import { t } from '../../../support/inEnglish.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-lab-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A session as the editor's store holds it. */
async function storeSession(): Promise<LabSession> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'journal.jsonl');
  const store = new FileJournalStore(path, await DiskFile.open(path), { length: 0, needsBreak: false });
  const journal = new Journal([], { store, clock: { now: () => 0 }, crypto: nodeCrypto });
  const messages = generateCodingSession({ seed: 3, messages: 160 });
  const core = coreMessages(prepareSession({ name: 'mine', messages, compactions: [] }));
  await journal.append({ type: 'session', format: 1, id: 'mine', workspace: null, engine: 'test', nonce: 'beef' });
  for (let at = 1; at < core.length; at++) {
    const { message, tokens } = core.at(at);
    await journal.append({ type: 'message', message, tokens });
  }
  await journal.close();
  return { id: 'mine', title: 'My own work', path, size: 1 };
}

it('a stored session is replayed under a contributed strategy, as it is set, and lets others run meanwhile', {
  tags: ['B6'],
}, async () => {
  const session = await storeSession();
  const registry = new StrategyRegistry();
  const told: unknown[] = [];
  registry.connect({ owns: (id) => id === 'acme.hide/hide', activate: async () => null, declared: () => [] });
  registry.register({
    id: 'acme.hide/hide',
    label: 'Hide',
    description: '',
    publisher: 'acme',
    factory: {
      needs: ['settings'],
      create: ({ settings }) => ({
        compact: async ({ history, hide }) => {
          const { keep } = settings() as { keep: number };
          told.push(keep);
          return history.map((message, at) => (at < history.length - keep ? hide(message) : message));
        },
      }),
    },
  });
  let pauses = 0;
  const pause = async () => void pauses++;
  const variant = (keep: number) => ({
    name: `keep ${keep}`,
    strategy: 'acme.hide/hide',
    settings: {},
    section: { keep },
  });
  const { signal } = new AbortController();
  const results: LabResult[] = [];
  for await (const result of replayStored(session, {
    variants: [variant(4), variant(12)],
    window: 8_000,
    registry,
    signal,
    pause,
    onBroken: ({ reason }) => {
      throw new Error(reason);
    },
  }))
    results.push(result);
  expect(
    results.map(({ score }) => [score.session, score.strategy, score.invalid, (score.runs?.own ?? 0) > 0]),
  ).toEqual([
    ['My own work', 'keep 4', 0, true],
    ['My own work', 'keep 12', 0, true],
  ]);
  expect(new Set(told)).toEqual(new Set([4, 12]));
  const [few, many] = results;
  expect(few?.sizes).toHaveLength(few?.score.steps ?? 0);
  expect(few?.compactions.length).toBeGreaterThan(0);
  expect(few?.score.input).toBeLessThan(many?.score.input ?? 0);
  expect(few?.misses.length).toBeGreaterThan(0);
  const { messages } = await readStored(session);
  for (const { step, message } of few?.misses ?? []) {
    const answers = messages.slice(0, message + 1).filter(({ role }) => role === 'assistant');
    expect(messages[message]?.role).toBe('assistant');
    expect(answers).toHaveLength(step);
  }
  // Before each message that was read and searched, and before each request.
  expect(pauses).toBeGreaterThan(2 * messages.length);
});

it('a replay in the extension host gives others their turn, and hears there that it should stop', {
  tags: ['B6'],
}, async () => {
  const controller = new AbortController();
  const { pause } = new Slices(controller.signal);
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  const until = performance.now() + 5_000;
  while (turns === 0 && performance.now() < until) await pause();
  expect(turns).toBeGreaterThan(0);
  clearInterval(others);
  controller.abort(new Error('Stopped.'));
  const stopped = async () => {
    for (;;) await pause();
  };
  await expect(stopped()).rejects.toThrow('Stopped.');
});

it('a strategy that does not work is named on the page with the reason, and has no row of figures', {
  tags: ['B6'],
}, async () => {
  const half = { compact: async ({ history }: CompactionContext) => history.slice(history.length >> 1) };
  const FACTORIES: Readonly<Record<string, unknown>> = {
    throws: { needs: [], create: () => ({ compact: () => Promise.reject(new Error('out of luck')) }) },
    factory: {
      needs: [],
      create: () => {
        throw new Error('not today');
      },
    },
    port: { needs: ['database'], create: () => half },
    invalid: {
      needs: [],
      create: () => ({ compact: async ({ history }: CompactionContext) => [history[0], history[0]] }),
    },
    works: { needs: [], create: () => half },
  };
  const stored = await storeSession();
  const registry = new StrategyRegistry();
  const ids = Object.keys(FACTORIES);
  for (const id of ids) {
    const factory = FACTORIES[id] as AnyFactory;
    registry.register({ id, label: `My ${id}`, description: '', publisher: null, factory });
  }
  const results: LabResult[] = [];
  const broken: BrokenReplay[] = [];
  for await (const result of replayStored(stored, {
    variants: ids.map((id) => ({ name: id, strategy: id, settings: {}, section: {} })),
    window: 8_000,
    registry,
    signal: new AbortController().signal,
    pause: async () => undefined,
    onBroken: (one) => void broken.push(one),
  }))
    results.push(result);
  broken.push({ session: stored.title, strategy: 'ends', reason: 'it ended the process that ran it, with code 1' });
  const names = [...ids, 'ends'];
  const setting = { window: 8_000, beforeFirstCompaction: false, strategies: names };
  const scores = results.map(({ score }) => score);
  const report = makeReport(setting, scores, broken);
  const contenders = names.map((id): NamedContender => {
    const strategy = { id, label: `My ${id}`, kind: 'file' as const, fields: [], inForce: {} };
    return { name: id, label: `My ${id}`, contender: { key: id, strategy, typed: {} } };
  });
  const page = describeLab(
    {
      sessions: [stored],
      contenders,
      window: 8_000,
      progress: null,
      results,
      report,
      broken,
      unread: [],
      opened: { session: stored.title, name: 'works' },
    },
    t,
  );
  expect(report.strategies.map(({ id }) => id)).toEqual(['works']);
  const text = pageText(page);
  const said = text.split('\n').filter((line) => line.includes('never compacted'));
  for (const [id, reason] of Object.entries({
    throws: 'out of luck',
    factory: 'Made by Layered in its place .*not today',
    port: 'Made by Layered in its place .*it needs database, which is not a port',
    invalid: 'came back twice',
    ends: 'it ended the process that ran it, with code 1',
  }))
    expect(said.find((line) => line.includes(`My ${id} never compacted`))).toMatch(new RegExp(reason));
  expect(said).toHaveLength(5);
});
