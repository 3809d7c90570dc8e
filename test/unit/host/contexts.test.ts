/** The palette offers what can work: the keys, and that manifest and host mean the same ones. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { JournalError } from '../../../src/core/errors.ts';
import { CONTEXTS, type Contexts, followContexts, readContexts } from '../../../src/node/session/contexts.ts';
import type { SessionChange } from '../../../src/node/session/shownSession.ts';

const NOTHING: Contexts = {
  session: false,
  writable: false,
  busy: false,
  canUndo: false,
  canRedo: false,
};

type Session = Exclude<Parameters<typeof readContexts>[0], null>;
const session = (status: Session['status'], readOnly: JournalError | null, undone = 0): Session => ({
  status,
  journal: {
    readOnly,
    context: { activeCompactions: [], undoneCompactions: Array(undone).fill({ seq: 1 }) },
  },
});

test('nothing can be done without a session', () => {
  expect(readContexts(null)).toEqual(NOTHING);
});

test('a running session can be stopped, a read one taken over when another window has it', () => {
  expect(readContexts(session('waiting', null))).toEqual({
    ...NOTHING,
    session: true,
    writable: true,
    busy: true,
  });
  const locked = new JournalError('locked', 'journal.jsonl', 'open elsewhere');
  expect(readContexts(session('idle', locked, 1))).toEqual({ ...NOTHING, session: true });
  expect(readContexts(session('idle', null, 1))).toEqual({ ...NOTHING, session: true, writable: true, canRedo: true });
});

test('a key is set when it changes, and not for text that streams', () => {
  const listeners: ((change: SessionChange) => void)[] = [];
  const set: string[] = [];
  const shown = {
    conversation: null as never,
    onDidChange: (listener: (change: SessionChange) => void) => {
      listeners.push(listener);
      return { dispose: () => undefined };
    },
  };
  followContexts(shown, (name, value) => set.push(`${name} ${value}`));
  expect(set).toEqual(CONTEXTS.map((name) => `${name} false`));
  shown.conversation = session('running', null) as never;
  for (const listener of listeners) {
    listener({ kind: 'delta', rowId: 'live', text: 'a', reasoning: '' });
    expect(set.length).toBe(CONTEXTS.length);
    listener({ kind: 'state' });
    listener({ kind: 'state' });
  }
  expect(set.slice(CONTEXTS.length)).toEqual(['session true', 'writable true', 'busy true']);
});

test('the manifest names each of these keys, and no other', () => {
  const { contributes } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const clauses = contributes.commands.map(({ enablement = '' }: { enablement?: string }) => enablement).join(' ');
  const named = [...clauses.matchAll(/(?<!config\.)\bpalimpsest\.(\w+)/g)].map(([, name]) => name);
  expect([...new Set(named)].sort()).toEqual([...CONTEXTS].sort());
});
