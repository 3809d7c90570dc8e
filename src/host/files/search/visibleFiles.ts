/**
 * The files of a place that no ignore file names, listed when they are first asked for. A glob that is given to ripgrep
 * brings back what the ignore files leave out, so what it finds is looked up here.
 */

import { globOptions, runRipgrep, type SearchStart } from './runRipgrep.ts';

export class VisibleFiles {
  readonly #list: () => Promise<ReadonlySet<string>>;
  #listed: Promise<ReadonlySet<string>> | null = null;

  constructor(binary: string, start: SearchStart, signal: AbortSignal) {
    this.#list = async () => {
      const found = new Set<string>();
      // What cannot be read is told by the search itself.
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

/** Paths from the root, as ripgrep writes them. With a glob, ignored files too where it names them. */
export function listFiles(
  binary: string,
  start: SearchStart,
  glob: string | undefined,
  signal: AbortSignal,
  seen: { unread: boolean },
): AsyncGenerator<string> {
  const options = ['--files', '--null', ...globOptions(glob)];
  return runRipgrep(binary, start, { options, separator: '\0' }, signal, seen);
}
