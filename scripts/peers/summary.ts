/** The summaries that the scripted model writes. Invariant: one holds only facts that its request showed. */

import type { Tokenizer } from './countRequests.ts';
import type { Fact } from './session.ts';

/** How many of the facts that its request showed a summary repeats: all, every second one, or not one. */
export type SummaryKind = 'full' | 'half' | 'empty';
export const SUMMARY_KINDS: readonly SummaryKind[] = ['full', 'half', 'empty'];

/** About as long as models write them. */
const TOKENS = 900;
const FILLER =
  'The work goes through the sources one after another; each was looked at in turn, what the checks reported was taken into account, and constants were put right where they were wrong. Nothing is open but the next sources and their checks. ';
/** Agents that look for a summary inside of a tag ask for it by this name. */
const TAGS = ['state_snapshot', 'summary'];

export function writeSummary(
  kind: SummaryKind,
  { facts, seen, asked, tokens }: { facts: readonly Fact[]; seen: string; asked: string; tokens: Tokenizer },
): string {
  const told = facts.filter(
    ({ text }, at) => kind !== 'empty' && (kind === 'full' || at % 2 === 0) && seen.includes(text),
  );
  let text = '## Goal\nPut the constants of the harbour right.\n\n## Progress\n';
  for (const fact of told) text += `- ${fact.kind}: ${fact.text}\n`;
  while (tokens(text) < TOKENS) text += FILLER;
  const tag = TAGS.find((each) => asked.includes(`<${each}>`));
  return tag === undefined ? text : `<${tag}>\n${text}\n</${tag}>`;
}
