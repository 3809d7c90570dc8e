/** Hashes and random words, so that the core needs no import of Node. */

export interface Crypto {
  sha256(bytes: Uint8Array): Promise<string>;
  /** Lower-case hexadecimal, `bytes` × 2 characters. */
  randomHex(bytes: number): string;
  /** CRC-32 (IEEE) of bytes, or of the UTF-8 bytes of a text. */
  crc32(data: string | Uint8Array): number;
}
