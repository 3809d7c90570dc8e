/**
 * The escape suite: each case runs for real as an ordinary user, first without a sandbox, where it must escape, so that
 * no case is empty, and then in the sandbox, where it must not.
 */

import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInPath, MissingError, provideSystemNeeds } from '../../../../scripts/host/missing.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { textOf } from '../../../../src/node/sandbox/guardedWalk.ts';
import { createSandbox, openSandbox, type SandboxOptions } from '../../../../src/node/sandbox/sandbox.ts';
import { SandboxRefusal } from '../../../../src/node/sandbox/sandboxRefusal.ts';
import { writeFilter } from '../../../../src/node/sandbox/systemCalls.ts';
import { createTemporaryFolder } from '../files/temporaryFolder.ts';
import { GIT } from './cases/gitCases.ts';
import { PAIRS } from './cases/pairs.ts';
import { PROCESSES } from './cases/processes.ts';
import { REACHING } from './cases/reaching.ts';
import { READING } from './cases/reading.ts';
import { WRITING } from './cases/writing.ts';
import type { Escape, Sign } from './escape.ts';
import { type Enter, runEscape, withoutSandbox } from './runEscape.ts';
import { forgetTemplate, give, World } from './world.ts';

const GROUPS = { reading: READING, writing: WRITING, git: GIT, reaching: REACHING, processes: PROCESSES, pairs: PAIRS };
const ALL = Object.values(GROUPS).flat();
const has = (signs: readonly string[], sign: Sign) => signs.some((each) => each.startsWith(`${sign}:`));

afterAll(forgetTemplate);

test('at least 150 cases, at least half of them by an idea that others published', () => {
  expect(ALL.length).toBeGreaterThanOrEqual(150);
  expect(ALL.filter(({ from }) => from !== null).length).toBeGreaterThanOrEqual(ALL.length / 2);
});

test('no two cases are the same', () => {
  expect(new Set(ALL.map(({ script, sign, before = '', beside = '' }) => sign + script + before + beside)).size).toBe(
    ALL.length,
  );
});

describe.runIf(process.platform === 'linux')('without a sandbox', { tags: ['long'] }, () => {
  const escaped: Escape[] = [];
  for (const [group, cases] of Object.entries(GROUPS)) {
    for (const each of cases) {
      test(`${group}: ${each.name} escapes`, async ({ skip }) => {
        const signs = await runEscape(each, withoutSandbox);
        if (each.mayLack && !has(signs, each.sign)) skip('this machine lacks what the case needs');
        expect(has(signs, each.sign), signs.join('\n')).toBe(true);
        escaped.push(each);
      });
    }
  }
  test('at least 150 did', () => {
    expect(escaped.length).toBeGreaterThanOrEqual(150);
  });
});

/** Outside of every world, which notices what is new in it. */
const storage = join(createTemporaryFolder(), 'sandbox');

/** As the product opens it. */
const optionsFor = ({ workspace, home, environment }: World): SandboxOptions => ({
  folders: [workspace],
  home,
  environment,
  temporary: tmpdir(),
  storage,
  denied: [`${home}/.config/Code`],
  allowedVariables: () => [],
});

const inSandbox: Enter = async (world, command) => {
  const program = execFileSync('which', ['bwrap'], { encoding: 'utf8' }).trim();
  const sandbox = createSandbox(optionsFor(world), { program, filter: writeFilter(process.arch) });
  try {
    const start = { file: '/bin/bash', args: ['-c', '--', command] };
    const confined = await sandbox.confine(start, world.workspace);
    give(world.workspace);
    const finish = async () => (await confined.leave()).names.map(({ path }) => textOf(path));
    return { ...confined, begin: confined.begin, finish };
  } catch (thrown) {
    if (thrown instanceof SandboxRefusal) return null;
    throw thrown;
  }
};

/** Why the sandbox cannot be had on this machine, where nothing is shown of it then. */
async function findAbsence(): Promise<string | null> {
  try {
    provideSystemNeeds([
      {
        name: 'bubblewrap',
        debianPackages: ['bubblewrap'],
        advice: 'on Debian `apt-get install bubblewrap`',
        isPresent: () => isInPath('bwrap'),
      },
    ]);
  } catch (thrown) {
    if (thrown instanceof MissingError) return thrown.message;
    throw thrown;
  }
  const world = await World.make();
  const state = await openSandbox(optionsFor(world));
  world.dispose();
  return state.kind === 'absent' ? inEnglish(state.reason) : null;
}

describe.runIf(process.platform === 'linux')('in the sandbox', { tags: ['long'] }, () => {
  let absence: string | null = null;
  beforeAll(async () => {
    absence = await findAbsence();
    if (absence !== null) console.log(`The escape suite did not run in the sandbox: ${absence}`);
  });
  for (const [group, cases] of Object.entries(GROUPS)) {
    for (const each of cases) {
      test(`${group}: ${each.name} does not escape`, async ({ skip }) => {
        if (absence !== null) skip(absence);
        expect(await runEscape(each, inSandbox)).toEqual([]);
      });
    }
  }
});
