/**
 * Folders as other programs know them: by a path, by an address, or by what a program makes of a path for the name of a
 * folder of its own. Letters count as the system's disks count them by default.
 */

import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import type { System } from './recordedPlaces.ts';

/** A program cuts longer names off and adds a hash of its own. */
const LONGEST_NAME = 200;

export class KnownFolders {
  readonly #system: System;
  readonly #paths: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #hashes: ReadonlySet<string>;

  /** `paths` are absolute. */
  constructor(paths: readonly string[], system: System) {
    this.#system = system;
    this.#paths = new Set(paths.map((path) => this.#fold(path)));
    this.#names = new Set(paths.map(nameOf));
    const spelled = paths.flatMap((path) => spellings(path, system));
    this.#hashes = new Set(spelled.flatMap((path) => [digest('sha256', path), digest('md5', path)]));
  }

  /** Together with the folders that links among them lead to, because a program may have resolved these. */
  static async resolve(paths: readonly string[], system: System): Promise<KnownFolders> {
    const real = await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
    return new KnownFolders([...new Set([...paths, ...real])], system);
  }

  /** `place` is a path of this system or an address of a file. */
  has(place: string): boolean {
    return this.#paths.has(this.#fold(place));
  }

  /** True where a program may have made the name of a folder from one of these: two paths can have one name. */
  mayBeNamed(name: string): boolean {
    return this.#names.has(nameOf(name)) || this.hasHash(name);
  }

  /** `hash` of a path, in hexadecimal digits. */
  hasHash(hash: string): boolean {
    return this.#hashes.has(hash.toLowerCase());
  }

  #fold(place: string): string {
    const path = pathOf(place, this.#system).normalize('NFC');
    const slashes = this.#system === 'windows' ? path.replaceAll('\\', '/') : path;
    const bare = slashes.length > 1 ? slashes.replace(/\/+$/, '') : slashes;
    return this.#system === 'linux' ? bare : bare.toLowerCase();
  }
}

function pathOf(place: string, system: System): string {
  const rest = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(place)?.[1];
  if (rest === undefined) return place;
  try {
    const path = decodeURIComponent(rest);
    return system === 'windows' ? path.replace(/^\/(?=[a-z]:)/i, '') : path;
  } catch {
    return place;
  }
}

/** Programs put a dash for whatever is no letter or digit, and may begin or end with more of them. */
function nameOf(path: string): string {
  const dashes = path.replace(/[^a-z0-9]/gi, '-').slice(0, LONGEST_NAME);
  return dashes.replace(/^-+|-+$/g, '').toLowerCase();
}

/** The letter of a drive is written large or small. */
function spellings(path: string, system: System): string[] {
  const [, drive = '', rest = ''] = /^([a-z])(:.*)$/i.exec(path) ?? [];
  return system === 'windows' && drive ? [drive.toLowerCase() + rest, drive.toUpperCase() + rest] : [path];
}

const digest = (algorithm: 'sha256' | 'md5', text: string) => createHash(algorithm).update(text).digest('hex');
