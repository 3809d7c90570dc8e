/**
 * What lies around a sandbox, real: a home with credentials and sessions, the open folder with its repository, another
 * project, a folder that is nobody's home, servers, and a process to harm. A script finds it by these variables: `WS`
 * the open folder, `OTHER`, `SRV`, `STORE` the product's storage, `RUN` with sockets, `PORT`, `UDP`, `FREE` a port for
 * a server of its own, `ABSTRACT`, `VICTIM` a process id, `PTS` its terminal, `SHARED` a key of shared memory.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { homedir, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isGuarded } from '../../../../src/core/tools/guardedNames.ts';
import type { Escape } from './escape.ts';

/** As root, the suite runs everything as a user that has no name: a sandbox of root's would prove nothing. */
const NOBODY = 61_184;
export const USER =
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : { uid: userInfo().uid, gid: userInfo().gid };

/** Not a temporary folder, which a sandbox replaces as a whole. */
export const ABOVE = process.getuid?.() === 0 ? '/srv' : homedir();

/** Files of a home that are nobody's business. */
const PRIVATE = [
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.netrc',
  '.git-credentials',
  '.config/gh/hosts.yml',
  '.docker/config.json',
  '.kube/config',
  '.npmrc',
  '.pypirc',
  '.gnupg/private-keys-v1.d/key',
  '.bash_history',
  '.config/gcloud/application_default_credentials.json',
  '.azure/msal_token_cache.json',
  '.password-store/mail.gpg',
  '.mozilla/firefox/p/logins.json',
  '.config/google-chrome/Default/Cookies',
  '.local/share/keyrings/login.keyring',
  '.cargo/credentials.toml',
  '.m2/settings.xml',
  '.terraform.d/credentials.tfrc.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.config/Code/User/settings.json',
  '.config/Code/User/globalStorage/palimpsest.palimpsest/sessions/one.jsonl',
  '.config/Code/User/workspaceStorage/abc/palimpsest.palimpsest/sessions/two.jsonl',
  'Documents/letter.txt',
];
const ORDINARY: Readonly<Record<string, string>> = {
  '.bashrc': '# home\n',
  '.profile': '# home\n',
  '.gitconfig': '[user]\n\tname = a\n\temail = a@b\n',
};
const PROJECT: Readonly<Record<string, string>> = {
  'src/main.js': 'console.log(1);\n',
  'src/packages/one/index.js': '1;\n',
  'src/packages/one/.vscode/settings.json': '{}\n',
  'README.md': 'read me\n',
  Makefile: 'all:\n\t@echo made\n',
  'package.json': '{"name":"p","version":"1.0.0"}\n',
  '.vscode/settings.json': '{}\n',
  'AGENTS.md': 'be kind\n',
};

/** Starts a process that carries the mark and lives on. */
const LIVE = `live() { exec perl -e 'open F,">","started";close F;sleep 600' "$LIVE"; }`;

export class World {
  readonly folder: string;
  readonly home: string;
  readonly workspace: string;
  readonly token = `pal-${randomBytes(12).toString('hex')}`;
  /** In the command line of every process that a case starts to live on. */
  readonly mark = `live-${randomBytes(6).toString('hex')}`;
  readonly #servers: { close(): unknown }[] = [];
  readonly #variables: Record<string, string> = {};
  #victim: ChildProcess | null = null;
  #before: ReadonlyMap<string, string> = new Map();
  /** What reached a server outside. */
  readonly reached: string[] = [];
  free = 0;

  readonly #watched: readonly string[];

  private constructor(watched: readonly string[]) {
    this.#watched = watched;
    this.folder = mkdtempSync(join(ABOVE, 'palimpsest-escapes-'));
    this.home = join(this.folder, 'home');
    this.workspace = join(this.home, 'projects', 'open');
  }

  static async make({ before, watched = [] }: Pick<Escape, 'before' | 'watched'> = {}): Promise<World> {
    const world = new World(watched);
    world.#fill();
    await world.#serve();
    await world.#startVictim();
    if (before !== undefined) {
      execFileSync('/bin/bash', ['-c', '--', `${world.preamble}\n${before}`], {
        ...USER,
        cwd: world.workspace,
        env: world.environment,
      });
    }
    world.#before = world.#look();
    return world;
  }

  /** Said to a script in front of it. */
  get preamble(): string {
    const variables = Object.entries(this.#variables).map(([name, value]) => `${name}='${value}'`);
    return [...variables, LIVE, 'settled() { until [ -e started ]; do sleep 0.02; done; }'].join('\n');
  }

  /** Of a person's editor, in which they keep secrets. */
  get environment(): Record<string, string> {
    return {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: this.home,
      LANG: 'C.UTF-8',
      USER: 'someone',
      AWS_SECRET_ACCESS_KEY: this.token,
      GITHUB_TOKEN: this.token,
      OPENAI_API_KEY: this.token,
      DATABASE_URL: `postgres://me:${this.token}@db/x`,
      SLACK_WEBHOOK: `https://hooks/${this.token}`,
      VSCODE_GIT_ASKPASS_EXTRA_ARGS: this.token,
      'BASH_FUNC_secret%%': `() { echo ${this.token}; }`,
      SSH_AUTH_SOCK: join(this.folder, 'run/agent.sock'),
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(this.folder, 'run/bus')}`,
      DOCKER_HOST: `unix://${join(this.folder, 'run/docker.sock')}`,
      XDG_RUNTIME_DIR: join(this.folder, 'run'),
    };
  }

  get secretFile(): string {
    return join(this.folder, 'handed-over');
  }

  #fill(): void {
    const srv = join(this.folder, 'srv');
    const other = join(this.home, 'projects', 'other');
    const write = (path: string, text: string) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    for (const name of PRIVATE) write(join(this.home, name), `${this.token}\n`);
    for (const [name, text] of Object.entries(ORDINARY)) write(join(this.home, name), text);
    write(join(other, '.env'), `KEY=${this.token}\n`);
    write(join(other, 'main.js'), '1;\n');
    write(join(srv, 'data.txt'), 'data\n');
    write(join(srv, 'run.sh'), '#!/bin/sh\n:\n');
    write(this.secretFile, `${this.token}\n`);
    for (const [name, text] of Object.entries(PROJECT)) write(join(this.workspace, name), text);
    mkdirSync(join(this.folder, 'run'));
    for (const folder of [this.workspace, other])
      cpSync(templateRepository(), join(folder, '.git'), { recursive: true });
    // A nested repository, like one of a dependency.
    cpSync(templateRepository(), join(this.workspace, 'src/packages/one/.git'), { recursive: true });
    give(this.folder);
    chmodSync(this.folder, 0o755);
    Object.assign(this.#variables, {
      WS: this.workspace,
      OTHER: other,
      SRV: srv,
      RUN: join(this.folder, 'run'),
      LIVE: this.mark,
      STORE: join(this.home, '.config/Code/User/globalStorage/palimpsest.palimpsest'),
    });
  }

  async #serve(): Promise<void> {
    const answer = (where: string) =>
      createServer((socket) => {
        this.reached.push(where);
        socket.on('error', () => undefined);
        socket.end(`${this.token}\n`);
      });
    const listen = async (server: Server, at: string | { port: number; host: string }) => {
      server.listen(at);
      await once(server, 'listening');
      this.#servers.push(server);
      return server.address();
    };
    const { port } = (await listen(answer('tcp'), { port: 0, host: '127.0.0.1' })) as AddressInfo;
    const spare = createServer();
    spare.listen(0, '127.0.0.1');
    await once(spare, 'listening');
    this.free = (spare.address() as AddressInfo).port;
    spare.close();
    for (const name of ['agent.sock', 'bus', 'docker.sock', 'vscode-ipc.sock']) {
      const path = join(this.folder, 'run', name);
      await listen(answer(name), path);
      chmodSync(path, 0o777);
    }
    // In the open folder, as some daemons of projects have theirs.
    await listen(answer('socket of a project'), join(this.workspace, 'daemon.sock'));
    chmodSync(join(this.workspace, 'daemon.sock'), 0o777);
    const abstract = `pal-${randomBytes(6).toString('hex')}`;
    await listen(answer('abstract'), `\0${abstract}`);
    const udp = createSocket('udp4');
    udp.on('message', () => this.reached.push('udp'));
    udp.bind(0, '127.0.0.1');
    await once(udp, 'listening');
    this.#servers.push(udp);
    Object.assign(this.#variables, {
      PORT: String(port),
      UDP: String(udp.address().port),
      FREE: String(this.free),
      ABSTRACT: abstract,
    });
  }

  /** A process of the same person, with a secret in its environment, its arguments and an open file. */
  async #startVictim(): Promise<void> {
    const seconds = '600';
    // It makes a piece of shared memory and waits. Its terminal is that of `script`, whose record shows what is written to it.
    const code =
      '$k=1+int(rand(2**30));$i=shmget($k,4096,0666|01000);shmwrite($i,$ENV{PAL},0,200);open F,"<",$ARGV[1];' +
      `$|=1;open O,">",$ARGV[2];print O "$$ $k $i";close O;sleep ${seconds}`;
    const told = join(this.folder, 'victim');
    this.#victim = spawn('/usr/bin/perl', ['-e', code, '--', `--password=${this.token}`, this.secretFile, told], {
      ...USER,
      cwd: join(this.home, 'projects', 'other'),
      env: { PATH: '/usr/bin:/bin', PAL: this.token },
      stdio: 'ignore',
    });
    while (!existsSync(told) || readFileSync(told, 'utf8') === '') {
      if (this.#victim.exitCode !== null) throw new Error('The process to harm could not start.');
      await delay(5);
    }
    const [pid = '', key = '', id = ''] = readFileSync(told, 'utf8').split(' ');
    Object.assign(this.#variables, { VICTIM: pid, SHARED: key, SHMID: id });
  }

  /** The signs of an escape that the outside shows now. */
  signs(output: string, reported: readonly string[] = []): readonly string[] {
    const found: string[] = [];
    const isReported = (path: string) => reported.some((each) => path === each || path.startsWith(`${each}/`));
    if (output.includes(this.token)) found.push('secret: in the output');
    for (const path of filesIn(this.workspace)) {
      if (lstatSync(path).isFile() && readFileSync(path).includes(this.token)) {
        found.push(`secret: in ${relative(this.workspace, path)}`);
      }
    }
    const now = this.#look();
    for (const [path, facts] of now) {
      if (this.#before.get(path) !== facts && !isReported(path)) found.push(`changed: ${path}`);
    }
    for (const path of this.#before.keys()) if (!now.has(path)) found.push(`changed: ${path} is gone`);
    found.push(...this.reached.map((where) => `reached: ${where}`));
    if (!this.#isWell()) found.push('harmed: the process outside');
    return found;
  }

  #isWell(): boolean {
    const pid = this.#victim?.pid;
    if (pid === undefined || this.#victim?.exitCode !== null || this.#victim.signalCode !== null) return false;
    const [, state = 'Z'] = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return !'TtZX'.includes(state);
  }

  /** All that no command may change: everything but the plain files of the open folder. */
  #look(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const path of filesIn(this.folder)) {
      const inside = relative(this.workspace, path);
      const stats = lstatSync(path);
      const isPlain =
        !inside.startsWith('..') &&
        !isGuarded(inside) &&
        !isSetuid(stats.mode) &&
        inside !== '' &&
        !this.#watched.includes(inside);
      if (isPlain) continue;
      const mode = stats.mode.toString(8);
      if (stats.isSymbolicLink()) found.set(path, `${mode} -> ${readlinkSync(path)}`);
      else if (stats.isFile()) found.set(path, `${mode} ${readFileSync(path).toString('latin1')}`);
      else found.set(path, mode);
    }
    return found;
  }

  dispose(): void {
    for (const server of this.#servers) server.close();
    this.#victim?.kill('SIGKILL');
    const id = this.#variables.SHMID;
    if (id !== undefined) execFileSync('/usr/bin/perl', ['-e', 'shmctl($ARGV[0],0,0)', id]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const isSetuid = (mode: number) => (mode & 0o6000) !== 0;

/** Every file and folder below, itself included. */
function* filesIn(path: string): Generator<string> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  yield path;
  const names = stats.isDirectory() ? readdirSync(path) : [];
  for (const name of names) yield* filesIn(join(path, name));
}

/** What a host that runs as root has made belongs to the user, too, as it does where both are the same person. */
export function give(path: string): void {
  if (process.getuid?.() !== 0) return;
  for (const each of filesIn(path)) {
    const stats = lstatSync(each);
    if (stats.uid === 0 && !stats.isSymbolicLink()) chownSync(each, USER.uid, USER.gid);
  }
}

let template: string | null = null;

/** The `.git` of a repository with one commit, made once. */
function templateRepository(): string {
  if (template !== null) return template;
  const folder = mkdtempSync(join(ABOVE, 'palimpsest-template-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, stdio: 'ignore' });
  git('init', '-q', '-b', 'main', '--template=');
  mkdirSync(join(folder, '.git/hooks'));
  for (const [name, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git('add', '.');
  git('commit', '-qm', 'first');
  template = join(folder, '.git');
  return template;
}

export function forgetTemplate(): void {
  if (template !== null) rmSync(dirname(template), { recursive: true, force: true });
  template = null;
}
