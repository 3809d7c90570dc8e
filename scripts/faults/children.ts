/**
 * Runs child processes that die. They are bundled once, because starting a thousand of them from many files would take
 * most of the time.
 */

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { breakBundle } from '../rows/breakSource.ts';

/** The path of `<name>.ts` in this folder, bundled into `folder`. */
export async function bundleChild(name: string, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  const entry = join(import.meta.dirname, `${name}.ts`);
  // `npm run rows -- --prove` breaks what is under test in the children too.
  const broken = process.env.PALIMPSEST_BREAK;
  const plugins = broken ? [breakBundle(broken)] : [];
  await build({
    entryPoints: [entry],
    outfile,
    plugins,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
  });
  return outfile;
}

export interface Death {
  /** Its output before it died, line by line; half a line does not count. */
  readonly said: readonly string[];
  /** Null when it was killed. */
  readonly code: number | null;
}

/** Runs the child until it dies. With `whenTold` it is killed that many milliseconds after it said the word. */
export function runChild(
  path: string,
  args: readonly string[],
  whenTold?: { readonly word: string; readonly ms: number },
): Promise<Death> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const tooLong = setTimeout(() => child.kill('SIGKILL'), 60_000);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (whenTold && said.endsWith(`${whenTold.word}\n`)) setTimeout(() => child.kill('SIGKILL'), whenTold.ms);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(tooLong);
      resolve({ said: said.split('\n').slice(0, -1), code });
    });
  });
}
