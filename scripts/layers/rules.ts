/**
 * The layer table: which folder may import what. Invariant: a file belongs to the first layer whose place contains it.
 */

export interface Layer {
  /** A folder ending in `/`, or one file; relative to the repository, with `/`. */
  readonly place: string;
  /** Places it may import from, besides the layer itself. */
  readonly imports: readonly string[];
  /** Packages by name; `node:*` means every module of Node. */
  readonly packages: readonly string[];
}

const COMPONENT_LIBRARY = '@vscode/webview-ui-toolkit';

export const LAYERS: readonly Layer[] = [
  { place: 'src/api/', imports: [], packages: [] },
  { place: 'src/protocol/', imports: [], packages: ['zod'] },
  // The transcript makes the protocol's rows. Nothing else in the core knows the panel.
  { place: 'src/core/transcript/', imports: ['src/core/', 'src/protocol/'], packages: ['diff'] },
  { place: 'src/core/', imports: ['src/api/'], packages: ['zod', 'tokenx', 'diff', 'yaml', 'unbash', 'jsonc-parser'] },
  { place: 'src/lab/', imports: ['src/core/', 'src/api/'], packages: ['zod'] },
  { place: 'src/providers/', imports: ['src/core/', 'src/api/'], packages: ['@anthropic-ai/sdk', 'openai', 'zod'] },
  {
    place: 'src/node/',
    imports: ['src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: [
      'node:*',
      'zod',
      '@modelcontextprotocol/sdk',
      '@secretlint/secretlint-rule-preset-recommend',
      'cross-spawn',
      'jsonc-parser',
      'htmlparser2',
      'ipaddr.js',
    ],
  },
  {
    place: 'src/host/',
    imports: ['src/node/', 'src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: ['vscode', 'node:*', 'zod', '@modelcontextprotocol/sdk', 'jsonc-parser', 'd3-array'],
  },
  {
    place: 'src/cli/',
    imports: ['src/node/', 'src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: ['node:*'],
  },
  {
    place: 'src/embedding/',
    imports: ['src/node/', 'src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: ['node:*', 'zod', '@agentclientprotocol/sdk'],
  },
  {
    place: 'src/extension.ts',
    imports: ['src/host/', 'src/node/', 'src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: ['vscode'],
  },
  // Only one file names the archived component library, so that replacing it changes one file.
  { place: 'webview/toolkit.ts', imports: [], packages: [COMPONENT_LIBRARY] },
  {
    place: 'webview/',
    imports: [
      'webview/toolkit.ts',
      'src/protocol/',
      'src/core/words.ts',
      'src/core/cost/formatMoney.ts',
      'src/core/tokens/formatTokens.ts',
      'src/core/tokens/partNames.ts',
    ],
    packages: [
      '@vscode/l10n',
      'lit',
      'marked',
      'dompurify',
      'highlight.js',
      'katex',
      '@vscode/codicons',
      'd3-array',
      'd3-shape',
    ],
  },
];
