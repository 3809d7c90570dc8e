/**
 * Parses a line typed into the composer as a command or a message. Pure: the composer acts on the result. A first word
 * with a second slash is a path, not a command.
 */

import { t } from '@vscode/l10n';
import { factsOf, SLASH_COMMANDS, type SlashCommand, type SlashWord } from '../../src/protocol/commands.ts';
import type { PanelState } from '../../src/protocol/messages.ts';

export interface Slash extends SlashWord {
  readonly name: SlashCommand;
}

export const SLASHES: readonly Slash[] = SLASH_COMMANDS.flatMap((name) => {
  const { slash } = factsOf(name);
  return slash ? [{ name, ...slash }] : [];
});

type Typed =
  | { readonly kind: 'text' }
  | { readonly kind: 'command'; readonly slash: Slash; readonly rest: string }
  | { readonly kind: 'unknown'; readonly name: string };

/** A skill's name stays in the text, where the host finds it. */
export function readCommand(draft: string, skills: PanelState['skills']): Typed {
  const [, name, rest] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(draft.trim()) ?? [];
  if (name === undefined) return { kind: 'text' };
  const slash = SLASHES.find(({ word }) => word === name.toLowerCase());
  const isSkill = skills.some((skill) => skill.name.toLowerCase() === name.toLowerCase());
  if (!slash && (isSkill || !/^[a-z]+$/i.test(name))) return { kind: 'text' };
  return slash ? { kind: 'command', slash, rest: rest?.trim() ?? '' } : { kind: 'unknown', name: `/${name}` };
}

/** The lists whose items an argument may name. */
type Named = Pick<PanelState, 'strategies' | 'models' | 'modes' | 'agents' | 'skills' | 'prompts'>;

export interface Completion {
  /** The draft after choosing it. */
  readonly draft: string;
  readonly label: string;
  readonly detail: string;
  /** Name of a codicon. */
  readonly icon?: string;
  /** The detail has a line of its own. */
  readonly tall?: boolean;
  /** Cursor position afterwards; default: at the end. */
  readonly cursor?: number;
}

/** Completions: names of commands and skills first, then of strategies, models, agents and modes. */
export function completeCommand(draft: string, state: Named): Completion[] {
  const [, name, begun] = /^\/([a-z]+) +(\S*)$/i.exec(draft) ?? [];
  const slash = SLASHES.find(({ word }) => word === name?.toLowerCase());
  if (slash && begun !== undefined) {
    return choicesOf(slash, state)
      .filter(({ id, label }) => `${id} ${label}`.toLowerCase().includes(begun.toLowerCase()))
      .map(({ id, label, description }) => ({ draft: `/${slash.word} ${id}`, label, detail: description }));
  }
  const typed = /^\/([^\s/]*)$/.exec(draft)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  const commands = SLASHES.filter(({ word }) => word.startsWith(typed)).map(({ word, argument, help }) => ({
    draft: argument ? `/${word} ` : `/${word}`,
    label: `/${word}`,
    detail: t(help),
  }));
  const words = new Set(SLASHES.map(({ word }) => word));
  const skills = state.skills
    .filter(({ name }) => `:${name.toLowerCase()}`.includes(typed && `:${typed}`) && !words.has(name.toLowerCase()))
    .map(({ name, description, from, hint }) => ({
      draft: `/${name} `,
      label: `/${name} ${hint ?? ''}`.trim(),
      ...(from ? { detail: `${from} · ${description}`, tall: true } : { detail: t('Skill: {0}', description) }),
    }));
  const prompts = state.prompts
    .filter(({ name }) => name.toLowerCase().includes(typed))
    .map(({ name, description }) => ({ draft: `/${name} `, label: `/${name}`, detail: t('Prompt: {0}', description) }));
  return [...commands, ...skills, ...prompts];
}

/** Names the list of completions for screen readers. */
export function nameCompletions(draft: string): string {
  const word = /^\/([a-z]+) /i.exec(draft)?.[1]?.toLowerCase();
  switch (SLASHES.find((slash) => slash.word === word)?.argument) {
    case 'strategy':
      return t('Compaction strategies');
    case 'model':
      return t('Models');
    case 'agent':
      return t('Agents');
    case 'mode':
      return t('Modes');
    default:
      return t('Commands');
  }
}

function choicesOf({ argument }: Slash, { strategies, models, modes, agents }: Named): PanelState['models'] {
  if (argument === 'strategy') return strategies;
  if (argument === 'agent') return agents;
  if (argument === 'mode') return modes;
  return argument === 'model' ? models : [];
}
