// Opens the panel once the trial window of `npm start` is ready. The product itself never opens anything unasked.

import { commands } from 'vscode';

export async function activate() {
  await commands.executeCommand('palimpsest.panel.focus');
}
