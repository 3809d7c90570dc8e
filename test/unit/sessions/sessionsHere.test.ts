/** Which sessions of other programs belong to the folder of a window, for each program, in each place, on each system. */

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inEnglish } from '../../../src/core/words.ts';
import { KnownFolders } from '../../../src/node/storage/sessions/knownFolders.ts';
import type { System } from '../../../src/node/storage/sessions/recordedPlaces.ts';
import { findSessionsHere, type SearchLimits } from '../../../src/node/storage/sessions/sessionsHere.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, content: string, age = 0): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  utimesSync(file, 1_700_000_000 - age, 1_700_000_000 - age);
  return file;
}

const LIMITS: SearchLimits = { entries: 50_000, files: 2_000, sessions: 50, ms: 60_000 };

const search = (folders: readonly string[], system: System = 'linux', more: object = {}) =>
  findSessionsHere({ folders, system, env: {}, home, signal: new AbortController().signal, limits: LIMITS, ...more });

const titles = async (...given: Parameters<typeof search>) =>
  (await search(...given)).sessions.map(({ program, title }) => `${program}: ${title}`);

const lines = (...values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const dashes = (path: string) => path.replace(/[^a-zA-Z0-9]/g, '-');

const said = (content: string) => ({ role: 'user', content });
const claude = (cwd: string, text: string) =>
  lines(
    { type: 'summary', summary: 'Another thing', leafUuid: 'x' },
    { parentUuid: null, isSidechain: false, cwd, sessionId: text, type: 'user', uuid: text, message: said(text) },
  );
const codex = (cwd: string, text: string) =>
  lines(
    { type: 'session_meta', payload: { id: text, timestamp: 't', cwd, instructions: 'Work well. '.repeat(3_000) } },
    { type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } },
  );
const copilotCli = (cwd: string, text: string) =>
  lines(
    { type: 'session.start', data: { sessionId: text, version: 1, context: { cwd, gitRoot: cwd } } },
    { type: 'user.message', data: { content: text } },
  );
const gemini = (cwd: string, text: string) =>
  JSON.stringify({
    sessionId: text,
    projectHash: sha256(cwd),
    startTime: 't',
    messages: [{ id: '1', type: 'user', content: text }],
  });
const qwen = (cwd: string, text: string) =>
  lines({
    uuid: 'a',
    parentUuid: null,
    sessionId: text,
    type: 'user',
    cwd,
    version: '0.6',
    message: { role: 'user', parts: [{ text }] },
  });
const pi = (cwd: string, text: string) =>
  lines(
    { type: 'session', version: 3, id: text, timestamp: 't', cwd },
    { type: 'message', id: '1', parentId: null, message: said(text) },
  );
const kimi = (_: string, text: string) => lines({ role: '_system_prompt', content: 'You are Kimi.' }, said(text));
const continued = (cwd: string, text: string) =>
  JSON.stringify({ sessionId: text, title: text, workspaceDirectory: cwd, history: [{ message: said(text) }] });
const cline = (cwd: string, text: string) =>
  JSON.stringify([
    {
      role: 'user',
      content: [
        { type: 'text', text: `<task>\n${text}\n</task>` },
        {
          type: 'text',
          text: `<environment_details>\n# Current Working Directory (${cwd}) Files\na.txt\n</environment_details>`,
        },
      ],
    },
  ]);
const roo = (cwd: string, text: string) => cline(cwd, text).replace('Working', 'Workspace');
const copilotChat = (_: string, text: string) =>
  JSON.stringify({ version: 3, requests: [{ requestId: 'r', message: { text }, response: [{ value: 'Done.' }] }] });
const copilotLog = (_: string, text: string) =>
  lines(
    { kind: 0, v: { version: 3, sessionId: text, requests: [] } },
    // Folders that a command ran in say nothing of the session's own.
    { kind: 2, k: ['requests'], v: [{ message: { text }, response: [{ kind: 'terminal', cwd: '/tmp/elsewhere' }] }] },
  );
const aider = (_: string, text: string) => `# aider chat started at 2026-01-02 10:00:00\n\n#### ${text}\n\nDone.\n`;

interface Program {
  readonly program: string;
  /** Below the home folder, on each system; `cwd` as the program writes it. */
  readonly file: (cwd: string, name: string, data: string) => string;
  readonly content: (cwd: string, text: string) => string;
  /** The address in the file beside it. */
  readonly beside?: true;
}

const PROGRAMS: readonly Program[] = [
  { program: 'Claude Code', file: (cwd, name) => `.claude/projects/${dashes(cwd)}/${name}.jsonl`, content: claude },
  { program: 'Codex', file: (_, name) => `.codex/sessions/2026/01/02/rollout-${name}.jsonl`, content: codex },
  { program: 'Copilot CLI', file: (_, name) => `.copilot/session-state/${name}/events.jsonl`, content: copilotCli },
  { program: 'Copilot CLI', file: (_, name) => `.copilot/session-state/${name}.jsonl`, content: copilotCli },
  {
    program: 'Gemini CLI',
    file: (cwd, name) => `.gemini/tmp/${sha256(cwd)}/chats/session-${name}.json`,
    content: gemini,
  },
  { program: 'Gemini CLI', file: (_, name) => `.gemini/tmp/shop/chats/session-${name}.json`, content: gemini },
  {
    program: 'Qwen Code',
    file: (cwd, name) => `.qwen/projects/${dashes(cwd).toLowerCase()}/chats/${name}.jsonl`,
    content: qwen,
  },
  {
    program: 'pi',
    file: (cwd, name) => `.pi/agent/sessions/--${dashes(cwd).replace(/^-/, '')}--/${name}.jsonl`,
    content: pi,
  },
  { program: 'Kimi CLI', file: (cwd, name) => `.kimi/sessions/${md5(cwd)}/${name}/context.jsonl`, content: kimi },
  { program: 'Continue', file: (_, name) => `.continue/sessions/${name}.json`, content: continued },
  {
    program: 'Cline',
    file: (_, name, data) =>
      `${data}/User/globalStorage/saoudrizwan.claude-dev/tasks/${name}/api_conversation_history.json`,
    content: cline,
  },
  {
    program: 'Roo Code',
    file: (_, name, data) =>
      `${data}/User/globalStorage/rooveterinaryinc.roo-cline/tasks/${name}/api_conversation_history.json`,
    content: roo,
  },
  {
    program: 'Copilot Chat',
    file: (cwd, name, data) => `${data}/User/workspaceStorage/${md5(cwd)}/chatSessions/${name}.json`,
    content: copilotChat,
    beside: true,
  },
  {
    program: 'Copilot Chat',
    file: (cwd, name, data) => `${data}/User/workspaceStorage/${md5(cwd)}/chatSessions/${name}.jsonl`,
    content: copilotLog,
    beside: true,
  },
];

/** The folder as the window names it, as a program may write it, and folders that are others. */
interface Case {
  readonly system: System;
  readonly data: string;
  readonly folder: string;
  readonly written: readonly string[];
  readonly others: readonly string[];
  readonly address: string;
}

const CASES: readonly Case[] = [
  {
    system: 'linux',
    data: '.config/Code',
    folder: '/srv/my shop',
    written: ['/srv/my shop'],
    others: ['/srv/my-shop', '/srv/My Shop', '/srv/my shop/api', '/srv'],
    address: 'file:///srv/my%20shop',
  },
  {
    system: 'mac',
    data: 'Library/Application Support/VSCodium',
    folder: '/Users/ann/Läden/shop',
    written: ['/Users/ann/Läden/shop', '/Users/Ann/Läden/Shop/'],
    others: ['/Users/ann/Laden/shop', '/Users/ann/Läden'],
    address: 'file:///Users/ann/L%C3%A4den/shop',
  },
  {
    system: 'windows',
    data: 'AppData/Roaming/Cursor',
    folder: 'c:\\Users\\Ann\\shop',
    written: ['C:\\Users\\Ann\\shop', 'c:\\Users\\Ann\\shop'],
    others: ['C:\\Users\\Ann\\shop2', 'D:\\Users\\Ann\\shop'],
    address: 'file:///c%3A/Users/Ann/shop',
  },
];

describe.each(CASES)('sessions of a folder on $system', ({ system, data, folder, written, others, address }) => {
  it.each(PROGRAMS)(
    'of $program are its own, and of no other folder',
    { tags: ['item:26'] },
    async ({ program, file, content, beside }) => {
      const put = (cwd: string, text: string) => {
        // Cline writes slashes on each system.
        const path = program === 'Cline' || program === 'Roo Code' ? cwd.replaceAll('\\', '/') : cwd;
        const at = file(cwd, text.replaceAll(' ', '-'), data);
        write(at, content(path, text));
        const own = written.includes(cwd) ? address : `file:///elsewhere/${md5(cwd)}`;
        if (beside) write(join(dirname(at), '../workspace.json'), JSON.stringify({ folder: own }));
      };
      // What hashes a path knows it only as it is spelled.
      const known = /Gemini|Kimi/.test(program) && system === 'mac' ? written.slice(0, 1) : written;
      for (const [at, cwd] of known.entries()) put(cwd, `Here ${at}`);
      for (const [at, cwd] of others.entries()) put(cwd, `Elsewhere ${at}`);
      expect((await titles([folder], system)).sort()).toEqual(known.map((_, at) => `${program}: Here ${at}`));
    },
  );
});

describe('sessions of this folder', () => {
  it('of several folders and their workspace file are found together, newest first', {
    tags: ['item:26'],
  }, async () => {
    write('.claude/projects/-srv-a/1.jsonl', claude('/srv/a', 'In a'), 30);
    write('.claude/projects/-srv-b/2.jsonl', claude('/srv/b', 'In b'), 10);
    write('.claude/projects/-srv-c/3.jsonl', claude('/srv/c', 'In c'), 0);
    write('.config/Code/User/workspaceStorage/1/chatSessions/4.json', copilotChat('', 'In both'), 20);
    write('.config/Code/User/workspaceStorage/1/workspace.json', '{"workspace":"file:///srv/both.code-workspace"}');
    expect(await titles(['/srv/a', '/srv/b', '/srv/both.code-workspace'])).toEqual([
      'Claude Code: In b',
      'Copilot Chat: In both',
      'Claude Code: In a',
    ]);
  });

  it('of VS Code count once where both its forms lie there', { tags: ['item:26'] }, async () => {
    write('.config/Code/User/workspaceStorage/1/workspace.json', JSON.stringify({ folder: 'file:///srv/a' }));
    write('.config/Code/User/workspaceStorage/1/chatSessions/s.json', copilotChat('', 'As it was'));
    write('.config/Code/User/workspaceStorage/1/chatSessions/s.jsonl', copilotLog('', 'As it is'));
    expect(await titles(['/srv/a'])).toEqual(['Copilot Chat: As it is']);
  });

  it('of Aider are in the folder, and those of this editor where its data is', { tags: ['item:26'] }, async () => {
    const folder = join(home, 'shop');
    write('shop/.aider.chat.history.md', aider('', 'Mend it'));
    write('shop/deeper/.aider.chat.history.md', aider('', 'Too deep'));
    const own = join(home, 'own editor');
    write(
      'own editor/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json',
      cline(folder, 'Own'),
    );
    expect((await titles([folder], 'linux', { editorData: own })).sort()).toEqual(['Aider: Mend it', 'Cline: Own']);
  });

  it('are found through a link, by either path', { tags: ['item:26'] }, async () => {
    const folder = join(home, 'real/shop');
    mkdirSync(folder, { recursive: true });
    symlinkSync(join(home, 'real'), join(home, 'link'), 'junction');
    write('.codex/sessions/2026/01/02/rollout-1.jsonl', codex(folder, 'By its own path'));
    write(
      `.claude/projects/${dashes(join(home, 'link/shop'))}/1.jsonl`,
      claude(join(home, 'link/shop'), 'By the link'),
    );
    expect((await titles([join(home, 'link/shop')])).sort()).toEqual([
      'Claude Code: By the link',
      'Codex: By its own path',
    ]);
  });

  it('are not made up by what somebody said, and a session in which nobody spoke is none', {
    tags: ['item:26'],
  }, async () => {
    write('.codex/sessions/2026/01/02/rollout-1.jsonl', codex('/else', '{"cwd":"/srv/a"} and "cwd": "/srv/a"'));
    write('.claude/projects/-srv-a/1.jsonl', lines({ type: 'summary', summary: 'x', leafUuid: 'y' }));
    write('.claude/projects/-srv-a/2.jsonl', '');
    expect(await titles(['/srv/a'])).toEqual([]);
  });

  it('a program that is not there says nothing, and one of which something cannot be read is named', {
    tags: ['item:26'],
  }, async () => {
    expect(await search(['/srv/a'])).toEqual({ sessions: [], problems: [], isCut: false });
    // Another program's folder is a link to nowhere.
    symlinkSync(join(home, 'nowhere'), join(home, '.codex'), 'junction');
    write('.pi/agent/sessions/--srv-a--/1.jsonl', pi('/srv/a', 'In pi'));
    write('.pi/agent/sessions/--srv-a--/2.jsonl', `PK\u0003\u0004${'x'.repeat(600)}`);
    const { sessions, problems } = await search(['/srv/a']);
    expect(sessions.map(({ title }) => title)).toEqual(['In pi']);
    expect(problems.map(inEnglish)).toEqual([
      'pi: not all of its sessions can be read. it is an archive (zip). Unpack it and choose a file in it.',
    ]);
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'a folder that may not be read is named',
    async () => {
      const folder = join(home, '.codex/sessions');
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0);
      const { problems } = await search(['/srv/a']);
      chmodSync(folder, 0o700);
      expect(problems.map(inEnglish)).toEqual([expect.stringMatching(/^Codex: not all .*EACCES.*sessions/)]);
    },
  );

  it('are the newest of very many, and it is said that there are more', { tags: ['item:26'] }, async () => {
    for (let at = 0; at < 6; at++)
      write(`.codex/sessions/2026/01/02/rollout-${at}.jsonl`, codex('/srv/a', `Nr ${at}`), at);
    const found = (limits: Partial<SearchLimits>) => search(['/srv/a'], 'linux', { limits: { ...LIMITS, ...limits } });
    for (const limits of [{ sessions: 2 }, { files: 2 }]) {
      const { sessions, isCut } = await found(limits);
      expect([sessions.map(({ title }) => title), isCut]).toEqual([['Nr 0', 'Nr 1'], true]);
    }
    expect((await found({ entries: 4 })).isCut).toBe(true);
    expect((await found({ ms: -1 })).sessions).toEqual([]);
    expect((await found({})).isCut).toBe(false);
    // A copy is none that is missing.
    write('.codex/sessions/2026/01/02/rollout-copy.jsonl', codex('/srv/a', 'Nr 0'), 9);
    const { sessions, isCut } = await found({});
    expect([sessions.length, isCut]).toEqual([6, false]);
  });
});

it('a path is known by its address and by links, whatever ends it', () => {
  const windows = new KnownFolders(['c:\\Work\\Shop'], 'windows');
  const known = ['C:/work/shop/', 'file:///C:/Work/Shop', 'file:///c%3A/Work/Shop/'];
  expect(known.filter((path) => !windows.has(path))).toEqual([]);
  const linux = new KnownFolders(['/Work/Shop'], 'linux');
  expect(['/Work/Shop/', 'file:///Work/Shop', 'file://localhost/Work/Shop'].filter((path) => !linux.has(path))).toEqual(
    [],
  );
  const others = ['/work/shop', '/Work', '', 'file:///Work/Sh%op', 'vscode-remote://ssh/Work/Shop'];
  expect(others.filter((path) => linux.has(path))).toEqual([]);
});
