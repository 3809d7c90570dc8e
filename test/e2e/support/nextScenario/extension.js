// Prepares the window for the next scenario when `sharedWindow.ts` asks for it: an empty session, no list, editor, terminal
// or notification, the user settings of that scenario and no others. The editor does not watch the file of its user settings, so
// somebody inside has to change them.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ConfigurationTarget, commands, window, workspace } from 'vscode';

const { NEXT_SCENARIO = '' } = process.env;
const ANSWER = `${NEXT_SCENARIO}.answer`;

export function activate({ subscriptions }) {
  // A window that was reloaded goes on with its scenario.
  let seen = answered();
  const timer = setInterval(async () => {
    if (!existsSync(NEXT_SCENARIO)) return;
    const asked = JSON.parse(readFileSync(NEXT_SCENARIO, 'utf8') || '{}');
    if (asked.nth === undefined || asked.nth <= seen) return;
    seen = asked.nth;
    writeFileSync(ANSWER, JSON.stringify(await prepare(asked)));
  }, 50);
  subscriptions.push({ dispose: () => clearInterval(timer) });
}

function answered() {
  return existsSync(ANSWER) ? (JSON.parse(readFileSync(ANSWER, 'utf8') || '{}').nth ?? 0) : 0;
}

async function prepare({ nth, ofUser, ofFolder }) {
  try {
    await commands.executeCommand('workbench.action.closeQuickOpen');
    // What was not saved would hold the editors open with a question.
    for (const document of workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
      await window.showTextDocument(document);
      await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
    await commands.executeCommand('workbench.action.closeAllEditors');
    await commands.executeCommand('workbench.action.terminal.killAll');
    // Ends what the session before was doing, which may still tell something; the next settings may, too.
    await commands.executeCommand('palimpsest.stop');
    await commands.executeCommand('palimpsest.newSession');
    await commands.executeCommand('notifications.clearAll');
    for (const [name, value] of Object.entries(ofUser)) await put(name, value ?? undefined);
    for (const [name, value] of Object.entries(ofFolder)) await hear(name, value ?? undefined);
    return { nth };
  } catch (error) {
    return { nth, error: String(error) };
  }
}

/** Resolves when the product, which runs in this very host, has heard of it too. */
async function put(name, value) {
  const has = () => isSame(workspace.getConfiguration().inspect(name)?.globalValue, value);
  if (has()) return;
  await workspace.getConfiguration().update(name, value, ConfigurationTarget.Global);
  if (!has()) throw new Error(`the setting ${name} is not in force`);
}

/** Waits until the editor has read that setting from the folder, or that it is gone from there. */
async function hear(name, value) {
  for (let tries = 0; tries < 200; tries++) {
    if (isSame(workspace.getConfiguration().inspect(name)?.workspaceValue, value)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the setting ${name} of the folder is not as its file says`);
}

function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
