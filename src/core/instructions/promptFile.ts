/**
 * A prompt file: a task that the person runs by its name after a slash, written for VS Code
 * (`.github/prompts/*.prompt.md`) or Claude Code (`.claude/commands/*.md`). Invariant: nothing in it runs a command, reads
 * a file, allows a tool or chooses a model.
 */

import { readFrontMatter } from '../frontMatter.ts';
import { findMentions } from '../mentions/mention.ts';
import { showInOneLine, showName } from '../tools/text/showHidden.ts';
import { type Words, words } from '../words.ts';
import { checkName, cleanSource, cutBody, lineOf, type Skill, type SkillText } from './skill.ts';
export const INPUT = /\$\{input:([\w-]{1,64})(?::([^}\n]{0,200}))?\}/gu;

export const OF_FILE = /\$\{(?:file|fileBasename|fileBasenameNoExtension|fileDirname|relativeFile)\}/u;

export const PROMPT_ENDING = '.prompt.md';

/** Fields that would choose or allow something. */
const IGNORED_FIELDS = ['mode', 'agent', 'model', 'tools', 'allowed-tools', 'hooks'];

/** A command whose output Claude Code would insert. */
const SHELL = /(?<![\w`])!`([^`\n]{1,200})`/gu;

const MOST_INPUTS = 10;

const MOST_IGNORED = 10;

const LONGEST_IGNORED = 60;

export async function readPrompt({
  origin,
  text,
  command = '',
}: SkillText): Promise<Skill | { readonly leftOut: Words }> {
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
