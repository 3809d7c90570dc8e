/**
 * Reads `palimpsest.*` from VS Code's configuration. Values are handed on unchecked, with whether a person or a
 * workspace set them; they are checked against the tables of settings.
 */

import * as vscode from 'vscode';
import type { SettingReader } from '../../core/settings/readSection.ts';

export const readSetting: SettingReader = (key) => {
  const section = vscode.workspace.getConfiguration('palimpsest');
  const inspected = section.inspect(key);
  const explicit = [inspected?.globalValue, inspected?.workspaceValue, inspected?.workspaceFolderValue];
  return { value: section.get(key), explicit: explicit.some((value) => value !== undefined) };
};

/** Writes where the value is set already, else to the user's settings. */
export async function writeSetting(key: string, value: unknown): Promise<void> {
  const section = vscode.workspace.getConfiguration('palimpsest');
  const inWorkspace = section.inspect(key)?.workspaceValue !== undefined;
  await section.update(
    key,
    value,
    inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global,
  );
}
