/**
 * Packs a folder of the sources with a `package.json` as a package for plain Node: bundled, with the declarations that its
 * `types` lead to, the licence and the notices of what is in the bundle.
 */

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { packFolder } from '../api/packPackage.ts';
import { describeNotices } from '../build/writeNotices.ts';
import { ROOT } from '../paths.ts';

const DECLARED = join(ROOT, 'out/types');
/** CommonJS packages ask for Node's own modules by `require`, which an ES module lacks. */
const BANNER = `#!/usr/bin/env node
import { createRequire as createModuleRequire } from 'node:module'; const require = createModuleRequire(import.meta.url);`;

/** Path of the packed file of `palimpsest-core` in the folder `into`. */
export const packCore = (into: string): Promise<string> =>
  packProgram('src/embedding', { index: 'src/embedding/index.ts', acp: 'src/embedding/acp.ts' }, into);

/** The same for any folder of the sources with a `package.json`. */
export async function packProgram(
  source: string,
  entryPoints: Readonly<Record<string, string>>,
  into: string,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-package-'));
  try {
    await bundle(folder, entryPoints);
    const files = globSync(['package.json', 'README.md', '*.mjs', 'example-*'], { cwd: join(ROOT, source) });
    for (const file of files) cpSync(join(ROOT, source, file), join(folder, file), { recursive: true });
    copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
    writeTypes(source, typesIn(readFileSync(join(folder, 'package.json'), 'utf8')), folder);
    return packFolder(folder, into);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(folder: string, entryPoints: Readonly<Record<string, string>>): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: folder,
    bundle: true,
    splitting: true,
    // A worker is found beside the chunk that starts it.
    chunkNames: 'chunk-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: BANNER },
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: {
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      yaml: join(ROOT, 'node_modules/yaml/browser/index.js'),
    },
    logLevel: 'warning',
    metafile: true,
  });
  writeFileSync(
    join(folder, 'ThirdPartyNotices.txt'),
    await describeNotices({ inputs: Object.keys(metafile.inputs) }, []),
  );
}

/** The declarations that a `package.json` names. */
const typesIn = (manifest: string): string[] => [
  ...new Set([...manifest.matchAll(/"types": "\.\/(\S+)"/g)].map(([, path = '']) => path)),
];

/** Those that `types` lead to, as the compiler emits them. */
function writeTypes(source: string, types: readonly string[], folder: string): void {
  if (types.length === 0) return;
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const compiled = spawnSync(process.execPath, [compiler, '-b', source], { cwd: ROOT, encoding: 'utf8' });
  if (compiled.status !== 0) throw new Error(`The declarations of ${source} cannot be made:\n${compiled.stdout}`);
  const root = types[0]?.split('/')[0] ?? '';
  const waiting = types.map((path) => join(DECLARED, relative(root, path)));
  const seen = new Set(waiting);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = readFileSync(path, 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
      const next = join(dirname(path), specifier.replace(/\.ts$/, '.d.ts'));
      if (!seen.has(next) && existsSync(next)) waiting.push(next);
      seen.add(next);
    }
    const target = join(folder, root, relative(DECLARED, path));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text.replace(/((?:from|import\()\s*['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2'));
  }
}
