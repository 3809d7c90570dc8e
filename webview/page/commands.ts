/**
 * What a line typed into the composer asks for. Pure: the answer is a choice, and the composer acts on it. A first word
 * with a second slash is a path, not a command.
 */

import { type Words, words } from '../../src/core/words.ts';
import type { PanelState } from '../../src/protocol/messages.ts';

export const COMMANDS = [
  'compact',
  'undo',
  'redo',
  'checkpoint',
  'restore',
  'branches',
  'clear',
  'new',
  'history',
  'export',
  'strategy',
  'model',
  'help',
] as const;
export type CommandName = (typeof COMMANDS)[number];

/** What each command does. */
export const COMMAND_WORDS: Readonly<Record<CommandName, Words>> = {
  compact: words('Compact now, keeping in mind what follows'),
  undo: words('Undo the newest compaction'),
  redo: words('Redo the compaction undone last'),
  checkpoint: words('Set a checkpoint here'),
  restore: words('Go back to a checkpoint'),
  branches: words('Return to a branch that was left'),
  clear: words('Empty the context; what was said is kept as a branch'),
  new: words('Start a new session'),
  history: words('Earlier sessions'),
  export: words('Export this session'),
  strategy: words('Choose the compaction strategy'),
  model: words('Choose the model'),
  help: words('Commands and keys'),
};

export type Typed =
  | { readonly kind: 'text' }
  | { readonly kind: 'command'; readonly name: CommandName; readonly rest: string }
  | { readonly kind: 'unknown'; readonly name: string };

export function readCommand(draft: string): Typed {
  const [, name, rest] = /^\/([a-zA-Z]+)(?:\s+([\s\S]*))?$/.exec(draft.trim()) ?? [];
  if (name === undefined) return { kind: 'text' };
  const known = COMMANDS.find((command) => command === name.toLowerCase());
  return known ? { kind: 'command', name: known, rest: rest?.trim() ?? '' } : { kind: 'unknown', name: `/${name}` };
}

export interface Completion {
  /** What the draft becomes. */
  readonly draft: string;
  readonly label: string;
  /** Of a command; the description of a strategy or model otherwise. */
  readonly detail:
    | { readonly kind: 'command'; readonly name: CommandName }
    | { readonly kind: 'text'; readonly text: string };
}

/** What may follow what is typed: names of commands, then of strategies and models. */
export function completeCommand(draft: string, state: Pick<PanelState, 'strategies' | 'models'>): Completion[] {
  const argument = /^\/(strategy|model) +(\S*)$/i.exec(draft);
  if (argument) {
    const name = (argument[1] ?? '').toLowerCase();
    const typed = (argument[2] ?? '').toLowerCase();
    const choices = name === 'model' ? state.models : state.strategies;
    return choices
      .filter(({ id, label }) => `${id} ${label}`.toLowerCase().includes(typed))
      .map(({ id, label, description }) => ({
        draft: `/${name} ${id}`,
        label,
        detail: { kind: 'text', text: description },
      }));
  }
  const typed = /^\/([a-z]*)$/i.exec(draft)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  return COMMANDS.filter((name) => name.startsWith(typed)).map((name) => ({
    draft: TAKES_MORE.has(name) ? `/${name} ` : `/${name}`,
    label: `/${name}`,
    detail: { kind: 'command', name },
  }));
}

const TAKES_MORE: ReadonlySet<CommandName> = new Set<CommandName>(['compact', 'strategy', 'model']);
