/**
 * All of the network lies behind a proxy that alone knows its names and wants a password: from the address of a model in the
 * private network to its first answer, and to a page of the web. Whatever the proxy does is said with its name, once.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SCRIPTED_MODEL } from '../../support/modelServer/modelServerScript.ts';
import { type ProxyServer, startProxy } from '../../support/proxy/proxyServer.ts';
import { expectSetting } from '../support/host.ts';
import { send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { answerQuickInput, runCommand } from '../support/workbench.ts';

const PASSWORD = 'ada:open-sesame';

for (const password of [undefined, PASSWORD]) {
  test(`behind a proxy ${password === undefined ? 'without' : 'with'} a password: a model of the private network, and a page`, async ({
    startHost,
    startSteeredModel,
    makeFolder,
    atEnd,
    capture,
  }) => {
    const pages: string[] = [];
    const site = createServer((request, response) => {
      pages.push(`${request.headers.host}${request.url}`);
      response.writeHead(200, { 'content-type': 'text/plain' }).end('Wait longer each time.');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    atEnd(() => site.close());
    const page_ = `http://public.example:${(site.address() as AddressInfo).port}/retry`;
    const model = await startSteeredModel();
    const { port } = new URL(model.server.baseUrl);
    const proxy: ProxyServer = await startProxy(password === undefined ? {} : { password });
    atEnd(() => proxy.close());
    const place = `127.0.0.1:${proxy.port}`;
    /** Requests for the model's server, in the proxy's own words. */
    const tunnels = () => proxy.asked.filter((each) => each.startsWith(`CONNECT models.internal:${port}`));

    const host = await startHost({
      folder: makeFolder({ 'a.md': 'a\n' }),
      settings: { 'http.proxy': `http://${password === undefined ? '' : `${password}@`}${place}` },
    });
    const { page, panel } = host;
    const notices = panel.locator('.row.notice.error');

    await test.step('the address is asked about once, before anything is sent', async () => {
      await runCommand(page, 'Palimpsest: Set Up Model Endpoint');
      await answerQuickInput(page, '(1 of 3)', `http://models.internal:${port}/v1`);
      const dialog = page.locator('.monaco-dialog-box');
      await expect(dialog).toContainText(`Use plain http to models.internal:${port}?`);
      await capture('proxy-1-question');
      expect(tunnels()).toEqual([]);
      await dialog.getByRole('button', { name: 'Use plain http' }).click();
      await answerQuickInput(page, '(2 of 3)', '');
      await answerQuickInput(page, '(3 of 3)', SCRIPTED_MODEL);
      await answerQuickInput(page, 'Context Window of', '');
      await panel.getByRole('button', { name: `Model: ${SCRIPTED_MODEL}` }).waitFor();
      await expectSetting(host, 'palimpsest.endpoints', [
        expect.objectContaining({ baseUrl: `http://models.internal:${port}/v1`, plainHttp: true }),
      ]);
    });

    await test.step('a page is read through the proxy', async () => {
      model.planCall('fetch_url', { url: page_ }, 'It says to wait longer.');
      await send(panel, 'What does the page on retries say?');
      await panel.locator('.approval').getByRole('button', { name: 'Allow', exact: true }).click();
      await waitUntilIdle(panel);
      await expect(panel.getByText('It says to wait longer.', { exact: true })).toBeVisible();
      expect(lastTurn(model.server).messages.at(-1)?.text).toContain('Wait longer each time.');
      expect(pages).toEqual([page_.slice('http://'.length)]);
      expect(proxy.asked.filter((each) => each.includes('407'))).toEqual([]);
      await expect(notices).toHaveCount(0);
    });

    await test.step('a password that it does not take: it is named, and asked once', async () => {
      proxy.want('ada:another');
      const [asked, before] = [model.server.requests.length, tunnels().length];
      await send(panel, 'And now?');
      await expect(notices.last()).toContainText(`the proxy ${place} wants a user name and a password (status 407)`);
      await waitUntilIdle(panel);
      await expect(notices.last()).not.toContainText('sesame');
      await capture('proxy-2-password');
      expect(model.server.requests.length).toBe(asked);
      expect(tunnels().slice(before)).toEqual([`CONNECT models.internal:${port} 407`]);
    });

    await test.step('a proxy that is down is named', async () => {
      proxy.close();
      const asked = model.server.requests.length;
      await send(panel, 'Are you there?');
      await expect(notices.last()).toContainText(`the proxy ${place} cannot be reached (ECONNREFUSED)`);
      await waitUntilIdle(panel);
      await capture('proxy-3-down');
      expect(model.server.requests.length).toBe(asked);
    });
  });
}
