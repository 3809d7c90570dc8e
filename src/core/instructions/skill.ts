/**
 * An Agent Skill: instructions for a particular task in a `SKILL.md`. The file is foreign text: it is bounded, hidden
 * characters are spelled out, and nothing in it can pose as the product's own text.
 */

import * as z from 'zod';
import { readFrontMatter, readSwitch } from '../frontMatter.ts';
import { section, setting } from '../setting.ts';
import { countTokens, takeTokens } from '../tokens/estimate.ts';
import { neutralise } from '../tools/text/neutralise.ts';
import { hasHidden, showHidden, showName } from '../tools/text/showHidden.ts';
import { type Words, words } from '../words.ts';

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
 * A letter or digit first, so that it cannot be a path or an option. A plug-in's name may come before a colon.
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
export function checkName(name: string, origin: string): Words | null {
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

export function cutBody(body: string, origin: string): string {
  return countTokens(body) <= LONGEST_BODY ? body : `${takeTokens(body, LONGEST_BODY)}\n[${origin} is cut here.]`;
}

/** Foreign text without hidden characters, and without what could pose as the product's own. */
export const cleanSource = (text: string) => neutralise(showHidden(text.replaceAll('\r\n', '\n'))).toWellFormed();

/** The setting of skills. */
export const SKILLS = section('skills', {
  enabled: setting(
    z.boolean(),
    true,
    'Tell the model which skills there are, so that it can use them: each `SKILL.md` in `.agents/skills/*/` and `.claude/skills/*/` of the open folder and of your home folder. You use one by its name: `/name`, and so the prompt files in `.github/prompts` and `.claude/commands`, which the model is not told of. Nothing of a folder that you do not trust is read. *Palimpsest: Show Memory* lists them.',
  ),
});
