/**
 * A copy of a journal for others, line by line, with the texts of its entries cleaned. A line that cannot be read is left
 * out, because nobody knows what is in it; the journal itself stays as it is.
 */

import type { Crypto } from '../../../core/crypto.ts';
import { decodeBytes, encodeEntry } from '../../../core/journal/codec.ts';
import type { CleanValue } from '../../../core/sessions/exportSession.ts';
import { readLines } from '../disk/readLines.ts';
import { writeLines } from '../disk/writeLines.ts';

export async function copyJournal(
  from: string,
  to: string,
  clean: CleanValue,
  crypto: Pick<Crypto, 'crc32'>,
): Promise<void> {
  await writeLines(to, async (write) => {
    const take = (line: Buffer) => {
      const decoded = decodeBytes(line, crypto);
      if (decoded.kind !== 'damaged') write(Buffer.from(encodeEntry(clean(decoded.entry), crypto)));
    };
    const { rest } = await readLines(from, take);
    if (rest) take(rest.bytes);
  });
}
