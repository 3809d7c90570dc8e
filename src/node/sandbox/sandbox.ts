/**
 * The operating system's sandbox for commands: bubblewrap on Linux, Seatbelt on macOS. It is there only where a real
 * command, run in it, found each wall; a program that is installed proves nothing. We call these programs ourselves: the
 * library for this purpose listens on two ports of this machine for its proxies, even where no host is allowed, hands
 * the environment on, and brings 12 MB.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readlink, realpath, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { messageOf } from '../../core/errors.ts';
import { type Words, words } from '../../core/words.ts';
import { findOnPath } from '../files/findRipgrep.ts';
import { isInside } from '../files/inside.ts';
import { FIXED_VARIABLES } from '../shell/commandEnvironment.ts';
import { rm } from '../storage/disk/patientDisk.ts';
import { beginConfined } from './beginConfined.ts';
import type { ExpectedMount } from './checkMounts.ts';
import { bubblewrapArguments, type Confinement, DESCRIPTORS, LAUNCHER, writeProfile } from './confinement.ts';
import { bytesOf, outermost, type PathBytes } from './guardedWalk.ts';
import { SandboxRefusal } from './sandboxRefusal.ts';
import { type LeftBehind, NOTHING_LEFT, SandboxRuns } from './sandboxRuns.ts';
import { writeFilter } from './systemCalls.ts';
import { findToolchains } from './toolchains.ts';

export interface SandboxOptions {
  /** Absolute paths of the open folders. */
  readonly folders: readonly string[];
  readonly home: string;
  /** Folders of the product and of the editor. */
  readonly denied: readonly string[];
  /** The system's folder for temporary files. */
  readonly temporary: string;
  /** A folder of the product, for records of commands and for what a person moves out of the open folders. */
  readonly storage: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that the person lets commands have. */
  readonly allowedVariables: () => readonly string[];
  readonly platform?: NodeJS.Platform;
  readonly processor?: string;
  /** Default: the first `bwrap` in the PATH that no open folder holds. */
  readonly bubblewrap?: () => Promise<string | null>;
}

export interface Confined {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Pipes that the process needs, as descriptors from 3 on. */
  readonly pipes: number;
  /**
   * Call it as soon as the process was spawned: it begins only after that. Rejects with `SandboxRefusal`, and ends the
   * process, where a wall does not stand; nothing has run then.
   */
  begin(child: ChildProcess): Promise<void>;
  /** Call it when all has ended. Returns the guarded names that are new since. */
  leave(): Promise<LeftBehind>;
}

interface SandboxUse {
  /** False: the open folders can only be read, so that it may run as long as it likes. */
  readonly writes: boolean;
}

export interface Sandbox {
  /** Throws `SandboxRefusal` where a folder cannot be guarded. `folder` is absolute. */
  confine(
    start: { readonly file: string; readonly args: readonly string[] },
    folder: string,
    use?: SandboxUse,
  ): Promise<Confined>;
}

export type SandboxState =
  | { readonly kind: 'ready'; readonly sandbox: Sandbox }
  | { readonly kind: 'absent'; readonly reason: Words };

/** `--ro-bind-try` and `--chdir` after mounts work since then. */
const OLDEST = [0, 4, 0] as const;
const PROBE_MS = 20_000;
const run = promisify(execFile);
const absent = (reason: Words): SandboxState => ({ kind: 'absent', reason });

/** Other people's data, and sockets. */
const HIDDEN = ['/home', '/root', '/Users', '/mnt', '/media', '/Volumes', '/run'];
const TEMPORARY = ['/tmp', '/var/tmp'];

/** Programs of some systems lie there. */
const SHOWN = ['/run/current-system', '/run/opengl-driver'];

/** Variables that programs need and that hold no secrets. */
const VARIABLES =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|CI|NODE_ENV|JAVA_HOME|GOPATH|GOROOT|GOFLAGS|NVM_DIR|NVM_BIN|VOLTA_HOME|CARGO_HOME|RUSTUP_HOME|PYENV_ROOT|PYENV_VERSION|VIRTUAL_ENV|CONDA_PREFIX|SDKROOT|DEVELOPER_DIR|PNPM_HOME|BUN_INSTALL)$/;

/** Runs a command in the sandbox and returns what is there only if every wall stands. */
export async function openSandbox(options: SandboxOptions): Promise<SandboxState> {
  const { platform = process.platform, processor = process.arch } = options;
  if (platform !== 'linux' && platform !== 'darwin') {
    return absent(words('Sandboxed commands are not available on this system yet, only on Linux, WSL 2 and macOS.'));
  }
  const filter = platform === 'linux' ? writeFilter(processor) : null;
  if (platform === 'linux' && filter === null) {
    return absent(words('The sandbox does not support this machine’s processor ({0}).', processor));
  }
  const program = platform === 'linux' ? await findBubblewrap(options) : '/usr/bin/sandbox-exec';
  if (program === null) {
    return absent(words('The program bubblewrap (bwrap) is not installed on the machine that this window works on.'));
  }
  const old = platform === 'linux' ? await explainAge(program) : null;
  if (old !== null) return absent(old);
  const home = await realpath(options.home).catch(() => options.home);
  const folders = await Promise.all(options.folders.map((path) => realpath(path).catch(() => path)));
  const tooWide = folders.find((folder) => [home, ...options.denied].some((path) => isInside(path, folder)));
  if (tooWide !== undefined) {
    return absent(
      words(
        'The open folder {0} contains your home folder or the session storage, so it cannot be sandboxed.',
        tooWide,
      ),
    );
  }
  const open = { ...options, folders, home };
  const fault = await probe(open, { program, filter });
  return fault === null ? { kind: 'ready', sandbox: createSandbox(open, { program, filter }) } : absent(fault);
}

async function findBubblewrap({ bubblewrap, environment, folders }: SandboxOptions): Promise<string | null> {
  if (bubblewrap) return bubblewrap();
  return findOnPath('bwrap', { path: environment.PATH ?? '', workspaceFolders: folders });
}

/** Null when it is new enough. */
async function explainAge(program: string): Promise<Words | null> {
  try {
    const { stdout } = await run(program, ['--version'], { timeout: PROBE_MS });
    const version = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(stdout);
    const parts = version?.slice(1).map((part) => Number(part ?? 0)) ?? [0, 0, 0];
    const differs = OLDEST.findIndex((part, at) => part !== parts[at]);
    const isOld = differs >= 0 && (parts[differs] ?? 0) < (OLDEST[differs] ?? 0);
    return isOld ? words('bubblewrap {0} is too old for the sandbox: 0.4 is needed.', version?.[0] ?? '?') : null;
  } catch (thrown) {
    return words('bubblewrap does not start here: {0}', firstLine(thrown));
  }
}

interface SandboxMeans {
  readonly program: string;
  /** Null on macOS. */
  readonly filter: Buffer | null;
}

/** Without a probe: whether it holds was seen before. Takes real paths of folders and home. */
export function createSandbox(
  { folders, home, denied, temporary, storage, environment, allowedVariables }: SandboxOptions,
  { program, filter }: SandboxMeans,
): Sandbox {
  const runs = new SandboxRuns(storage);
  const open = outermost(folders);
  /** All that does not depend on the command. */
  const findWalls = async (): Promise<Omit<Confinement, 'writes' | 'readOnly' | 'pinned'>> => {
    const hidden = await realFolders([...HIDDEN, home, environment.XDG_RUNTIME_DIR ?? '']);
    const covered = await realFolders([...TEMPORARY, temporary, environment.TMPDIR ?? '']);
    const toolchains = await findToolchains({
      home,
      searched: (environment.PATH ?? '').split(delimiter),
      hidden: [...hidden, ...covered],
      folders: open,
      windowsDrives: environment.WSL_DISTRO_NAME !== undefined || environment.WSL_INTEROP !== undefined,
    });
    return {
      folders: open,
      hidden,
      temporary: covered,
      shown: [...(await realFolders(SHOWN)), ...toolchains.shown],
      links: toolchains.links,
      denied: await realFolders(denied),
    };
  };
  const given = () => passOn(environment, allowedVariables());
  return {
    async confine({ file, args }, folder, { writes } = { writes: true }) {
      const walls = await findWalls();
      // A link to an open folder may lie where nothing is shown.
      const workingFolder = await realpath(folder).catch(() => folder);
      const entering = writes ? await runs.enter(folders) : null;
      if (entering?.kind === 'refused') {
        throw new SandboxRefusal([...words('The sandbox cannot guard the open folders.'), ...entering.why]);
      }
      const run = entering?.run;
      const [guarded, above] = [run?.guarded ?? [], run?.above ?? []];
      // A link cannot be mounted; what it leads to is among the names.
      const mountable = guarded.filter(({ kind }) => kind !== 'link');
      const pathOf = ({ path }: { readonly path: PathBytes }) => path;
      const confinement: Confinement = {
        ...walls,
        writes,
        readOnly: mountable.map(pathOf),
        pinned: above.map(pathOf),
      };
      const leave = async () => (await run?.leave()) ?? NOTHING_LEFT;
      if (filter === null) {
        const own = await realpath(await mkdtemp(join(temporary, 'palimpsest-sandbox-')));
        return {
          file: program,
          args: ['-p', writeProfile(confinement, own), file, ...args],
          environment: { ...given(), TMPDIR: own },
          pipes: 0,
          begin: async () => undefined,
          async leave() {
            await rm(own, { recursive: true, force: true });
            return leave();
          },
        };
      }
      const rootOf = (path: PathBytes) => open.map(bytesOf).find((root) => isInside(path, root)) ?? path;
      const expected: ExpectedMount[] = [
        ...mountable.map((name) => ({ name, readOnly: true, root: rootOf(name.path) })),
        ...above.map((name) => ({ name, readOnly: false, root: rootOf(name.path) })),
      ];
      return {
        file: '/bin/bash',
        args: [
          '--norc',
          '-p',
          '-c',
          LAUNCHER,
          'sandbox',
          filter.toString('base64'),
          program,
          ...OPTIONS,
          file,
          ...args,
        ],
        environment: { ...given(), TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/cache' },
        pipes: 3,
        begin: (child) =>
          beginConfined(child, { options: bubblewrapArguments(confinement, workingFolder), folders: open, expected }),
        leave,
      };
    },
  };
}

/** Of `bwrap`; the others come through a pipe. */
const OPTIONS = [
  ['--args', DESCRIPTORS.options],
  ['--info-fd', DESCRIPTORS.info],
  ['--block-fd', DESCRIPTORS.begin],
  ['--seccomp', DESCRIPTORS.filter],
]
  .flat()
  .map(String)
  .concat('--');

/** Real paths of those that are there. */
async function realFolders(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.filter((path) => path !== '').map((path) => realpath(path).catch(() => null)));
  return [...new Set(real.filter((path) => path !== null))];
}

function passOn(environment: SandboxOptions['environment'], allowed: readonly string[]): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (VARIABLES.test(entry[0]) || allowed.includes(entry[0])),
  );
  return { ...Object.fromEntries(kept), ...FIXED_VARIABLES };
}

/** Each line is a wall. What it says first is the fault when the wall is missing. */
const WALLS = `
fail() { echo "fault: $1"; exit 1; }
echo x > plain || fail 'the open folder cannot be written to'
{ echo x > .git/config; } 2>/dev/null && fail 'a guarded name can be written'
{ mv .git moved; } 2>/dev/null && fail 'a guarded name can be moved'
{ read -r line < "$OUTSIDE"; } 2>/dev/null && [ "$line" = secret ] && fail 'a file outside can be read'
{ echo x > "$OUTSIDE.new"; } 2>/dev/null
`;
const WALLS_OF_LINUX = `
net=$(readlink /proc/self/ns/net) && [ -n "$net" ] && [ "$net" != "$NET" ] || fail 'the network outside can be reached'
[ -d "/proc/$HOST" ] && fail 'processes outside can be seen'
grep -q '^Seccomp:[[:space:]]*2' /proc/self/status || fail 'system calls are not filtered'
grep -q '^NoNewPrivs:[[:space:]]*1' /proc/self/status || fail 'rights can be gained'
grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || fail 'rights are left'
`;

/** Nothing answers at that port, and a refusal by the system is not the refusal by nobody. */
const WALLS_OF_MACOS = `
said=$( { : <>/dev/tcp/127.0.0.1/9; } 2>&1 )
case "$said" in *'not permitted'*) ;; *) fail 'the network outside can be reached' ;; esac
`;

/** Why the sandbox does not hold; null when it does. */
async function probe(options: SandboxOptions, means: SandboxMeans): Promise<Words | null> {
  const top = await mkdtemp(join(options.temporary, 'palimpsest-probe-'));
  try {
    const folder = join(await realpath(top), 'open');
    await mkdir(join(folder, '.git'), { recursive: true });
    await writeFile(join(folder, '.git/config'), '');
    await writeFile(join(top, 'outside'), 'secret\n');
    const word = randomBytes(8).toString('hex');
    const isLinux = (options.platform ?? process.platform) === 'linux';
    const net = isLinux ? await readlink('/proc/self/ns/net') : '';
    const known = `OUTSIDE='${join(top, 'outside')}' NET='${net}' HOST=${process.pid}`;
    const script = `${known}\n${WALLS}${isLinux ? WALLS_OF_LINUX : WALLS_OF_MACOS}echo ${word}`;
    const sandbox = createSandbox({ ...options, folders: [folder], storage: join(top, 'storage') }, means);
    const { output, errors } = await runConfined(sandbox, script, folder);
    if ((await readFile(join(top, 'outside.new')).catch(() => null)) !== null) {
      return words('The sandbox does not work here: {0}', 'a file outside can be written');
    }
    if (output.trim() === word) return null;
    const fault = /fault: (.*)/.exec(output)?.[1] ?? errors.trim().split('\n')[0];
    return fault
      ? words('The sandbox does not work here: {0}', fault.slice(0, 300))
      : words('The sandbox does not hold here: {0}', output.trim().slice(0, 200));
  } catch (thrown) {
    return words('The sandbox does not work here: {0}', messageOf(thrown));
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

async function runConfined(
  sandbox: Sandbox,
  script: string,
  folder: string,
): Promise<{ readonly output: string; readonly errors: string }> {
  const confined = await sandbox.confine({ file: '/bin/bash', args: ['-c', script] }, folder);
  try {
    const child = spawn(confined.file, [...confined.args], {
      cwd: folder,
      env: { ...confined.environment },
      stdio: ['ignore', 'pipe', 'pipe', ...Array<'pipe'>(confined.pipes).fill('pipe')],
      timeout: PROBE_MS,
      killSignal: 'SIGKILL',
    });
    const closed = once(child, 'close');
    const [output, errors] = [text(child.stdout as Readable), text(child.stderr as Readable)];
    await Promise.all([confined.begin(child).catch(() => undefined), closed]);
    return { output: await output, errors: await errors };
  } finally {
    await confined.leave();
  }
}

function firstLine(thrown: unknown): string {
  const { stderr } = thrown as { stderr?: unknown };
  const reason = typeof stderr === 'string' && stderr.trim() !== '' ? stderr.trim() : messageOf(thrown);
  return reason.split('\n')[0]?.slice(0, 300) ?? '';
}
