/**
 * The words of a command that a lasting permission leaves open, because nothing but text or a name inside the folder changes
 * from call to call.
 */

import { isSecretPath } from '../../secrets/secretPaths.ts';
import { namesGuarded } from '../guardedNames.ts';

/** In a rule: any text. No word of a command is equal to it, since none holds a control character. */
export const ANY = '\u0000';

interface Opening {
  /** Options whose value is only text. */
  readonly texts: string;
  /** Options without a value, behind which a path may stand. Undefined: paths are not left open. */
  readonly flags?: string;
}

const VITEST: Opening = { texts: '-t --testNamePattern', flags: 'run --run' };

const PYTEST: Opening = { texts: '-k', flags: '-v -vv -q -x -s' };

/** By the words that begin the command. */
const OPENINGS: Readonly<Record<string, Opening>> = {
  'git add': { texts: '', flags: '--' },
  'git commit': { texts: '-m -am --message' },
  'go test': { texts: '-run -skip', flags: '-v -race -short' },
  'go vet': { texts: '', flags: '' },
  pytest: PYTEST,
  'python -m pytest': PYTEST,
  'python3 -m pytest': PYTEST,
  vitest: VITEST,
  'npx vitest': VITEST,
  jest: VITEST,
  'npx jest': VITEST,
  'bun test': { texts: '-t --test-name-pattern', flags: '' },
  'npx playwright test': { texts: '-g --grep', flags: '' },
};

/**
 * The words with `ANY` in place of those that a lasting permission leaves open, because nothing but text or a name inside
 * the folder changes from call to call: a commit's message, the name of a test, the files to test or to stage. The same
 * words if there are none.
 */
export function openWords(argv: readonly string[]): readonly string[] {
  const [begin, { texts, flags }] = findOpening(argv) ?? ['', { texts: '' }];
  if (begin === '') return argv;
  const options = texts.split(' ');
  const from = begin.split(' ').length;
  const open = argv.slice(0, from);
  let mayOpen = flags !== undefined;
  for (let at = from; at < argv.length; at++) {
    const word = argv[at] ?? '';
    const equals = word.indexOf('=');
    if (mayOpen && isPath(word)) {
      if (open.at(-1) !== ANY) open.push(ANY);
      continue;
    }
    mayOpen = flags?.split(' ').includes(word) === true;
    if (equals > 0 && options.includes(word.slice(0, equals))) open.push(word.slice(0, equals + 1) + ANY);
    else open.push(word);
    const value = argv[at + 1];
    if (word === '' || !options.includes(word) || value === undefined) continue;
    open.push(value.startsWith('-') ? value : ANY);
    mayOpen = flags !== undefined;
    at++;
  }
  return open;
}

const findOpening = (argv: readonly string[]) =>
  Object.entries(OPENINGS).find(([begin]) => begin.split(' ').every((word, at) => argv[at] === word));

/** Below the folder and not all of it, without a pattern, and neither guarded nor likely to hold secrets. */
const isPath = (word: string) =>
  word === ANY ||
  (PATH.test(word) && !/^\.\/?$|(?:^|\/)\.\.(?:\/|$)/u.test(word) && !namesGuarded(word) && !isSecretPath(word));

const PATH = /^(?:\.\/)?[A-Za-z0-9_.][A-Za-z0-9_./@+, -]*(?:::[\w:]+)?$/u;
