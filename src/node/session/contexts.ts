/**
 * Publishes the actions that the session on screen allows as context keys, so that palette and menus offer nothing
 * impossible. Every key in the manifest is set here, and every key set here is in the manifest.
 */

import type { Disposable } from '../../api/index.ts';
import type { Conversation } from './conversation.ts';
import type { ShownSession } from './shownSession.ts';

export const CONTEXTS = ['session', 'writable', 'busy', 'canUndo', 'canRedo'] as const;
export type Contexts = Readonly<Record<(typeof CONTEXTS)[number], boolean>>;

type Facts = {
  readonly status: Conversation['status'];
  readonly journal: Pick<Conversation['journal'], 'readOnly'> & {
    readonly context: Pick<Conversation['journal']['context'], 'activeCompactions' | 'undoneCompactions'>;
  };
};

export function readContexts(conversation: Facts | null): Contexts {
  const journal = conversation?.journal;
  const writable = journal !== undefined && !journal.readOnly;
  return {
    session: conversation !== null,
    writable,
    busy: conversation !== null && conversation.status !== 'idle',
    canUndo: writable && journal.context.activeCompactions.length > 0,
    canRedo: writable && journal.context.undoneCompactions.length > 0,
  };
}

/** `set` is called with the name without the `palimpsest.` prefix, once for each changed value. */
export function followContexts(
  session: Pick<ShownSession, 'conversation' | 'onDidChange'>,
  set: (name: keyof Contexts, value: boolean) => void,
): Disposable {
  const known = new Map<keyof Contexts, boolean>();
  const update = () => {
    const contexts = readContexts(session.conversation);
    for (const name of CONTEXTS) {
      if (known.get(name) === contexts[name]) continue;
      known.set(name, contexts[name]);
      set(name, contexts[name]);
    }
  };
  update();
  // Streaming text changes none of them.
  return session.onDidChange(({ kind }) => (kind === 'delta' ? undefined : update()));
}
