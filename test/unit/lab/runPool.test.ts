import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { generateFolder } from '../../../scripts/lab/recordedFolder.ts';
import { readArguments } from '../../../src/cli/arguments.ts';
import { listSessions, loadSession, type SessionSource } from '../../../src/cli/sessionFiles.ts';
import { openStrategies } from '../../../src/cli/strategies.ts';
import type { WorkerMessage, WorkerSetting } from '../../../src/cli/worker.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { prepareSession } from '../../../src/lab/prepareSession.ts';
import { type LabScore, runSession } from '../../../src/lab/replay.ts';
import { countedCrypto } from '../../../src/node/lab/replayStored.ts';
import { runPool } from '../../../src/node/lab/runPool.ts';
import { nodeCrypto } from '../../../src/node/storage/disk/fileBlobStore.ts';
import { STARTING_FILE } from '../../../src/node/strategyFiles/startingFile.ts';
import { systemTimers } from '../../../src/providers/timers.ts';

const GENERATED = generateFolder(2, 80);
const list = async (place: string) => (await listSessions([place], new AbortController().signal)).sessions;
const SOURCES = await list(GENERATED);
afterAll(() => rmSync(GENERATED, { recursive: true }));
const STRATEGIES = ['hide-5-batched', 'tool-result-hiding'];
const SETTING = {
  strategies: STRATEGIES,
  variants: STRATEGIES,
  window: 6_000,
  beforeFirstCompaction: false,
  settings: {},
  summaries: { kind: 'none' } as const,
  dump: null,
};
const NEVER = new AbortController().signal;
const WORKER = new URL('../../../src/cli/worker.ts', import.meta.url);
const ignore = () => undefined;

interface Told {
  readonly onScore?: (score: LabScore) => void;
  readonly onUnreadable?: (session: string, reason: string) => void;
  readonly signal?: AbortSignal;
}

function pool(sources: readonly SessionSource[], setting: WorkerSetting, told: Told = {}): Promise<void> {
  const { onScore = ignore, onUnreadable = ignore, signal = NEVER } = told;
  return runPool<SessionSource, WorkerMessage>(WORKER, setting, sources, {
    signal,
    onEnded: (_, reason) => {
      throw new Error(inEnglish(reason));
    },
    onMessage: (message) => {
      if (message.type === 'score') onScore(message.score);
      else if (message.type === 'unreadable') onUnreadable(message.session, message.reason);
      else if (message.type === 'fault') throw new Error(message.reason);
    },
  });
}

const byName = (scores: readonly LabScore[]) =>
  scores.toSorted((a, b) => (`${a.session} ${a.strategy}` < `${b.session} ${b.strategy}` ? -1 : 1));

describe('the pool of workers', { tags: ['B6', 'long'] }, () => {
  it('gives the scores that one thread gives', async () => {
    const pooled: LabScore[] = [];
    await pool(SOURCES, SETTING, { onScore: (score) => pooled.push(score) });
    const single: LabScore[] = [];
    for (const source of SOURCES) {
      const ports = {
        registry: new StrategyRegistry(),
        crypto: countedCrypto(nodeCrypto),
        timers: systemTimers,
        signal: NEVER,
      };
      const run = runSession(prepareSession(await loadSession(source)), { ...SETTING, ...ports });
      for await (const score of run) single.push(score);
    }
    expect(byName(pooled)).toEqual(byName(single));
  });

  it('leaves out a session that cannot be read, and says why', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lab-'));
    writeFileSync(join(folder, 'cut.jsonl'), '{"role":"user","content":"Go."}\n{"role":"assis');
    writeFileSync(join(folder, 'packed.jsonl.gz'), gzipSync('{}').subarray(0, 12));
    const told: string[] = [];
    const scores: LabScore[] = [];
    await pool([...(await list(folder)), ...SOURCES], SETTING, {
      onScore: (score) => scores.push(score),
      onUnreadable: (session, reason) => told.push(`${session}: ${reason}`),
    });
    rmSync(folder, { recursive: true });
    expect(told.sort()).toEqual([
      'cut: cut, line 2: not valid JSON',
      `packed: ${join(folder, 'packed.jsonl.gz')}: unexpected end of file`,
    ]);
    expect(scores).toHaveLength(4);
  });

  it('replays a strategy in a file, by the same rules as the product', { tags: ['K11'] }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lab-'));
    const mine = join(folder, 'mine.js');
    writeFileSync(mine, STARTING_FILE);
    const scores: LabScore[] = [];
    const keepsAll = { name: 'keeps all', strategy: mine, settings: {}, section: { longest: 9_000_000 } };
    const setting = { ...SETTING, variants: ['none', mine, keepsAll] };
    await pool(SOURCES, setting, { onScore: (score) => scores.push(score) });
    const inputs = (strategy: string) => byName(scores.filter((each) => each.strategy === strategy));
    expect(inputs(mine)).toHaveLength(2);
    expect(inputs(mine).every(({ invalid, runs }) => invalid === 0 && (runs?.own ?? 0) > 0)).toBe(true);
    expect(inputs(mine)[0]?.input).toBeLessThan(inputs('none')[0]?.input ?? 0);
    expect(inputs('keeps all')[0]?.input).not.toBe(inputs(mine)[0]?.input);
    writeFileSync(mine, 'export default {');
    await expect(openStrategies(['none', mine])).rejects.toThrow(/mine\.js has a syntax error in line 1/);
    rmSync(folder, { recursive: true });
  });

  it('ends when it is told to stop', async () => {
    const controller = new AbortController();
    const stopped = pool(SOURCES.slice(0, 1), SETTING, {
      signal: controller.signal,
      onScore: () => controller.abort(new Error('Stopped.')),
    });
    await expect(stopped).rejects.toThrow('Stopped.');
  });

  it('ends for a setting that cannot be used, and names it', async () => {
    const setting = { ...SETTING, settings: { 'trigger.ratio': 7 } };
    const failed = pool(SOURCES.slice(0, 1), setting);
    await expect(failed).rejects.toThrow(/The setting palimpsest\.compaction\.trigger\.ratio/);
  });
});

describe('arguments', () => {
  it('have defaults for everything but the places of files', () => {
    expect(
      readArguments([
        'here',
        '--strategies',
        'none, digest,none,./mine.js',
        '--set',
        'trigger.ratio=0.7',
        '--set',
        'auto=off',
        'there.jsonl',
        '--shard',
        '3/16',
        '--scores',
        'counts.jsonl',
      ]),
    ).toEqual({
      places: ['here', 'there.jsonl'],
      newest: 50,
      shard: { nth: 3, of: 16 },
      html: undefined,
      json: undefined,
      markdown: undefined,
      scores: 'counts.jsonl',
      window: 64_000,
      strategies: ['none', 'digest', './mine.js'],
      variants: ['none', 'digest', './mine.js'],
      beforeFirstCompaction: false,
      settings: { 'trigger.ratio': 0.7, auto: 'off' },
      summaries: { kind: 'scripted' },
      dump: null,
    });
  });

  it.each([
    [['--strategies', 'nope'], 'There is no strategy nope; known are none, last-40'],
    [['--window', '12k'], '--window 12k: expected a number of tokens, 1000 or more.'],
    [['--summaries', 'magic'], '--summaries magic: expected scripted, none, recorded or live.'],
    [['--summaries', 'live'], '--summaries live needs --base-url and --model.'],
    [['--shard', '17/16', '--scores', 'x'], '--shard 17/16: expected a part and how many there are, such as 3/16.'],
    [['--shard', '1/2'], '--shard needs --scores FILE'],
    [['--newest', '0'], '--newest 0: expected a number of sessions, 1 or more.'],
    [['--set', 'ratio'], '--set ratio: expected key=value'],
  ])('that cannot be used are named: %s', (args, message) => {
    expect(() => readArguments(args)).toThrow(message);
  });
});
