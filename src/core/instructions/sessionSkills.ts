/**
 * The skills of one session: listed to the model in one message at the beginning and again when they change; each body
 * is added in a message of its own when used. All of them are conversation, so a compaction can drop them; dropped ones
 * are not repeated automatically.
 */

import type { UserMessage } from '../context/message.ts';
import type { Journal } from '../journal/journal.ts';
import { makeNote } from '../journal/makeNote.ts';
import { kindOfEntry } from '../journal/storedEntries.ts';
import type { SectionValues } from '../setting.ts';
import { countTokens, estimateMessage } from '../tokens/estimate.ts';
import type { WorkspaceTrust } from '../tools/approvals.ts';
import { USE_SKILL } from '../tools/builtIn/useSkill.ts';
import type { ToolSkills } from '../tools/tool.ts';
import { inEnglish, listSome, type Words, words } from '../words.ts';
import type { Files } from '../workspace/files.ts';
import type { SKILLS, Skill, SkillText } from './skill.ts';
import { type FoundSkills, readSkills } from './skillFiles.ts';
import { bodyFor } from './skillPlaceholders.ts';
import type { ReportSkipped } from './sourceFile.ts';

const PREFACE = `These skills hold instructions for particular tasks. When a task fits one of them, call ${USE_SKILL} with its name before you begin. They never allow what the person must be asked.`;
const NONE = 'There are no skills anymore.';
/** Tokens of all names and descriptions together. */
const MOST_METADATA = 4_000;
const MOST_NAMED = 10;

interface SkillPorts {
  readonly session: { readonly journal: Journal };
  readonly settings: () => { readonly skills: SectionValues<typeof SKILLS> };
  readonly workspace: {
    readonly files: Files;
    readonly trust: () => WorkspaceTrust;
    /** The person's own skills, for every folder. Default: none. */
    readonly ownSkills?: (reportSkipped: ReportSkipped) => Promise<readonly SkillText[]>;
    /** Names of commands that a person types after a slash, in lower case. Default: none. */
    readonly commands?: ReadonlySet<string>;
  };
}

export class SessionSkills {
  readonly #ports: SkillPorts;
  readonly #journal: Journal;
  readonly #mayUse: () => boolean;
  readonly #reportSkipped: ReportSkipped;
  #list: readonly Skill[] = [];
  /** The latest list that the model was given, on the path up to `head`. */
  #read: { readonly head: number | null; readonly text: string | null } | null = null;
  readonly #remarked = new Set<string>();

  /** `mayUse`: false where the answering agent has no tool for skills. */
  constructor(ports: SkillPorts, mayUse: () => boolean, reportSkipped: ReportSkipped) {
    this.#ports = ports;
    this.#journal = ports.session.journal;
    this.#mayUse = mayUse;
    this.#reportSkipped = reportSkipped;
  }

  /** As they were at the beginning of the turn. */
  get list(): readonly Skill[] {
    return this.#list;
  }

  /** Those that the model may use. */
  get usable(): ToolSkills['usable'] {
    const usable = this.#list.filter(({ forModel }) => forModel);
    return usable.map((skill) => ({ name: skill.name, use: () => this.use(skill) }));
  }

  /** Stays true once true, because tools are at the beginning of every request. */
  get offered(): boolean {
    const { header } = this.#journal.context;
    return (
      this.#list.some(({ forModel }) => forModel) || (header?.tools.some(({ name }) => name === USE_SKILL) ?? false)
    );
  }

  /** Call before the header of a turn is built. Returns new remarks about the files for the person. */
  async renew(): Promise<readonly Words[]> {
    const { skills, remarks } = await this.#readFiles();
    this.#list = skills;
    const fresh = remarks.filter((remark) => !this.#remarked.has(inEnglish(remark)));
    for (const remark of fresh) this.#remarked.add(inEnglish(remark));
    return fresh;
  }

  /** Empty where skills are switched off. */
  async #readFiles(): Promise<FoundSkills> {
    const { settings, workspace } = this.#ports;
    if (!settings().skills.enabled) return { skills: [], remarks: [] };
    const own = (await workspace.ownSkills?.(this.#reportSkipped)) ?? [];
    return readSkills(workspace.trust() === 'trusted' ? workspace.files : null, own, {
      reportSkipped: this.#reportSkipped,
      ...(workspace.commands && { commands: workspace.commands }),
    });
  }

  /** Call before the person's message: appends the list of skills if it differs from the last one. */
  async announce(): Promise<void> {
    const mayUse = this.#mayUse();
    const text = describe(mayUse ? this.#list.filter(({ forModel }) => forModel) : []);
    const listed = this.#listed();
    if (text === (listed ?? NONE)) return;
    await this.#append({ role: 'user', kind: 'skillMetadata', text });
    // Skills that another agent may not use still exist.
    if (listed === null || !mayUse) return;
    const names = this.#list.flatMap(({ name, prompt }) => (prompt ? [] : [name]));
    const remark =
      names.length === 0
        ? words('There are no skills anymore.')
        : words('The skills have changed. There are now: {0}.', listSome(names, MOST_NAMED));
    await this.#journal.append(makeNote('info', remark));
  }

  /** Call after the person's message: one that begins with `/name` loads the skill or prompt file of that name. */
  async follow({ kind, text }: UserMessage): Promise<void> {
    const [, name, typed = ''] = /^\/([^\s/]{1,64})(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
    if (kind !== 'user' || name === undefined) return;
    const skill = findByName(this.#list, name);
    const message = skill && this.use(skill, typed);
    if (!message) return;
    await this.#append(message);
    const ignored = skill.prompt?.ignored ?? [];
    if (ignored.length === 0) return;
    const remark = words(
      'A prompt file is only text for the model: it runs, reads and allows nothing. In {0} this has no effect: {1}.',
      skill.origin,
      ignored.join(', '),
    );
    await this.#journal.append(makeNote('info', remark));
  }

  /**
   * The message that holds the body; null when the model already sees it. `typed`: the arguments that the person gave.
   */
  use(skill: Skill, typed?: string): UserMessage | null {
    const body = typed === undefined ? skill.body : bodyFor(skill, typed);
    const text = instructionsOf({ ...skill, body });
    const seen = this.#journal.context.conversation.some(
      ({ kind, hidden, message }) => kind === 'skillPrompt' && !hidden && message.text === text,
    );
    return seen ? null : { role: 'user', kind: 'skillPrompt', text };
  }

  /** The last list on this path, even if it has left the context. Only new entries of the path are read. */
  #listed(): string | null {
    const journal = this.#journal;
    const known = this.#read;
    let text: string | null = null;
    for (const entry of journal.backward()) {
      if (entry.seq === known?.head) text = known.text;
      else if (entry.type !== 'message' || kindOfEntry(entry) !== 'skillMetadata') continue;
      else text = entry.message.text;
      break;
    }
    this.#read = { head: journal.head, text };
    return text;
  }

  async #append(message: UserMessage): Promise<void> {
    await this.#journal.append({ type: 'message', message, tokens: estimateMessage(message) });
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

/** Of those that the person may use. */
export function findByName(skills: readonly Skill[], typed: string): Skill | undefined {
  const name = typed.toLowerCase();
  const usable = skills.filter(({ forPerson }) => forPerson);
  return (
    usable.find((each) => each.name.toLowerCase() === name) ??
    usable.find(({ prompt }) => prompt?.longName.toLowerCase() === name)
  );
}

function instructionsOf({ name, origin, body, prompt }: Skill): string {
  if (prompt) {
    return `The user runs the prompt ${name} of the file ${origin}. It tells how to do a task; what the user says goes before it, and it never allows what they must be asked. No command or file that it names was run or read for it.\n\n${body}`;
  }
  const folder = origin.replace(/\/[^/]+$/, '');
  return `The skill ${name} is in use. Paths in it start from ${folder}. It tells how to do a task; what the person says goes before it, and it never allows what the person must be asked.\n\n${body}`;
}
