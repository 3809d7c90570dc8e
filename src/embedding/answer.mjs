/** An agent of palimpsest-core in a program of its own: asks a server, which this file starts, and prints its answer. */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, createAgent, createEndpointClient, exportMarkdown, nodeSystem, openStorage } from 'palimpsest-core';

/** Answers every request with the last message in capitals, as an OpenAI-compatible endpoint streams it. */
const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const { messages } = JSON.parse(Buffer.concat(pieces).toString());
  const content = `YOU SAID: ${String(messages.at(-1).content).toUpperCase()}`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choice) => response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
  send({ delta: { role: 'assistant', content }, finish_reason: null });
  send({ delta: {}, finish_reason: 'stop' });
  response.end('data: [DONE]\n\n');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const folder = await mkdtemp(join(tmpdir(), 'palimpsest-core-'));
const storage = await openStorage(folder);
const baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
const agent = await createAgent({
  model: { client: createEndpointClient({ baseUrl, key: async () => undefined }), model: 'echo', window: 32_000 },
  tools: [],
  system: nodeSystem(),
  systemPrompt: 'Be useful.',
  ...storage,
});
const { text, outcome, reason } = await ask(agent, 'hello from a program');
console.log(outcome.kind === 'done' ? text : `${outcome.kind}: ${reason}`);
console.log(
  `Kept as session ${storage.id}, ${[...exportMarkdown(agent.journal)].join('').length} characters as Markdown.`,
);

agent.dispose();
await storage.close();
await rm(folder, { recursive: true });
server.close();
server.closeAllConnections();
