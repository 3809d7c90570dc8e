/**
 * One prompt file: a task that the person runs by its name after a slash, written for VS Code
 * (`.github/prompts/*.prompt.md`) or Claude Code (`.claude/commands/*.md`). Its text is foreign, like a skill's: it is only
 * said to the model. Invariant: nothing in it runs a command, reads a file, allows a tool or chooses a model.
 */

import { readFrontMatter } from '../frontMatter.ts';
import { findMentions, placesOf, readArguments } from '../mentions/mention.ts';
import { showInOneLine } from '../tools/text/showHidden.ts';
import { type Words, words } from '../words.ts';
import { checkName, cleanSource, cutBody, lineOf, type Skill, type SkillText } from './skill.ts';

/** A value that the person is asked for. */
export interface PromptInput {
  readonly name: string;
  /** As the file describes it; may be empty. */
  readonly description: string;
}

/** The fields of a prompt file that a skill has not. */
export interface PromptFacts {
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

export async function readPrompt({ origin, text, command = '' }: SkillText): Promise<Skill | { leftOut: Words }> {
  const isPrompt = origin.endsWith(PROMPT_ENDING);
  const read = await readFrontMatter(text);
  const fields = read?.fields ?? new Map();
  const body = cleanSource(read?.body ?? text).trim();
  const name = command.replaceAll(' ', '-');
  const wrong = checkName(name, origin);
  if (wrong) return { leftOut: wrong };
  if (body === '') return { leftOut: words('The prompt file {0} is left out: it is empty.', origin) };
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
export function fillPrompt({ body, origin }: Skill, typed: string): string {
  return origin.endsWith(PROMPT_ENDING) ? withVariables(body, typed, origin) : withWords(body, typed);
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
