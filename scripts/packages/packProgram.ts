/**
 * Packs a folder of the sources with a `package.json` as a package for plain Node: bundled, with its declarations, the
 * licence and the notices of what is in the bundle.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packFolder } from '../api/packPackage.ts';
import { describeNotices } from '../build/writeNotices.ts';
import { ROOT } from '../paths.ts';

/** CommonJS packages ask for Node's own modules by `require`, which an ES module lacks. */
const BANNER = `#!/usr/bin/env node
import { createRequire as createModuleRequire } from 'node:module'; const require = createModuleRequire(import.meta.url);`;

/** Entries of `palimpsest-core`; `types.config.mjs` has the same. */
const CORE = { index: 'src/embedding/index.ts', acp: 'src/embedding/acp.ts' };

/** Path of the packed file of `palimpsest-core` in the folder `into`. */
export const packCore = (into: string): Promise<string> =>
  packProgram('src/embedding', CORE, into, (folder) => {
    writeTypes(folder);
    for (const name of Object.keys(CORE))
      writeFileSync(join(folder, `${name}.cjs`), `module.exports = require('./${name}.js');\n`);
  });

/** The same for any folder of the sources with a `package.json`. `add`: writes more files of the package into its folder. */
export async function packProgram(
  source: string,
  entryPoints: Readonly<Record<string, string>>,
  into: string,
  add: (folder: string) => void = () => undefined,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-package-'));
  try {
    await bundle(folder, entryPoints);
    const files = globSync(['package.json', 'README.md', '*.mjs', 'example-*'], { cwd: join(ROOT, source) });
    for (const file of files) cpSync(join(ROOT, source, file), join(folder, file), { recursive: true });
    copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
    add(folder);
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

/** Its declarations, for ES modules and again for CommonJS, which loads the same files. */
function writeTypes(folder: string): void {
  const program = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
  const config = 'scripts/packages/types.config.mjs';
  const made = spawnSync(process.execPath, [program, '-c', config, '--dir', folder], { cwd: ROOT, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`The declarations of ${folder} cannot be made:\n${made.stdout}${made.stderr}`);
  for (const file of globSync('*.d.ts', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file.replace(/\.d\.ts$/, '.d.cts')), text.replace(/(from "\.\/[^"]+)\.js"/g, '$1.cjs"'));
  }
}
