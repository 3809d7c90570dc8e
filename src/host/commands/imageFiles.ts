/**
 * Image files that a person chooses or drops. They are read here and handed to the panel, which makes them small.
 */

import * as vscode from 'vscode';
import { ToldError } from '../../core/errors.ts';
import type { GivenImage } from '../../core/images/attachImages.ts';
import { words } from '../../core/words.ts';
import { readImageFiles } from '../images/readImageFiles.ts';

const EXTENSIONS = ['png', 'jpg', 'jpeg', 'gif', 'webp'];
/** Where files lie that the editor itself would open. */
const SCHEMES: ReadonlySet<string> = new Set(['file', 'vscode-remote']);

/** None when the person chose none. */
export async function chooseImages(): Promise<readonly GivenImage[]> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectMany: true,
    openLabel: vscode.l10n.t('Attach'),
    title: vscode.l10n.t('Attach Image'),
    filters: { [vscode.l10n.t('Images')]: EXTENSIONS },
  });
  return readImages(chosen ?? []);
}

/** `uris` as text: they come from a drag. */
export async function readDropped(uris: readonly string[]): Promise<readonly GivenImage[]> {
  return readImages(uris.map((uri) => vscode.Uri.parse(uri)));
}

async function readImages(uris: readonly vscode.Uri[]): Promise<readonly GivenImage[]> {
  const other = uris.find(({ scheme }) => !SCHEMES.has(scheme));
  if (other) throw new ToldError(words('{0} is not read: it is not a file.', other.path.split('/').at(-1) ?? ''));
  return readImageFiles(uris.map(({ fsPath }) => fsPath));
}
