import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { generateFolder } from '../../../scripts/lab/recordedFolder.ts';
import { ROOT } from '../../../scripts/paths.ts';
import { takeShard } from '../../../src/cli/shards.ts';

const scratch = mkdtempSync(join(tmpdir(), 'shards-'));
const sessions = generateFolder(3, 60);
afterAll(() => {
  rmSync(scratch, { recursive: true });
  rmSync(sessions, { recursive: true });
});

const at = (name: string) => join(scratch, name);

async function lab(...given: readonly string[]): Promise<{ out: string; err: string; code: number }> {
  try {
    const run = promisify(execFile)(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...given], { cwd: ROOT });
    const { stdout, stderr } = await run;
    return { out: stdout, err: stderr, code: 0 };
  } catch (thrown) {
    const { stdout, stderr, code } = thrown as { stdout: string; stderr: string; code: number };
    return { out: stdout, err: stderr, code };
  }
}

const RUN = [sessions, '--strategies', 'tool-result-hiding,hide-5-batched', '--window', '6000'];

it('shards take every session once', () => {
  const all = Array.from({ length: 11 }, (_, i) => i);
  const parts = [1, 2, 3].map((nth) => takeShard(all, { nth, of: 3 }));
  expect(parts.flat().sort((a, b) => a - b)).toEqual(all);
  expect(takeShard(all, null)).toEqual(all);
});

describe('shards of a run', { tags: ['B6', 'long'] }, () => {
  it('merge into the figures of one run, to the digit, in any order', async () => {
    const whole = await lab(...RUN, '--json', at('whole.json'), '--html', at('whole.html'));
    expect(whole.code, whole.err).toBe(0);
    for (const nth of [1, 2])
      expect((await lab(...RUN, '--shard', `${nth}/2`, '--scores', at(`${nth}.jsonl`))).code).toBe(0);
    const parts = [at('2.jsonl'), at('1.jsonl')];
    const merged = await lab('merge', ...parts, '--json', at('merged.json'), '--html', at('merged.html'));
    expect(merged.err).toBe('');
    expect(merged.out).toBe(whole.out);
    for (const kind of ['json', 'html'])
      expect(readFileSync(at(`merged.${kind}`), 'utf8')).toBe(readFileSync(at(`whole.${kind}`), 'utf8'));
    expect(whole.out).toMatch(/hide-5-batched against tool-result-hiding: cost with rereads [+−]\d/);
  });

  it('are refused when one is missing, twice there, of another run, or no such file', async () => {
    for (const [nth, window] of [
      [1, '6000'],
      [2, '7000'],
    ] as const)
      await lab(...RUN.slice(0, -1), window, '--shard', `${nth}/2`, '--scores', at(`other${nth}.jsonl`));
    const refused = async (...files: readonly string[]) => {
      const { err, code } = await lab('merge', ...files.map(at));
      expect(code).toBe(1);
      return err.trim().replaceAll(scratch, '');
    };
    expect(await refused('other1.jsonl')).toBe('Shards are missing: 2/2.');
    expect(await refused('other1.jsonl', 'other1.jsonl')).toMatch(/are the same shard, 1\/2\.$/);
    expect(await refused('other1.jsonl', 'other2.jsonl')).toMatch(/other2\.jsonl is of another run than/);
    writeFileSync(at('no.jsonl'), '{"role":"user"}\n');
    expect(await refused('no.jsonl')).toMatch(/no\.jsonl is not a file that --scores of this version wrote/);
    writeFileSync(at('cut.jsonl'), readFileSync(at('other1.jsonl'), 'utf8').slice(0, -30));
    expect(await refused('cut.jsonl')).toMatch(/cut\.jsonl, line \d+: not the counts of a session/);
  });

  it('says what it will read of one’s own sessions, and leaves others alone', async () => {
    const home = at('home');
    const generated = readFileSync(join(sessions, 'generated-1.jsonl'), 'utf8');
    const put = (path: string, text: string) => {
      mkdirSync(join(home, path, '..'), { recursive: true });
      writeFileSync(join(home, path), text);
    };
    put('.claude/projects/-work-app/one.jsonl', generated);
    put('.claude/projects/-work-app/agent-1.jsonl', generated);
    put('.codex/sessions/2026/01/02/rollout-x.jsonl', 'not a session\n');
    put('.config/Code/User/workspaceStorage/1/some.other/sessions/a/journal.jsonl', generated);
    const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', XDG_CONFIG_HOME: '' };
    const args = [join(ROOT, 'src/cli/main.ts'), '--strategies', 'none'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env: env as NodeJS.ProcessEnv });
    expect(stderr).toContain(`  Claude Code: 1 of 1 in ${join(home, '.claude/projects')}\n`);
    expect(stderr).toContain(`  Codex: 1 of 1 in ${join(home, '.codex/sessions')}\n`);
    expect(stderr).not.toContain('some.other');
    expect(stdout).toContain('With only 1 session the figures say little');
    expect(stdout).toContain('Left out: 1');
  });
});
