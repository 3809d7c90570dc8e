import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readStatistics } from '../../../src/node/storage/sessions/readStatistics.ts';
import { JOURNAL, SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('statistics of a stored session', () => {
  it('are read off its journal; a damaged line is left out', { tags: ['N8'] }, async () => {
    const store = new SessionStore({
      folder,
      workspace: null,
      engine: 'test',
      clock: testClock(),
      crypto: testCrypto(),
    });
    const session = await store.create();
    const message = { role: 'user', kind: 'user', text: 'about "type":"compaction" itself' } as const;
    const { seq } = await session.journal.append({ type: 'message', message, tokens: 9 });
    const facts = { type: 'compaction', base: seq, plan: [], trigger: 'manual', durationMs: 5, attempt: 1 } as const;
    await session.journal.append({ ...facts, strategy: 'selective', tokensBefore: 900, tokensAfter: 400 });
    await session.journal.close();
    const path = join(session.folder, JOURNAL);
    await appendFile(path, '{"seq":9,"type":"compaction","tokensBefore":70000,"tokensAfter":1}\n');
    expect(await readStatistics(path)).toMatchObject({
      compactions: 1,
      tokensSaved: 500,
      byStrategy: { selective: { compactions: 1, tokensSaved: 500 } },
    });
  });
});
