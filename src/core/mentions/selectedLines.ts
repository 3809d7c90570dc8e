/** The lines that a person has selected in the editor, as a mention that goes along with their message. */

import { estimateMessage } from '../tokens/estimate.ts';
import { locateMention } from './locateMention.ts';
import { findMentions, writePathMention } from './mention.ts';
import type { MentionPorts } from './mentionSources.ts';

/** Both are counted from 1 and included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export interface SelectedLines {
  /** As written in a message. */
  readonly mention: string;
  /** The same for a person: the file and its lines. */
  readonly name: string;
  /** Estimate of the message that will hold the lines. */
  readonly tokens: number;
}

/** The end of a path that names these lines. */
export function writeLines({ first, last }: LineRange): string {
  return last === first ? `:${last}` : `:${first}-${last}`;
}

interface SelectedText {
  readonly lines: LineRange;
  /** Of these lines. */
  readonly text: string;
  /** Lines of the file. */
  readonly total: number;
}

/**
 * Null for a file that is read only after a warning, or not at all. `path` is the workspace's own form, and `maxTokens` the
 * limit of one mention.
 */
export async function describeSelected(
  path: string,
  { lines, text, total }: SelectedText,
  ports: MentionPorts,
  maxTokens: number,
): Promise<SelectedLines | null> {
  const name = path + writeLines(lines);
  const mention = writePathMention(path, writeLines(lines));
  const [found] = findMentions(mention);
  const located = found ? await locateMention(found, ports, {}) : null;
  if (located?.kind !== 'found' || located.secret) return null;
  if (located.thing.kind !== 'place' || located.thing.place.lines === null) return null;
  const { first, last } = lines;
  const rest = last < total ? `, read on with offset ${last + 1}` : '';
  const read = `${mention}\n\n${path}: lines ${first}-${last} of ${total}${rest}\n${text}`;
  const tokens = estimateMessage({ role: 'user', kind: 'mention', text: read, mention });
  return { mention, name, tokens: Math.min(tokens, maxTokens) };
}
