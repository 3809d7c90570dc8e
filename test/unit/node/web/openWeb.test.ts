/** Real requests to servers on this machine. Which name leads where is said by the test, as a hostile name server would. */

import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { placeOfHost } from '../../../../src/core/hostPlace.ts';
import type { WebPage } from '../../../../src/core/workspace/web.ts';
import { openWeb } from '../../../../src/node/web/openWeb.ts';
import { freePort } from '../../../support/modelServer/freePort.ts';
import { type ProxyServer, startProxy } from '../../../support/proxy/proxyServer.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let answer: Answer = (_, response) => response.end();
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.headers.host}${request.url}`);
  answer(request, response);
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked.length = 0;
});

const { signal } = new AbortController();
/** A name server that answers in turn, and the last one from then on. */
const naming = (...turns: readonly (readonly string[])[]) => {
  let turn = 0;
  return openWeb({
    lookUp: async () =>
      (turns[Math.min(turn++, turns.length - 1)] ?? []).map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      })),
  });
};
const at = (path: string, host = '127.0.0.1') => `http://${host}:${port}${path}`;
const get = async (path: string): Promise<WebPage> => {
  const page = await openWeb().get(at(path), '127.0.0.1', signal);
  if (page.kind !== 'page') throw new Error(page.kind);
  return page;
};
const send = (type: string, body: string | Buffer, headers: Record<string, string> = {}): Answer => {
  return (_, response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body);
};

describe('where a connection goes', () => {
  test.each([['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254'], ['::1'], ['::ffff:127.0.0.1'], ['0.0.0.0']])(
    'a name that leads to %s alone is told, and nothing is sent',
    async (address) => {
      const found = await naming([address]).get(at('/', 'public.example'), null, signal);
      expect(found).toEqual({ kind: 'local', address, place: placeOfHost(address) });
      expect(asked).toEqual([]);
    },
  );

  test('a name that changes its address between the look and the connection is not followed', async () => {
    // The first answer is judged. Whoever asked again for the connection would get this machine.
    const web = naming(['192.0.2.1'], ['127.0.0.1']);
    expect(await web.get(at('/', 'rebind.example'), null, signal)).toMatchObject({ kind: 'local' });
    const agreed = naming(['127.0.0.1'], ['127.0.0.2']);
    answer = send('text/plain', 'here');
    expect(await agreed.get(at('/', 'rebind.example'), '127.0.0.1', signal)).toMatchObject({ text: 'here' });
    expect(asked).toEqual([`rebind.example:${port}/`]);
  });

  test('it was agreed to one local address, and to no other', async () => {
    const web = naming(['127.0.0.1']);
    await expect(web.get(at('/', 'moved.example'), '127.0.0.2', signal)).rejects.toThrow('does not lead to 127.0.0.2');
    expect(asked).toEqual([]);
  });

  test('this computer by its name is this computer alone', async () => {
    answer = send('text/plain', 'here');
    expect(await naming(['127.0.0.1']).get(at('/', 'localhost'), 'localhost', signal)).toMatchObject({ text: 'here' });
    const elsewhere = await naming(['10.0.0.1']).get(at('/', 'localhost'), 'localhost', signal);
    expect(elsewhere).toEqual({ kind: 'local', address: '10.0.0.1', place: 'network' });
    expect(asked).toHaveLength(1);
  });

  test('a local name was agreed to for the network, and what it leads to on this computer is told', async () => {
    const found = await naming(['127.0.0.1']).get(at('/', 'app.local'), 'app.local', signal);
    expect(found).toEqual({ kind: 'local', address: '127.0.0.1', place: 'machine' });
    expect(asked).toEqual([]);
    answer = send('text/plain', 'here');
    expect(await naming(['127.0.0.1']).get(at('/', 'app.local'), '127.0.0.1', signal)).toMatchObject({ text: 'here' });
    expect(asked).toEqual([`app.local:${port}/`]);
  });

  test.each([
    ['localhost', 'machine'],
    ['a.localhost.', 'machine'],
    ['127.0.0.1', 'machine'],
    ['10.0.0.1', 'network'],
    ['nas.local', 'network'],
    ['Wiki.Corp.Internal.', 'network'],
    ['host.docker.internal', 'network'],
    ['router.home.arpa', 'network'],
    ['wiki', 'network'],
    ['169.254.169.254', 'link'],
    ['metadata.google.internal', 'link'],
    ['instance-data', 'link'],
    ['168.63.129.16', 'link'],
    ['100.100.100.200', 'link'],
    ['192.0.0.192', 'link'],
  ])('%s is local by its form: no name server is asked, and nothing is sent', async (host, place) => {
    const looked: string[] = [];
    const web = openWeb({
      async lookUp(name) {
        looked.push(name);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    expect(await web.get(at('/', host), null, signal)).toEqual({
      kind: 'local',
      address: new URL(at('/', host)).hostname,
      place,
    });
    expect(looked).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('an address of this computer’s own is local although it is public', () => {
    expect(placeOfHost('93.184.216.34', ['10.0.0.1'])).toBeNull();
    expect(placeOfHost('93.184.216.34', ['10.0.0.1', '93.184.216.34'])).toBe('machine');
    expect(placeOfHost('::ffff:93.184.216.34', ['93.184.216.34'])).toBe('machine');
  });

  test('where a cloud hands out credentials is told, also in IPv6', () => {
    const given = ['fd00:ec2::254', 'fd20:ce::254', '::ffff:100.100.100.200', '64:ff9b::a9fe:a9fe', 'fd00:ec2::255'];
    expect(given.map((each) => placeOfHost(each))).toEqual(['link', 'link', 'link', 'link', 'network']);
  });

  test('other names are not local before they are looked up', () => {
    for (const name of [
      'local.example',
      'notlocalhost.example',
      'internal.example',
      'lan.example',
      '2130706433.example',
    ])
      expect(openWeb().placeOf(name)).toBeNull();
  });
});

describe('a proxy', () => {
  let proxy: ProxyServer;
  beforeEach(async () => {
    proxy = await startProxy();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    proxy.close();
  });

  /** Sends requests to the proxy and tells of it as VS Code's own `request` does: once connected, before anything is sent. */
  const useProxy = (shown = `PROXY ada:open-sesame@127.0.0.1:${proxy.port}`) => {
    const { request } = http;
    vi.spyOn(http, 'request').mockImplementation(((url: URL, options: http.RequestOptions, onAnswer: () => void) => {
      const { lookup: _, ...others } = options;
      const to = { ...others, host: '127.0.0.1', port: proxy.port, path: url.href };
      const sent = request({ ...to, headers: { ...options.headers, host: url.host } }, onAnswer);
      return sent.once('socket', () => sent.emit('proxy', { proxy: shown }));
    }) as typeof http.request);
  };
  const said = (url: string, local: string | null = null) =>
    openWeb({ proxy: () => 'settings.example:3128' })
      .get(url, local, signal)
      .then(
        (found) => JSON.stringify(found),
        (thrown: unknown) => String(thrown),
      );

  test('that breaks off is named, without its password', async () => {
    const bare = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end()));
    await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
    proxy = { ...proxy, port: (bare.address() as AddressInfo).port };
    useProxy();
    expect(await said('http://public.example/')).toBe(
      `ToolError: http://public.example could not be read: socket hang up. The proxy 127.0.0.1:${proxy.port} on the way to it may be the one at fault.`,
    );
    bare.close();
  });

  test('that is silent is named by the settings, as nothing else tells of it', async () => {
    vi.spyOn(http, 'request').mockImplementation(() => new http.ClientRequest(at('/')));
    answer = () => undefined;
    const web = openWeb({ milliseconds: 200, proxy: () => 'settings.example:3128' });
    await expect(web.get('http://public.example/', null, signal)).rejects.toThrow(
      'http://public.example did not answer whole within 0.2 s. The proxy settings.example:3128 on the way to it may be the one at fault.',
    );
  });

  test('that was not used is not named', async () => {
    useProxy('DIRECT');
    proxy.close();
    expect(await said('http://public.example/')).toMatch(
      /^ToolError: http:\/\/public\.example could not be read: [^.]*[\d.:]*\.$/u,
    );
  });

  test('whose address is none is told as that', async () => {
    vi.spyOn(http, 'request').mockImplementation(() => {
      const sent = new http.ClientRequest(at('/'));
      queueMicrotask(() => sent.destroy(Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' })));
      return sent;
    });
    expect(await said('http://public.example/')).toContain(
      'public.example was not asked: the address of the proxy cannot be used.',
    );
  });

  test('reads a page, also one of the private network by its name', async () => {
    answer = send('text/plain', 'here');
    useProxy();
    expect(await said(at('/', 'public.example'))).toContain('"text":"here"');
    expect(await said(at('/', 'nas.local'), 'nas.local')).toContain('"text":"here"');
    expect(asked).toEqual([`public.example:${port}/`, `nas.local:${port}/`]);
  });

  test.each([
    ['public.example', '10.0.0.1', 'public.example leads wherever the proxy looks it up, which need not be 10.0.0.1'],
    ['nas.local', '127.0.0.1', 'nas.local leads wherever the proxy looks it up, which need not be 127.0.0.1'],
    ['app.localhost', 'app.localhost', 'app.localhost means this computer, not that of the proxy'],
    ['127.0.0.2', '127.0.0.2', '127.0.0.2 means this computer, not that of the proxy'],
    ['169.254.169.254', '169.254.169.254', '169.254.169.254 means the link of this computer, not that of the proxy'],
  ])('is not asked for %s where a person agreed to %s', async (host, local, reason) => {
    useProxy();
    const told = await said(at('/', host), local);
    expect(told).toContain(`The proxy 127.0.0.1:${proxy.port} stands between, and ${reason}. Nothing was read.`);
    expect([proxy.asked, asked]).toEqual([[], []]);
  });
});

describe('redirects', () => {
  const redirect =
    (to: string): Answer =>
    (request, response) =>
      request.url === '/'
        ? response.writeHead(302, { location: to }).end()
        : send('text/plain', 'moved')(request, response);

  test('within the origin are followed', async () => {
    answer = redirect('/new#part');
    expect(await get('/')).toMatchObject({ url: at('/new'), text: 'moved' });
  });

  test('may be written in UTF-8', async () => {
    answer = redirect(Buffer.from('/größe').toString('latin1'));
    expect(await get('/')).toMatchObject({ url: at('/gr%C3%B6%C3%9Fe'), text: 'moved' });
    answer = redirect('/gr\u00F6\u00DFe');
    expect(await get('/')).toMatchObject({ url: at('/gr%C3%B6%C3%9Fe'), text: 'moved' });
  });

  test.each(['http://127.0.0.1:1/x', 'https://127.0.0.1/', '//other.example/x', 'http://localhost/'])(
    'to %s are told',
    async (to) => {
      answer = redirect(to);
      expect(await openWeb().get(at('/'), '127.0.0.1', signal)).toEqual({
        kind: 'elsewhere',
        to: new URL(to, at('/')).href,
      });
      expect(asked).toHaveLength(1);
    },
  );

  test('with a user and a password are told and followed without these', async () => {
    let sent: string | undefined;
    answer = (request, response) => {
      sent = request.headers.authorization;
      redirect(`http://ada:open-sesame@127.0.0.1:${port}/new`)(request, response);
    };
    expect(await get('/')).toMatchObject({ url: at('/new'), text: 'moved' });
    expect(sent).toBeUndefined();
    answer = redirect('https://ada:open-sesame@other.example/x');
    expect(await openWeb().get(at('/'), '127.0.0.1', signal)).toEqual({
      kind: 'elsewhere',
      to: 'https://other.example/x',
    });
  });

  test.each(['file:///etc/passwd', 'javascript:x', 'http://'])('to %s are refused', async (to) => {
    answer = redirect(to);
    await expect(get('/')).rejects.toThrow('no page of the web');
  });

  test('without end are ended', async () => {
    answer = (request, response) => response.writeHead(302, { location: `${request.url}x` }).end();
    await expect(get('/')).rejects.toThrow('redirects more than 5 times');
    expect(asked).toHaveLength(6);
  });
});

describe('what is read', () => {
  test('nothing of the person goes along', async () => {
    let headers: IncomingMessage['headers'] = {};
    answer = (request, response) => {
      ({ headers } = request);
      response.writeHead(200, { 'content-type': 'text/plain', 'set-cookie': 'a=b' }).end('x');
    };
    await get('/');
    await get('/');
    expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  });

  test('HTML as Markdown, in the letters that it names', async () => {
    const body = Buffer.from('<title>A\u00E9</title><meta charset=latin1><h1>\u00E9</h1><script>x</script>', 'latin1');
    answer = send('text/html', body);
    expect(await get('/')).toMatchObject({ type: 'text/html', title: 'A\u00E9', text: '# \u00E9', cut: false });
  });

  test.each([
    ['gzip', gzipSync('packed')],
    ['br', brotliCompressSync('packed')],
  ])('packed as %s', async (encoding, body) => {
    answer = send('application/json; charset=utf-8', body, { 'content-encoding': encoding });
    expect(await get('/')).toMatchObject({ type: 'application/json', text: 'packed' });
  });

  test.each(['image/png', 'application/octet-stream', 'application/pdf'])('not %s', async (type) => {
    answer = send(type, 'x');
    await expect(get('/')).rejects.toThrow(`is of the type ${type}`);
  });

  test('at most so much, also of what unpacks to more', { tags: ['long'] }, async () => {
    answer = send('text/plain', gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a')), { 'content-encoding': 'gzip' });
    const { text, cut } = await get('/');
    expect([text.length, cut]).toEqual([4 * 1024 * 1024, true]);
  });

  test('a body that never ends is stopped by the person', async () => {
    const stop = new AbortController();
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write('x');
      stop.abort();
    };
    await expect(openWeb().get(at('/'), '127.0.0.1', stop.signal)).rejects.toThrow(/abort/i);
  });

  test.each<[string, Answer]>([
    ['says nothing', () => undefined],
    ['begins and never ends', (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).write('x')],
  ])('a server that %s is not waited for without end', async (_, silent) => {
    answer = silent;
    await expect(openWeb({ milliseconds: 200 }).get(at('/'), '127.0.0.1', signal)).rejects.toThrow(
      /did not answer whole within 0\.2 s/,
    );
  });

  test('a server that is not there is named', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const asked = openWeb().get(`${nobody}/`, '127.0.0.1', signal);
    await expect(asked).rejects.toThrow(`${nobody} could not be read: `);
    await expect(asked).rejects.toThrow('ECONNREFUSED');
  });
});

describe('an answer that is none', () => {
  const raw = async (answer: (socket: Socket) => void, use: (url: string) => Promise<unknown>) => {
    const bare = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => answer(socket)));
    await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
    const { port: at } = bare.address() as AddressInfo;
    try {
      return await use(`http://127.0.0.1:${at}/`).catch((thrown: unknown) => String(thrown));
    } finally {
      bare.close();
    }
  };
  const read = (url: string) => openWeb().get(url, '127.0.0.1', signal);

  test.each<[string, RegExp, (socket: Socket) => void]>([
    [
      'another protocol',
      /another protocol/,
      (to) => to.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
    ['101 without saying which', /could not be read/, (to) => to.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')],
    ['a bare close', /could not be read/, (to) => to.end()],
    ['a reset', /could not be read/, (to) => to.resetAndDestroy()],
    ['half of a head', /could not be read/, (to) => to.end('HTTP/1.1 200')],
    ['less than it promised', /could not be read/, (to) => to.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    [
      'less than it packed',
      /could not be read/,
      (to) => to.end('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\nabc'),
    ],
  ])('%s settles', async (_, said, answer) => {
    expect(await raw(answer, read)).toMatch(said);
  });

  test.each<[string, (socket: Socket, stop: () => void) => void]>([
    ['no answer', (_, stop) => stop()],
    ['another protocol that goes on', (to, stop) => to.write('HTTP/1.1 102 Processing\r\n\r\n', stop)],
    ['half of a body', (to, stop) => to.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', () => stop())],
  ])('%s: Stop ends it', async (_, answer) => {
    const stop = new AbortController();
    const told = await raw(
      (socket) => answer(socket, () => stop.abort()),
      (url) => openWeb().get(url, '127.0.0.1', stop.signal),
    );
    expect(told).toContain('AbortError');
  });

  test('a name that is never found: Stop ends it', async () => {
    const stop = new AbortController();
    const web = openWeb({
      lookUp() {
        setImmediate(() => stop.abort());
        return new Promise(() => undefined);
      },
    });
    await expect(web.get('http://nowhere.example/', null, stop.signal)).rejects.toThrow('abort');
  });
});
