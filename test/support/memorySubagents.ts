/** Sessions of subagents in memory, by their ids: the first one is `sub1`. */

import type { SubagentSession, SubagentStore } from '../../src/core/agent/parts/subagents.ts';
import { Journal } from '../../src/core/journal/journal.ts';
import { memoryBlobs, memoryStore } from './ports/memoryStore.ts';
import { testCrypto } from './ports/nodeCrypto.ts';
import { testClock } from './ports/testClock.ts';

export function memorySubagents(): SubagentStore & { readonly sessions: SubagentSession[] } {
  const sessions: SubagentSession[] = [];
  return {
    sessions,
    create: async (parentEntry) => {
      const journal = new Journal([], { store: memoryStore(), clock: testClock(), crypto: testCrypto() });
      const id = `sub${sessions.length + 1}`;
      const facts = { format: 1, id, workspace: null, engine: 'palimpsest/test', nonce: 'beef', parentEntry };
      await journal.append({ type: 'session', ...facts });
      const session = { id, journal, blobs: memoryBlobs() };
      sessions.push(session);
      return session;
    },
  };
}
