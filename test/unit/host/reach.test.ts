/** What can reach out of the process is in a handful of files: adding one to them is a decision that is made here. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';

const sources = globSync('src/**/*.ts', { cwd: ROOT })
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(ROOT, path), 'utf8') }))
  .sort((a, b) => (a.path < b.path ? -1 : 1));
const filesWith = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

test.each<readonly [string, RegExp, readonly string[]]>([
  // Ripgrep, commands a person approved, their hooks, Git to read changes, MCP servers that they set up or allowed, and
  // Node checking the syntax of a strategy's file.
  [
    'processes are started',
    /from 'node:child_process'|createTerminal\(|integration\.executeCommand|executeTask/,
    [
      'src/host/shell/openTerminals.ts',
      'src/node/files/beginAsCopy.ts',
      'src/node/files/runGit.ts',
      'src/node/files/runRipgrep.ts',
      'src/node/mcp/transport/stdioTransport.ts',
      // It lets what was started begin.
      'src/node/sandbox/beginConfined.ts',
      // It asks bubblewrap for its version, and whether its walls stand.
      'src/node/sandbox/sandbox.ts',
      // It asks Windows for its code page.
      'src/node/shell/codePages.ts',
      'src/node/shell/processGroup.ts',
      'src/node/shell/runChild.ts',
      // They end what was started, and ask Windows what runs.
      'src/node/shell/watchdog.ts',
      'src/node/shell/windowsTree.ts',
      'src/node/strategyFiles/bridge.ts',
      'src/node/strategyFiles/loadStrategyFile.ts',
    ],
  ],
  ['nothing listens', /node:(dgram|http2)'|createServer|\.listen\(\d/, []],
  // To connect to the very address that was looked up and shown.
  ['sockets are opened', /node:(net|http|https|tls)'/, ['src/node/web/request.ts']],
  [
    'requests are sent',
    /(\?\?|fetch:) globalThis\.fetch|\bfetch\('|XMLHttpRequest|WebSocket/,
    ['src/host/mcp/openMcp.ts', 'src/providers/endpointFetch.ts'],
  ],
  [
    'keys are read',
    /context\.secrets|\bSecretStorage|secrets\.(get|store|delete)/,
    [
      'src/host/mcp/mcpDecisions.ts',
      'src/host/mcp/openMcp.ts',
      'src/host/models/endpoints/endpointModels.ts',
      'src/host/models/models.ts',
      'src/host/product.ts',
    ],
  ],
  // It makes no link of what others wrote, and hides nothing of it.
  ['notifications are shown', /vscode\.window\.show(Error|Warning|Information)Message/, ['src/host/notices/notify.ts']],
  // A strategy's file whose contents the person allowed.
  [
    'text becomes code',
    /\beval\(|new Function\(|node:vm'|\bimport\([^'"]/,
    ['src/node/strategyFiles/loadStrategyFile.ts'],
  ],
])('%s', (_, pattern, expected) => {
  expect(filesWith(pattern)).toEqual(expected);
});
