// @ts-check
/**
 * Runs suite.js in a real VS Code with Palimpsest and this extension. `PALIMPSEST_VSIX` is the path of Palimpsest's
 * package. VS Code is downloaded into `.vscode-test`, unless `VSCODE_EXECUTABLE` names an installed one.
 */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { downloadAndUnzipVSCode, resolveCliArgsFromVSCodeExecutablePath, runTests } from '@vscode/test-electron';

const { PALIMPSEST_VSIX, VSCODE_EXECUTABLE } = process.env;
if (!PALIMPSEST_VSIX) throw new Error('PALIMPSEST_VSIX is not set: give the path of palimpsest.vsix.');

const vscodeExecutablePath = VSCODE_EXECUTABLE ?? (await downloadAndUnzipVSCode());
const [program = '', ...profile] = resolveCliArgsFromVSCodeExecutablePath(vscodeExecutablePath);
execFileSync(program, [...profile, '--install-extension', PALIMPSEST_VSIX], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
await runTests({
  vscodeExecutablePath,
  extensionDevelopmentPath: join(import.meta.dirname, '../..'),
  extensionTestsPath: join(import.meta.dirname, 'suite.js'),
  launchArgs: profile,
});
