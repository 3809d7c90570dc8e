/** Warnings for a person before they send: about unresolved mentions and possible secrets. */

import { wordsOf } from '../errors.ts';
import { type Words, words } from '../words.ts';
import { type Located, locateMention } from './locateMention.ts';
import { findMentions, MOST_MENTIONS, writeMention } from './mention.ts';
import type { MentionPorts, MentionSources } from './mentionSources.ts';

interface MentionDoubt {
  /** As written in the message. */
  readonly mention: string;
  readonly kind: 'missing' | 'secret';
  readonly reason: Words;
}

const SECRET = words('It may hold secrets or configure programs, and its text goes to the model.');

export async function doubtMentions(
  text: string,
  ports: MentionPorts,
  sources: MentionSources,
): Promise<readonly MentionDoubt[]> {
  const doubts: MentionDoubt[] = [];
  for (const each of findMentions(text).slice(0, MOST_MENTIONS)) {
    const mention = writeMention(each.name);
    let located: Located;
    try {
      located = await locateMention(each, ports, sources);
    } catch (thrown) {
      doubts.push({ mention, kind: 'missing', reason: wordsOf(thrown) });
      continue;
    }
    if (located.kind === 'missing') doubts.push({ mention, kind: 'missing', reason: located.reason });
    if (located.kind === 'found' && located.secret) doubts.push({ mention, kind: 'secret', reason: SECRET });
  }
  return doubts;
}
