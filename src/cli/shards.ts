/**
 * Counts of sessions in files, so that any job runner can spread a run over machines. The figures that `merge` makes of
 * all shards are those of one run, to the digit.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf } from '../core/errors.ts';
import { isObject, parseObject } from '../core/json.ts';
import type { BrokenReplay, LabScore, Variant } from '../lab/replay.ts';

/** One part of a run, from 1. */
export interface Shard {
  readonly nth: number;
  readonly of: number;
}

/** Facts that must agree between the shards of a run. */
export interface RunFacts {
  /** Names of the rows. */
  readonly strategies: readonly string[];
  /** In the same order. */
  readonly variants: readonly (string | Variant)[];
  readonly window: number;
  readonly beforeFirstCompaction: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly summaries: string;
  /** Number of sessions in the whole run. */
  readonly sessions: number;
}

interface ShardFile {
  readonly facts: RunFacts;
  readonly shard: Shard;
  /** Sessions that could not be read, each with the reason. */
  readonly leftOut: readonly string[];
  /** Sessions that could not be replayed under a strategy. */
  readonly broken: readonly BrokenReplay[];
  readonly scores: readonly LabScore[];
}

const FORMAT = 3;

const WHOLE: Shard = { nth: 1, of: 1 };

/** Every shard gets sessions from the whole list, which is in the order of names. */
export function takeShard<Source>(sources: readonly Source[], shard: Shard | null): Source[] {
  const { nth, of } = shard ?? WHOLE;
  return sources.filter((_, at) => at % of === nth - 1);
}

export function writeShard(
  path: string,
  { facts, shard, leftOut, broken, scores }: Omit<ShardFile, 'shard'> & { shard: Shard | null },
): void {
  const head = { palimpsestLab: FORMAT, shard: shard ?? WHOLE, facts, leftOut, broken };
  writeFileSync(path, [head, ...inOrder(scores)].map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Throws when the files do not make up one run. */
export function mergeFiles(paths: readonly string[]): Omit<ShardFile, 'shard'> {
  const files = paths.map((path) => ({ path, ...readShard(path) }));
  const [first] = files;
  if (!first) throw new Error('No file was named.');
  const seen = new Map<number, string>();
  for (const { path, facts, shard } of files) {
    if (JSON.stringify([facts, shard.of]) !== JSON.stringify([first.facts, first.shard.of]))
      throw new Error(`${path} is of another run than ${first.path}: other sessions, strategies or settings.`);
    const twice = seen.get(shard.nth);
    if (twice !== undefined) throw new Error(`${path} and ${twice} are the same shard, ${shard.nth}/${shard.of}.`);
    seen.set(shard.nth, path);
  }
  const { of } = first.shard;
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter((nth) => !seen.has(nth));
  if (missing.length > 0) throw new Error(`Shards are missing: ${missing.map((nth) => `${nth}/${of}`).join(', ')}.`);
  return {
    facts: first.facts,
    leftOut: files.flatMap(({ leftOut }) => leftOut).sort(),
    broken: inOrder(files.flatMap(({ broken }) => broken)),
    scores: inOrder(files.flatMap(({ scores }) => scores)),
  };
}

function readShard(path: string): ShardFile {
  const [head, ...lines] = readLines(path);
  const {
    palimpsestLab: format,
    shard,
    facts,
    leftOut,
    broken,
  } = (head === undefined ? null : parseObject(head)) ?? {};
  if (format !== FORMAT || !isObject(shard) || !isObject(facts) || !Array.isArray(leftOut) || !Array.isArray(broken))
    throw new Error(`${path} is not a file that --scores of this version wrote.`);
  const scores = lines.map((line, at) => {
    const score = parseObject(line);
    if (!score || typeof score.session !== 'string' || typeof score.strategy !== 'string')
      throw new Error(`${path}, line ${at + 2}: not the counts of a session. Is the file whole?`);
    return score as unknown as LabScore;
  });
  return { facts: facts as unknown as RunFacts, shard: shard as unknown as Shard, leftOut, broken, scores };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** Workers finish in any order, but the figures and files are the same each time. */
export function inOrder<One extends { readonly session: string; readonly strategy: string }>(
  scores: readonly One[],
): One[] {
  const key = ({ session, strategy }: One) => `${session} ${strategy}`;
  return scores.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
