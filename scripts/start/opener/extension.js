// Opens the sample's README and the panel once the trial window of `npm start` is ready. The README is shown as text: in a
// browser its preview stays blank. The product itself never opens anything unasked.

import { commands, Uri, window, workspace } from 'vscode';

export async function activate() {
  const [folder] = workspace.workspaceFolders ?? [];
  const isFirst = window.tabGroups.all.every(({ tabs }) => tabs.length === 0);
  if (folder && isFirst) await window.showTextDocument(Uri.joinPath(folder.uri, 'README.md'), { preview: false });
  await commands.executeCommand('palimpsest.panel.focus');
}
