import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import * as vscode from 'vscode';
import { editorProxy } from '../../src/host/models/endpoints/editorProxy.ts';
import { openWeb } from '../../src/node/web/openWeb.ts';
import { classifyConnectionError } from '../../src/providers/errors/connectionError.ts';
import { type ProxyServer, startProxy } from '../support/proxy/proxyServer.ts';

const PASSWORD = 'ada:open-sesame';

suite('the web from a real extension host', () => {
  const asked: string[] = [];
  const { signal } = new AbortController();
  let server: Server;
  let port = 0;

  suiteSetup(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.headers.host} ${request.url}`);
      response.writeHead(200, { 'content-type': 'text/plain' }).end('here');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  setup(() => asked.splice(0));
  suiteTeardown(() => server.close());

  test('a connection goes to the address that was judged, although the editor stands between', async () => {
    // No name server knows the name: whoever asked again would get nowhere.
    const web = openWeb({ lookUp: async () => [{ address: '127.0.0.1', family: 4 }] });
    const url = `http://rebind.example:${port}/x`;
    assert.deepEqual(await web.get(url, null, signal), { kind: 'local', address: '127.0.0.1', place: 'machine' });
    assert.deepEqual(asked, []);
    const page = await web.get(url, '127.0.0.1', signal);
    assert.equal(page.kind === 'page' && page.text, 'here');
    assert.deepEqual(asked, [`rebind.example:${port} /x`]);
  });

  suite('behind a proxy of the settings', () => {
    const http = vscode.workspace.getConfiguration('http');
    const proxies: ProxyServer[] = [];
    const looked: string[] = [];
    /** Clash and its like answer every name with such an address. */
    const web = openWeb({
      proxy: editorProxy,
      async lookUp(name) {
        looked.push(name);
        return [{ address: '198.18.0.7', family: 4 }];
      },
    });
    const start = async (options?: Parameters<typeof startProxy>[0]) => {
      const proxy = await startProxy(options);
      proxies.push(proxy);
      return proxy;
    };
    const use = (proxy: string | undefined, noProxy?: string[]) =>
      Promise.all([
        http.update('proxy', proxy, vscode.ConfigurationTarget.Global),
        http.update('noProxy', noProxy, vscode.ConfigurationTarget.Global),
      ]);
    const fails = async (url: string, local: string | null = null): Promise<string> => {
      try {
        return JSON.stringify(await web.get(url, local, signal));
      } catch (thrown) {
        return String(thrown);
      }
    };

    setup(() => looked.splice(0));
    teardown(async () => {
      for (const proxy of proxies.splice(0)) proxy.close();
      await use(undefined);
    });

    test('names are the proxy’s to resolve: nobody is asked for them here', async () => {
      const proxy = await start();
      await use(`http://127.0.0.1:${proxy.port}`);
      const page = await web.get(`http://public.example:${port}/x?y`, null, signal);
      assert.equal(page.kind === 'page' && page.text, 'here');
      assert.deepEqual(looked, []);
      assert.deepEqual(proxy.asked, [`GET http://public.example:${port}/x?y`]);
      assert.deepEqual(asked, [`public.example:${port} /x?y`]);
    });

    test('a name that the proxy is not for is judged here', async () => {
      const proxy = await start();
      await use(`http://127.0.0.1:${proxy.port}`, ['direct.example']);
      const found = await web.get(`http://direct.example:${port}/`, null, signal);
      assert.deepEqual(found, { kind: 'local', address: '198.18.0.7', place: 'other' });
      assert.deepEqual([looked, proxy.asked, asked], [['direct.example'], [], []]);
    });

    test('what is local by its form never reaches the proxy', async () => {
      const proxy = await start();
      await use(`http://127.0.0.1:${proxy.port}`);
      for (const host of [
        'localhost',
        '10.0.0.1',
        '[::1]',
        '169.254.169.254',
        'metadata.google.internal',
        'nas.local',
      ]) {
        const found = await web.get(`http://${host}:${port}/`, null, signal);
        assert.equal(found.kind, 'local', host);
      }
      assert.deepEqual([looked, proxy.asked, asked], [[], [], []]);
    });

    test('what a person agreed to here is not asked of another machine', async () => {
      const proxy = await start();
      await use(`http://${PASSWORD}@127.0.0.1:${proxy.port}`);
      for (const [host, local] of [
        ['public.example', '127.0.0.1'],
        ['127.0.0.2', '127.0.0.2'],
        ['app.localhost', 'app.localhost'],
      ] as const) {
        const said = await fails(`http://${host}:${port}/`, local);
        assert.match(said, new RegExp(`The proxy 127\\.0\\.0\\.1:${proxy.port} stands between`), host);
        assert.doesNotMatch(said, /ada|sesame/);
      }
      assert.deepEqual([proxy.asked, asked], [[], []]);
    });

    test('one whose address is none is told as that, for pages and for models', async () => {
      await use('http://ada:open-sesame@proxy example:1');
      const said = await fails(`http://public.example:${port}/`);
      // For plain http VS Code reads the address more freely than a URL, and looks for the host "proxy".
      assert.match(
        said,
        /public\.example:\d+ was not asked: the (?:address of the proxy cannot be used|proxy proxy cannot)/,
      );
      assert.doesNotMatch(said, /ada|sesame/);
      const thrown = await fetch('https://public.example/').catch((reason: unknown) => reason);
      const { message } = classifyConnectionError(
        thrown,
        'https://public.example/',
        editorProxy('https://public.example/'),
      );
      assert.match(
        message,
        /^public\.example was not asked: the (?:address of the proxy cannot be used|proxy proxy cannot)/,
      );
      assert.doesNotMatch(message, /ada|sesame/);
    });

    test('one that breaks off is named for models, too', async () => {
      const broken = createTcpServer((socket) =>
        socket.on('error', () => undefined).once('data', () => socket.end('?\n')),
      );
      await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
      const place = `127.0.0.1:${(broken.address() as AddressInfo).port}`;
      await use(`http://${PASSWORD}@${place}`);
      const url = 'http://public.example/';
      assert.equal(editorProxy(url), place);
      const thrown = await fetch(url).catch((reason: unknown) => reason);
      const { message } = classifyConnectionError(thrown, url, editorProxy(url));
      assert.match(message, new RegExp(`broke\\. Try again\\. The proxy ${place} on the way to it`));
      assert.match(await fails(url), new RegExp(`The proxy ${place} on the way to it`));
      broken.close();
    });

    test('a redirect within the origin is looked at again, and one elsewhere is told', async () => {
      const proxy = await start();
      await use(`http://127.0.0.1:${proxy.port}`);
      const moved = createServer((_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end());
      await new Promise<void>((resolve) => moved.listen(0, '127.0.0.1', resolve));
      const url = `http://public.example:${(moved.address() as AddressInfo).port}/`;
      assert.deepEqual(await web.get(url, null, signal), { kind: 'elsewhere', to: 'http://10.0.0.1/' });
      moved.close();
      assert.deepEqual(proxy.asked, [`GET ${url}`]);
    });

    test('one that wants a password is named, asked once, and gets it from the setting', async () => {
      const proxy = await start({ password: PASSWORD });
      await use(`http://127.0.0.1:${proxy.port}`);
      for (const url of [`http://public.example:${port}/`, 'https://public.example/']) {
        const said = await fails(url);
        assert.match(said, new RegExp(`the proxy 127\\.0\\.0\\.1:${proxy.port} wants a user name and a password`), url);
      }
      assert.deepEqual(proxy.asked, [`GET http://public.example:${port}/ 407`, 'CONNECT public.example:443 407']);
      await use(`http://ada:wrong@127.0.0.1:${proxy.port}`);
      const said = await fails('https://public.example/');
      assert.match(said, /status 407/);
      assert.doesNotMatch(said, /ada|wrong/);
      await use(`http://${PASSWORD}@127.0.0.1:${proxy.port}`);
      const page = await web.get(`http://public.example:${port}/`, null, signal);
      assert.equal(page.kind === 'page' && page.text, 'here');
      assert.deepEqual(looked, []);
    });

    test('what it answers in place of an https server is not taken for the page', async () => {
      const proxy = await start({ refused: { 'denied.example': 403 } });
      await use(`http://127.0.0.1:${proxy.port}`);
      const said = await fails('https://denied.example/');
      assert.match(
        said,
        new RegExp(
          `denied\\.example was not asked: the proxy 127\\.0\\.0\\.1:${proxy.port} did not connect to it \\(status 403\\)`,
        ),
      );
      assert.deepEqual(proxy.asked, ['CONNECT denied.example:443 403']);
    });

    test('one that is down is named, without its password', async () => {
      const proxy = await start();
      proxy.close();
      await use(`http://${PASSWORD}@127.0.0.1:${proxy.port}`);
      for (const url of [`http://public.example:${port}/`, 'https://public.example/']) {
        const said = await fails(url);
        assert.match(
          said,
          new RegExp(`the proxy 127\\.0\\.0\\.1:${proxy.port} cannot be reached \\(ECONNREFUSED\\)`),
          url,
        );
        assert.doesNotMatch(said, /ada|sesame/);
      }
      assert.deepEqual([looked, asked], [[], []]);
    });
  });
});
