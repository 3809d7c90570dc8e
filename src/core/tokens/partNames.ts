/** Names of the parts of a context, for a person. */

import { type Words, words } from '../words.ts';
import type { PartName } from './meter.ts';

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
