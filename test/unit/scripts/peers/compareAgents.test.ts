/**
 * Whole comparisons: the packaged core through the whole session, and peers from a registry on loopback that cannot be
 * installed or do not get through.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packFolder } from '../../../../scripts/api/packPackage.ts';
import type { Agent } from '../../../../scripts/peers/agents/agent.ts';
import { codex } from '../../../../scripts/peers/agents/codex.ts';
import { palimpsestCore } from '../../../../scripts/peers/agents/palimpsestCore.ts';
import { pi } from '../../../../scripts/peers/agents/pi.ts';
import { qwenCode } from '../../../../scripts/peers/agents/qwenCode.ts';
import { type Comparison, compareAgents } from '../../../../scripts/peers/compareAgents.ts';
import { cleanEnvironment, isContained, runContained } from '../../../../scripts/peers/contain.ts';
import { factsOf, type Run, tableOf, tokensOf } from '../../../../scripts/peers/table.ts';

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'peers-'));
});
afterAll(() => rmSync(scratch, { recursive: true }));

function compare(agents: readonly Agent[], more: Partial<Comparison> = {}): Promise<Run[]> {
  return compareAgents({
    agents,
    settings: {},
    windows: [32_000],
    summaries: ['full'],
    seed: 1,
    repeats: 1,
    folder: scratch,
    onProgress: () => undefined,
    ...more,
  });
}

describe('a comparison', { tags: ['long'] }, () => {
  test('takes the packaged core through the whole session, in a small window, with another seed', async () => {
    const [run] = await compare([palimpsestCore('llm-summary', {})], { seed: 3 });
    expect(run?.result.fault).toBeNull();
    const { records = [] } = run?.result ?? {};
    expect(records.filter(({ kind }) => kind === 'step')).toHaveLength(63);
    expect(records.filter(({ kind }) => kind === 'end of part')).toHaveLength(3);
    expect(records.filter(({ kind }) => kind === 'summary').length).toBeGreaterThan(2);
    expect(Math.max(...records.filter(({ kind }) => kind !== 'refused').map(({ tokens }) => tokens))).toBeLessThan(
      32_000,
    );
    // Everything that a perfect summary can hand on is there, and far more was sent than the window holds.
    expect(factsOf(run as Run)).toBeGreaterThan(20);
    expect(tokensOf(run as Run)).toBeGreaterThan(800_000);
    expect(tableOf([run as Run])).toMatch(
      /\n\| palimpsest-core \d+\.\d+\.\d+, llm-summary \| \d+ \| \d\.\d\d \| \d\d \| /,
    );
    if (process.platform === 'linux') expect(run?.result.usage?.cpuSeconds).toBeGreaterThan(0.5);
  });

  describe('with a registry on loopback', () => {
    /** Tarballs of programs that npm finds, by package. */
    const packed = new Map<string, string>();
    const registry = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '').slice(1);
      const file = packed.get(path);
      const tarball = [...packed.values()].find((each) => basename(each) === path);
      if (tarball !== undefined) response.end(readFileSync(tarball));
      else if (file === undefined) response.writeHead(404).end('{}');
      else {
        const dist = { tarball: `${address()}/${basename(file)}` };
        const about = { name: path, version: '9.9.9', bin: { [programOf(path)]: 'run.js' }, dist };
        response.end(JSON.stringify({ name: path, 'dist-tags': { latest: '9.9.9' }, versions: { '9.9.9': about } }));
      }
    });
    const address = () => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    const programOf = (name: string) => [pi, codex, qwenCode].find((agent) => agent.package === name)?.program ?? '';
    const publish = ({ package: name, program }: Agent, code: string): void => {
      const folder = join(scratch, program);
      mkdirSync(folder);
      writeFileSync(join(folder, 'run.js'), `#!/usr/bin/env node\n${code}`);
      const bin = { [program]: 'run.js' };
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '9.9.9', bin, type: 'module' }));
      packed.set(name, packFolder(folder, join(scratch, 'registry')));
    };
    const before = process.env.npm_config_registry;
    beforeAll(async () => {
      await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
      process.env.npm_config_registry = address();
    });
    afterAll(() => {
      registry.close();
      if (before === undefined) delete process.env.npm_config_registry;
      else process.env.npm_config_registry = before;
    });

    test('gives each peer that does not get through a row with its reason, and no figure', async () => {
      publish(pi, 'console.error("no such model"); process.exit(3);');
      // It asks for one step and ends as if all was done.
      publish(
        codex,
        `import { readFileSync } from 'node:fs';
         const url = /base_url = "(.*)"/.exec(readFileSync(process.env.CODEX_HOME + '/config.toml', 'utf8'))[1];
         const tools = [{ type: 'function', name: 'shell', parameters: { properties: { command: { type: 'string' } } } }];
         const input = process.argv.at(-1);
         await fetch(url + '/responses', { method: 'POST', body: JSON.stringify({ input, tools }) });`,
      );
      const runs = await compare([pi, codex, qwenCode]);
      const figures = '| – | – | – | – | – | – | – | – |';
      expect(tableOf(runs).split('\n').slice(2)).toEqual([
        `| pi 9.9.9, summary full: stopped at step 0 of 63: exit code 3, no such model ${figures}`,
        `| Codex 9.9.9, summary full: stopped at step 1 of 63: exit code 0, it wrote nothing ${figures}`,
        expect.stringMatching(
          /^\| Qwen Code, summary full: npm cannot install it: .*404.* \| – \| – \| – \| – \| – \| – \| – \| – \|$/,
        ),
      ]);
    });
  });
});

describe.runIf(isContained())('a contained program', { tags: ['long'] }, () => {
  let home = '';
  beforeAll(() => {
    home = join(scratch, 'home');
    mkdirSync(join(home, 'tmp'), { recursive: true });
  });
  const run = (...command: readonly string[]) =>
    runContained(command, { cwd: home, env: cleanEnvironment(home), timeoutMs: 60_000 });

  test('reaches nothing outside, also on loopback', async () => {
    const outside = createServer((_, response) => response.end('reached'));
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
    const code = `await fetch('${url}').then(() => console.log('reached'), ({ cause }) => console.log(cause.code))`;
    expect((await run(process.execPath, '--input-type=module', '-e', code)).output).toBe('ECONNREFUSED\n');
    outside.close();
  });

  test('sees nothing of the environment of the person', async () => {
    process.env.PALIMPSEST_SECRET = 'secret';
    const { output } = await run('env');
    delete process.env.PALIMPSEST_SECRET;
    expect(output).toContain(`HOME=${home}`);
    expect(output).not.toContain('secret');
  });

  test('takes along what it left running, also in a group of its own', async () => {
    const mark = `${4_000 + Math.random()}`;
    const begun = await run('sh', '-c', `setsid sleep ${mark} & sleep 0.2; ps ax | grep -c 'sleep ${mark}'`);
    expect(Number(begun.output)).toBeGreaterThan(1);
    expect(await isRunning(mark)).toBe(false);
  });

  test('ends when its time is over', async () => {
    const mark = `${4_000 + Math.random()}`;
    const options = { cwd: home, env: cleanEnvironment(home), timeoutMs: 500 };
    const end = await runContained(['sh', '-c', `setsid sleep ${mark} & sleep ${mark}`], options);
    expect(end).toMatchObject({ code: null, isTooLong: true });
    expect(await isRunning(mark)).toBe(false);
  });

  /** Asked until the system has taken them away, at most for a second. */
  async function isRunning(mark: string): Promise<boolean> {
    for (let left = 10; left > 0; left--) {
      const all = spawnSync('ps', ['axo', 'args']);
      if (!all.stdout.toString().includes(`sleep ${mark}`)) return false;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return true;
  }
});
