/** *Hand Off to New Session…*: a session that begins with a summary of the one on screen; each has a link to the other. */

import type { BranchSummary } from '../../core/compaction/branchSummary.ts';
import { ToldError } from '../../core/errors.ts';
import { noteOf } from '../../core/journal/noteOf.ts';
import { words } from '../../core/words.ts';
import type { Conversation } from '../session/conversation.ts';
import type { ShownSession } from '../session/shownSession.ts';

/** `goal`, what the new one is for, waits in its composer. Throws with the reason where there can be none. */
export async function handOff(session: ShownSession, goal: string, nameNext: (title: string) => string): Promise<void> {
  const before = session.requireMovable();
  const { title } = session;
  const summary = await before.whileIdle((signal) => before.compactor.summariseSession(goal, signal), true);
  if (summary.kind === 'none') throw new ToldError(summary.reason);
  const titles = { before: title, next: nameNext(title) };
  await session.showNew((next) => beginFrom(next, before, titles, summary), goal);
}

/** Model, agent and mode are those of `before`. */
async function beginFrom(
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
    const said = words('This session continues from “{0}”.', titles.before);
    await journal.append(noteOf('info', said, { action: 'openSession', session: before.id }));
    await agent.compactor.beginWith(summary, { id: before.id, title: titles.before });
  });
  await before.change(() =>
    before.journal.append(
      noteOf('info', words('“{0}” continues from here.', titles.next), { action: 'openSession', session: next.id }),
    ),
  );
}
