/**
 * F1: what appending a message costs, from the draft to the acknowledged line on disk, beside writing the same text in
 * bulk, beside `appendFile` and beside rewriting the whole history as others do.
 */

import { closeSync, openSync, writeSync } from 'node:fs';
import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from '../src/core/context/message.ts';
import { Journal } from '../src/core/journal/journal.ts';
import { estimateMessage } from '../src/core/tokens/estimate.ts';
import { nodeCrypto } from '../src/node/storage/disk/fileBlobStore.ts';
import { DiskFile, FileJournalStore } from '../src/node/storage/journal/fileJournalStore.ts';
import { type Line, median, ratioLine } from './support/line.ts';
import { inFolder, quickest, sessionEntries, time } from './support/session.ts';

export const id = 'F1';

const RUNS = 15;
const MESSAGES = 2_000;
/** Appends outstanding at a time: what is measured is what an append costs, not how long the disk lets one wait. */
const BURST = 200;
const REWRITES = 5;
/**
 * The text of a line is encoded twice, for its checksum and for the disk, and each batch waits for its write between two looks
 * at the file's owner; writing in bulk does neither.
 */
const APPEND = 2;
/** Bursts at each end of the growth. */
const BURSTS = 20;

export function run(): Promise<Line[]> {
  return inFolder(async (folder) => {
    const messages = takeMessages(MESSAGES);
    let files = 0;
    const fresh = () => join(folder, `${files++}.jsonl`);
    const [ours = 0, estimated = 0, bulk = 1] = await quickest(
      RUNS,
      () => appendAll(fresh(), messages, () => 1),
      () => appendAll(fresh(), messages, estimateMessage),
      () => writeInBulk(fresh(), messages),
    );
    const estimates = (await quickest(RUNS, () => messages.map((message) => estimateMessage(message))))[0] ?? 0;
    const [first = 1, last = 0] = await growth(fresh());
    const one = ours / MESSAGES;
    const history = takeMessages(10_000);
    const [rewrite = 0, rewriteOne = 0] = await quickest(
      REWRITES,
      () => rewriteBoth(folder, history),
      () => writeFile(join(folder, 'one.json'), JSON.stringify(history)),
    );
    const naive = (await time(() => appendEach(fresh(), messages))) / MESSAGES;
    for (const journal of opened.splice(0)) await journal.close();
    return [
      ratioLine(id, 'append with checksum (group commit), against stringify and one write', ours / bulk, APPEND),
      ratioLine(id, 'the same with the estimate of tokens, against both', estimated / (bulk + estimates), APPEND),
      ratioLine(id, 'an append at 100,000 messages, against one at 1,000', last / first, 1.1),
      {
        id,
        name: `rewriting a history of 10,000 messages, both files (${rewrite.toFixed(0)} ms; one alone ${rewriteOne.toFixed(0)} ms), against an append (${(one * 1000).toFixed(1)} µs)`,
        figure: `${Math.round(rewrite / one).toLocaleString('en')} ×`,
        goal: '≥ 10,000 ×',
        ok: rewrite / one >= 10_000,
      },
      {
        id,
        name: 'appendFile for each message, against an append',
        figure: `${(naive / one).toFixed(1)} ×`,
        goal: '> 1 ×',
        ok: naive > one,
      },
    ];
  });
}

function takeMessages(count: number): Message[] {
  const messages: Message[] = [];
  for (const entry of sessionEntries()) {
    if (entry.type !== 'message') continue;
    messages.push(entry.message);
    if (messages.length === count) break;
  }
  return messages;
}

async function openNew(path: string): Promise<Journal> {
  const store = new FileJournalStore(path, await DiskFile.open(path), { length: 0, needsBreak: false });
  const journal = new Journal([], { store, clock: { now: () => 0 }, crypto: nodeCrypto });
  opened.push(journal);
  return journal;
}

/** Closed at the end: closing waits for the disk, which is F2's. */
const opened: Journal[] = [];

async function appendAll(path: string, messages: readonly Message[], estimate: (message: Message) => number) {
  const journal = await openNew(path);
  const burst: Promise<unknown>[] = [];
  for (const message of messages) {
    burst.push(journal.append({ type: 'message', message, tokens: estimate(message) }));
    if (burst.length === BURST) await Promise.all(burst.splice(0));
  }
  await Promise.all(burst);
}

function writeInBulk(path: string, messages: readonly Message[]): void {
  const text = messages.map((message, seq) => JSON.stringify({ seq, type: 'message', message, tokens: 1 })).join('\n');
  const file = openSync(path, 'w');
  writeSync(file, text);
  closeSync(file);
}

/**
 * As other agents in the editor do for each message: what the model is sent and what the panel shows are a file each,
 * written whole to a temporary name and put in the old one's place.
 */
async function rewriteBoth(folder: string, history: readonly Message[]): Promise<void> {
  const shown = history.map(({ role, text }, ts) => ({ ts, type: 'say', say: role, text }));
  for (const [name, content] of Object.entries({ history, shown })) {
    const path = join(folder, `${name}.json`);
    await writeFile(`${path}.tmp`, JSON.stringify(content));
    await rename(`${path}.tmp`, path);
  }
}

async function appendEach(path: string, messages: readonly Message[]): Promise<void> {
  for (const message of messages) await appendFile(path, `${JSON.stringify(message)}\n`);
}

/**
 * Processor time of a burst among the first messages and among those after 100,000, collecting garbage included: medians,
 * because a collection falls into some bursts and not into others. Messages are small, to get there.
 */
async function growth(path: string): Promise<[number, number]> {
  const journal = await openNew(path);
  const message: Message = { role: 'user', kind: 'reminder', text: 'x'.repeat(500) };
  const burst = async () => {
    const begun = process.cpuUsage();
    await Promise.all(Array.from({ length: 1_000 }, () => journal.append({ type: 'message', message, tokens: 1 })));
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
  const bursts = async () => {
    const times: number[] = [];
    for (let run = 0; run < BURSTS; run++) times.push(await burst());
    return median(times);
  };
  await burst();
  const first = await bursts();
  while (journal.nextSeq < 100_000) await burst();
  return [first, await bursts()];
}
