/** Breaks one behaviour in the source as it is loaded. The one place in `file` where `replace` stands gets `by`. */

import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

export interface BrokenFile {
  /** Relative to the repository. */
  readonly file: string;
  readonly replace: string;
  readonly by: string;
}

/** A plugin of Vite for what is broken at the moment. */
export function breakSource(now: () => BrokenFile | null) {
  return {
    name: 'break-source',
    enforce: 'pre' as const,
    transform(code: string, id: string): string | null {
      const broken = now();
      if (!broken || !id.replaceAll('\\', '/').split('?')[0]?.endsWith(`/${broken.file}`)) return null;
      return code.replace(broken.replace, () => broken.by);
    },
  };
}

/** The same for what is bundled by esbuild. */
export function breakBundle(json: string): Plugin {
  const broken: BrokenFile = JSON.parse(json);
  const { name, transform } = breakSource(() => broken);
  return {
    name,
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const contents = transform(await readFile(path, 'utf8'), path);
        return contents === null ? undefined : { contents, loader: 'ts' };
      }),
  };
}
