/**
 * The actions that the session on screen allows, as context keys: the palette and the menus offer nothing that cannot
 * work. A key that the manifest names is set here, and a key that is set here is named there.
 */

import type { Disposable } from '../../api/index.ts';
import type { Conversation } from '../session/conversation.ts';
import type { ShownSession } from '../session/shownSession.ts';

export const CONTEXTS = ['session', 'writable', 'busy', 'locked', 'canUndo', 'canRedo', 'asked'] as const;
export type Contexts = Readonly<Record<(typeof CONTEXTS)[number], boolean>>;

type Facts = {
  readonly status: Conversation['status'];
  readonly approvals: Pick<Conversation['approvals'], 'pending'>;
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
    locked: journal?.readOnly?.kind === 'locked',
    canUndo: writable && journal.context.activeCompactions.length > 0,
    canRedo: writable && journal.context.undoneCompactions.length > 0,
    asked: conversation !== null && conversation.approvals.pending.length > 0,
  };
}

/** `set` is called with the name without the `palimpsest.` prefix, once for each value that differs from before. */
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
