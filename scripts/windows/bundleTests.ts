/** Bundles unit tests for Windows' Node, with this project's folders as Wine shows them. */

import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { ES_FORMS } from '../build/buildProduct.ts';
import { ROOT } from '../paths.ts';

/** Wine shows the root of the disk as this drive. */
const drive = (path: string) => `Z:${path}`;

export function findTests(patterns: readonly string[]): readonly string[] {
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT })))].sort();
}

export async function bundleTests(files: readonly string[], outdir: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: { main: 'scripts/windows/main.ts' },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'error',
    external: ['fsevents', 'lightningcss'],
    alias: {
      vscode: join(ROOT, 'test/support/vscode.ts'),
      vitest: join(ROOT, 'scripts/windows/runner.ts'),
      'real-vitest': join(ROOT, 'node_modules/vitest/dist/index.js'),
      ...ES_FORMS,
    },
    // Packages in CommonJS ask for Node's own modules.
    banner: { js: `import { createRequire as _req } from 'node:module'; const require = _req(import.meta.url);` },
    plugins: [listFiles(files), keepPlaces],
  });
}

const listFiles = (files: readonly string[]): Plugin => ({
  name: 'list of tests',
  setup(build) {
    build.onResolve({ filter: /^test-files$/ }, () => ({ path: 'test-files', namespace: 'tests' }));
    build.onLoad({ filter: /.*/, namespace: 'tests' }, () => ({
      resolveDir: ROOT,
      contents: `export const files = [${files
        .map((file) => `[${JSON.stringify(file)}, () => import(${JSON.stringify(`./${file}`)})]`)
        .join(',\n')}];`,
    }));
  },
});

/** A file of ours that asks where it lies hears it as if it were not bundled. */
const keepPlaces: Plugin = {
  name: 'places',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (path.includes('node_modules') || !text.includes('import.meta.')) return undefined;
      const url = pathToFileURL(path).href.replace('file:///', `file:///${drive('/')}`);
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(url))
        .replaceAll('import.meta.dirname', JSON.stringify(drive(join(path, '..')).replaceAll('/', '\\')));
      return { contents, loader: 'ts' };
    });
  },
};
