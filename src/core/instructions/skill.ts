/**
 * Skills and prompt files: finds those of the open folders, and reads them. An Agent Skill is instructions for a particular
 * task in a `SKILL.md`; a prompt file is a task that the person runs by its name after a slash, written for VS Code
 * (`.github/prompts/*.prompt.md`) or Claude Code (`.claude/commands/*.md`). The files are foreign text: they are bounded,
 * hidden characters are spelled out, and nothing in them can pose as the product's own text. Invariant: nothing in a prompt
 * file runs a command, reads a file, allows a tool or chooses a model.
 */

import * as z from 'zod';
import { readFrontMatter, readSwitch } from '../frontMatter.ts';
import { findMentions, placesOf, readArguments } from '../mentions/mention.ts';
import { section, setting } from '../setting.ts';
import { countTokens, takeTokens } from '../tokens/estimate.ts';
import { findLookAlike, neutralise } from '../tools/text/neutralise.ts';
import { hasHidden, showHidden, showInOneLine, showName, spellLetters } from '../tools/text/showHidden.ts';
import { type Words, words } from '../words.ts';
import type { Files } from '../workspace/files.ts';
import { listSources, type ReportSkipped, readSource, skipSilently } from './sourceFile.ts';

/** A `SKILL.md` as found. */
export interface SkillText {
  /** Workspace-relative, or one that begins with `~`. */
  readonly origin: string;
  readonly text: string;
  /** For a prompt file: the name that its path gives. */
  readonly command?: string;
}

/** A value that the person is asked for. */
interface PromptInput {
  readonly name: string;
  /** As the file describes it; may be empty. */
  readonly description: string;
}

/** The fields of a prompt file that a skill has not. */
interface PromptFacts {
  /** The name that also works where another thing has the short one. */
  readonly longName: string;
  /** The words that may follow the name; empty where the file names none. */
  readonly hint: string;
  readonly inputs: readonly PromptInput[];
  /** It names the file in the editor. */
  readonly usesFile: boolean;
  /** Parts that have no effect here, as written. */
  readonly ignored: readonly string[];
}

export interface Skill {
  readonly name: string;
  /** One line: what it does, and when to use it. */
  readonly description: string;
  readonly origin: string;
  readonly body: string;
  /** False where the file reserves it for the person. */
  readonly forModel: boolean;
  /** False where the file reserves it for the model. */
  readonly forPerson: boolean;
  /** Of a prompt file. */
  readonly prompt?: PromptFacts;
}

/** The limit in the Agent Skills format. */
const LONGEST_DESCRIPTION = 1_024;

/** Tokens of a body; the rest is cut off, with a note to the model. */
const LONGEST_BODY = 20_000;

const LONGEST_SHOWN_NAME = 80;

/**
 * Starts with a letter or digit, so that it cannot be a path or an option. A plug-in's name may come before a colon.
 */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.:-]{0,63}$/u;

/** Returns the reason when the file is not a skill: it lacks front matter, instructions or a callable name. */
export async function readSkill({ origin, text }: SkillText): Promise<Skill | { readonly leftOut: Words }> {
  const read = await readFrontMatter(text);
  if (!read) {
    return {
      leftOut: words(
        'The skill {0} is left out: it does not begin with settings between two lines of “---”.',
        showName(origin),
      ),
    };
  }
  const field = (name: string) => lineOf(read.fields.get(name));
  const folder = origin.split('/').at(-2) ?? '';
  const name = (field('name') || folder).replaceAll(' ', '-');
  const body = cleanSource(read.body).trim();
  const wrong = checkName(name, origin);
  if (wrong) return { leftOut: wrong };
  if (body === '')
    return {
      leftOut: words('The skill {0} is left out: it has no instructions below its settings.', showName(origin)),
    };
  return {
    name,
    origin,
    description: field('description'),
    body: cutBody(body, origin),
    forModel: readSwitch(read.fields.get('disable-model-invocation')) !== true,
    forPerson: readSwitch(read.fields.get('user-invocable')) !== false,
  };
}

/** Why the name could not be typed after a slash; null when it can. */
function checkName(name: string, origin: string): Words | null {
  if (NAME.test(name) && !hasHidden(name)) return null;
  return words(
    'The skill {0} is left out: “{1}” cannot be its name. Use letters, digits, hyphens, dots and colons, at most 64, with a letter or digit first.',
    showName(origin),
    showName(name.slice(0, LONGEST_SHOWN_NAME)),
  );
}

/** A field as one line of bounded length; empty when it is not text. */
export function lineOf(value: unknown): string {
  const line = typeof value === 'string' ? cleanSource(value).replace(/\s+/g, ' ').trim() : '';
  return line.slice(0, LONGEST_DESCRIPTION).toWellFormed();
}

function cutBody(body: string, origin: string): string {
  return countTokens(body) <= LONGEST_BODY ? body : `${takeTokens(body, LONGEST_BODY)}\n[${origin} is cut here.]`;
}

/** Foreign text without hidden characters, and without what could pose as the product's own. */
const cleanSource = (text: string) => neutralise(showHidden(text.replaceAll('\r\n', '\n'))).toWellFormed();

export const PROMPT_ENDING = '.prompt.md';

/** Fields that would choose or allow something. */
const IGNORED_FIELDS = ['mode', 'agent', 'model', 'tools', 'allowed-tools', 'hooks'];
/** A command whose output Claude Code would insert. */
const SHELL = /(?<![\w`])!`([^`\n]{1,200})`/gu;
const INPUT = /\$\{input:([\w-]{1,64})(?::([^}\n]{0,200}))?\}/gu;
const OF_FILE = /\$\{(?:file|fileBasename|fileBasenameNoExtension|fileDirname|relativeFile)\}/u;
const MOST_INPUTS = 10;
const MOST_IGNORED = 10;
const LONGEST_IGNORED = 60;
/** Characters of all values put into one text. */
const MOST_VALUES = 100_000;

async function readPrompt({ origin, text, command = '' }: SkillText): Promise<Skill | { readonly leftOut: Words }> {
  const isPrompt = origin.endsWith(PROMPT_ENDING);
  const read = await readFrontMatter(text);
  const fields = read?.fields ?? new Map();
  const body = cleanSource(read?.body ?? text).trim();
  const name = command.trim().replaceAll(' ', '-');
  const wrong = checkName(name, origin);
  if (wrong) return { leftOut: wrong };
  if (body === '') return { leftOut: words('The prompt file {0} is left out: it is empty.', showName(origin)) };
  const [first = ''] = body.split('\n');
  const shown = cutBody(body, origin);
  const found = isPrompt ? [...shown.matchAll(INPUT)] : [];
  const inputs = new Map(found.map(([, input = '', description = '']) => [input, { name: input, description }]));
  return {
    name,
    origin,
    description: lineOf(fields.get('description')) || showInOneLine(first.replace(/^#+\s*/, '').slice(0, 200)),
    body: shown,
    forModel: false,
    forPerson: true,
    prompt: {
      longName: `${isPrompt ? 'prompts' : 'commands'}:${name}`,
      hint: lineOf(fields.get('argument-hint')).slice(0, 100).toWellFormed(),
      inputs: [...inputs.values()].slice(0, MOST_INPUTS),
      usesFile: isPrompt && OF_FILE.test(shown),
      ignored: [
        ...IGNORED_FIELDS.filter((field) => fields.has(field)),
        ...(isPrompt ? [] : [...shown.matchAll(SHELL)].map(([whole]) => whole)),
        ...findMentions(shown).flatMap(({ name: file, deliberate }) => (deliberate ? [`@${file}`] : [])),
      ]
        .slice(0, MOST_IGNORED)
        .map((each) => showInOneLine(each.slice(0, LONGEST_IGNORED)).toWellFormed()),
    },
  };
}

/** The text for the model; `typed` follows the name in the message. */
export function bodyFor({ body, origin, prompt }: Skill, typed: string): string {
  if (!prompt) return withArguments(body, typed);
  return origin.endsWith(PROMPT_ENDING) ? withVariables(body, typed, origin) : withWords(body, typed);
}

/** A skill's placeholders: `$ARGUMENTS`, and `$ARGUMENTS[0]` for the first word. */
function withArguments(body: string, typed: string): string {
  const all = cleanSource(typed);
  const each = all.split(/\s+/);
  return bounded(body, /\$ARGUMENTS\b(?:\[(\d{1,3})\])?/g, (_, index) =>
    index === undefined ? all : (each[Number(index)] ?? ''),
  );
}

/** Claude Code's placeholders: `$ARGUMENTS`, and `$1` for the first word. */
function withWords(body: string, typed: string): string {
  const all = cleanSource(typed);
  const each = [...all.matchAll(/"([^"\n]*)"|\S+/g)].map(([whole, quoted]) => quoted ?? whole);
  return bounded(body, /\$ARGUMENTS\b|\$([1-9])(?!\w|\.\d)/g, (_, index) =>
    index === undefined ? all : (each[Number(index) - 1] ?? ''),
  );
}

/** VS Code's variables. One that is not known stays as it is. */
function withVariables(body: string, typed: string, origin: string): string {
  const given = new Map(Object.entries(readArguments(`/prompt ${cleanSource(typed)}`)));
  const file = given.get('file') ?? '';
  const base = file.split('/').at(-1) ?? '';
  const selected = findMentions(typed).findLast(
    ({ target }) => target.kind === 'path' && placesOf(target.path).some(({ lines }) => lines !== null),
  );
  const lookUp = (name: string): string | null => {
    switch (name) {
      case 'selection':
      case 'selectedText':
        return selected ? `the lines ${selected.name}, which follow` : '(no lines are selected)';
      case 'file':
      case 'relativeFile':
        return file || '(no file is open)';
      case 'fileBasename':
        return base || '(no file is open)';
      case 'fileBasenameNoExtension':
        return base.replace(/(?<=.)\.[^.]*$/, '') || '(no file is open)';
      case 'fileDirname':
        return file === '' ? '(no file is open)' : file.slice(0, -base.length - 1) || '.';
      case 'workspaceFolder':
        return origin.replace(/\/?\.github\/prompts\/.*$/s, '') || '.';
      default: {
        const [, input] = /^input:([\w-]+)(?::.*)?$/s.exec(name) ?? [];
        return input === undefined ? null : (given.get(input) ?? `(${input} was not given)`);
      }
    }
  };
  return bounded(body, /\$\{([^}\n]{1,300})\}/g, (whole, name = '') => lookUp(name) ?? whole);
}

/** Values are put in once, so that a value cannot bring in another. */
function bounded(body: string, places: RegExp, lookUp: (whole: string, name: string | undefined) => string): string {
  let left = MOST_VALUES;
  return body.replaceAll(places, (whole: string, name?: string) => {
    const value = lookUp(whole, typeof name === 'string' ? name : undefined);
    left -= value.length;
    return left < 0 ? whole : value;
  });
}

/** Bytes. */
export const LARGEST_SKILL_FILE = 400_000;

/** Below each open folder and the home folder, in this order. */
export const SKILL_FOLDERS: readonly string[] = ['.agents/skills', '.claude/skills'];
export const SKILL_FILE = 'SKILL.md';
const PROMPTS_FOLDER = '.github/prompts';
export const COMMANDS_FOLDER = '.claude/commands';

/** In one folder of skills, and of prompt files with the folders below it. */
export const MOST_SKILLS = 100;

/** Folders of commands within each other. */
export const DEEPEST_COMMANDS = 4;

export interface FoundSkills {
  /** By name. */
  readonly skills: readonly Skill[];
  /** Why files are left out. */
  readonly remarks: readonly Words[];
}

interface ReadingSkills {
  readonly reportSkipped?: ReportSkipped;
  /** Names of the product's own commands, in lower case: what only looks like one is left out. */
  readonly commands?: Iterable<string>;
}

/**
 * When several skills share a name, the nearer one is used: the folder's before the person's own. A prompt file whose name
 * is taken has its long name. `files` is null where nothing may be read; `reportSkipped` receives files that cannot be
 * read, the remarks concern the others.
 */
export async function readSkills(
  files: Files | null,
  own: readonly SkillText[],
  { reportSkipped = skipSilently, commands = [] }: ReadingSkills = {},
): Promise<FoundSkills> {
  const byName = new Map<string, Skill>();
  const remarks: Words[] = [];
  const texts = [...(await inFolders(files, reportSkipped)), ...own];
  const isSkill = ({ command }: SkillText) => command === undefined;
  // A prompt file never takes a skill from the model.
  for (const text of [...texts.filter(isSkill), ...texts.filter((each) => !isSkill(each))]) {
    const read = await (isSkill(text) ? readSkill(text) : readPrompt(text));
    if ('leftOut' in read) {
      remarks.push(read.leftOut);
      continue;
    }
    const alike = findLookAlike(read.name, commands);
    if (alike !== null) {
      remarks.push(
        words(
          '{0} is left out: its name {1} only looks like the command /{2}.',
          showName(read.origin),
          spellLetters(read.name),
          alike,
        ),
      );
      continue;
    }
    const name = [read.name, ...(read.prompt ? [read.prompt.longName] : [])].find(
      (each) => !byName.has(each.toLowerCase()),
    );
    if (name !== undefined) byName.set(name.toLowerCase(), { ...read, name });
  }
  return { skills: [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, skill]) => skill), remarks };
}

/** The name of a prompt file below its folder, null for any other file: `front/new-page.md` is `front:new-page`. */
export function nameCommand(path: string, ending: string): string | null {
  if (!path.endsWith(ending) || path.split('/').some((part) => part.startsWith('.'))) return null;
  return path.slice(0, -ending.length).replaceAll('/', ':');
}

async function inFolders(files: Files | null, reportSkipped: ReportSkipped): Promise<SkillText[]> {
  if (files === null || files.root === null) return [];
  const found: SkillText[] = [];
  const take = async (origin: string, command?: string) => {
    const text = await readSource(files, origin, LARGEST_SKILL_FILE, reportSkipped);
    if (text !== null) found.push({ origin, text, ...(command === undefined ? {} : { command }) });
  };
  const list = (folder: string) => listSources(files, folder, reportSkipped);
  for (const top of files.folders?.map(({ name }) => `${name}/`) ?? ['']) {
    for (const folder of SKILL_FOLDERS) {
      const names = (await list(top + folder)).flatMap(({ name, type }) => (type === 'folder' ? [name] : []));
      for (const name of names.slice(0, MOST_SKILLS)) await take(`${top}${folder}/${name}/${SKILL_FILE}`);
    }
    for (const [folder, ending, deepest] of [
      [COMMANDS_FOLDER, '.md', DEEPEST_COMMANDS],
      [PROMPTS_FOLDER, PROMPT_ENDING, 0],
    ] as const) {
      const paths = await listBelow(async (below) => list([top + folder, below].filter(Boolean).join('/')), deepest);
      for (const path of paths) {
        const command = nameCommand(path, ending);
        if (command !== null) await take(`${top}${folder}/${path}`, command);
      }
    }
  }
  return found;
}

/** Paths of files, sorted, at most as many as are read. `list` gets a path below the folder, empty for itself. */
export async function listBelow(
  list: (below: string) => Promise<readonly { readonly name: string; readonly type: string }[]>,
  deepest: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  const look = async (below: string, left: number): Promise<void> => {
    const listed = [...(await list(below))].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, type } of listed.slice(0, MOST_SKILLS)) {
      const path = below === '' ? name : `${below}/${name}`;
      if (found.length >= MOST_SKILLS) return;
      if (type === 'file') found.push(path);
      else if (type === 'folder' && left > 0 && !name.startsWith('.')) await look(path, left - 1);
    }
  };
  await look('', deepest);
  return found;
}

/** The setting of skills. */
export const SKILLS = section('skills', {
  enabled: setting(
    z.boolean(),
    true,
    'Tell the model which skills there are, so that it can use them: each `SKILL.md` in `.agents/skills/*/` and `.claude/skills/*/` of the open folder and of your home folder. You use one by its name: `/name`, and so the prompt files in `.github/prompts` and `.claude/commands`, which the model is not told of. Nothing of a folder that you do not trust is read. *Palimpsest: Show Memory* lists them.',
  ),
});
