/**
 * Image files that a person chooses or drops. They are read here and handed to the panel, which makes them small; what is
 * no image by its own bytes is never handed over.
 */

import * as vscode from 'vscode';
import { ToldError } from '../../core/errors.ts';
import { type GivenImage, IMAGE_LIMITS } from '../../core/images/attachImages.ts';
import { readImage } from '../../core/images/readImage.ts';
import { words } from '../../core/words.ts';

/** Bytes. Cameras stay below it; what is larger is no picture to look at. */
const LARGEST = 15_000_000;
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
export function readDropped(uris: readonly string[]): Promise<readonly GivenImage[]> {
  return readImages(uris.map((uri) => vscode.Uri.parse(uri)));
}

/** Throws for the first that cannot be used. */
async function readImages(uris: readonly vscode.Uri[]): Promise<readonly GivenImage[]> {
  const images: GivenImage[] = [];
  for (const uri of uris.slice(0, IMAGE_LIMITS.count)) {
    const name = uri.path.split('/').at(-1) ?? '';
    if (!SCHEMES.has(uri.scheme)) throw new ToldError(words('{0} is not read: it is not a file.', name));
    const { size, type } = await vscode.workspace.fs.stat(uri);
    // A device has no size, and no end.
    if ((type & vscode.FileType.File) === 0) throw new ToldError(words('{0} is not read: it is not a file.', name));
    if (size > LARGEST) {
      throw new ToldError(
        words(
          '{0} has {1} bytes, and at most {2} are read. Make it smaller.',
          name,
          size.toLocaleString('en-US'),
          LARGEST.toLocaleString('en-US'),
        ),
      );
    }
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (!readImage(bytes)) {
      throw new ToldError(words('{0} is not a PNG, JPEG, GIF or WebP image, or it is damaged.', name));
    }
    images.push({ name, bytes });
  }
  return images;
}
