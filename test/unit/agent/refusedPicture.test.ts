/**
 * A session whose endpoint refuses a picture, through the real client and agent: the turn goes on without it, the next ones
 * at once, and nothing in the journal is rewritten.
 */

import { afterEach, expect, test } from 'vitest';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { withRetries } from '../../../src/providers/retry.ts';
import { pngOf } from '../../support/images.ts';
import { testAgent } from '../../support/testAgent.ts';
import { closeServers, serveWith } from '../providers/answers/askServer.ts';

afterEach(closeServers);

test.each(['chat', 'responses', 'messages'] as const)(
  '%s: refused, answered, not sent again, told once',
  async (dialect) => {
    const server = await serveWith({
      checkRules: false,
      script: ({ text, number }) => {
        if (/image_url|input_image|"type":"image"/.test(text))
          return { kind: 'error', status: 400, body: { error: { message: 'Could not process the request.' } } };
        return number === 1
          ? { kind: 'answer', text: '', calls: [{ name: 'read_file', arguments: { path: 'chart.png' } }] }
          : { kind: 'answer', text: `Answer ${number}.` };
      },
    });
    const made = createEndpointClient({ baseUrl: server.baseUrl, dialect, key: async () => 'test-key-123' });
    const client = withRetries(made, { policy: { firstWaitMs: 1 } });
    const { agent, files } = await testAgent({ client, model: 'gpt-4o', window: 100_000, images: true }, {});
    files.put('chart.png', pngOf(32, 20, 90));
    const send = (text: string) => agent.send({ role: 'user', kind: 'user', text }, new AbortController().signal);
    expect(await send('Look at chart.png')).toMatchObject({ kind: 'done' });
    const journal = () => agent.journal.path();
    const before = journal().length;
    // The call, the refused request, and the one without the picture.
    expect(server.requests).toHaveLength(3);
    expect(server.requests.at(-1)?.text).toMatch(/chart\.png.*could not be sent to you/s);
    expect(await send('And now?')).toMatchObject({ kind: 'done' });
    expect(server.requests).toHaveLength(4);
    const notes = journal().flatMap((entry) => (entry.type === 'note' ? [entry.text] : []));
    expect(notes).toEqual([expect.stringMatching(/^The endpoint refused an image \("chart\.png"/)]);
    expect(journal().length).toBeGreaterThan(before);
    expect(notes.join()).not.toContain('test-key-123');
  },
);
