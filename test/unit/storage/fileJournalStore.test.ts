import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JournalError } from '../../../src/core/errors.ts';
import { FileJournalStore } from '../../../src/node/storage/journal/fileJournalStore.ts';
import { type FailingFile, failingFile } from './failingFile.ts';

function open(
  content = '',
  guard?: () => Promise<JournalError | null>,
): { file: FailingFile; store: FileJournalStore } {
  const file = failingFile(content);
  return { file, store: new FileJournalStore('journal', file, { length: content.length, needsBreak: false }, guard) };
}

const outcome = (promise: Promise<void>) =>
  promise.then(
    () => 'written',
    (thrown: unknown) => (thrown instanceof JournalError ? thrown.kind : String(thrown)),
  );

describe('file journal store', () => {
  it('writes the appends of one moment in one batch, in order', async () => {
    const { file, store } = open('old\n');
    await Promise.all(['a', 'b', 'c'].map((line) => store.append(line)));
    expect([file.bytes.toString(), file.calls]).toEqual(['old\na\nb\nc\n', ['write']]);
  });

  it('groups what comes while a write is in flight', async () => {
    const { file, store } = open();
    const first = store.append('a');
    await Promise.resolve().then(() => Promise.resolve());
    const rest = ['b', 'c'].map((line) => store.append(line));
    await Promise.all([first, ...rest]);
    expect(file.bytes.toString()).toBe('a\nb\nc\n');
    expect(file.calls.length).toBeLessThanOrEqual(2);
  });

  it('goes on after a short write', async () => {
    const { file, store } = open();
    file.faults.push({ on: 'shortWrite', bytes: 2 });
    await store.append('abcdef');
    expect(file.bytes.toString()).toBe('abcdef\n');
  });

  it.each(['ENOSPC', 'EIO'] as const)(
    'cuts back after %s, rejects, and writes the line before the next',
    async (code) => {
      const { file, store } = open('old\n');
      file.faults.push({ on: 'write', code, after: 3 });
      expect(await outcome(store.append('first'))).toBe(code === 'ENOSPC' ? 'diskFull' : 'io');
      expect([file.bytes.toString(), store.unwritten]).toEqual(['old\n', 1]);
      expect(await outcome(store.append('second'))).toBe('written');
      expect([file.bytes.toString(), store.unwritten]).toEqual(['old\nfirst\nsecond\n', 0]);
    },
  );

  it('cuts back before the next write when cutting back failed too', async () => {
    const { file, store } = open('old\n');
    file.faults.push({ on: 'write', code: 'EIO', after: 3 }, { on: 'truncate', code: 'EIO' });
    expect(await outcome(store.append('first'))).toBe('io');
    expect(file.bytes.toString()).toBe('old\nfir');
    expect(await outcome(store.append('second'))).toBe('written');
    expect(file.bytes.toString()).toBe('old\nfirst\nsecond\n');
  });

  it('fails what was queued behind a failed write, so that order on disk is order of calls', async () => {
    const { file, store } = open();
    file.faults.push({ on: 'write', code: 'ENOSPC', after: 0 });
    const outcomes = Promise.all(['a', 'b'].map((line) => outcome(store.append(line))));
    expect(await outcomes).toEqual(['diskFull', 'diskFull']);
    await store.sync();
    expect(file.bytes.toString()).toBe('a\nb\n');
    expect(file.calls.slice(-2)).toEqual(['write', 'datasync']);
  });

  it('says so when the disk does not confirm', async () => {
    const { file, store } = open();
    await store.append('a');
    file.faults.push({ on: 'datasync', code: 'EIO' });
    expect(await outcome(store.sync())).toBe('io');
    expect(await outcome(store.sync())).toBe('written');
  });

  it('writes the missing break of the last line first', async () => {
    const file = failingFile('whole');
    const store = new FileJournalStore('journal', file, { length: 5, needsBreak: true });
    await store.append('next');
    expect(file.bytes.toString()).toBe('whole\nnext\n');
  });

  it('becomes read-only when another window took the session over', async () => {
    let taken: JournalError | null = null;
    const { file, store } = open('', async () => taken);
    await store.append('mine');
    taken = new JournalError('locked', 'journal', 'Open in another window.');
    expect(await outcome(store.append('late'))).toBe('locked');
    expect(await outcome(store.append('later'))).toBe('locked');
    expect([file.bytes.toString(), store.readOnly, store.unwritten]).toEqual(['mine\n', taken, 1]);
  });

  it('acknowledges nothing that a take-over made worthless while it was being written', async () => {
    let taken: JournalError | null = null;
    const { file, store } = open('', async () => taken);
    file.whileWriting(() => {
      taken = new JournalError('locked', 'journal', 'Open in another window.');
    });
    expect(await outcome(store.append('late'))).toBe('locked');
  });

  it('cuts nothing in a file that another window took over, when its own write fails', async () => {
    let taken: JournalError | null = null;
    const { file, store } = open('old\n', async () => taken);
    file.faults.push({ on: 'write', code: 'EIO', after: 3 });
    file.whileWriting(() => {
      taken = new JournalError('locked', 'journal', 'Open in another window.');
      file.bytes = Buffer.concat([file.bytes, Buffer.from('theirs\n')]);
    });
    expect(await outcome(store.append('mine'))).toBe('io');
    expect(file.bytes.toString()).toBe('old\ntheirs\nmin');
  });

  it('cuts nothing when the take-over comes while it sets a torn line aside', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
    const file = failingFile('old\ntorn');
    let looks = 0;
    const guard = async () => (looks++ === 0 ? null : new JournalError('locked', 'journal', 'Open in another window.'));
    const tail = { length: 4, needsBreak: false, torn: Buffer.from('torn') };
    const store = new FileJournalStore(join(folder, 'journal'), file, tail, guard);
    expect(await outcome(store.append('mine'))).toBe('locked');
    expect(file.bytes.toString()).toBe('old\ntorn');
    await rm(folder, { recursive: true });
  });

  it('sets the last line of a former owner aside, before its own and in the middle of them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
    const file = failingFile('old\n');
    const store = new FileJournalStore(join(folder, 'journal'), file, { length: 4, needsBreak: false });
    const late = (line: string) => {
      file.bytes = Buffer.concat([file.bytes, Buffer.from(`${line}\n`)]);
    };
    late('late');
    await store.append('first');
    file.whileWriting(() => late('later'));
    await store.append('second');
    expect(file.bytes.toString()).toBe('old\nfirst\nsecond\n');
    expect(await readFile(join(folder, 'journal.torn'), 'utf8')).toBe('late\n\nlater\nsecond\n\n');
    await rm(folder, { recursive: true });
  });

  it('writes nothing behind a file that another program made shorter', async () => {
    const { file, store } = open('old\n');
    await store.append('first');
    file.bytes = Buffer.from('old\n');
    expect(await outcome(store.append('second'))).toBe('damaged');
    expect([file.bytes.toString(), store.unwritten]).toEqual(['old\n', 1]);
  });

  it('lets go of the file after another window took it over', async () => {
    const { file, store } = open('', async () => new JournalError('locked', 'journal', 'Open in another window.'));
    expect(await outcome(store.append('late'))).toBe('locked');
    await store.close();
    await store.close();
    expect([file.calls, store.readOnly?.kind]).toEqual([['close'], 'locked']);
  });

  it('refuses appends after it was closed', async () => {
    const { file, store } = open();
    await store.append('a');
    await store.close();
    expect(await outcome(store.append('b'))).toBe('closed');
    expect(file.calls).toEqual(['write', 'datasync', 'close']);
  });
});
