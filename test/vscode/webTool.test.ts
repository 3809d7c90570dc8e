import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { openWeb } from '../../src/node/web/openWeb.ts';

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
    const web = openWeb(async () => [{ address: '127.0.0.1', family: 4 }]);
    const url = `http://rebind.example:${port}/x`;
    assert.deepEqual(await web.get(url, null, signal), { kind: 'local', address: '127.0.0.1', place: 'machine' });
    assert.deepEqual(asked, []);
    const page = await web.get(url, '127.0.0.1', signal);
    assert.equal(page.kind === 'page' && page.text, 'here');
    assert.deepEqual(asked, [`rebind.example:${port} /x`]);
  });

  test('the proxy of the settings is asked', async () => {
    const settings = vscode.workspace.getConfiguration('http');
    await settings.update('proxy', `http://127.0.0.1:${port}`, vscode.ConfigurationTarget.Global);
    try {
      const web = openWeb(async () => [{ address: '93.184.216.34', family: 4 }]);
      const page = await web.get('http://public.example/x', null, signal);
      assert.equal(page.kind === 'page' && page.text, 'here');
      assert.deepEqual(asked, ['public.example http://public.example/x']);
    } finally {
      await settings.update('proxy', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
