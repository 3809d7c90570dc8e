/** Which VS Code the tests run in: the newest that is known to serve here, or the oldest that `package.json` allows. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';

/** `PALIMPSEST_VSCODE`: `floor` is the oldest VS Code that `engines` allows. */
export function runsOnFloor(): boolean {
  const wanted = process.env.PALIMPSEST_VSCODE ?? 'stable';
  if (wanted !== 'floor' && wanted !== 'stable')
    throw new Error(`PALIMPSEST_VSCODE is '${wanted}': it can be floor or stable`);
  return wanted === 'floor';
}

/** The oldest VS Code that `engines` allows, such as `1.106.0`. */
export function floorVersion(): string {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const version = /^\^(\d+\.\d+\.\d+)$/.exec(engines.vscode)?.[1];
  if (version === undefined) throw new Error(`engines.vscode is '${engines.vscode}': it must be ^ and a version`);
  return version;
}
