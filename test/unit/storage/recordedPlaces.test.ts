/** Sessions wherever they are recorded: other encodings, archives, several in one file, a file an event, and copies. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findOwnSessions } from '../../../src/cli/ownSessions.ts';
import { listSessions, loadSession } from '../../../src/cli/sessionFiles.ts';
import { newImportReport } from '../../../src/core/sessions/recorded.ts';
import { readStored } from '../../../src/node/lab/storedSession.ts';
import { findSessionFolders, listRecorded } from '../../../src/node/storage/sessions/findRecorded.ts';
import { importFile } from '../../../src/node/storage/sessions/importFile.ts';
import { listParts } from '../../../src/node/storage/sessions/recordedParts.ts';
import type { RecordedPlace } from '../../../src/node/storage/sessions/recordedText.ts';
import { SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

let home = '';
let stores = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'palimpsest-'));
  stores = mkdtempSync(join(tmpdir(), 'palimpsest-'));
});
afterEach(() => {
  for (const each of [home, stores]) rmSync(each, { recursive: true, force: true });
});

const { signal } = new AbortController();
const sqlite = await import('node:sqlite').catch(() => null);

function write(name: string, content: string | Buffer): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const jsonl = (...values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const openStore = () =>
  new SessionStore({
    folder: mkdtempSync(join(stores, 'store-')),
    workspace: null,
    engine: 'palimpsest/test',
    clock: testClock(),
    crypto: testCrypto(),
  });

/** The title of the imported session, and the report. */
async function importTitled(place: RecordedPlace) {
  const [store, report] = [openStore(), newImportReport()];
  const id = await importFile({ store, ...place, report, signal });
  const { journal } = await store.open(id ?? '');
  const [title] = [...journal.ofType('title')].map(({ title }) => title);
  await journal.close();
  return { title, report };
}

/** What was said, as the product imports it and as the lab reads it. */
async function read(place: RecordedPlace): Promise<string[]> {
  const store = openStore();
  const id = await importFile({ store, ...place, report: newImportReport(), signal });
  if (id === null) return [];
  const path = join(store.folderOf(id), 'journal.jsonl');
  const { messages } = await readStored({ id, title: '', path, size: 0 });
  const inLab = await loadSession({ name: 'x', ...place });
  expect(inLab.messages.map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
  return messages.map(({ role, content }) => `${role}: ${content}`);
}

const problem = (place: RecordedPlace) =>
  read(place).then(
    () => 'none',
    (thrown: Error) => thrown.message,
  );

const claude = (id: string, ...said: string[]) =>
  said.map((content, at) => ({
    parentUuid: at === 0 ? null : `${id}${at - 1}`,
    isSidechain: false,
    sessionId: id,
    type: 'user',
    uuid: `${id}${at}`,
    message: { role: 'user', content },
  }));

describe('the text of a recorded session', () => {
  const TEXT = jsonl(...claude('s', 'Grüße 你好 🙂', 'and more'.repeat(20_000)));
  const READ = ['user: Grüße 你好 🙂', `user: ${'and more'.repeat(20_000)}`];
  const little = Buffer.from(`\uFEFF${TEXT}`, 'utf16le');

  it('is read in UTF-16 of either order, packed or not, whatever the name', { tags: ['M1'] }, async () => {
    expect(await read({ path: write('le.jsonl', little) })).toEqual(READ);
    expect(await read({ path: write('be.jsonl', Buffer.from(little).swap16()) })).toEqual(READ);
    expect(await read({ path: write('le.jsonl.gz', gzipSync(little)) })).toEqual(READ);
    for (const [name, bytes] of [
      ['le', little.subarray(2)],
      ['be', Buffer.from(little.subarray(2)).swap16()],
    ] as const)
      expect(await read({ path: write(`unmarked-${name}.jsonl`, bytes) }), name).toEqual(READ);
    expect(await read({ path: write('packed.jsonl', gzipSync(TEXT)) })).toEqual(READ);
    expect(await read({ path: write('plain.jsonl.gz', TEXT) })).toEqual(READ);
  });

  it('of an archive is refused with what to do', async () => {
    const tar = Buffer.alloc(1024);
    tar.write('a.jsonl', 0);
    tar.write('ustar', 257);
    for (const [name, content, kind] of [
      ['a.zip', Buffer.from('PK\u0003\u0004\u0014\0\0\0'), 'zip'],
      ['a.jsonl', Buffer.from('PK\u0003\u0004\u0014\0\0\0'), 'zip'],
      ['a.tar.gz', gzipSync(tar), 'tar'],
      ['a.tar', tar, 'tar'],
    ] as const)
      expect(await problem({ path: write(name, content) })).toContain(`it is an archive (${kind}). Unpack it`);
  });
});

describe('several sessions in one file', () => {
  const said = { id: 0, source: 'user', action: 'message', args: { content: 'Mend it.' } };
  const output = (instance_id: string, text: string) => ({
    instance_id,
    test_result: {},
    instruction: text,
    history: [{ ...said, args: { content: text } }],
  });

  it('of OpenHands’ evaluations are listed and read one by one', { tags: ['M1'] }, async () => {
    const path = write('output.jsonl', jsonl(output('a-1', 'First'), output('b-2', 'Second')));
    expect(await listParts(path, signal)).toEqual([
      { part: '1', title: 'a-1' },
      { part: '2', title: 'b-2' },
    ]);
    expect(await read({ path, part: '2' })).toEqual(['user: Second']);
    expect(await problem({ path })).toContain('it holds 2 sessions. Name one of them: 1 (a-1), 2 (b-2).');
    const { sessions } = await listSessions([home], signal);
    expect(sessions.map(({ name, part }) => [name, part])).toEqual([
      ['output/a-1', '1'],
      ['output/b-2', '2'],
    ]);
    expect(await read({ path: write('one/output.jsonl', jsonl(output('a-1', 'First'))) })).toEqual(['user: First']);
  });

  it('of OpenHands’ folders of events are one, by the folder or a file in it', { tags: ['M1'] }, async () => {
    const events = [
      said,
      ...Array.from({ length: 11 }, (_, at) => ({ ...said, id: at + 1, args: { content: `${at}` } })),
    ];
    const texts = ['user: Mend it.', ...Array.from({ length: 11 }, (_, at) => `user: ${at}`)];
    for (const nameOf of [
      (at: number) => `${at}.json`,
      (at: number) => `event-${`${at}`.padStart(5, '0')}-0a1b2c.json`,
    ]) {
      const folder = nameOf(1);
      for (const [at, event] of events.entries())
        write(`${folder}/c1/events/${nameOf(at)}`, JSON.stringify(event, null, 2));
      write(`${folder}/c1/base_state.json`, '{}');
      for (const at of ['c1', 'c1/events', `c1/events/${nameOf(3)}`])
        expect(await read({ path: join(home, folder, at) })).toEqual(texts);
      const { sessions } = await listSessions([join(home, folder)], signal);
      expect(sessions.map(({ name }) => name)).toContain('c1');
      expect(sessions).toHaveLength(2);
    }
  });

  it.skipIf(!sqlite)('of OpenCode’s database are listed and read one by one', { tags: ['M1'] }, async () => {
    const path = write('.local/share/opencode/opencode.db', '');
    const database = new (sqlite as NonNullable<typeof sqlite>).DatabaseSync(path);
    // The tables of OpenCode 1.2 and later, without the columns that are not read.
    database.exec(`PRAGMA journal_mode = WAL;
      CREATE TABLE session (id text PRIMARY KEY, parent_id text, title text NOT NULL, directory text NOT NULL, time_updated integer NOT NULL);
      CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, data text NOT NULL);
      CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, data text NOT NULL);`);
    const insert = (table: string, ...values: (string | number | null)[]) =>
      database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join()})`).run(...values);
    insert('session', 'ses_1', null, 'Mend it', '/w', 1);
    insert('session', 'ses_2', null, 'Another', '/w', 2);
    insert('session', 'ses_3', 'ses_2', 'Of a subagent', '/w', 3);
    for (const [session, text] of [
      ['ses_1', 'Mend it'],
      ['ses_2', 'Another'],
    ] as const) {
      insert('message', `${session}m2`, session, 2, JSON.stringify({ role: 'assistant', modelID: 'm' }));
      insert('message', `${session}m1`, session, 1, JSON.stringify({ role: 'user' }));
      insert('part', `${session}p1`, `${session}m1`, session, JSON.stringify({ type: 'text', text }));
      const state = { status: 'completed', input: { path: 'a' }, output: 'text of a' };
      insert(
        'part',
        `${session}p2`,
        `${session}m2`,
        session,
        JSON.stringify({ type: 'tool', callID: 't', tool: 'read', state }),
      );
    }
    expect((await listParts(path, signal)).map(({ part, title }) => [part, title])).toEqual([
      ['ses_2', 'Another'],
      ['ses_1', 'Mend it'],
    ]);
    expect(await read({ path, part: 'ses_1' })).toEqual(['user: Mend it', 'assistant: ', 'tool: text of a']);
    expect(await problem({ path })).toContain('it holds 2 sessions. Name one of them: ses_2, ses_1.');
    expect(await importTitled({ path, part: 'ses_1' })).toMatchObject({ title: 'Mend it', report: { badLines: [] } });
    insert('session', 'ses_4', 'ses_2', 'New session - 2026-11-29T07:00:00.000Z', '/w', 3);
    insert('message', 'm4', 'ses_4', 1, JSON.stringify({ role: 'user' }));
    insert('part', 'p4', 'm4', 'ses_4', JSON.stringify({ type: 'text', text: 'Torn' }));
    insert('part', 'p5', 'm4', 'ses_4', '{"type":"text","te');
    insert('message', 'm5', 'ses_4', 2, '{"role":"assis');
    const torn = await importTitled({ path, part: 'ses_4' });
    expect([torn.title, torn.report.badLines]).toEqual([
      undefined,
      [
        { line: 1, reason: '1 of its 2 parts are not JSON' },
        { line: 2, reason: 'the message is not JSON' },
      ],
    ]);
    const message = { info: { id: 'm', role: 'user' }, parts: [{ type: 'text', text: 'Hi' }] };
    const exported = JSON.stringify({ info: { id: 'ses_9', title: 'Mine "own"' }, messages: [message] });
    expect((await importTitled({ path: write('titled.json', exported) })).title).toBe('Mine "own"');
    rmSync(join(home, 'titled.json'));
    // The same session, exported.
    write(
      'exports/one.json',
      JSON.stringify({
        info: { id: 'ses_1' },
        messages: [{ info: { id: 'm', role: 'user' }, parts: [] }],
      }),
    );
    const { sessions, notes } = await listSessions([home], signal);
    expect(sessions.map(({ name }) => name)).toEqual([
      '.local/share/opencode/opencode.db/Another',
      '.local/share/opencode/opencode.db/Mend it',
    ]);
    expect(notes).toEqual(['Found again and left out: 1 copies of sessions.']);
    const found = await listRecorded(await findSessionFolders({}, home));
    expect(found.map(({ program, title, folder, part }) => [program, title, folder, part])).toEqual([
      ['OpenCode', 'Another', '/w', 'ses_2'],
      ['OpenCode', 'Mend it', '/w', 'ses_1'],
    ]);
    database.close();
    const other = write('other.db', '');
    const foreign = new (sqlite as NonNullable<typeof sqlite>).DatabaseSync(other);
    foreign.exec(`CREATE TABLE session (id text); CREATE TABLE message (id text);
      CREATE VIEW part AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id FROM n;`);
    foreign.close();
    expect(await problem({ path: other })).toContain('not one of OpenCode’s sessions');
    write('cut.db', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(500, 7)]));
    expect(await problem({ path: join(home, 'cut.db') })).toContain('not one of OpenCode’s sessions');
  });
});

describe('sessions that are found', () => {
  it('are counted once, by id or by content; an empty file is none', { tags: ['M1'] }, async () => {
    const long = jsonl(...claude('one', 'Mend it', 'more'.repeat(50_000)));
    write('p/one.jsonl', long);
    write('p/copy of one.jsonl', long);
    write('p/older.jsonl.gz', gzipSync(jsonl(...claude('one', 'Mend it'))));
    write('p/two.jsonl', jsonl(...claude('two', 'Mend it')));
    write(
      'p/agent.jsonl',
      jsonl(...claude('two', 'Mend it').map((line) => ({ ...line, isSidechain: true, agentId: 'a1' }))),
    );
    const chat = (end: string) =>
      jsonl({ role: 'user', content: 'x'.repeat(200_000) }, { role: 'assistant', content: end });
    write('p/chat.jsonl', chat('a'));
    write('p/same chat.jsonl', chat('a'));
    write('p/other chat.jsonl', chat('b'));
    write('p/empty.jsonl', '');
    write('p/blank.jsonl', '\uFEFF\n \n');
    write('p/nothing.jsonl.gz', gzipSync(''));
    write('p/wire.jsonl', '{"type":"metadata","protocol_version":"1.9"}\n');
    write('p/context.jsonl', '{"role":"_system_prompt","content":"Kimi"}\n');
    write('p/more.zip', 'PK');
    const { sessions, notes } = await listSessions([join(home, 'p')], signal);
    expect(sessions.map(({ name }) => name)).toEqual(['agent', 'chat', 'context', 'copy of one', 'other chat', 'two']);
    expect(notes).toEqual([
      `Archives are not opened; unpack them to have what is in them read: ${join(home, 'p/more.zip')}.`,
      'Found again and left out: 3 copies of sessions.',
    ]);
    await expect(listSessions([write('q/empty.jsonl', '')], signal)).rejects.toThrow('There is nothing in');
  });

  it('by the lab are the same as by the product', { tags: ['M1'] }, async () => {
    write('.claude/projects/-w/one.jsonl', jsonl(...claude('one', 'Mend it')));
    write('.claude/projects/-w/copy.jsonl', jsonl(...claude('one', 'Mend it')));
    write('.claude/projects/-w/empty.jsonl', ' \n');
    write('.claude/projects/-w/two.jsonl', Buffer.from(`\uFEFF${jsonl(...claude('two', 'In UTF-16'))}`, 'utf16le'));
    const found = await listRecorded(await findSessionFolders({}, home));
    expect(found.map(({ title }) => title).sort()).toEqual(['In UTF-16', 'Mend it']);
    const { sessions, places } = await findOwnSessions(10, signal, {}, home);
    expect(sessions).toHaveLength(2);
    expect(places).toEqual([`Claude Code: 2 of 4 in ${join(home, '.claude/projects')}`]);
  });
});

it('the lab says which lines were left out, and where the links broke', async () => {
  const [first, second, third] = claude('s', 'Mend it', 'More', 'And more').map((line) => JSON.stringify(line));
  const path = write('torn.jsonl', `${first}\n${second?.slice(0, 60)}\n${third}\n`);
  const told: string[] = [];
  const { messages } = await loadSession({ name: 'torn', path }, (line) => told.push(line));
  expect(messages.map(({ content }) => content)).toEqual(['Mend it', 'And more']);
  expect(told).toEqual([
    `${path}: lines left out: 1; the first is line 2: not JSON.`,
    `${path}: links to missing lines: 1; each goes on with the line before it.`,
  ]);
});

it('a compaction that Codex keeps encrypted is known to the lab', { tags: ['M1'] }, async () => {
  const item = (payload: object) => ({ timestamp: 't', type: 'response_item', payload });
  const user = (text: string) => item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
  const path = write(
    'codex.jsonl',
    jsonl(
      { timestamp: 't', type: 'session_meta', payload: { id: 'c' } },
      user('Mend it'),
      {
        timestamp: 't',
        type: 'compacted',
        payload: { message: '', replacement_history: [{ type: 'compaction', encrypted_content: 'gAAAA' }] },
      },
      user('Go on'),
    ),
  );
  const { messages, compactions } = await loadSession({ name: 'codex', path });
  expect(messages.map(({ content }) => content)).toEqual(['Mend it', 'Go on']);
  expect(compactions).toEqual([{ after: 1, summary: '', by: 'recorded' }]);
});
