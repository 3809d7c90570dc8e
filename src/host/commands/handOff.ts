/** *Hand Off to New Session…*: starts a session with a summary of the one on screen; each links to the other. */

import * as vscode from 'vscode';
import type { BranchSummary } from '../../core/compaction/branchSummary.ts';
import { ToldError } from '../../core/errors.ts';
import { makeNote } from '../../core/journal/makeNote.ts';
import { words } from '../../core/words.ts';
import type { Conversation } from '../session/conversation.ts';
import type { ShownSession } from '../session/shownSession.ts';
import { nodeCrypto } from '../storage/disk/fileBlobStore.ts';
import { LONGEST_MESSAGE, leaveMessage } from '../storage/sessions/mailbox.ts';
import type { SessionStore } from '../storage/sessions/sessionStore.ts';
import { showInformation } from '../tell/notify.ts';
import { showInputBox, showQuickPick } from '../tell/pickers.ts';
import { withCancel } from '../tell/withCancel.ts';

/** `goal`, the purpose of the new session, waits in its composer. Throws with the reason when it cannot be started. */
export async function handOff(session: ShownSession, goal: string, nameNext: (title: string) => string): Promise<void> {
  const before = session.requireMovable();
  const { title } = session;
  const summary = await before.whileIdle((signal) => before.compactor.summariseSession(goal, signal), true);
  if (summary.kind === 'none') throw new ToldError(summary.reason);
  const titles = { before: title, next: nameNext(title) };
  await session.showNew((next) => beginFrom(next, before, titles, summary), goal);
}

/** Model, agent and mode are taken from `before`. */
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
    await journal.append(makeNote('info', said, { action: 'openSession', session: before.id }));
    await agent.compactor.beginWith(summary, { id: before.id, title: titles.before });
  });
  await before.change(() =>
    before.journal.append(
      makeNote('info', words('“{0}” continues from here.', titles.next), { action: 'openSession', session: next.id }),
    ),
  );
}

/** *Leave Message for Another Session…*: passes findings on to a conversation elsewhere. */
export async function leaveMessageElsewhere(session: ShownSession, store: SessionStore): Promise<void> {
  const conversation = session.requireMovable();
  const from = session.title;
  const others = (await withCancel(words('Reading the list of sessions…'), (signal) => store.list(signal))).filter(
    ({ id, problem }) => id !== conversation.id && problem === null,
  );
  if (others.length === 0) throw new ToldError(words('There is no other session in this workspace.'));
  const items = others.map(({ id, title, time }) => ({
    id,
    title,
    label: title || id,
    description: new Date(time).toLocaleString(vscode.env.language),
  }));
  const chosen = await showQuickPick(items, {
    title: vscode.l10n.t('Leave a Message for Which Session?'),
    placeHolder: vscode.l10n.t('Its model will read the message at the beginning of its next turn.'),
  });
  if (!chosen) return;
  const text = await showInputBox({
    title: vscode.l10n.t('Message for “{0}”', chosen.label),
    prompt: vscode.l10n.t('What its model should know, such as what was found out here'),
    ignoreFocusOut: true,
    validateInput: (typed) =>
      typed.length > LONGEST_MESSAGE ? vscode.l10n.t('At most {0} characters.', LONGEST_MESSAGE) : null,
  });
  if (!text?.trim()) return;
  const message = { from: conversation.id, title: from, text: text.trim() };
  await leaveMessage(store.folderOf(chosen.id), message, { clock: { now: Date.now }, crypto: nodeCrypto });
  await conversation.change(() =>
    conversation.journal.append(
      makeNote(
        'info',
        words('Your message was left for “{0}”. Its model will read it on its next turn.', chosen.label),
        {
          detail: message.text.split('\n').map((line) => words('{0}', line)),
        },
      ),
    ),
  );
  void showInformation(vscode.l10n.t('The message waits for “{0}”.', chosen.label));
}
