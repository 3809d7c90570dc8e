/**
 * Looks, before a command begins, whether each guarded name was mounted onto itself in the sandbox's namespace: a process
 * that renames folders meanwhile could have led a mount elsewhere. Only what the kernel says of mounts, devices and inodes
 * counts, and once it holds it stays: a mount moves with its folder, whatever the folder is called later.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isSystemError } from '../../core/errors.ts';
import { bytesOf, type GuardedName, type PathBytes } from './guardedWalk.ts';

interface Mount {
  readonly id: string;
  readonly parent: string;
  readonly device: string;
  /** The folder or file of its file system that is mounted. */
  readonly root: string;
  readonly point: PathBytes;
  readonly readOnly: boolean;
}

/** In `latin1`, octal escapes undone. Lines: `36 35 98:0 /root /point ro,noatime … - ext3 /dev/root rw`. */
function parseMounts(text: string): Mount[] {
  const plain = (word: string) =>
    word.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));
  return text.split('\n').flatMap((line) => {
    const [id, parent, device, root, point, options] = line.split(' ');
    if (!(id && parent && device && root && point && options)) return [];
    const readOnly = options.split(',').includes('ro');
    return [{ id, parent, device, root: plain(root), point: plain(point) as PathBytes, readOnly }];
  });
}

/** Of a process, as it sees them; null when it is gone. */
function mountsOf(pid: number): readonly Mount[] | null {
  try {
    return parseMounts(readFileSync(`/proc/${pid}/mountinfo`, 'latin1'));
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

/**
 * The sandbox has all its mounts as soon as the open folders are where they belong: its root is changed last. A folder
 * that is a place of mounts outside, too, has one more then: the sandbox begins with those of this process.
 */
export function isMounted(pid: number, folders: readonly string[]): boolean {
  const [inside, outside] = [mountsOf(pid) ?? [], mountsOf(process.pid) ?? []];
  return folders.map(bytesOf).every((folder) => {
    const count = (mounts: readonly Mount[]) => mounts.filter(({ point }) => point === folder).length;
    return count(inside) > count(outside);
  });
}

export interface ExpectedMount {
  readonly name: GuardedName;
  readonly readOnly: boolean;
  /** The open folder that holds it. */
  readonly root: PathBytes;
}

/** The first that is not mounted onto itself as expected; null when all are. */
export function findWrongMount(pid: number, expected: readonly ExpectedMount[]): PathBytes | null {
  // Twice: of two moments between which a name was swapped, one shows it.
  const [first, second] = [readSelfMounts(pid), readSelfMounts(pid)];
  for (const { name, readOnly, root } of expected) {
    const at = first(name.path);
    const isRight = at && second(name.path)?.id === at.id && at.readOnly === readOnly && isAt(pid, at, name, root);
    if (!isRight) return name.path;
  }
  const last = readSelfMounts(pid);
  return expected.find(({ name }) => last(name.path) === null)?.name.path ?? null;
}

/** Finds the mount at a path, if what is mounted there is what lies there: all of one moment. */
function readSelfMounts(pid: number): (path: PathBytes) => Mount | null {
  const mounts = mountsOf(pid) ?? [];
  // Of several at one place, the last one is on top.
  const byPoint = new Map(mounts.map((mount) => [mount.point, mount]));
  const byId = new Map(mounts.map((mount) => [mount.id, mount]));
  return (path) => {
    const mount = byPoint.get(path);
    const above = byId.get(mount?.parent ?? '');
    if (!mount || !above || mount.device !== above.device) return null;
    const way = path.slice(above.point === '/' ? 0 : above.point.length);
    // Without a way, it lies on a mount at the same place.
    return mount.root === ((above.root === '/' ? '' : above.root) + way || '/') ? mount : null;
  };
}

/** Not among Node's constants: a handle to a place, without any right to it. */
const O_PATH = 0o10000000;

/** Walks there without following a link, and compares what it arrives at. */
function isAt(pid: number, mount: Mount, name: GuardedName, root: PathBytes): boolean {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(Buffer.from(`/proc/${pid}/root${root}`, 'latin1'), O_PATH | constants.O_DIRECTORY);
    for (const part of name.path.slice(root.length + 1).split('/')) {
      const at = Buffer.concat([Buffer.from(`/proc/self/fd/${descriptor}/`), Buffer.from(part, 'latin1')]);
      const next = openSync(at, O_PATH | constants.O_NOFOLLOW);
      closeSync(descriptor);
      descriptor = next;
    }
    const facts = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1');
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return /^mnt_id:\s*(\d+)$/m.exec(facts)?.[1] === mount.id && name.identity.startsWith(`${dev}:${ino} `);
  } catch (thrown) {
    if (isSystemError(thrown)) return false;
    throw thrown;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}
