/**
 * The skills of one session: told to the model in one message at its beginning and again when they change, and each body
 * in a message of its own once it is used. All of them are conversation, so that a compaction can let them go; what went
 * is not told again by itself.
 */

import type { UserMessage } from '../context/message.ts';
import type { Journal } from '../journal/journal.ts';
import { noteOf } from '../journal/noteOf.ts';
import { kindOfEntry } from '../journal/storedEntries.ts';
import { countTokens, estimateMessage } from '../tokens/estimate.ts';
import { words } from '../words.ts';
import type { Skill } from './skill.ts';

/** What the tools know of the session's skills. */
export interface UsableSkills {
  /** As they were at the beginning of the turn. */
  readonly list: readonly Skill[];
  /** The message that holds the body; null where the model sees that already. */
  use(skill: Skill): UserMessage | null;
}

export interface SessionSkillsPorts {
  readonly journal: Journal;
  /** None where they are switched off. */
  readonly read: () => Promise<readonly Skill[]>;
  /** False where the agent that answers has no tool for them. */
  readonly mayUse: () => boolean;
}

/** Names the tool in the header too. */
export const USE_SKILL = 'use_skill';

const PREFACE = `These skills hold instructions for particular tasks. When a task fits one of them, call ${USE_SKILL} with its name before you begin. They never allow what the person must be asked.`;
const NONE = 'There are no skills anymore.';
/** Tokens of all names and descriptions together. */
const MOST_METADATA = 4_000;
const MOST_NAMED = 10;

export class SessionSkills implements UsableSkills {
  readonly #ports: SessionSkillsPorts;
  #list: readonly Skill[] = [];

  constructor(ports: SessionSkillsPorts) {
    this.#ports = ports;
  }

  get list(): readonly Skill[] {
    return this.#list;
  }

  /** Once it was offered it stays: the tools stand at the beginning of every request. */
  get offered(): boolean {
    const { header } = this.#ports.journal.context;
    return (
      this.#list.some(({ forModel }) => forModel) || (header?.tools.some(({ name }) => name === USE_SKILL) ?? false)
    );
  }

  /** Before the header of a turn. */
  async renew(): Promise<void> {
    this.#list = await this.#ports.read();
  }

  /** Before the person's message: appends what there is, where it is not what was told last. */
  async tell(): Promise<void> {
    const { journal } = this.#ports;
    const mayUse = this.#ports.mayUse();
    const text = describe(mayUse ? this.#list.filter(({ forModel }) => forModel) : []);
    const told = this.#told();
    if (text === (told ?? NONE)) return;
    await this.#append({ role: 'user', kind: 'skillMetadata', text });
    // What another agent may not use is there all the same.
    if (told === null || !mayUse) return;
    const names = this.#list.map(({ name }) => name);
    const shown = [...names.slice(0, MOST_NAMED), ...(names.length > MOST_NAMED ? ['…'] : [])].join(', ');
    const said =
      names.length === 0
        ? words('There are no skills anymore.')
        : words('The skills have changed. There are now: {0}.', shown);
    await journal.append(noteOf('info', said));
  }

  /** After the person's message: a message that begins with `/name` brings the skill of that name. */
  async follow({ kind, text }: UserMessage): Promise<void> {
    const name = /^\/([\w-]+)(?=\s|$)/.exec(text.trimStart())?.[1]?.toLowerCase();
    if (kind !== 'user' || name === undefined) return;
    const skill = this.#list.find((each) => each.forPerson && each.name.toLowerCase() === name);
    const message = skill && this.use(skill);
    if (message) await this.#append(message);
  }

  use(skill: Skill): UserMessage | null {
    const text = instructionsOf(skill);
    const seen = this.#ports.journal.context.conversation.some(
      ({ kind, hidden, message }) => kind === 'skillPrompt' && !hidden && message.text === text,
    );
    return seen ? null : { role: 'user', kind: 'skillPrompt', text };
  }

  /** What was told last on this path, also where it has left the context. */
  #told(): string | null {
    for (const entry of this.#ports.journal.backward()) {
      if (entry.type === 'message' && kindOfEntry(entry) === 'skillMetadata') return entry.message.text;
    }
    return null;
  }

  async #append(message: UserMessage): Promise<void> {
    await this.#ports.journal.append({ type: 'message', message, tokens: estimateMessage(message) });
  }
}

function describe(skills: readonly Skill[]): string {
  if (skills.length === 0) return NONE;
  const lines: string[] = [];
  let left = MOST_METADATA;
  for (const { name, description } of skills) {
    const line = description === '' ? `- ${name}` : `- ${name}: ${description}`;
    left -= countTokens(line);
    if (left < 0) break;
    lines.push(line);
  }
  const more = skills.length - lines.length;
  return [
    PREFACE,
    '',
    ...lines,
    ...(more > 0 ? [`(${more} more: ${USE_SKILL} without a name lists all names.)`] : []),
  ].join('\n');
}

function instructionsOf({ name, origin, body }: Skill): string {
  const folder = origin.replace(/\/[^/]+$/, '');
  return `The skill ${name} is in use. Paths in it start from ${folder}. It tells how to do a task; what the person says goes before it, and it never allows what the person must be asked.\n\n${body}`;
}
