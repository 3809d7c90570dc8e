/** The files of a place that ripgrep lists: those that are not ignored, and those that a glob names. */

import { sep } from 'node:path';
import { globOptions, runRipgrep, type SearchStart, type Seen } from './runRipgrep.ts';

/** `path` as ripgrep writes it. */
export const shownPath = ({ prefix }: SearchStart, path: string) =>
  prefix + path.split(sep).join('/').replace(/^\.\//u, '');

/**
 * Those that are not ignored, listed on first use. A glob passed to ripgrep brings back ignored files,
 * so its results are looked up here.
 */
export class VisibleFiles {
  readonly #list: () => Promise<ReadonlySet<string>>;
  #listed: Promise<ReadonlySet<string>> | null = null;

  constructor(binary: string, start: SearchStart, signal: AbortSignal) {
    this.#list = async () => {
      const found = new Set<string>();
      // The search itself reports unreadable files.
      for await (const path of listFiles(binary, start, undefined, signal, { unread: false })) found.add(path);
      return found;
    };
  }

  /** `path` as ripgrep writes it. */
  async has(path: string): Promise<boolean> {
    this.#listed ??= this.#list();
    return (await this.#listed).has(path);
  }
}

/** Paths from the root, as ripgrep writes them. With a glob, includes ignored files that it names. */
export function listFiles(
  binary: string,
  start: SearchStart,
  glob: string | undefined,
  signal: AbortSignal,
  seen: Seen,
  more: readonly string[] = [],
): AsyncGenerator<string> {
  const options = ['--files', '--null', ...more, ...globOptions(glob)];
  return runRipgrep(binary, start, { options, separator: '\0' }, signal, seen);
}
