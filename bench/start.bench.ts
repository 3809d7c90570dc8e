/** F12: what the extension costs a window that has not used it yet. Builds the package first and measures that. */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, SIZE_LIMITS, VSIX } from '../scripts/paths.ts';
import { type Line, quantile, ratioLine, sizeLine } from './support/line.ts';

export const id = 'F12';

const REPETITIONS = 41;

export async function run(): Promise<Line[]> {
  execFileSync(process.execPath, [join(ROOT, 'scripts/package.ts')], { cwd: ROOT, stdio: 'ignore' });
  const entry = join(ROOT, 'dist/extension.js');
  return [
    ratioLine(id, 'importing the entry, against an empty module', measureImport(entry), 3),
    sizeLine(id, 'host entry', statSync(entry).size, SIZE_LIMITS.entry),
    sizeLine(id, 'webview with its components', statSync(join(ROOT, 'dist/webview/main.js')).size, SIZE_LIMITS.webview),
    sizeLine(id, 'VSIX', statSync(VSIX).size, SIZE_LIMITS.vsix),
  ];
}

/**
 * Lower quartiles over fresh processes, the two sides taking turns: what else runs on the machine makes single imports
 * several times slower, and more files mean more chances to be interrupted, which is not what is asked. The empty module lies beside a copy of our manifest, which the loader reads to learn what kind of module it is.
 */
function measureImport(entry: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'pal-bench-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const empty = write('empty.js', 'export {};\n');
  const warmUp = write('warm.mjs', 'export {};\n');
  const stub = write('vscode.mjs', vscodeStub());
  const time = (target: string): number => {
    const urls = [target, warmUp, stub].map((path) => pathToFileURL(path).href);
    return Number(
      execFileSync(process.execPath, [join(ROOT, 'bench/support/importProbe.mjs'), ...urls], { encoding: 'utf8' }),
    );
  };
  const entries: number[] = [];
  const empties: number[] = [];
  for (let i = 0; i < REPETITIONS; i++) {
    empties.push(time(empty));
    entries.push(time(entry));
  }
  rmSync(folder, { recursive: true });
  return quantile(entries, 0.25) / quantile(empties, 0.25);
}

/** A module that exports every name `vscode` declares, so that any import of the entry links. */
function vscodeStub(): string {
  const types = readFileSync(join(ROOT, 'node_modules/@types/vscode/index.d.ts'), 'utf8');
  const names = new Set(
    [...types.matchAll(/^\texport (?:class|enum|namespace|function|const|let) (\w+)/gm)].map(([, name]) => name),
  );
  return [...names].map((name) => `export const ${name} = class {};\n`).join('');
}
