/**
 * Makes an older code-server installable from npm alone, and its test driver reachable. Two of its dependencies come from
 * elsewhere: one from a git server, one downloads a program when it is installed. Both are on npm by now.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ON_NPM: Readonly<Record<string, string>> = { '@parcel/watcher': '2.5.1', '@vscode/ripgrep': '1.18.0' };

/** Turns the test driver of an older code-server on, which has no option for it. */
export const DRIVER_VARIABLE = 'PALIMPSEST_TEST_DRIVER';

/** `server`: the folder of the package, installed without its scripts. */
export function mendOldServer(server: string): void {
  for (const folder of ['lib/vscode', 'lib/vscode/extensions']) {
    change(join(server, folder, 'package.json'), takeFromNpm);
    for (const lock of ['npm-shrinkwrap.json', 'package-lock.json'])
      change(join(server, folder, lock), ({ packages = {} }) => {
        takeFromNpm(packages[''] ?? {});
        for (const name of Object.keys(ON_NPM)) delete packages[`node_modules/${name}`];
      });
  }
  const options = join(server, 'out/node/cli.js');
  const text = readFileSync(options, 'utf8');
  const place = 'help: !!args.help,';
  if (!text.includes(place)) throw new Error(`${options} has no '${place}': the test driver cannot be turned on`);
  const driver = `'enable-smoke-test-driver': process.env.${DRIVER_VARIABLE} === '1', `;
  writeFileSync(options, text.replace(place, driver + place));
}

type Versions = Record<string, string>;

interface PackageFile {
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly overrides?: Versions;
  readonly packages?: Record<string, PackageFile>;
}

function takeFromNpm({ dependencies = {}, devDependencies = {}, overrides = {} }: PackageFile): void {
  for (const versions of [dependencies, devDependencies, overrides])
    for (const [name, version] of Object.entries(ON_NPM)) if (name in versions) versions[name] = version;
}

function change(path: string, edit: (file: PackageFile) => void): void {
  if (!existsSync(path)) return;
  const file = JSON.parse(readFileSync(path, 'utf8'));
  edit(file);
  writeFileSync(path, JSON.stringify(file, null, 2));
}
