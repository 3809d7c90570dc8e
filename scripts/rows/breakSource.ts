/** Breaks one behaviour in the source as tests and their child processes load it; the file itself stays as it is. */

import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** `file` relative to the repository; the one place in it where `replace` stands gets `by`. */
export interface Break {
  readonly row: string;
  readonly file: string;
  readonly replace: string;
  readonly by: string;
}

/** A plugin of Vite for a break as JSON. */
export function breakSource(json: string) {
  const { file, replace, by }: Break = JSON.parse(json);
  return {
    name: 'break-source',
    enforce: 'pre' as const,
    transform: (code: string, id: string) =>
      id.replaceAll('\\', '/').split('?')[0]?.endsWith(`/${file}`) ? code.replace(replace, () => by) : null,
  };
}

/** The same for what is bundled by esbuild. */
export function breakBundle(json: string): Plugin {
  const { name, transform } = breakSource(json);
  return {
    name,
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const contents = transform(await readFile(path, 'utf8'), path);
        return contents === null ? undefined : { contents, loader: 'ts' };
      }),
  };
}
