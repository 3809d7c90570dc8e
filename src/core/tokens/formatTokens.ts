/** Figures of the meter as people read them, the same everywhere: a number of tokens, and the parts of a context. */

import { type Words, words } from '../words.ts';
import type { PartName } from './meter.ts';

/** `980`, `1.2k`, `61k`, `1.2M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 10_000) return `${trimZero((tokens / 1_000).toFixed(1))}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
  return `${trimZero((tokens / 1_000_000).toFixed(1))}M`;
}

const trimZero = (text: string) => text.replace(/\.0$/, '');

export const PART_NAMES: Readonly<Record<PartName, Words>> = {
  system: words('System prompt'),
  memory: words('Memory'),
  tools: words('Tools'),
  user: words('Your messages'),
  assistant: words('Answers'),
  toolResults: words('Tool results'),
  summaries: words('Summaries'),
  skills: words('Skills'),
  mentions: words('Mentions'),
  other: words('Other'),
};
