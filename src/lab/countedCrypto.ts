/** Hashes of the machine, with random words that are counted up, so that two runs are the same. */

import type { Crypto } from '../core/ports.ts';

export function countedCrypto(crypto: Crypto): Crypto {
  let made = 0;
  return {
    ...crypto,
    randomHex: (bytes) =>
      (++made)
        .toString(16)
        .padStart(bytes * 2, '0')
        .slice(-bytes * 2),
  };
}
