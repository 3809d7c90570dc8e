/** Plain http to a private network: nothing is sent before a person agreed. The server is this machine, by its own name there. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { inEnglish } from '../../../src/core/words.ts';
import { testConnection } from '../../../src/providers/testConnection.ts';

test('is asked only by agreement, with and without a key', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[{"id":"one"}]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fetch: typeof globalThis.fetch = (url, init) =>
    globalThis.fetch(String(url).replace('http://192.168.7.7:11434', `http://127.0.0.1:${port}`), init);
  const test = async (plainHttp: boolean, key?: string) => {
    const target = { baseUrl: 'http://192.168.7.7:11434/v1', key: async () => key, plainHttp, fetch };
    const { kind, message } = await testConnection(target, new AbortController().signal);
    return `${kind}: ${inEnglish(message)}`;
  };
  expect(await test(false, 'k')).toMatch(
    /^failed: The endpoint cannot be used\. Plain http to 192\.168\.7\.7:11434 sends/,
  );
  expect(asked).toEqual([]);
  expect(await test(true)).toBe('works: http://192.168.7.7:11434 answers. It offers one.');
  expect(await test(true, 'k')).toContain('works');
  expect(asked).toEqual([undefined, 'Bearer k']);
  server.closeAllConnections();
  server.close();
});
