/**
 * Bundles host and webview with esbuild. Invariant: afterwards dist/ holds only this build, and the host entry stays
 * small because everything loaded with `import()` becomes a chunk of its own.
 */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { ROOT } from '../paths.ts';
import { makeIcons } from './makeIcons.ts';
import { unusedResources } from './unusedResources.ts';

export interface Bundled {
  /** Every file that went into the bundles, relative to the repository. */
  readonly inputs: readonly string[];
}

export async function buildProduct({ minify }: { minify: boolean }): Promise<Bundled> {
  await rm(join(ROOT, 'dist'), { recursive: true, force: true });
  const metafiles = await Promise.all([hostOptions(minify), webviewOptions(minify)].map(bundle));
  for (const metafile of metafiles) {
    checkEntry(metafile);
    checkNames(metafile);
  }
  await writeIcons();
  return { inputs: [...new Set(metafiles.flatMap((metafile) => Object.keys(metafile.inputs)))].sort() };
}

function commonOptions(minify: boolean): BuildOptions {
  return {
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    minify,
    sourcemap: minify ? false : 'linked',
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    // Escapes would take twice the room; the page says that it is UTF-8.
    charset: 'utf8',
  };
}

/** Packages of which a bundle for Node takes the form with ES modules. */
export const ES_FORMS = {
  // Its CommonJS form asks for its own files in a way that no bundler can follow.
  'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
  // A chunk of a CommonJS form exports nothing by name.
  yaml: join(ROOT, 'node_modules/yaml/browser/index.js'),
};

function hostOptions(minify: boolean): BuildOptions {
  return {
    ...commonOptions(minify),
    entryPoints: {
      extension: 'src/extension.ts',
      labWorker: 'src/node/lab/labWorker.ts',
      autopsyWorker: 'src/node/lab/autopsyWorker.ts',
      watchdogProcess: 'src/node/shell/watchdogProcess.ts',
    },
    outdir: 'dist',
    splitting: true,
    chunkNames: 'host/[name]-[hash]',
    platform: 'node',
    target: 'node22',
    external: ['vscode'],
    alias: ES_FORMS,
    plugins: [unusedResources],
  };
}

/** Scripts of the webview that are loaded when they are first needed. */
export const LAZY_SCRIPTS = { colours: 'webview/markdown/colours.ts', mathMl: 'webview/markdown/mathMl.ts' };

/** How the code names them. Each is a file of its own, so that the panel starts with one file. */
export const LAZY_NAMES = Object.keys(LAZY_SCRIPTS).map((name) => `./${name}.js`);

function webviewOptions(minify: boolean): BuildOptions {
  return {
    ...commonOptions(minify),
    entryPoints: { main: 'webview/main.ts', pages: 'webview/pages.ts', ...LAZY_SCRIPTS },
    outdir: 'dist/webview',
    external: LAZY_NAMES,
    platform: 'browser',
    target: 'chrome138',
  };
}

/**
 * Code shared by the entry and a chunk goes into an additional file, which has to be found and read before anything
 * starts.
 */
function checkEntry({ outputs }: Metafile): void {
  const shared = (outputs['dist/extension.js']?.imports ?? [])
    .filter(({ kind, external }) => kind === 'import-statement' && !external)
    .flatMap(({ path }) => Object.keys(outputs[path]?.inputs ?? {}));
  if (shared.length)
    throw new Error(`src/extension.ts must import types only of ${shared.join(', ')}: chunks use them too`);
}

/** A chunk made of a CommonJS package has one export, so that names taken from it are undefined. */
function checkNames({ outputs }: Metafile): void {
  for (const { entryPoint, exports } of Object.values(outputs))
    if (entryPoint?.includes('node_modules/') && exports.join() === 'default')
      throw new Error(`${entryPoint} exports nothing by name: bundle the ES module form of its package`);
}

async function bundle(options: BuildOptions): Promise<Metafile> {
  const { metafile, outputFiles } = await build({ ...options, metafile: true, write: false });
  if (metafile === undefined || outputFiles === undefined) throw new Error('esbuild returned no output');
  const idle = Object.entries(metafile.outputs).flatMap(([path, { inputs }]) =>
    Object.keys(inputs).length === 0 ? [basename(path)] : [],
  );
  await Promise.all(
    outputFiles.map(async ({ path, contents, text }) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, path.endsWith('.js') ? withRequire(withoutIdleImports(text, idle)) : contents);
    }),
  );
  return metafile;
}

/**
 * Chunks import the chunk with esbuild's own helpers even when they use none of them, although it holds no source file
 * and does nothing by itself. Reading that file would take most of the entry's start time.
 */
function withoutIdleImports(text: string, idle: readonly string[]): string {
  const pattern = /(?<=^|;)import ?"\.[^"]*\/([^"/]+)";/gm;
  return text.replaceAll(pattern, (whole, name) => (idle.includes(name) ? '' : whole));
}

/**
 * CommonJS packages call `require` for Node's own modules, which an ES module lacks. Only chunks that do so get one.
 */
function withRequire(text: string): string {
  if (!text.includes('Dynamic require of')) return text;
  const line = `import { createRequire as createModuleRequire } from 'node:module'; const require = createModuleRequire(import.meta.url);`;
  return `${line}${text}`;
}

async function writeIcons(): Promise<void> {
  const folder = join(ROOT, 'dist/webview');
  const scripts = ['main.js', 'pages.js'].map((name) => readFile(join(folder, name), 'utf8'));
  const { style, font } = await makeIcons(await Promise.all(scripts));
  await writeFile(join(folder, 'codicon.css'), style);
  await writeFile(join(folder, 'codicon.ttf'), font);
}
