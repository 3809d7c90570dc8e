import { appendFile, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../src/core/context/message.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { checkSession, repairSession } from '../../../src/node/storage/sessions/checkSession.ts';
import { redactSession } from '../../../src/node/storage/sessions/redactSession.ts';
import { type OpenSession, SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { sweepBlobs, touchOpened } from '../../../src/node/storage/sessions/sweepBlobs.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ports = { clock: testClock(), crypto: testCrypto() };
const storeOf = () => new SessionStore({ folder, workspace: null, engine: 'palimpsest/test', ...ports });
const journalOf = ({ folder: session }: OpenSession) => join(session, 'journal.jsonl');
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A closed session with one message of each blob class; gives the blobs' names. */
async function session() {
  const opened = await storeOf().create();
  const { journal, blobs } = opened;
  const offloaded = await blobs.put(bytesOf('offloaded body with hunter2'));
  const output = await blobs.put(bytesOf('full output'));
  const image = await blobs.put(bytesOf('const before = 1;'));
  const toolCalls = [{ id: 'c', name: 'run_command', arguments: '{"command":"echo \\"hunter2\\""}' }];
  await journal.append({
    type: 'message',
    message: { role: 'user', kind: 'user', text: 'the key is "hunter2"' },
    tokens: 1,
  });
  await journal.append({ type: 'message', message: { role: 'assistant', text: '', toolCalls }, tokens: 1 });
  await journal.append({
    type: 'message',
    message: {
      role: 'tool',
      toolCallId: 'c',
      toolName: 'run_command',
      text: 'cut',
      truncation: { by: 'formatter', direction: 'head', originalLines: 9, originalBytes: 99, blob: output },
      offload: { blob: offloaded, tokens: 9 },
    },
    tokens: 1,
  });
  await journal.append({
    type: 'files',
    cause: 'tool',
    toolCallId: 'c',
    files: [{ path: 'a.ts', before: image, restorable: true }],
  });
  await journal.close();
  return { ...opened, offloaded, output, image };
}

describe('check and repair', () => {
  it('find nothing in a sound session', async () => {
    const { folder: path, id } = await session();
    const check = await checkSession(path, id, ports);
    expect(check).toMatchObject({ findings: [], blobs: { count: 3, missing: 0 }, repairable: false });
    expect(await repairSession(path, id, ports)).toMatchObject({ kept: null, goodLines: 5 });
  });

  it('say what is wrong, and repair by keeping every good line byte for byte', async () => {
    const opened = await session();
    const { folder: path, id } = opened;
    const lines = (await readFile(journalOf(opened), 'utf8')).split('\n');
    const damaged = [
      lines[0],
      lines[1]?.replace('the key', 'THE KEY'),
      ...lines.slice(2, -1),
      lines[4],
      '{"seq":5,"to',
    ];
    await writeFile(journalOf(opened), damaged.join('\n'));
    const { findings, repairable } = await checkSession(path, id, ports);
    expect(findings.map(inEnglish)).toEqual([
      `Line 2 (${lines[1]?.length} bytes) is left out: it does not fit its checksum.`,
      `Line 6 (${lines[4]?.length} bytes) is left out: its number is used twice.`,
      'Entry 1 is missing.',
      'The last line is incomplete: 12 bytes were never confirmed as written and are set aside.',
      'Entry 2 follows entry 1, which is lost; the entry before that is used instead.',
    ]);
    expect(repairable).toBe(true);
    const { kept, goodLines, damagedLines } = await repairSession(path, id, ports);
    expect([goodLines, damagedLines]).toEqual([4, 3]);
    expect(await readFile(journalOf(opened), 'utf8')).toBe([lines[0], ...lines.slice(2, 5), ''].join('\n'));
    expect(await readFile(kept ?? '', 'utf8')).toBe(damaged.join('\n'));
    expect((await readFile(`${journalOf(opened)}.damaged`, 'utf8')).split('\n').sort()).toEqual(
      ['', damaged[1], lines[4], '{"seq":5,"to'].sort(),
    );
    const again = await checkSession(path, id, ports);
    expect([again.repairable, again.findings.length]).toEqual([false, 2]);
  });

  it('put a stand-in for a lost first line', async () => {
    const opened = await session();
    const lines = (await readFile(journalOf(opened), 'utf8')).split('\n');
    await writeFile(journalOf(opened), lines.slice(1).join('\n'));
    await repairSession(opened.folder, opened.id, ports);
    const { report } = await checkSession(opened.folder, opened.id, ports);
    expect([report.sessionLost, report.lines]).toEqual([false, 5]);
  });

  it('lists the session after a repair as it is now', async () => {
    const opened = await session();
    const counts = async () => (await storeOf().list()).map(({ messages }) => messages);
    expect(await counts()).toEqual([1]);
    const lines = (await readFile(journalOf(opened), 'utf8')).split('\n');
    await writeFile(journalOf(opened), ['', lines[0], 'x'.repeat(2_000), ...lines.slice(2)].join('\n'));
    await storeOf().list();
    await repairSession(opened.folder, opened.id, ports);
    expect(await counts()).toEqual([0]);
  });

  it('take a forged name of a body for a body that is missing', async () => {
    const opened = await storeOf().create();
    const attachments = [{ name: 'a.png', mime: 'image/png', tokens: 1, blob: '../../../etc/passwd' }];
    const message = { role: 'user', kind: 'user', text: 'look', attachments } as unknown as Message;
    await opened.journal.append({ type: 'message', message, tokens: 1 });
    await opened.journal.close();
    const { blobs, findings } = await checkSession(opened.folder, opened.id, ports);
    expect([blobs.missing, findings.map(inEnglish)]).toEqual([
      1,
      ['Content that the model saw (../../../etc…) is missing or damaged.'],
    ]);
  });

  it('miss a body that the model saw, until the same body is stored again', async () => {
    const opened = await session();
    await rm(join(opened.folder, 'blobs', opened.offloaded.slice(0, 2), opened.offloaded.slice(2)));
    const missing = [`Content that the model saw (${opened.offloaded.slice(0, 12)}…) is missing or damaged.`];
    const findings = async () => (await checkSession(opened.folder, opened.id, ports)).findings.map(inEnglish);
    expect(await findings()).toEqual(missing);
    const body = bytesOf('offloaded body with hunter2');
    await writeFile(
      join(opened.folder, 'blobs', opened.offloaded.slice(0, 2), opened.offloaded.slice(2)),
      body.fill(0),
    );
    expect(await findings()).toEqual(missing);
    await opened.blobs.put(bytesOf('offloaded body with hunter2'));
    expect(await findings()).toEqual([]);
  });
});

describe('redact', () => {
  it('removes a text from journal, arguments, blobs and everything set aside', async () => {
    const opened = await session();
    await appendFile(`${journalOf(opened)}.torn`, 'half a line with hunter2');
    await storeOf().list();
    const report = await redactSession(opened.folder, ['hunter2', '"hunter2"'], ports.crypto);
    expect(report).toMatchObject({ entries: [1, 2], occurrences: 2, blobs: 1, removedLines: 0 });
    const names = await readdir(opened.folder, { recursive: true, withFileTypes: true });
    for (const item of names.filter((each) => each.isFile())) {
      expect([item.name, (await readFile(join(item.parentPath, item.name))).includes('hunter2')]).toEqual([
        item.name,
        false,
      ]);
    }
    const check = await checkSession(opened.folder, opened.id, ports);
    expect(check.findings).toEqual([]);
    const { journal, blobs } = await storeOf().open(opened.id);
    const [first, , result] = journal.context.conversation.map(({ message }) => message);
    expect(first?.text).toBe('the key is "[redacted]"');
    const blob = result?.role === 'tool' ? (result.offload?.blob ?? '') : '';
    expect(Buffer.from((await blobs.get(blob)) ?? []).toString()).toBe('offloaded body with [redacted]');
    await journal.close();
  });

  it('removes a secret also from the body of a request, however often it is escaped there', async () => {
    const opened = await storeOf().create();
    const { journal, blobs, folder } = opened;
    const secret = 'pa"ss\\word';
    const text = `say ${secret} and [calls write {"text":${JSON.stringify(secret)}}]`;
    const body = bytesOf(JSON.stringify({ messages: [{ role: 'user', text }] }));
    const bodySha256 = await blobs.put(body);
    const facts = { model: 'm', loweringVersion: 1, messages: 1 };
    await journal.append({ type: 'request', purpose: 'summary', bodySha256, ...facts });
    await journal.close();
    await redactSession(folder, [secret], ports.crypto);
    const cleaned = await storeOf().open(opened.id);
    const [entry] = cleaned.journal.path();
    const name = entry?.type === 'request' ? entry.bodySha256 : '';
    const left = Buffer.from((await cleaned.blobs.get(name)) ?? []).toString();
    expect(JSON.parse(left).messages[0].text).toBe('say [redacted] and [calls write {"text":"[redacted]"}]');
    expect(await blobs.get(bodySha256)).toBeNull();
    await cleaned.journal.close();
  });

  it.each(['user', 'message', 'true', 'tool', '2026', '"role"'])(
    'a text that is a word of the journal, %j, takes nothing with it, and the report says where it stays',
    async (secret) => {
      const opened = await storeOf().create();
      const { journal, folder, id } = opened;
      const toolCalls = [
        { id: 'c', name: 'run', arguments: `{"role":"user","yes":true,"at": 2026, "message":"tool"}` },
      ];
      const text = `user message true tool 2026 "role"`;
      await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 1 });
      await journal.append({ type: 'message', message: { role: 'assistant', text: '', toolCalls }, tokens: 1 });
      await journal.append({
        type: 'message',
        message: { role: 'tool', toolCallId: 'c', toolName: 'run', text: 'done' },
        tokens: 1,
      });
      await journal.close();
      const report = await redactSession(folder, [secret], ports.crypto);
      expect(report).toMatchObject({ removedLines: 0, structural: expect.any(Number) });
      // No field of these lines is true.
      expect(report.structural > 0).toBe(secret !== 'true');
      expect((await checkSession(folder, id, ports)).findings).toEqual([]);
      const { journal: cleaned } = await storeOf().open(id);
      const [first, second, third] = cleaned.context.conversation.map(({ message }) => message);
      expect(first?.text).toBe(text.replace(secret, '[redacted]'));
      const { arguments: json = '' } = (second?.role === 'assistant' && second.toolCalls?.[0]) || {};
      expect(Object.keys(JSON.parse(json) as object)).toHaveLength(4);
      expect(json).not.toContain(secret);
      expect(third).toMatchObject({ role: 'tool', toolCallId: 'c', text: 'done' });
      await cleaned.close();
    },
  );

  it('changes no byte around it in a body that is not text, and says how many such bodies there are', async () => {
    const opened = await storeOf().create();
    const { journal, blobs, folder, id } = opened;
    const image = Buffer.concat([Buffer.from([0xff, 0xd8, 0, 0xc3]), Buffer.from('hunter2'), Buffer.from([0xfe])]);
    const blob = await blobs.put(image);
    const other = await blobs.put(Buffer.from([0xff, 0xfe, 1]));
    const attachments = [blob, other].map((name) => ({ mime: 'image/png', blob: name, tokens: 1 }));
    const message = { role: 'user', kind: 'user', text: 'look', attachments } as const;
    await journal.append({ type: 'message', message, tokens: 1 });
    await journal.close();
    expect(await redactSession(folder, ['hunter2'], ports.crypto)).toMatchObject({
      blobs: 1,
      opaque: 2,
      structural: 0,
    });
    const cleaned = await storeOf().open(id);
    const [shown] = cleaned.journal.context.conversation.map((item) => item.message);
    const names = shown?.role === 'user' ? (shown.attachments ?? []).map((each) => each.blob) : [];
    const [first, second] = await Promise.all(names.map((name) => cleaned.blobs.get(name)));
    expect(Buffer.from(first ?? []).toString('latin1')).toBe(`\xff\xd8\0\xc3[redacted]\xfe`);
    expect(second).toEqual(Buffer.from([0xff, 0xfe, 1]));
    await cleaned.journal.close();
  });

  it('a file whose content or path was redacted is not given back, and the report counts it', async () => {
    const opened = await storeOf().create();
    const { journal, blobs, folder, id } = opened;
    const before = await blobs.put(bytesOf('key = hunter2'));
    const clean = await blobs.put(bytesOf('nothing'));
    const files = ['a.ts', 'hunter2.ts', 'b.ts'].map((path, at) => ({
      path,
      before: at === 0 ? before : clean,
      restorable: true,
    }));
    await journal.append({ type: 'files', cause: 'tool', files });
    await journal.close();
    expect(await redactSession(folder, ['hunter2'], ports.crypto)).toMatchObject({ unrestorable: 2, blobs: 1 });
    const cleaned = await storeOf().open(id);
    const [entry] = cleaned.journal.ofType('files');
    expect(entry?.files).toMatchObject([
      { path: 'a.ts', restorable: false, reason: 'The file’s contents or its path were redacted.' },
      { path: '[redacted].ts', restorable: false },
      { path: 'b.ts', restorable: true },
    ]);
    await cleaned.journal.close();
  });

  it('reasoning that only its provider can read goes, because it may hold the text', async () => {
    const opened = await storeOf().create();
    const { journal, folder } = opened;
    const items = [{ type: 'reasoning', summary: [{ text: 'it is hunter2' }], encrypted_content: 'gAAAAAsealed' }];
    const reasoning = {
      field: 'summary',
      text: 'It is hunter2.',
      items,
      origin: { endpoint: 'https://a', model: 'm' },
    };
    await journal.append({ type: 'message', message: { role: 'assistant', text: 'Hi', reasoning }, tokens: 1 });
    await journal.close();
    expect(await redactSession(folder, ['hunter2'], ports.crypto)).toMatchObject({ sealedItems: 1, occurrences: 1 });
    const left = await readFile(journalOf(opened), 'utf8');
    expect(left).not.toMatch(/hunter2|gAAAAA/);
    expect(left).toContain('"reasoning":{"field":"summary","text":"It is [redacted]."}');
  });

  it('a line nested thousands deep is read through; only what holds the text so deep is removed', async () => {
    const opened = await storeOf().create();
    const { journal, folder } = opened;
    const facts = { type: 'configured', model: 'm', endpoint: 'demo:', window: 9, strategy: 's' } as const;
    await journal.append({ ...facts, parameters: {} });
    await journal.close();
    const [line = ''] = (await readFile(journalOf(opened), 'utf8')).split('\n').slice(-2);
    const deep = (text: string) => {
      const body = line.slice(0, line.lastIndexOf(',"crc"'));
      const nested = `${'{"a":'.repeat(8_000)}"${text}"${'}'.repeat(8_000)}`;
      const whole = body.replace('"parameters":{}', `"parameters":{"top":"hunter2 or not","value":${nested}}`);
      return `${whole},"crc":"${ports.crypto.crc32(whole).toString(16).padStart(8, '0')}"}\n`;
    };
    const start = (await readFile(journalOf(opened), 'utf8')).replace(`${line}\n`, '');
    await writeFile(journalOf(opened), start + deep('plain'));
    expect(await redactSession(folder, ['other secret'], ports.crypto)).toMatchObject({
      cutValues: 0,
      removedLines: 0,
    });
    expect(await readFile(journalOf(opened), 'utf8')).toBe(start + deep('plain'));
    await writeFile(journalOf(opened), start + deep('hunter2'));
    expect(await redactSession(folder, ['hunter2'], ports.crypto)).toMatchObject({ cutValues: 1, occurrences: 1 });
    expect(await readFile(journalOf(opened), 'utf8')).toContain('"top":"[redacted] or not"');
    expect(await readFile(journalOf(opened), 'utf8')).not.toContain('hunter2');
  });

  it('refuses texts that are too short to be a secret', async () => {
    const opened = await session();
    await expect(redactSession(opened.folder, ['a'], ports.crypto)).rejects.toThrow('at least 4 characters');
  });
});

describe('sweeping blobs', () => {
  const DAY = 86_400_000;
  const now = Date.UTC(2026, 5, 1);

  /** Sets the age of everything in the session's folder, in days. */
  async function age(path: string, days: number): Promise<void> {
    const time = (now - days * DAY) / 1000;
    for (const item of await readdir(path, { recursive: true, withFileTypes: true })) {
      if (item.isFile()) await utimes(join(item.parentPath, item.name), time, time);
    }
  }

  const has = async ({ blobs }: OpenSession, ...names: string[]) => {
    const found: boolean[] = [];
    for (const name of names) found.push((await blobs.get(name)) !== null);
    return found;
  };

  it('keeps what the model saw, and lets outputs expire a week after the session was opened', async () => {
    const opened = await session();
    const { folder: path, offloaded, output, image } = opened;
    await age(path, 8);
    await touchOpened(path, now - 6 * DAY);
    expect((await sweepBlobs([folder], now)).outputsRemoved).toBe(0);
    await touchOpened(path, now - 8 * DAY);
    expect(await sweepBlobs([folder], now)).toMatchObject({
      outputsRemoved: 1,
      beforeImagesRemoved: 0,
      bytesFreed: 11,
    });
    expect(await has(opened, offloaded, output, image)).toEqual([true, false, true]);
    await age(path, 31);
    expect(await sweepBlobs([folder], now)).toMatchObject({ beforeImagesRemoved: 1, beforeImageBytes: 0 });
    expect(await has(opened, offloaded, output, image)).toEqual([true, false, false]);
  });

  it('keeps the newest before-images within the quota', async () => {
    const first = await session();
    const { journal, blobs } = await storeOf().open(first.id);
    const newer = await blobs.put(bytesOf('a newer image'));
    await journal.append({ type: 'files', cause: 'tool', files: [{ path: 'b.ts', before: newer, restorable: true }] });
    await journal.close();
    const at = (days: number, name: string) =>
      utimes(
        join(first.folder, 'blobs', name.slice(0, 2), name.slice(2)),
        (now - days * DAY) / 1000,
        (now - days * DAY) / 1000,
      );
    await at(2, first.image);
    await at(1, newer);
    const limits = { outputDays: 7, beforeImageDays: 30, beforeImageBytes: 20 };
    expect(await sweepBlobs([folder], now, limits)).toMatchObject({ beforeImagesRemoved: 1, beforeImageBytes: 13 });
    expect(await has(first, first.image, newer)).toEqual([false, true]);
  });

  it('takes of images of the same moment the one that was named last for the newest', async () => {
    const first = await session();
    const { journal, blobs } = await storeOf().open(first.id);
    const names: string[] = [];
    for (const letter of 'abcdef') {
      const before = await blobs.put(bytesOf(letter.repeat(10)));
      await journal.append({ type: 'files', cause: 'tool', files: [{ path: letter, before, restorable: true }] });
      names.push(before);
    }
    await journal.close();
    await age(first.folder, 1);
    const limits = { outputDays: 7, beforeImageDays: 30, beforeImageBytes: 30 };
    expect(await sweepBlobs([folder], now, limits)).toMatchObject({ beforeImagesRemoved: 4, beforeImageBytes: 30 });
    expect(await has(first, ...names)).toEqual([false, false, false, true, true, true]);
  });
});
