/**
 * Starts one code-server. Invariant: everything it starts is in one process group, which ends with `stop` or with this
 * process. Closing the page alone would leave its extension host alive for hours.
 */

import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type CodeServerInstall, provideCodeServer, withoutNpmVariables } from './installCodeServer.ts';
import { DRIVER_VARIABLE } from './mendOldServer.ts';
import { MissingError } from './missing.ts';
import { runsOnFloor } from './vscodeVersion.ts';

export interface CodeServerOptions {
  /** A free one if absent. The storage id of a workspace depends on it. */
  readonly port?: number;
  /** Kept if given; otherwise a new one that `stop` removes. */
  readonly userDataDir?: string;
  readonly extensionsDir?: string;
  /** Folders of extensions to link into the extensions folder. */
  readonly linked?: readonly string[];
  readonly vsix?: readonly string[];
  /** User settings for a new user data folder, on top of quiet defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Passed on to the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  /** Lets a page pass `extensionTestsPath`. In return toasts are hidden, and dialogs throw. */
  readonly testDriver?: boolean;
  /** Uses the person's own home folder instead of an empty one: for use, not for tests. */
  readonly keepHome?: boolean;
  /** Every folder is trusted unless this is set. */
  readonly workspaceTrust?: boolean;
}

export interface CodeServer {
  readonly port: number;
  readonly authority: string;
  readonly userDataDir: string;
  readonly settingsFile: string;
  readonly process: ChildProcess;
  /** Ends the whole process group, politely first, and removes what was made for this run. */
  stop(): Promise<void>;
}

export const QUIET_SETTINGS = {
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'update.showReleaseNotes': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'security.workspace.trust.startupPrompt': 'never',
};

type ServerProcess = ChildProcessByStdio<null, Readable, Readable>;

const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 3_000;

export async function startCodeServer(options: CodeServerOptions = {}): Promise<CodeServer> {
  const install = provideCodeServer();
  // The path must be short because Unix sockets are created below it.
  const scratch = mkdtempSync(join(tmpdir(), 'pal-'));
  const userDataDir = options.userDataDir ?? join(scratch, 'user');
  const extensionsDir = options.extensionsDir ?? join(scratch, 'ext');
  const settingsFile = join(userDataDir, 'User/settings.json');
  const logFile = join(scratch, 'code-server.log');
  for (const folder of [join(userDataDir, 'User'), extensionsDir, join(scratch, 't')])
    mkdirSync(folder, { recursive: true });
  if (!existsSync(settingsFile))
    writeFileSync(settingsFile, JSON.stringify({ ...QUIET_SETTINGS, ...options.settings }, null, 2));
  const driver = { [DRIVER_VARIABLE]: options.testDriver ? '1' : '0' };
  const env = { ...environment(options.keepHome ? null : scratch), ...driver, ...options.env };
  const dirs = [
    '--config',
    join(scratch, 'config.yaml'),
    '--user-data-dir',
    userDataDir,
    '--extensions-dir',
    extensionsDir,
  ];
  writeFileSync(join(scratch, 'config.yaml'), 'auth: none\n');
  for (const folder of options.linked ?? []) linkExtension(folder, extensionsDir);
  for (const file of options.vsix ?? []) installVsix(install, dirs, env, file);

  if (options.port !== undefined && (await isTaken(options.port)))
    throw new MissingError(`port ${options.port} is in use: stop what runs there, or choose another port`);
  const child = spawn(install.node, [install.entry, ...dirs, ...serverFlags(options)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const log = createWriteStream(logFile);
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const endGroup = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', endGroup);

  const stop = async (): Promise<void> => {
    signalGroup(child, 'SIGTERM');
    const late = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_LIMIT_MS);
    if (isRunning(child)) await once(child, 'exit');
    clearTimeout(late);
    signalGroup(child, 'SIGKILL');
    process.off('exit', endGroup);
    rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  try {
    const port = await readPort(child);
    return { port, authority: `127.0.0.1:${port}`, userDataDir, settingsFile, process: child, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface WorkbenchTarget {
  /** A folder, or a file that names several: one that ends in `.code-workspace`. */
  readonly folder?: string;
  /** Pairs for the test driver, which the workbench takes from its address. */
  readonly payload?: readonly (readonly [string, string])[];
}

export function workbenchUrl({ authority }: CodeServer, { folder, payload }: WorkbenchTarget): string {
  const query = new URLSearchParams(
    folder === undefined ? { ew: 'true' } : folder.endsWith('.code-workspace') ? { workspace: folder } : { folder },
  );
  if (payload !== undefined) query.set('payload', JSON.stringify(payload));
  return `http://${authority}/?${query}`;
}

function serverFlags({ port = 0, keepHome, testDriver, workspaceTrust }: CodeServerOptions): string[] {
  return [
    '--bind-addr',
    `127.0.0.1:${port}`,
    '--auth',
    'none',
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-getting-started-override',
    // If a test run is killed outright, its server ends soon after.
    ...(keepHome ? [] : ['--idle-timeout-seconds', '600']),
    ...(workspaceTrust ? [] : ['--disable-workspace-trust']),
    ...(testDriver && !runsOnFloor() ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
  ];
}

/** `home` replaces everything that a program keeps for its user; null leaves it as it is. */
function environment(home: string | null): NodeJS.ProcessEnv {
  const inherited = withoutNpmVariables(process.env);
  for (const name of ['NODE_OPTIONS', 'VSCODE_IPC_HOOK_CLI', 'ELECTRON_RUN_AS_NODE', 'PORT', 'PASSWORD'])
    delete inherited[name];
  // No gallery: nothing is looked up or updated over the network.
  const common = { ...inherited, EXTENSIONS_GALLERY: '{}' };
  if (home === null) return common;
  const temporary = join(home, 't');
  return {
    ...common,
    HOME: home,
    SHELL: '/bin/bash',
    TMPDIR: temporary,
    XDG_RUNTIME_DIR: temporary,
    XDG_CONFIG_HOME: join(home, 'c'),
    XDG_DATA_HOME: join(home, 'd'),
  };
}

function linkExtension(folder: string, extensionsDir: string): void {
  const { publisher, name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const link = join(extensionsDir, `${publisher}.${name}-${version}`);
  if (!existsSync(link)) symlinkSync(folder, link);
}

function installVsix({ node, entry }: CodeServerInstall, dirs: string[], env: NodeJS.ProcessEnv, file: string): void {
  const done = spawnSync(node, [entry, ...dirs, '--install-extension', file], { env, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`installing ${file} failed:\n${done.stdout}${done.stderr}`);
}

/** The port that the server says it listens on. */
function readPort(child: ServerProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const end = (act: () => void): void => {
      clearTimeout(timer);
      child.off('exit', fail).stdout.off('data', read);
      act();
    };
    const fail = (): void => end(() => reject(new Error(`code-server does not listen; it said:\n${said}`)));
    const read = (piece: Buffer): void => {
      said += piece;
      const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port !== undefined) end(() => resolve(Number(port)));
    };
    const timer = setTimeout(fail, START_LIMIT_MS);
    child.once('exit', fail).stdout.on('data', read);
  });
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(true));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)));
  });
}
