/**
 * A small real proxy on this machine: tunnels for https, whole addresses for http, with a password if it is given one. Names
 * are resolved by it alone: every name leads to this machine, so none has to exist.
 */

import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ProxyServer {
  readonly port: number;
  /** What it was asked for, in order, as `METHOD host:port` or `METHOD address`, with the status where it refused. */
  readonly asked: readonly string[];
  /** From now on it wants this password, also of those who were connected. */
  want(password: string): void;
  close(): void;
}

interface ProxyOptions {
  /** `user:password`; without it nobody is asked for one. */
  readonly password?: string;
  /** Tunnels to these hosts are refused with that status. */
  readonly refused?: Readonly<Record<string, number>>;
}

export async function startProxy({ password: first, refused = {} }: ProxyOptions = {}): Promise<ProxyServer> {
  let password = first;
  const tunnels = new Set<Duplex>();
  const asked: string[] = [];
  const knows = (question: IncomingMessage) =>
    password === undefined ||
    question.headers['proxy-authorization'] === `Basic ${Buffer.from(password).toString('base64')}`;

  const server = createServer((question, answer) => {
    const url = question.url ?? '';
    if (!knows(question)) {
      asked.push(`${question.method} ${url} 407`);
      answer.writeHead(407, { 'proxy-authenticate': 'Basic realm="test"' }).end('The proxy wants a password.');
      return;
    }
    asked.push(`${question.method} ${url}`);
    const { port, pathname, search, host } = new URL(url);
    const headers = { ...question.headers, host };
    const options = { host: '127.0.0.1', port, path: `${pathname}${search}`, method: question.method, headers };
    const onward = request(options, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.writeHead(502).end('No answer.'));
    question.pipe(onward);
  });
  server.on('connect', (question: IncomingMessage, client: Duplex) => {
    client.on('error', () => client.destroy());
    const [host = '', port = ''] = (question.url ?? '').split(':');
    const status = knows(question) ? refused[host] : 407;
    asked.push(`CONNECT ${question.url}${status === undefined ? '' : ` ${status}`}`);
    const refuse = (status: number) => {
      const asks = status === 407 ? 'Proxy-Authenticate: Basic realm="test"\r\n' : '';
      client.end(`HTTP/1.1 ${status} No\r\n${asks}Content-Length: 6\r\nConnection: close\r\n\r\nNo way`);
    };
    if (status !== undefined) {
      refuse(status);
      return;
    }
    const onward = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    onward.on('error', () => refuse(502));
    tunnels.add(client);
    client.on('close', () => {
      tunnels.delete(client);
      onward.destroy();
    });
  });
  const endAll = () => {
    server.closeAllConnections();
    for (const tunnel of tunnels) tunnel.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    want(other) {
      password = other;
      endAll();
    },
    close() {
      endAll();
      server.close();
    },
  };
}
