/** Real hashes with predictable random words, so that journals written by tests are the same in every run. */

import type { Crypto } from '../../../src/core/crypto.ts';
import { nodeCrypto } from '../../../src/node/storage/disk/fileBlobStore.ts';

export function testCrypto(seed = 1): Crypto {
  let next = seed;
  return {
    ...nodeCrypto,
    randomHex: (bytes) =>
      (next++)
        .toString(16)
        .padStart(bytes * 2, '0')
        .slice(-bytes * 2),
  };
}
