/**
 * Puts what the person typed into the placeholders of a skill or a prompt file, as the program would for which it was
 * written. A value cannot bring in another one.
 */

import { findMentions, placesOf } from '../mentions/mention.ts';
import { readArguments } from '../mentions/promptCall.ts';
import { PROMPT_ENDING } from './promptFile.ts';
import { cleanSource, type Skill } from './skill.ts';

/** Characters of all values put into one text. */
const MOST_VALUES = 100_000;

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
