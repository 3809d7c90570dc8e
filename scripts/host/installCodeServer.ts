/**
 * Installs a browser-served VS Code (code-server, from npm) in the cache folder outside the repository. Invariant: a
 * folder with the marker file is complete; one without it is built again.
 */

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CACHE } from '../paths.ts';
import { mendOldServer } from './mendOldServer.ts';
import { isInPath, MissingError, provideSystemNeeds, type SystemNeed } from './missing.ts';
import { runsOnFloor } from './vscodeVersion.ts';

/** A code-server, and the Node release it is built for. The package of that carries the headers that native modules need. */
interface Release {
  readonly version: string;
  readonly nodeVersion: string;
}
const STABLE: Release = { version: '4.139.1', nodeVersion: '24.21.0' };
/** Its VS Code has the minor version of `floorVersion`; npm has no earlier patch of it. */
const FLOOR: Release = { version: '4.106.3', nodeVersion: '22.20.0' };
const MARKER = 'complete';

export interface CodeServerInstall {
  readonly node: string;
  readonly entry: string;
}

/**
 * The installation that `CODE_SERVER_HOME` names, or else the one in the cache folder, which is installed first if
 * necessary.
 */
export function provideCodeServer(): CodeServerInstall {
  const given = process.env.CODE_SERVER_HOME;
  if (given !== undefined && given !== '') return describeInstall(given);
  const release = runsOnFloor() ? FLOOR : STABLE;
  const home = join(CACHE, `code-server-${release.version}`);
  if (!existsSync(join(home, MARKER))) install(home, release);
  return describeInstall(home);
}

function describeInstall(home: string): CodeServerInstall {
  const node = join(home, 'node/bin/node');
  const entry = join(home, 'node_modules/code-server/out/node/entry.js');
  const absent = [node, entry].filter((file) => !existsSync(file));
  if (absent.length > 0) throw new MissingError(`no code-server in ${home}: ${absent.join(' and ')} not found`);
  return { node, entry };
}

function install(home: string, release: Release): void {
  const { version, nodeVersion } = release;
  if (process.platform === 'win32') {
    throw new MissingError('code-server does not run on Windows: use desktop VS Code, or run this under WSL');
  }
  provideSystemNeeds(BUILD_NEEDS);
  console.log(`installing code-server ${version} into ${home} (about two minutes, 550 MB, once)`);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{ "private": true }\n');

  const nodePackage = nodePackageName();
  npm(home, ['install', '--no-save', '--ignore-scripts', `${nodePackage}@${nodeVersion}`], {});
  // npm prunes what package.json does not name at the next install, so the copy is kept outside node_modules.
  cpSync(join(home, 'node_modules', nodePackage), join(home, 'node'), { recursive: true, verbatimSymlinks: true });
  const env = { PATH: `${join(home, 'node/bin')}:${process.env.PATH}`, npm_config_nodedir: join(home, 'node') };
  if (release === FLOOR) {
    npm(home, ['install', `code-server@${version}`, '--ignore-scripts'], env);
    const server = join(home, 'node_modules/code-server');
    mendOldServer(server);
    for (const folder of ['lib/vscode', 'lib/vscode/extensions'])
      npm(home, ['install', '--omit=dev'], env, join(server, folder));
    npm(home, ['rebuild', 'argon2'], env);
  } else npm(home, ['install', `code-server@${version}`], env);
  removeUnused(home);
  writeFileSync(join(home, MARKER), `code-server ${version}, Node ${nodeVersion}\n`);
}

function nodePackageName(): string {
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${process.platform}-${process.arch}`;
}

function npm(home: string, words: string[], extraEnv: NodeJS.ProcessEnv, folder = home): void {
  const log = join(home, 'install.log');
  const descriptor = openSync(log, 'a');
  const { status } = spawnSync(
    'npm',
    [...words, '--no-audit', '--no-fund', '--foreground-scripts', '--prefix', folder],
    {
      cwd: folder,
      env: { ...withoutNpmVariables(process.env), npm_config_yes: 'true', ...extraEnv },
      stdio: ['ignore', descriptor, descriptor],
    },
  );
  closeSync(descriptor);
  if (status === 0) return;
  const tail = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-25).join('\n');
  throw new MissingError(`npm ${words.join(' ')} failed in ${folder}; the end of its log:\n${tail}`);
}

/** Without what npm tells the scripts it runs: a second npm would take that for its own settings. */
export function withoutNpmVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_(?!config_(registry|cafile|.*proxy)$)/i.test(name)),
  );
}

/**
 * Removes parts for other platforms, and built-in extensions that only talk to services we do not use: a third of the
 * size.
 */
function removeUnused(home: string): void {
  const vscode = join(home, 'node_modules/code-server/lib/vscode');
  const unused = [
    ...globSync('node_modules/@github/copilot-sdk*', { cwd: vscode }),
    ...globSync('node_modules/@vscode/ripgrep-universal/bin/*', { cwd: vscode }).filter(
      (folder) => !folder.endsWith(`${process.platform}-${process.arch}`),
    ),
    'node_modules/@microsoft/mxc-sdk',
    'extensions/copilot',
  ];
  for (const path of unused) rmSync(join(vscode, path), { recursive: true, force: true });
}

const BUILD_NEEDS: readonly SystemNeed[] = [
  {
    name: 'A C++ compiler, make and Python (code-server builds native modules)',
    debianPackages: ['g++', 'make', 'python3', 'pkg-config'],
    advice: 'on Debian `apt-get install g++ make python3 pkg-config`, on macOS `xcode-select --install`',
    isPresent: () => ['c++', 'make', 'python3'].every(isInPath),
  },
  {
    name: 'The Kerberos header files',
    debianPackages: ['libkrb5-dev'],
    advice: 'on Debian `apt-get install libkrb5-dev`, on Fedora `dnf install krb5-devel`',
    isPresent: () => process.platform !== 'linux' || existsSync('/usr/include/gssapi/gssapi.h'),
  },
];
