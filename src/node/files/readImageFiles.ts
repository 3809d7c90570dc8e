/** Images in files, as a person attaches them. */

import { basename } from 'node:path';
import { readImage } from '../../core/context/imageFacts.ts';
import { type GivenImage, IMAGE_LIMITS } from '../../core/context/images.ts';
import { UserFacingError } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import { words } from '../../core/words.ts';
import { storageError } from '../storage/disk/storageError.ts';
import { readBounded } from './checkedFiles.ts';

/** In bytes. Photos are smaller; a larger file is not for viewing. */
const LARGEST = 15_000_000;

/** Throws for the first file that is not regular, is too large, or is not an image by its own bytes. */
export async function readImageFiles(paths: readonly string[]): Promise<readonly GivenImage[]> {
  const images: GivenImage[] = [];
  for (const path of paths.slice(0, IMAGE_LIMITS.count)) {
    const name = basename(path);
    // A device never ends, and a pipe may never begin: neither is read.
    const bytes = await readBounded(path, LARGEST).catch((thrown: unknown) => {
      throw storageError(path, thrown);
    });
    if (bytes === 'notRegular') throw new UserFacingError(words('{0} is not read: it is not a file.', name));
    if (bytes === 'tooLarge') {
      const most = formatCount(LARGEST);
      throw new UserFacingError(words('{0} has more than {1} bytes and is not read. Make it smaller.', name, most));
    }
    if (!readImage(bytes)) {
      throw new UserFacingError(words('{0} is not a PNG, JPEG, GIF or WebP image, or it is damaged.', name));
    }
    images.push({ name, bytes });
  }
  return images;
}
