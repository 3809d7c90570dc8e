/** One writer a session: programs, agents of editors and windows on one folder of sessions, each in its own process. */

import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { newImportReport } from '../../../src/core/sessions/recorded.ts';
import { openStorage } from '../../../src/embedding/storage.ts';
import { runAutopsy } from '../../../src/node/lab/runAutopsy.ts';
import { readStored } from '../../../src/node/lab/storedSession.ts';
import { SessionAccess } from '../../../src/node/session/sessionAccess.ts';
import { nodeCrypto } from '../../../src/node/storage/disk/fileBlobStore.ts';
import { importFile } from '../../../src/node/storage/sessions/importFile.ts';
import { JOURNAL, SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { bundleCore, type CorePackage } from '../../support/embedding/corePackage.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';

const scratch = mkdtempSync(join(tmpdir(), 'one-writer-'));
const sessions = join(scratch, 'sessions');
const NEVER = new AbortController().signal;
const started: ChildProcess[] = [];
const open: (() => Promise<void>)[] = [];
let model: ModelServer;
let core: CorePackage;

beforeAll(async () => {
  model = await startModelServer({
    script: ({ body }) => {
      const { content } = (body.messages as readonly { readonly content: string }[]).at(-1) ?? { content: '' };
      return content === 'wait' ? { kind: 'silence' } : { kind: 'answer', text: `Said ${content}.` };
    },
  });
  core = await bundleCore(scratch, sessions, model.baseUrl, (child) => started.push(child));
});
beforeEach(() => rmSync(sessions, { recursive: true, force: true }));
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  for (const close of open.splice(0).reverse()) await close();
});
afterAll(async () => {
  await model.close();
  rmSync(scratch, { recursive: true });
});

const options = { folder: sessions, workspace: null, clock: { now: Date.now }, crypto: nodeCrypto };
const store = new SessionStore({ ...options, engine: 'palimpsest/test', program: null });
const folderOf = (id: string) => join(sessions, id);
const DONE = { kind: 'done' };

/** A window of the editor on the same folder; `gives`: nobody looks at its sessions, which are idle. */
function openWindow(gives = false) {
  const access = new SessionAccess(
    store,
    async () => undefined,
    () => undefined,
  );
  return async (id: string, mode: 'own' | 'takeOver' = 'own') => {
    const session = await access.open(id, mode, NEVER);
    const close = async () => {
      await session.journal.close();
      await session.release();
    };
    access.report({
      giveUp: async () => {
        if (gives) await close();
        return gives;
      },
      lose: async () => undefined,
    });
    open.push(close);
    return session.journal;
  };
}

/** What the model said in the session, as it is on disk. */
async function answersIn(id: string): Promise<string[]> {
  const { messages } = await readStored({ id, title: id, path: join(folderOf(id), JOURNAL), size: 0 });
  return messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
}

describe('two programs on one session', { tags: ['M1'] }, () => {
  it('write one after the other: the second is told who has it, and no answer is lost', async () => {
    const first = core.write();
    const { id = '' } = await first.heard();
    expect(await first.ask('one')).toMatchObject(DONE);
    expect(await core.write(id).heard()).toEqual({
      refused: 'locked',
      message: `The session ${id} is in use by writer.mjs (process ${first.pid}), and only one can write it. Close it there, or end that process, and try again.`,
    });
    expect(await first.ask('two')).toMatchObject(DONE);
    await first.close();
    const second = core.write(id);
    expect(await second.heard()).toEqual({ id });
    expect(await second.ask('three')).toMatchObject(DONE);
    await second.close();
    expect(await answersIn(id)).toEqual(['Said one.', 'Said two.', 'Said three.']);
    expect(readdirSync(folderOf(id))).not.toContain('lock');
  });

  it('of which one is killed in the middle of an answer: the next goes on with all that was answered', async () => {
    const first = core.write();
    const { id = '' } = await first.heard();
    await first.ask('one');
    const asked = model.requests.length;
    void first.ask('wait').catch(() => undefined);
    await expect.poll(() => model.requests.length).toBe(asked + 1);
    expect(await core.write(id).heard()).toMatchObject({ refused: 'locked' });
    await first.kill();
    const second = core.write(id);
    expect(await second.heard()).toEqual({ id });
    expect(await second.ask('two')).toMatchObject(DONE);
    await second.close();
    expect(await answersIn(id)).toEqual(['Said one.', 'Said two.']);
  });

  it('of which one takes it from the other, which writes no more and says why', async () => {
    const first = core.write();
    const { id = '' } = await first.heard();
    await first.ask('one');
    const second = core.write(id, 'takeOver');
    expect(await second.heard()).toEqual({ id });
    expect(await first.ask('lost')).toEqual({
      refused: 'locked',
      message: `The session ${id} was taken over by writer.mjs (process ${second.pid}). What was not written before is in this program only.`,
    });
    expect(await second.ask('two')).toMatchObject(DONE);
    await first.close();
    expect(await second.ask('three')).toMatchObject(DONE);
    await second.close();
    expect(await answersIn(id)).toEqual(['Said one.', 'Said two.', 'Said three.']);
  });

  it('need no lock to read what another one writes, and do not disturb it', async () => {
    const writer = core.write();
    const { id = '' } = await writer.heard();
    await writer.ask('one');
    const path = join(folderOf(id), JOURNAL);
    const before = readdirSync(folderOf(id)).filter((name) => name.startsWith('lock'));
    expect(before).toEqual(['lock']);
    expect(await store.list()).toMatchObject([{ id, messages: 2, problem: null }]);
    expect(await answersIn(id)).toEqual(['Said one.']);
    const read = await readStored({ id, title: id, path, size: 0 });
    expect((await runAutopsy(read, [], new StrategyRegistry(), NEVER)).compactions).toEqual([]);
    const elsewhere = new SessionStore({ ...options, engine: 'palimpsest/test', folder: join(scratch, 'elsewhere') });
    expect(await importFile({ store: elsewhere, path, report: newImportReport(), signal: NEVER })).toBe(id);
    cpSync(folderOf(id), join(scratch, 'copy', id), { recursive: true });
    expect(readdirSync(folderOf(id)).filter((name) => name.startsWith('lock'))).toEqual(before);
    expect(await writer.ask('two')).toMatchObject(DONE);
    await writer.close();
    expect(await answersIn(id)).toEqual(['Said one.', 'Said two.']);
  });

  it.each([
    ['renamed', (id: string) => store.rename(id, 'Mine')],
    ['moved to the trash', (id: string) => store.remove(id)],
  ])('is not %s by a window while a program has it', async (_, act) => {
    const writer = core.write();
    const { id = '' } = await writer.heard();
    await expect(act(id)).rejects.toThrow(`writer.mjs (process ${writer.pid}) is using this session.`);
    expect(await writer.ask('one')).toMatchObject(DONE);
    await writer.close();
    expect(await answersIn(id)).toEqual(['Said one.']);
    await act(id);
  });

  it('are one program twice', async () => {
    const first = await openStorage(sessions);
    open.push(first.close);
    const { id } = first;
    await expect(openStorage(sessions, id)).rejects.toMatchObject({
      kind: 'locked',
      message: `The session ${id} is open in this program already: close it first.`,
    });
    await first.close();
    open.push((await openStorage(sessions, id)).close);
  });

  it('of another machine: nobody can tell whether it still runs, so it is named with the way out', async () => {
    const { id, close } = await openStorage(sessions);
    await close();
    const lock = join(folderOf(id), 'lock');
    const owner = { token: 'a', pid: 1, host: `not-${hostname()}`, program: 'bot\u202E', boot: 'b', machine: 'm' };
    writeFileSync(lock, JSON.stringify(owner));
    await expect(openStorage(sessions, id)).rejects.toThrow(
      `is in use by bot⟨U+202E⟩ (process 1 on ${owner.host}), and only one can write it. Close it there, or end that process, and try again. If nothing runs there any more, take it over, or delete the file ${lock}.`,
    );
    open.push((await openStorage(sessions, id, { takeOver: true })).close);
  });
});

describe('editors on one session', { tags: ['M1', 'K9'] }, () => {
  const refusedBy = (name: string, pid: number) => ({
    code: -32_600,
    message: expect.stringContaining(`is in use by ${name} (process ${pid}), and only one can write it.`),
  });

  it('write one after the other: the second is told who has it, and no turn is lost', async () => {
    const [first, second] = await Promise.all([core.edit(), core.edit()]);
    const id = await first.begin();
    await first.prompt(id, 'one');
    await expect(second.load(id)).rejects.toMatchObject({
      ...refusedBy('my-agent', first.pid),
      data: { sessionId: id },
    });
    await expect(second.prompt(id, 'no')).rejects.toMatchObject({ code: -32_002 });
    await first.load(id);
    await first.prompt(id, 'two');
    await first.kill();
    await second.load(id);
    await second.prompt(id, 'three');
    await second.close();
    expect(await answersIn(id)).toEqual(['Said one.', 'Said two.', 'Said three.']);
    expect(readdirSync(folderOf(id))).not.toContain('lock');
  });

  it('share a folder with windows: each is told who has the session, and takes over when a person says so', async () => {
    const editor = await core.edit();
    const id = await editor.begin();
    await editor.prompt(id, 'one');
    const seen = openWindow();
    const read = await seen(id);
    expect(read.readOnly?.message).toBe(
      `my-agent (process ${editor.pid}) is using this session. You can read it here; take it over, or close it there, to continue.`,
    );
    const journal = await seen(id, 'takeOver');
    await journal.append({ type: 'title', title: 'Mine' });
    await expect(editor.prompt(id, 'lost')).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining(`was taken over by a window of the editor (process ${process.pid})`),
    });
    await expect(editor.load(id)).rejects.toMatchObject(refusedBy('a window of the editor', process.pid));
    expect(await answersIn(id)).toEqual(['Said one.']);
    expect(await store.list()).toMatchObject([{ title: 'Mine' }]);
  });

  it('are given what a window has open and nobody looks at', async () => {
    const { id, close } = await openStorage(sessions);
    await close();
    const journal = await openWindow(true)(id);
    await journal.append({ type: 'title', title: 'Idle' });
    const editor = await core.edit();
    await editor.load(id);
    await editor.prompt(id, 'one');
    expect(journal.readOnly?.kind).toBe('closed');
    expect(await answersIn(id)).toEqual(['Said one.']);
  });
});
