/**
 * A release without publishing: makes the VSIX and the three packages, checks them as strangers install them, and says what
 * only an owner can fill in. Packages are installed from their tarballs into an empty folder and run on each Node of
 * `NODES`; the VSIX passes a first session in the oldest and in the newest VS Code.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Release } from '../build/readRelease.ts';
import { CACHE, ROOT, VSIX } from '../paths.ts';
import { runProcess } from '../test/runProcess.ts';

/** Major versions of Node that the packages promise. */
const NODES = ['20', '22', '24'] as const;
const PACKAGES = join(ROOT, 'dist/packages');
/** The scenarios in which the installed VSIX is used. */
const SCENARIOS = ['test/e2e/firstSession'];

interface Step {
  readonly title: string;
  readonly run: () => Promise<number>;
}

const script = (path: string, ...given: readonly string[]) =>
  runProcess(process.execPath, [join(ROOT, path), ...given]);

/** The exit code: 0 when everything but the owner's part is ready. */
export async function rehearse(release: Release): Promise<number> {
  rmSync(PACKAGES, { recursive: true, force: true });
  const steps: readonly Step[] = [
    { title: 'the VSIX', run: () => script('scripts/package.ts') },
    { title: 'the three packages', run: () => script('scripts/packages.ts', PACKAGES) },
    { title: `the packages, installed and run on Node ${NODES.join(', ')}`, run: checkPackages },
    ...(['floor', 'stable'] as const).map((version) => ({
      title: `the VSIX, installed in the ${version === 'floor' ? 'oldest' : 'newest'} VS Code`,
      run: () => runProcess(process.execPath, PLAYWRIGHT, { PALIMPSEST_VSCODE: version, CI: 'true' }),
    })),
  ];
  const lines: string[] = [];
  let failed = false;
  for (const { title, run } of steps) {
    console.log(`\n== ${title}`);
    const code = await run();
    failed ||= code !== 0;
    lines.push(`${code === 0 ? 'passed' : 'FAILED'}: ${title}`);
  }
  console.log(`\n${[...lines, ...listArtefacts(), '', ...describeOwnersPart(release)].join('\n')}`);
  return failed ? 1 : 0;
}

const PLAYWRIGHT = [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'test', '--workers=1', ...SCENARIOS];

async function checkPackages(): Promise<number> {
  const nodes: string[] = [];
  for (const major of NODES) {
    const node = await provideNode(major);
    if (node === null) return 1;
    nodes.push(node);
  }
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  return runProcess(process.execPath, [vitest, 'run', 'test/unit/scripts/packages.test.ts'], {
    PALIMPSEST_PACKAGES: PACKAGES,
    PALIMPSEST_NODES: nodes.join(delimiter),
  });
}

/** Path of a Node of this major version, which npm has as a package; null when it cannot be installed. */
async function provideNode(major: string): Promise<string | null> {
  if (process.versions.node.split('.')[0] === major) return process.execPath;
  const folder = join(CACHE, `node-${major}`);
  const node = join(folder, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const code = await runProcess('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `node@${major}`]);
  return code === 0 && existsSync(node) ? node : null;
}

function listArtefacts(): readonly string[] {
  const packed = existsSync(PACKAGES) ? readdirSync(PACKAGES).map((name) => join(PACKAGES, name)) : [];
  return [VSIX, ...packed]
    .filter((file) => existsSync(file))
    .map((file) => `${file.slice(ROOT.length + 1)}: ${(statSync(file).size / 1024).toFixed(0)} KB`);
}

/** Lines about everything that is still missing, each with where it belongs. */
export function describeOwnersPart(release: Release, read = readText): readonly string[] {
  const { publisher } = JSON.parse(read('package.json')) as { readonly publisher: string };
  const workflow = read('.github/workflows/release.yml');
  const secrets = [...new Set([...workflow.matchAll(/\bsecrets\.(\w+)/g)].map(([, name = '']) => name))];
  return [
    'Only an owner can do this:',
    ...(release.kind === 'refused' ? release.reasons.map((reason) => `- ${reason}`) : []),
    `- register the publisher '${publisher}' of package.json at both galleries, or name another one there`,
    `- give the workflow its secrets: ${secrets.join(', ')}`,
    '- own the names palimpsest-api, palimpsest-core and palimpsest-lab on npm: the workflow publishes dist/packages/*.tgz there',
  ];
}

const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
