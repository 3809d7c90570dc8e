/** What precedes a conversation, read again at the beginning of each turn: the system prompt and memory files. */

import { findFiles } from '../compaction/memory/filesTouched.ts';
import type { HeaderItem, TreeEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { isOwnMessage } from '../journal/storedEntries.ts';
import { readMemoryFiles } from '../memory/memoryFiles.ts';
import { readOrders, type StandingOrder } from '../orders/standingOrders.ts';
import type { AgentPorts } from './agentPorts.ts';
import { BESIDE_PROMPT, BUILT_IN_HEADER } from './header.ts';

type Item = Omit<HeaderItem, 'tokens'>;
type Sources = Pick<AgentPorts, 'session' | 'workspace' | 'settings' | 'header' | 'parent'>;

/** `prompt` is that of the session's agent, where it has one of a file. */
export async function composeHeader(ports: Sources, prompt: Item | null): Promise<readonly Item[]> {
  const built = ports.header ? await ports.header() : BUILT_IN_HEADER;
  const base = prompt ? [prompt, BESIDE_PROMPT] : built;
  return [...base, ...(await memoryIn(ports))];
}

/** Those that hold for this session, oldest first. None where they are switched off. */
export function ordersInForce({ session, settings, parent }: Sources): readonly StandingOrder[] {
  if (!settings().memory.standingOrders) return [];
  // What the person demanded of the parent holds for its subagents, and none of them sees where it was said.
  const inherited = parent ? readOrders(parent.journal).map((order) => ({ ...order, inView: false })) : [];
  return [...inherited, ...readOrders(session.journal)];
}

async function memoryIn({ session, workspace, settings }: Sources): Promise<readonly Item[]> {
  const { enabled, maxTokens } = settings().memory;
  if (!enabled) return [];
  const { read, changed } = findFiles(newestTurn(session.journal));
  const items = session.journal.context.header?.items ?? [];
  const told = items.flatMap(({ kind, origin }) => (kind === 'memory' ? [origin] : []));
  return readMemoryFiles({
    // A folder that is not trusted may not tell the model what to do.
    files: workspace.trust() === 'trusted' ? workspace.files : null,
    own: workspace.ownMemory ?? (async () => null),
    touched: [...told, ...read, ...changed],
    maxTokens,
  });
}

/** Since the message before the newest one, newest first: what was touched earlier is in the header already. */
function* newestTurn(journal: Journal): Generator<TreeEntry> {
  let messages = 0;
  for (const entry of journal.backward()) {
    if (entry.type === 'message' && isOwnMessage(entry) && ++messages === 2) return;
    yield entry;
  }
}
