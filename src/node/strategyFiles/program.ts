/**
 * A strategy that is a program: a text file whose first line names its interpreter, `#!/usr/bin/env python3`. One of the
 * next lines may say what it needs and what can be set: `# palimpsest: {"needs": ["llm"], "settings": {…}}`.
 */

import { extname } from 'node:path';
import type { StrategyPorts } from '../../api/index.ts';
import { UserFacingError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { words } from '../../core/words.ts';

export interface Program {
  /** Name or path of the interpreter. */
  readonly interpreter: string;
  readonly args: readonly string[];
  /** Ports beside those that every program gets, as declared: the host names one that does not exist. */
  readonly needs: readonly (keyof StrategyPorts)[];
  /** As declared, unchecked. */
  readonly settings: unknown;
}

/** Lines in which the second may stand. */
const SEARCHED = 20;

const DECLARABLE = ['needs', 'settings'];

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Endings of files that are loaded as modules. */
export const MODULES = ['.js', '.mjs', '.ts', '.mts'];

export const isModule = (path: string): boolean => MODULES.includes(extname(path).toLowerCase());

/** A module may begin in the same way, but then its ending says what it is. */
export const isProgram = ({ path, text }: Pick<StrategyFile, 'path' | 'text'>): boolean =>
  !isModule(path) && text.startsWith('#!');

/** Throws a `UserFacingError` that names the file and the fault. */
export function readProgram({ path, text }: Pick<StrategyFile, 'path' | 'text'>): Program {
  const lines = text.split(/\r?\n/, SEARCHED);
  const named = (lines[0] ?? '').slice(2).trim().split(/\s+/);
  const found = /(^|\/)env$/.test(named[0] ?? '') ? named.slice(1) : named;
  // With -S, env takes the rest of its line as a command with arguments, which it is here in any case.
  const [interpreter = '', ...args] = found[0] === '-S' ? found.slice(1) : found;
  if (interpreter === '' || interpreter.startsWith('-'))
    throw new UserFacingError(
      words('its file {0} names no interpreter in its first line, such as #!/usr/bin/env python3', path),
    );
  const declared = lines.find((line) => /^\W*palimpsest:/.test(line));
  if (declared === undefined) return { interpreter, args, needs: [], settings: undefined };
  const value = parseJson(declared.slice(declared.indexOf(':') + 1));
  if (!isObject(value)) throw new UserFacingError(words('its file {0} has no JSON object after “palimpsest:”', path));
  const unknown = Object.keys(value).find((name) => !DECLARABLE.includes(name));
  if (unknown !== undefined)
    throw new UserFacingError(
      words('its file {0} declares {1} after “palimpsest:”: it may declare {2}', path, unknown, DECLARABLE.join(', ')),
    );
  const { needs = [], settings } = value;
  if (!isListOfTexts(needs))
    throw new UserFacingError(
      words('its file {0} declares needs that are no list of ports, such as {1}', path, '{"needs": ["llm"]}'),
    );
  return { interpreter, args, needs: needs as readonly (keyof StrategyPorts)[], settings };
}

export interface StrategyFile {
  /** The real path, with links resolved. */
  readonly path: string;
  /** Of the file's bytes; a person consents to it. */
  readonly hash: string;
  readonly text: string;
}
