import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findSessionFolders, listRecorded } from '../../../src/node/storage/sessions/findRecorded.ts';
import { foldersOf, SESSION_PLACES } from '../../../src/node/storage/sessions/recordedPlaces.ts';

const home = mkdtempSync(join(tmpdir(), 'home-'));
afterAll(() => rmSync(home, { recursive: true }));

function write(path: string, age: number, ...lines: object[]): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  utimesSync(file, 1_700_000_000 - age, 1_700_000_000 - age);
}

const claude = (text: string) => ({
  type: 'user',
  uuid: 'u',
  cwd: '/srv/shop',
  message: { role: 'user', content: text },
});

describe('sessions of other programs', () => {
  it('are found where they lie by default, newest first, with title and folder', { tags: ['M1'] }, async () => {
    expect(await findSessionFolders({}, home)).toEqual([]);
    write('.claude/projects/-work-shop/a.jsonl', 20, claude('Mend the retry test.\nIt is slow.'));
    write('.claude/projects/-work-shop/agent-b.jsonl', 0, claude('Of a subagent'));
    write('.claude/projects/-work-shop/deep/er/c.jsonl', 0, claude('Too deep'));
    write(
      '.codex/sessions/2026/03/01/rollout-1.jsonl',
      10,
      { type: 'session_meta', payload: { cwd: '/srv/blog' } },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Write a post' }] },
      },
    );
    write('.codex/sessions/2026/03/01/notes.jsonl', 0, { type: 'other' });
    const folders = await findSessionFolders({}, home);
    expect(folders.map(({ place }) => place.program)).toEqual(['Claude Code', 'Codex']);
    expect((await listRecorded(folders)).map(({ program, title, folder }) => [program, title, folder])).toEqual([
      ['Codex', 'Write a post', '/srv/blog'],
      ['Claude Code', 'Mend the retry test.', '/srv/shop'],
    ]);
  });

  it('have their places on each system, and where a variable moved them', { tags: ['M1'] }, () => {
    const [moved] = SESSION_PLACES;
    expect(moved && foldersOf(moved, 'linux', { CLAUDE_CONFIG_DIR: '/elsewhere' })).toEqual(['/elsewhere/projects']);
    const cline = SESSION_PLACES.find(({ program }) => program === 'Cline');
    const tasks = 'User/globalStorage/saoudrizwan.claude-dev/tasks';
    for (const [system, folder] of [
      ['linux', `~/.config/Code/${tasks}`],
      ['mac', `~/Library/Application Support/Code/${tasks}`],
      ['windows', `~/AppData/Roaming/Code/${tasks}`],
    ] as const)
      expect(cline && foldersOf(cline, system, {})[0]).toBe(folder);
  });
});
