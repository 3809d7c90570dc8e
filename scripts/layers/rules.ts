/** The layer table: which folder may import what. Invariant: a file belongs to the first layer whose folder holds it. */

export interface Layer {
  /** A folder ending in `/`, or one file; relative to the repository, with `/`. */
  readonly place: string;
  /** Places importable as values and types, besides the layer itself. */
  readonly imports: readonly string[];
  /** Places importable with `import type` only. */
  readonly typesOf?: readonly string[];
  /** Packages, by name; `node:*` stands for every module of Node's. */
  readonly packages: readonly string[];
}

const COMPONENT_LIBRARY = '@vscode/webview-ui-toolkit';

export const LAYERS: readonly Layer[] = [
  { place: 'src/api/', imports: [], packages: [] },
  { place: 'src/core/', imports: ['src/api/'], packages: ['zod', 'tokenx', 'diff'] },
  { place: 'src/lab/', imports: ['src/core/', 'src/api/'], packages: ['zod'] },
  { place: 'src/providers/', imports: ['src/core/', 'src/api/'], packages: ['openai', 'zod'] },
  { place: 'src/protocol/', imports: ['src/api/'], typesOf: ['src/core/'], packages: ['zod', 'diff'] },
  {
    place: 'src/host/',
    imports: ['src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: ['vscode', 'node:*', 'zod', '@modelcontextprotocol/sdk'],
  },
  {
    place: 'src/extension.ts',
    imports: ['src/host/', 'src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: ['vscode'],
  },
  // The archived component library is named in one file, so that changing to its successor is a one-file change.
  { place: 'webview/toolkit.ts', imports: ['webview/', 'src/protocol/'], packages: [COMPONENT_LIBRARY] },
  {
    place: 'webview/',
    imports: ['src/protocol/'],
    packages: ['lit', 'marked', 'dompurify', 'highlight.js', '@vscode/codicons'],
  },
];
