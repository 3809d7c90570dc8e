/**
 * Windows of a model in tokens, computed from what they must hold: the header that the product's agent sends, however many
 * tools it has and whatever it says of them, and so much conversation beside it.
 */

import { ensureHeader } from '../../src/core/agent/parts/header.ts';
import { givenSettings } from '../../src/core/compaction/settings/givenSettings.ts';
import { TriggerClauses } from '../../src/core/compaction/trigger/triggers.ts';
import { readFile } from '../../src/core/tools/builtIn/readFile.ts';
import { declareTool } from '../../src/core/tools/tool.ts';
import { words } from './compactionHarness.ts';
import { ScriptedModel } from './ports/scriptedModel.ts';
import { type TestAgentOptions, testAgent } from './testAgent.ts';

/** What decides about the header of an agent of `testAgent`. */
export type HeaderOptions = Pick<TestAgentOptions, 'header' | 'settings' | 'tools' | 'world'> & {
  /** Settings below `palimpsest.compaction.` */
  readonly compaction?: Readonly<Record<string, unknown>>;
};

/** Tokens of the header, as the product counts them. */
export async function countHeader(options: HeaderOptions = {}): Promise<number> {
  const model = new ScriptedModel([]).choice();
  const { agent } = await testAgent(model, options);
  const turn = agent.turnWith(model);
  await ensureHeader(agent.journal, await turn.header(new AbortController().signal), turn.tools().map(declareTool));
  const tokens = agent.journal.context.header?.tokens ?? 0;
  agent.dispose();
  return tokens;
}

/**
 * A header of so many tokens, for figures that were written down with one: some words beside the one tool that is called.
 * What other tools say of themselves is no part of it.
 */
export async function headerOf(tokens: number, options: HeaderOptions = {}): Promise<HeaderOptions> {
  const tools = [readFile];
  const left = tokens - (await countHeader({ ...options, tools, header: async () => [] }));
  if (left < 0) throw new Error(`The tools alone take ${-left} tokens more than ${tokens}`);
  return { tools, header: async () => [{ kind: 'systemPrompt', origin: 'built-in', text: words(left) }] };
}

/** The smallest window in which a conversation of so many tokens is not compacted yet. */
export async function windowFor(conversation: number, options: HeaderOptions = {}): Promise<number> {
  const { trigger } = givenSettings(options.compaction ?? {});
  const held = (await countHeader(options)) + conversation;
  let window = held;
  while ((new TriggerClauses(trigger, window).limit ?? 0) < held) window++;
  return window;
}
