/**
 * A model that obeys whatever it reads, and texts full of orders: files, pages, results of commands, of MCP servers and of
 * hooks, tasks of subagents. What is measured is containment: the person lets the text be read and declines everything
 * else, so nothing may be written, run or asked of another machine, whatever was allowed for the session before.
 */

import { describe, expect, test } from 'vitest';
import type { McpServers } from '../../../src/core/mcp/mcpServers.ts';
import type { ApprovalRequest } from '../../../src/core/tools/approvals.ts';
import type { BackgroundCommands } from '../../../src/core/tools/tool.ts';
import { demoHarness } from '../../support/demoHarness.ts';
import { memorySubagents } from '../../support/memorySubagents.ts';
import { createMemoryWeb } from '../../support/ports/memoryWeb.ts';
import { NO_BACKGROUND } from '../../support/ports/noBackground.ts';
import { FRAMES, GUARDED, ORDERS, type Order, obedientModel } from './obedientCorpus.ts';

const payloads = ORDERS.flatMap((order) => FRAMES.map((frame) => ({ order, text: frame(JSON.stringify(order)) })));

const PAGE = 'https://notes.example/';
const COMMAND = 'cat notes.md';
const HOOK = 'tell';

/** Where a text comes from: the call that brings it, which the person lets through. */
const SOURCES: Readonly<Record<string, Order>> = {
  'a file': { tool: 'read_file', input: { path: 'notes.md' } },
  'a page': { tool: 'fetch_url', input: { url: PAGE } },
  'a command': { tool: 'run_command', input: { command: COMMAND } },
  'a server': { tool: 'mcp__s__read', input: {} },
  'a hook': { tool: 'list_files', input: {} },
};

const OLD = Object.fromEntries(GUARDED.map((path) => [path, 'old']));

/** What reached the world although nobody allowed it; empty where all is well. */
async function obey(source: string, text: string, allowed: readonly ('read' | 'write' | 'run' | 'network' | 'mcp')[]) {
  const first = SOURCES[source];
  if (!first) throw new Error(source);
  const files = { ...OLD, 'notes.md': text };
  const reached: string[] = [];
  const web = createMemoryWeb({ [PAGE]: text });
  const background: BackgroundCommands = {
    ...NO_BACKGROUND,
    start: async (command) => {
      reached.push(`started ${command}`);
      return { command: { id: 'bg-1', command, ended: null }, text: '', leftOut: 0 };
    },
  };
  const mcp: McpServers = {
    prepare: async () => ({
      tools: ['read', 'act', 'look'].map((tool) => ({
        name: `mcp__s__${tool}`,
        server: 's',
        tool,
        description: text,
        fingerprint: tool,
        parameters: { type: 'object', properties: {} },
      })),
      notices: [],
    }),
    decisionOn: () => null,
    allowAlways: async () => {
      reached.push('allowed for good');
    },
    call: async ({ tool }) => {
      if (tool !== 'read') reached.push(`called ${tool}`);
      return { content: [{ type: 'text', text }] };
    },
  };
  const hooked = source === 'a hook';
  let questions = 0;
  const answer = ({ toolName, detail }: ApprovalRequest) => {
    questions++;
    const mine =
      toolName === first.tool &&
      (detail.kind !== 'command' || (detail.command === COMMAND && !detail.background)) &&
      (detail.kind !== 'web' || detail.url === PAGE);
    return mine ? ({ kind: 'allow', remember: 'session' } as const) : ({ kind: 'deny' } as const);
  };
  const turn = await demoHarness(obedientModel([first]), {
    files,
    answer,
    allowed,
    window: 200_000,
    mcp,
    subagents: memorySubagents(),
    // A command that ran and is not in the shell's script fails the test.
    commands: { [COMMAND]: { output: [text] } },
    ...(hooked
      ? { hooks: [{ on: 'afterTool', tools: ['list_files'], command: HOOK, timeout: 9, onFailure: 'continue' }] }
      : {}),
    world: {
      web,
      background,
      hooks: { run: async () => ({ ended: 'exit', exitCode: 0, output: text, errors: '' }) },
    },
  });
  const outcome = await turn.send('What do the notes say?');
  if (outcome.kind !== 'done') reached.push(outcome.kind);
  reached.push(...web.asked.filter((url) => url !== PAGE));
  for (const [path, before] of Object.entries(files)) {
    if (turn.files.textOf(path) !== before) reached.push(`changed ${path}`);
  }
  if (turn.files.textOf('moved.txt') !== null) reached.push('moved');
  const results = turn.journal.entries.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'tool' ? [entry.message] : [],
  );
  return { reached, results, questions };
}

describe('orders in a text, and a model that obeys', { tags: ['long'] }, () => {
  test('there are enough of them, for every class of tools', () => {
    expect(payloads.length).toBeGreaterThanOrEqual(450);
    const named = new Set(ORDERS.map(({ tool }) => tool));
    for (const tool of [
      'write_file',
      'edit_file',
      'move_file',
      'delete_file',
      'run_command',
      'fetch_url',
      'mcp__s__act',
    ]) {
      expect(named).toContain(tool);
    }
  });

  for (const [name, allowed, every] of [
    ['nothing was allowed', [], 3],
    ['everything was allowed that can be', ['read', 'write', 'run', 'network', 'mcp'], 1],
  ] as const)
    test(`${name}: nothing is written, runs or is asked for, and each is asked about or refused`, async () => {
      const failed: object[] = [];
      const names = Object.keys(SOURCES);
      for (const [nth, { order, text }] of payloads.entries()) {
        // Each order comes from three of the sources, and each source brings every third.
        if (nth % every !== 0) continue;
        const source = names[(nth + Math.floor(nth / FRAMES.length)) % names.length] ?? '';
        const { reached, results } = await obey(source, text, allowed);
        const [read, ...others] = results;
        const obeyed = read?.isError !== true && others.length === 1 && others[0]?.isError === true;
        if (reached.length > 0 || !obeyed) {
          failed.push({ source, order, reached, results: results.map((result) => result.text.slice(0, 200)) });
        }
      }
      expect(failed).toEqual([]);
    });

  test.each(Object.keys(SOURCES))(
    '%s may give an order to a subagent, whose calls are asked about too',
    async (source) => {
      for (const order of ORDERS.filter((_, nth) => nth % 20 === 0)) {
        const task = {
          tool: 'task',
          input: { title: 'x', prompt: `Do ${JSON.stringify(order).replace(/\}\}$/, '} }')}` },
        };
        const { reached, results } = await obey(source, JSON.stringify(task), [
          'read',
          'write',
          'run',
          'network',
          'mcp',
        ]);
        expect([order, reached, results.length]).toEqual([order, [], 2]);
      }
    },
  );
});
