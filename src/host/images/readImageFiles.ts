/** Reads image files. What is no regular file, too large, or no image by its own bytes is never handed over. */

import { basename } from 'node:path';
import { ToldError } from '../../core/errors.ts';
import { type GivenImage, IMAGE_LIMITS } from '../../core/images/attachImages.ts';
import { readImage } from '../../core/images/readImage.ts';
import { words } from '../../core/words.ts';
import { readBounded } from '../files/checkedFiles.ts';
import { storageError } from '../storage/disk/storageError.ts';

/** Bytes. Cameras stay below it; what is larger is no picture to look at. */
const LARGEST = 15_000_000;

/** Throws for the first that cannot be used. */
export async function readImageFiles(paths: readonly string[]): Promise<readonly GivenImage[]> {
  const images: GivenImage[] = [];
  for (const path of paths.slice(0, IMAGE_LIMITS.count)) {
    const name = basename(path);
    // A device has no end, and a pipe may never begin: neither is read.
    const bytes = await readBounded(path, LARGEST).catch((thrown: unknown) => {
      throw storageError(path, thrown);
    });
    if (bytes === 'notRegular') throw new ToldError(words('{0} is not read: it is not a file.', name));
    if (bytes === 'tooLarge') {
      const most = LARGEST.toLocaleString('en-US');
      throw new ToldError(words('{0} has more than {1} bytes and is not read. Make it smaller.', name, most));
    }
    if (!readImage(bytes)) {
      throw new ToldError(words('{0} is not a PNG, JPEG, GIF or WebP image, or it is damaged.', name));
    }
    images.push({ name, bytes });
  }
  return images;
}
