/**
 * One Agent Skill: instructions for a particular task in a `SKILL.md`. The file is foreign text: it is bounded, hidden
 * characters are spelled out, and nothing in it can pose as the product's own text.
 */

import * as z from 'zod';
import { readFrontMatter, readSwitch } from '../frontMatter.ts';
import type { Files } from '../ports.ts';
import { section, setting } from '../settings/setting.ts';
import { listSources, type ReportSkipped, readSource, skipSilently } from '../sourceFile.ts';
import { countTokens, takeTokens } from '../tokens/estimate.ts';
import { showHidden } from '../tools/text/showHidden.ts';
import { neutralise } from '../tools/text/stripControls.ts';
import { type Words, words } from '../words.ts';

/** A `SKILL.md` as found. */
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
  /** False where the file reserves it for the person. */
  readonly forModel: boolean;
  /** False where the file reserves it for the model. */
  readonly forPerson: boolean;
}

/** Bytes. */
export const LARGEST_SKILL_FILE = 400_000;

/** The limit in the Agent Skills format. */
const LONGEST_DESCRIPTION = 1_024;

/** Tokens of a body; the rest is cut off, with a note to the model. */
const LONGEST_BODY = 20_000;

/** Characters of all arguments inserted into one body. */
const MOST_ARGUMENTS = 100_000;
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
      leftOut: words('The skill {0} is left out: it does not begin with settings between two lines of “---”.', origin),
    };
  }
  const field = (name: string) => {
    const value = read.fields.get(name);
    return typeof value === 'string' ? clean(value).replace(/\s+/g, ' ').trim() : '';
  };
  const folder = origin.split('/').at(-2) ?? '';
  const name = (field('name') || folder).replaceAll(' ', '-');
  const body = clean(read.body).trim();
  if (!NAME.test(name)) {
    const shown = name.slice(0, LONGEST_SHOWN_NAME);
    return {
      leftOut: words(
        'The skill {0} is left out: “{1}” cannot be its name. Use letters, digits, hyphens, dots and colons, at most 64, with a letter or digit first.',
        origin,
        shown,
      ),
    };
  }
  if (body === '')
    return { leftOut: words('The skill {0} is left out: it has no instructions below its settings.', origin) };
  return {
    name,
    origin,
    description: field('description').slice(0, LONGEST_DESCRIPTION).toWellFormed(),
    body: countTokens(body) <= LONGEST_BODY ? body : `${takeTokens(body, LONGEST_BODY)}\n[${origin} is cut here.]`,
    forModel: readSwitch(read.fields.get('disable-model-invocation')) !== true,
    forPerson: readSwitch(read.fields.get('user-invocable')) !== false,
  };
}

/** Replaces `$ARGUMENTS`, and placeholders for single words, with what the person typed after the skill's name. */
export function withArguments(body: string, typed: string): string {
  const all = clean(typed);
  const each = all.split(/\s+/);
  let left = MOST_ARGUMENTS;
  return body.replaceAll(/\$ARGUMENTS\b(?:\[(\d{1,3})\])?/g, (place, index?: string) => {
    const put = index === undefined ? all : (each[Number(index)] ?? '');
    left -= put.length;
    return left < 0 ? place : put;
  });
}

const clean = (text: string) => neutralise(showHidden(text.replaceAll('\r\n', '\n'))).toWellFormed();

/** The setting of skills. */
export const SKILLS = section('skills', {
  enabled: setting(
    z.boolean(),
    true,
    'Tell the model which skills there are, so that it can use them: each `SKILL.md` in `.agents/skills/*/` and `.claude/skills/*/` of the open folder and of your home folder. You use one by its name: `/name`. Nothing of a folder that you do not trust is read. *Palimpsest: Show Memory* lists them.',
  ),
});

/** Below the open folder and the home folder, in this order. */
export const SKILL_FOLDERS: readonly string[] = ['.agents/skills', '.claude/skills'];
export const SKILL_FILE = 'SKILL.md';

/** In one folder of skills. */
export const MOST_SKILLS = 100;

export interface FoundSkills {
  /** By name. */
  readonly skills: readonly Skill[];
  /** Why files are left out. */
  readonly remarks: readonly Words[];
}

/**
 * When several skills share a name, the nearer one is used: the folder's before the person's own. `files` is null where
 * nothing may be read; `reportSkipped` receives files that cannot be read, the remarks concern the others.
 */
export async function readSkills(
  files: Files | null,
  own: readonly SkillText[],
  reportSkipped: ReportSkipped = skipSilently,
): Promise<FoundSkills> {
  const byName = new Map<string, Skill>();
  const remarks: Words[] = [];
  for (const text of [...(await inFolder(files, reportSkipped)), ...own]) {
    const read = await readSkill(text);
    if ('leftOut' in read) {
      remarks.push(read.leftOut);
      continue;
    }
    const key = read.name.toLowerCase();
    if (!byName.has(key)) byName.set(key, read);
  }
  return { skills: [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, skill]) => skill), remarks };
}

async function inFolder(files: Files | null, reportSkipped: ReportSkipped): Promise<SkillText[]> {
  if (files === null || files.root === null) return [];
  const found: SkillText[] = [];
  for (const folder of SKILL_FOLDERS) {
    const listed = await listSources(files, folder, reportSkipped);
    const names = listed.flatMap(({ name, type }) => (type === 'folder' ? [name] : []));
    for (const name of names.slice(0, MOST_SKILLS)) {
      const origin = `${folder}/${name}/${SKILL_FILE}`;
      const text = await readSource(files, origin, LARGEST_SKILL_FILE, reportSkipped);
      if (text !== null) found.push({ origin, text });
    }
  }
  return found;
}
