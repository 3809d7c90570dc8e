/** A real `fetch` of a process of its own, through a real proxy that fails in every way: what is said of it names the proxy. */

import { execFile } from 'node:child_process';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const answer = (status: number) => (socket: Socket) => socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
const through = (then: (socket: Socket) => void) => (socket: Socket) => {
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  socket.once('data', () => then(socket));
};

/** By the name of the host that it is asked to connect to. */
const WAYS: Readonly<Record<string, (socket: Socket) => void>> = {
  'reset.example': (socket) => socket.resetAndDestroy(),
  'garbage.example': (socket) => socket.end('SSH-2.0-OpenSSH_9.0\r\n'),
  'closed.example': through((socket) => socket.end()),
  'later-reset.example': through((socket) => socket.resetAndDestroy()),
  'later-garbage.example': through((socket) => socket.end('no HTTP\r\n\r\n')),
  'password.example': answer(407),
  'hidden.example': through(answer(407)),
  'forbidden.example': answer(403),
};

const proxy = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (bytes) => WAYS[/^CONNECT ([^:]+)/.exec(bytes.toString('latin1'))?.[1] ?? '']?.(socket));
});
let place = '';
let said: Readonly<Record<string, string>> = {};

/** The error for each host. */
async function ask(hosts: readonly string[], environment: Readonly<Record<string, string>>): Promise<typeof said> {
  const script = `
    import { classifyConnectionError } from ${JSON.stringify(new URL('../../../../src/providers/errors/connectionError.ts', import.meta.url).href)};
    const said = {};
    for (const host of ${JSON.stringify(hosts)}) {
      const url = 'http://' + host + '/v1';
      said[host] = await fetch(url, { method: 'POST', body: '{}', redirect: 'error' }).then(
        ({ status }) => String(status),
        (thrown) => classifyConnectionError(thrown, url, process.env.NAMED ?? null).message,
      );
    }
    console.log(JSON.stringify(said));`;
  const args = ['--disable-warning=ExperimentalWarning', '--use-env-proxy', '--input-type=module', '--eval', script];
  const { NO_PROXY: _, no_proxy: __, ...others } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...others, ...environment } });
  return JSON.parse(stdout);
}

beforeAll(async () => {
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  place = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  said = await ask(Object.keys(WAYS), { HTTP_PROXY: `http://ada:open-sesame@${place}`, NAMED: place });
});
afterAll(() => proxy.close());

test.each(['reset.example', 'garbage.example', 'closed.example', 'later-reset.example', 'later-garbage.example'])(
  '%s: the connection broke, and the proxy may be why',
  (host) => {
    expect(said[host]).toBe(
      `The connection to ${host} broke. Try again. The proxy ${place} on the way to it may be the one at fault.`,
    );
  },
);

test.each(['password.example', 'hidden.example'])('%s: it wants a password, inside or outside of a tunnel', (host) => {
  expect(said[host]).toContain(
    `${host} was not asked: the proxy ${place} wants a user name and a password (status 407).`,
  );
});

test('it did not connect', () => {
  expect(said['forbidden.example']).toContain(`the proxy ${place} did not connect to it (status 403)`);
});

test('where only the error knows of a proxy, that is named', async () => {
  const { 'closed.example': closed } = await ask(['closed.example'], { HTTP_PROXY: `http://${place}` });
  expect(closed).toContain(`The proxy ${place} on the way to it may be the one at fault.`);
});
