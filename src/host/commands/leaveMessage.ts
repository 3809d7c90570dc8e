/** *Leave Message for Another Session…*: what was found out here, for a conversation that goes on elsewhere. */

import * as vscode from 'vscode';
import { ToldError } from '../../core/errors.ts';
import { noteOf } from '../../core/journal/noteOf.ts';
import { words } from '../../core/words.ts';
import type { ShownSession } from '../session/shownSession.ts';
import { nodeCrypto } from '../storage/disk/nodeCrypto.ts';
import { LONGEST_MESSAGE, leaveMessage } from '../storage/sessions/mailbox.ts';
import type { SessionStore } from '../storage/sessions/sessionStore.ts';
import { showInformation } from '../tell/notify.ts';
import { withCancel } from '../tell/withCancel.ts';

export async function leaveMessageElsewhere(session: ShownSession, store: SessionStore): Promise<void> {
  const conversation = session.requireMovable();
  const from = session.title;
  const others = (await withCancel(words('Reading the list of sessions…'), (signal) => store.list(signal))).filter(
    ({ id, problem }) => id !== conversation.id && problem === null,
  );
  if (others.length === 0) throw new ToldError(words('There is no other session in this workspace.'));
  const items = others.map(({ id, title, time }) => ({
    ...{ id, title, label: title || id },
    description: new Date(time).toLocaleString(vscode.env.language),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Leave a Message for Which Session?'),
    placeHolder: vscode.l10n.t('Its model will read the message at the beginning of its next turn.'),
  });
  if (!chosen) return;
  const text = await vscode.window.showInputBox({
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
      noteOf('info', words('Your message was left for “{0}”. Its model will read it on its next turn.', chosen.label), {
        detail: message.text.split('\n').map((line) => words('{0}', line)),
      }),
    ),
  );
  void showInformation(vscode.l10n.t('The message waits for “{0}”.', chosen.label));
}
