/** The first entries of a session that goes on from another one, and the link that the other one keeps. */

import type { BranchSummary } from '../../core/compaction/branchSummary.ts';
import { noteOf } from '../../core/journal/noteOf.ts';
import { words } from '../../core/words.ts';
import type { Conversation } from './conversation.ts';

/** Model, agent and mode are those of `before`. */
export async function beginFrom(
  next: Conversation,
  before: Conversation,
  titles: { readonly before: string; readonly next: string },
  summary: BranchSummary,
): Promise<void> {
  const { journal, agent } = next;
  await next.setMode(before.journal.mode);
  await next.change(async () => {
    await journal.append({ type: 'title', title: titles.next });
    const { chosenAgent, modelName } = before.agent;
    if (chosenAgent) await agent.chooseAgent(chosenAgent);
    await agent.configure(modelName);
    const said = words('This session goes on from “{0}”.', titles.before);
    await journal.append(noteOf('info', said, { action: 'openSession', session: before.id }));
    await agent.compactor.beginWith(summary, { id: before.id, title: titles.before });
  });
  await before.change(() =>
    before.journal.append(
      noteOf('info', words('“{0}” goes on from here.', titles.next), { action: 'openSession', session: next.id }),
    ),
  );
}
