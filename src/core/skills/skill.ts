/**
 * One Agent Skill: instructions for a particular task in a `SKILL.md`. What a file says is foreign text: it is bounded,
 * hidden characters are spelled out, and nothing in it can pose as ours.
 */

import { readFrontMatter } from '../frontMatter.ts';
import { countTokens, takeTokens } from '../tokens/estimate.ts';
import { neutralise } from '../tools/text/neutralise.ts';
import { showHidden } from '../tools/text/showHidden.ts';

/** A `SKILL.md` as it was found. */
export interface SkillText {
  /** Workspace-relative, or one that begins with `~`. */
  readonly origin: string;
  readonly text: string;
}

export interface Skill {
  readonly name: string;
  /** One line: what it does, and when to use it. */
  readonly description: string;
  readonly origin: string;
  readonly body: string;
  /** False where the file says that only the person may use it. */
  readonly forModel: boolean;
  /** False where the file says that only the model may use it. */
  readonly forPerson: boolean;
}

/** Bytes. */
export const LARGEST_SKILL_FILE = 400_000;
/** As the format of Agent Skills bounds it. */
const LONGEST_DESCRIPTION = 1_024;
/** Tokens of a body; what is over is cut off, and the model is told so. */
const LONGEST_BODY = 20_000;

/** A letter or digit first, so that none is taken for a path or an option. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

/** Null for what is no skill: a file without front matter, name or instructions. */
export function readSkill({ origin, text }: SkillText): Skill | null {
  const read = readFrontMatter(text);
  if (!read) return null;
  const field = (name: string) => {
    const value = read.fields.get(name);
    return typeof value === 'string' ? clean(value).replace(/\s+/g, ' ').trim() : '';
  };
  const folder = origin.split('/').at(-2) ?? '';
  const name = field('name') || folder;
  const body = clean(read.body).trim();
  if (!NAME.test(name) || body === '') return null;
  return {
    ...{ name, origin },
    description: field('description').slice(0, LONGEST_DESCRIPTION).toWellFormed(),
    body: countTokens(body) <= LONGEST_BODY ? body : `${takeTokens(body, LONGEST_BODY)}\n[${origin} is cut here.]`,
    forModel: field('disable-model-invocation').toLowerCase() !== 'true',
    forPerson: field('user-invocable').toLowerCase() !== 'false',
  };
}

const clean = (text: string) => neutralise(showHidden(text.replaceAll('\r\n', '\n'))).toWellFormed();
