import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openHttpTransport } from '../../../../src/node/mcp/transport/httpTransport.ts';
import { ServerFault } from '../../../../src/node/mcp/transport/serverFault.ts';

const URL_OF_SERVER = 'https://mcp.example.com/mcp';

/** A port at which nothing answers. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

/** The fault of a request that `fetch` makes through a proxy. */
async function faultBehind(request: () => Promise<Response>, proxy: string | null) {
  const transport = openHttpTransport({
    url: URL_OF_SERVER,
    headers: {},
    fetch: request,
    proxy: () => proxy,
    now: () => 0,
    onFault: () => undefined,
  });
  await transport.start();
  const thrown = await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }).catch((reason: unknown) => reason);
  await transport.close();
  return thrown instanceof ServerFault ? { text: thrown.message, retry: thrown.retry } : String(thrown);
}

test('a proxy that is down or wants a password is named, and not tried again', async () => {
  // As undici tells it of a tunnel.
  const refused = () =>
    Promise.reject(
      new TypeError('fetch failed', { cause: new Error('Proxy response (407) !== 200 when HTTP Tunneling') }),
    );
  expect(await faultBehind(refused, 'proxy.example.com:3128')).toEqual({
    text: 'mcp.example.com was not asked: the proxy proxy.example.com:3128 wants a user name and a password (status 407). Give them in the setting http.proxy, as http://USER:PASSWORD@HOST:PORT.',
    retry: 'byHand',
  });
  const port = await closedPort();
  const down = () => fetch(`http://127.0.0.1:${port}/`);
  expect(await faultBehind(down, 'proxy.example.com:3128')).toEqual({
    text: 'mcp.example.com was not asked: the proxy proxy.example.com:3128 cannot be reached (ECONNREFUSED). Start it, or correct the setting http.proxy; where that is empty, HTTPS_PROXY and HTTP_PROXY count.',
    retry: 'byHand',
  });
  expect(await faultBehind(down, null)).toMatchObject({ text: expect.stringContaining(`the proxy 127.0.0.1:${port}`) });
});

test('a proxy that breaks off is named beside the reason, and tried again', async () => {
  const broken = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('other side closed') }));
  expect(await faultBehind(broken, 'proxy.example.com:3128')).toEqual({
    text: 'It cannot be reached: other side closed. The proxy proxy.example.com:3128 on the way to it may be the one at fault.',
    retry: 'soon',
  });
  expect(await faultBehind(broken, null)).toEqual({ text: 'It cannot be reached: other side closed.', retry: 'soon' });
});
