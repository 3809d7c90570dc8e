/** Counts tokens as a current model does, so that no agent's own estimate decides. */

import { get_encoding } from 'tiktoken';
import type { Tokenizer } from './countRequests.ts';

export function openTokenizer(): Tokenizer {
  const encoding = get_encoding('o200k_base');
  return (text) => encoding.encode_ordinary(text).length;
}
