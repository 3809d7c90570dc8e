/**
 * The layer table: which folder may import what, types included. Invariant: a file belongs to the first layer that has a
 * place which contains it.
 */

export interface Layer {
  readonly name: string;
  /**
   * Relative to the repository, with `/`: a folder with all below it (`src/api/`), the files directly in a folder
   * (`src/core/*`), or one file.
   */
  readonly places: readonly string[];
  /** Places it may import from, besides its own. */
  readonly imports: readonly string[];
  /** Packages by name; `node:*` means every module of Node. */
  readonly packages: readonly string[];
}

const COMPONENT_LIBRARY = '@vscode/webview-ui-toolkit';

/** The rows of the core from the ground up: each may import the rows before it. Only the last knows the panel. */
const CORE_ROWS: readonly (Pick<Layer, 'name' | 'places'> & Partial<Layer>)[] = [
  // Ground: JSON, words, errors, settings, addresses, time, money, modes.
  { name: 'ground', places: ['src/core/*'], packages: ['zod', 'yaml', 'ipaddr.js'] },
  // What an entry of the journal is made of, and what a model is asked and answers.
  {
    name: 'entry',
    places: [
      'src/core/journal/entry.ts',
      'src/core/journal/blobStore.ts',
      'src/core/context/message.ts',
      'src/core/context/authorship.ts',
      'src/core/context/item.ts',
      'src/core/model/',
    ],
  },
  // The journal and what is folded from it: the context, its tokens, its cost.
  {
    name: 'journal',
    places: ['src/core/journal/', 'src/core/context/', 'src/core/tokens/', 'src/core/cost/'],
    packages: ['tokenx', 'zod'],
  },
  // What the model can call, the world that calls reach, and what calls did.
  {
    name: 'tools',
    places: ['src/core/workspace/', 'src/core/secrets/', 'src/core/codeBlocks/', 'src/core/tools/', 'src/core/calls/'],
    packages: ['zod', 'diff', 'unbash', 'jsonc-parser'],
  },
  // Compaction: its general settings; messages under change; what a compaction starts from, proposes and reports; the
  // strategies; the settings in force; the model that writes summaries; strategies contained; when to compact; one run of a
  // strategy; a summary prepared ahead; what a person sees and agrees to; and the compactor.
  { name: 'compaction sections', places: ['src/core/compaction/sections/'], packages: ['zod'] },
  { name: 'compaction draft', places: ['src/core/compaction/draft/'] },
  { name: 'compaction proposal', places: ['src/core/compaction/proposal/', 'src/core/compaction/signals/'] },
  { name: 'compaction strategies', places: ['src/core/compaction/strategies/'], packages: ['zod'] },
  { name: 'compaction settings', places: ['src/core/compaction/settings/'], packages: ['zod'] },
  { name: 'compaction summariser', places: ['src/core/compaction/summariser/'] },
  { name: 'compaction hosting', places: ['src/core/compaction/hosting/'], packages: ['zod'] },
  { name: 'compaction trigger', places: ['src/core/compaction/trigger/'] },
  { name: 'compaction run', places: ['src/core/compaction/run/'] },
  { name: 'compaction ahead', places: ['src/core/compaction/ahead/'] },
  { name: 'compaction consent', places: ['src/core/compaction/consent/'] },
  { name: 'compactor', places: ['src/core/compaction/*'] },
  // What a session has besides its conversation.
  { name: 'checkpoints', places: ['src/core/checkpoints/'], packages: ['diff', 'zod'] },
  {
    name: 'session',
    places: ['src/core/instructions/', 'src/core/mentions/', 'src/core/mcp/'],
    packages: ['zod'],
  },
  // An agent: its settings, what its turns report and how they end; the parts of a turn; the turn; its loop; the agent.
  {
    name: 'agent settings',
    places: [
      'src/core/agent/settings.ts',
      'src/core/agent/hookSettings.ts',
      'src/core/agent/agentEvents.ts',
      'src/core/agent/turnOutcome.ts',
    ],
    packages: ['zod'],
  },
  {
    name: 'agent parts',
    places: ['src/core/agent/parts/'],
    packages: ['zod'],
  },
  { name: 'turn', places: ['src/core/agent/turn.ts'] },
  {
    name: 'turn loop',
    places: ['src/core/agent/ask.ts', 'src/core/agent/runCalls.ts', 'src/core/agent/runTurn.ts'],
  },
  { name: 'agent', places: ['src/core/agent/'], packages: ['zod'] },
  { name: 'sessions', places: ['src/core/sessions/'], packages: ['zod'] },
  { name: 'conformance', places: ['src/core/compaction/conformance/'] },
];

const CORE: readonly Layer[] = CORE_ROWS.map(({ name, places, packages = [] }, index) => ({
  name,
  places,
  imports: ['src/api/', ...CORE_ROWS.slice(0, index).flatMap((row) => row.places)],
  packages,
}));

export const LAYERS: readonly Layer[] = [
  { name: 'src/api', places: ['src/api/'], imports: [], packages: [] },
  { name: 'src/protocol', places: ['src/protocol/'], imports: [], packages: ['zod'] },
  ...CORE,
  // The transcript makes the protocol's rows. Nothing else in the core knows the panel.
  { name: 'transcript', places: ['src/core/transcript/'], imports: ['src/core/', 'src/protocol/'], packages: ['diff'] },
  { name: 'src/lab', places: ['src/lab/'], imports: ['src/core/', 'src/api/'], packages: ['zod'] },
  {
    name: 'src/providers',
    places: ['src/providers/'],
    imports: ['src/core/', 'src/api/'],
    packages: ['@anthropic-ai/sdk', 'eventsource-parser', 'openai', 'zod'],
  },
  // Whatever runs without VS Code.
  {
    name: 'src/node',
    places: ['src/node/'],
    imports: ['src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: [
      'node:*',
      'zod',
      '@modelcontextprotocol/sdk',
      '@secretlint/secretlint-rule-preset-recommend',
      'cross-spawn',
      'jsonc-parser',
      'htmlparser2',
      'd3-array',
    ],
  },
  {
    name: 'src/host',
    places: ['src/host/'],
    imports: ['src/node/', 'src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: ['vscode', 'node:*', 'zod', '@modelcontextprotocol/sdk', 'jsonc-parser'],
  },
  {
    name: 'src/cli',
    places: ['src/cli/'],
    imports: ['src/node/', 'src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: ['node:*', 'zod'],
  },
  {
    name: 'src/embedding',
    places: ['src/embedding/'],
    imports: ['src/node/', 'src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: ['node:*', 'zod', '@agentclientprotocol/sdk'],
  },
  {
    name: 'src/extension.ts',
    places: ['src/extension.ts'],
    imports: ['src/host/', 'src/node/', 'src/core/', 'src/lab/', 'src/providers/', 'src/protocol/', 'src/api/'],
    packages: ['vscode'],
  },
  // Only one file names the archived component library, so that replacing it changes one file.
  { name: 'webview/toolkit.ts', places: ['webview/toolkit.ts'], imports: [], packages: [COMPONENT_LIBRARY] },
  {
    name: 'webview',
    places: ['webview/'],
    imports: [
      'webview/toolkit.ts',
      'src/protocol/',
      'src/core/words.ts',
      'src/core/duration.ts',
      'src/core/fates.ts',
      'src/core/money.ts',
      'src/core/cost/coldCache.ts',
      'src/core/cost/formatMoney.ts',
      'src/core/figures.ts',
      'src/core/tokens/partNames.ts',
      'src/core/tools/toolNames.ts',
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
