/** Why what a file held is not there to be restored, in words for a person. Pure. */

import type { FileLack } from '../journal/entry.ts';
import { type Words, words } from '../words.ts';

export function describeLack(lack: FileLack): Words {
  switch (lack.kind) {
    case 'tooLarge':
      return words('it has {0} bytes; files over {1} bytes are not kept', lack.size, lack.limit);
    case 'notRead':
      return words('there was too much to read before the command ran');
    case 'cleared':
      return words('what it held was cleared: it was too old, or checkpoints kept too much');
  }
}
