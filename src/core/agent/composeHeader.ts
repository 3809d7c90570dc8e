/** What precedes a conversation, read again at the beginning of each turn: the system prompt and memory files. */

import { findFiles } from '../compaction/memory/filesTouched.ts';
import { wordsOf } from '../errors.ts';
import type { HeaderItem, TreeEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { isOwnMessage } from '../journal/storedEntries.ts';
import { readMemoryFiles } from '../memory/memoryFiles.ts';
import { readOrders, type StandingOrder } from '../orders/standingOrders.ts';
import type { Log } from '../ports.ts';
import type { LeaveOut } from '../sourceFile.ts';
import { inEnglish, verbatim, type Words, words } from '../words.ts';
import type { AgentPorts } from './agentPorts.ts';
import { BESIDE_PROMPT, BUILT_IN_HEADER } from './header.ts';

type Item = Omit<HeaderItem, 'tokens'>;
type Sources = Pick<AgentPorts, 'session' | 'workspace' | 'settings' | 'header' | 'parent'>;

/**
 * What a turn begins with comes from many places: files, servers, other programs. None of them may keep a turn from
 * running: one that fails is left out and named once, and Stop ends the wait for one that hangs.
 */
export class TurnSources {
  readonly #log: Log;
  readonly #told = new Set<string>();
  #untold: Words[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** `otherwise` where it cannot be read or the turn is stopped. */
  async read<T>(name: Words, read: () => Promise<T>, otherwise: () => T, signal: AbortSignal): Promise<T> {
    const { promise: stopped, resolve } = Promise.withResolvers<null>();
    const stop = () => resolve(null);
    if (signal.aborted) return otherwise();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const done = await Promise.race([read().then((value) => ({ value })), stopped]);
      return done === null ? otherwise() : done.value;
    } catch (thrown) {
      if (!signal.aborted) this.#tell(name, wordsOf(thrown));
      return otherwise();
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** It is there, and cannot be used. */
  readonly leaveOut: LeaveOut = (origin, reason) => this.#tell(verbatim(origin), reason);

  say(...said: readonly Words[]): void {
    this.#untold.push(...said);
  }

  /** What a person should know, said once. */
  takeSaid(): readonly Words[] {
    const said = this.#untold;
    this.#untold = [];
    return said;
  }

  #tell(name: Words, reason: Words): void {
    const said = words('{0} cannot be read, so this turn goes on without it: {1}', name, reason);
    const text = inEnglish(said);
    this.#log('warn', text);
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#untold.push(said);
  }
}

/** `prompt` is that of the session's agent, where it has one of a file. */
export async function composeHeader(
  ports: Sources,
  prompt: Item | null,
  sources: TurnSources,
  signal: AbortSignal,
): Promise<readonly Item[]> {
  const built = ports.header ? await ports.header() : BUILT_IN_HEADER;
  const base = prompt ? [prompt, BESIDE_PROMPT] : built;
  // What cannot be read for a moment must not change what the model is told.
  const told = () => {
    const items = ports.workspace.trust() === 'trusted' ? (ports.session.journal.context.header?.items ?? []) : [];
    return items.filter(({ kind }) => kind === 'memory').map(({ tokens: _, ...item }) => item);
  };
  const memory = await sources.read(words('The memory files'), () => memoryIn(ports, sources.leaveOut), told, signal);
  return [...base, ...memory];
}

/** Those that hold for this session, oldest first. None where they are switched off. */
export function ordersInForce({ session, settings, parent }: Sources): readonly StandingOrder[] {
  if (!settings().memory.standingOrders) return [];
  // What the person demanded of the parent holds for its subagents, and none of them sees where it was said.
  const inherited = parent ? readOrders(parent.journal).map((order) => ({ ...order, inView: false })) : [];
  return [...inherited, ...readOrders(session.journal)];
}

async function memoryIn({ session, workspace, settings }: Sources, leaveOut: LeaveOut): Promise<readonly Item[]> {
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
    leaveOut,
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
