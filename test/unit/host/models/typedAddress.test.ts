/** What a person means by a typed address. */

import { expect, test } from 'vitest';
import { inEnglish } from '../../../../src/core/words.ts';
import { readTypedAddress } from '../../../../src/node/models/readTypedAddress.ts';

test.each([
  ['https://api.example.com/v1/', 'https://api.example.com/v1'],
  ['api.example.com/v1', 'https://api.example.com/v1'],
  ['localhost:8080/v1', 'http://localhost:8080/v1'],
  ['127.0.0.1:9000/v1', 'http://127.0.0.1:9000/v1'],
  ['[::1]:9000/v1', 'http://[::1]:9000/v1'],
  ['192.168.1.2:11434', 'http://192.168.1.2:11434'],
  ['host.docker.internal:11434/v1', 'http://host.docker.internal:11434/v1'],
  ['https://192.168.1.2', 'https://192.168.1.2'],
  ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1'],
  ['http://api.example.com/v1', 'Plain http to api.example.com'],
  ['ftp://api.example.com', 'ftp:// cannot be used'],
  ['https://me:secret@h.example/v1', 'carries a key or a password'],
  ['https://', 'is not a URL'],
])('%s is %s', (text, expected) => {
  const read = readTypedAddress(text);
  expect(read?.kind === 'address' ? read.endpoint.baseUrl : inEnglish(read?.reason ?? [])).toContain(expected);
});

test.each(['', 'openai', 'LM Studio'])('%j only filters', (text) => {
  expect(readTypedAddress(text)).toBeNull();
});
