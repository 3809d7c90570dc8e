/**
 * A command that is allowed for good is allowed word by word and nothing more (RELIABILITY §4). Every variation goes the
 * way of a real call; what would run without a question is then run in every shell of this machine, and must have
 * started exactly the program and arguments of a rule.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { decideApproval, NO_GRANTS } from '../../../src/core/tools/approvals.ts';
import type { CommandRule } from '../../../src/core/tools/commandRules.ts';
import { readPlainCommand } from '../../../src/core/tools/commandRules.ts';
import { words } from '../../../src/core/words.ts';
import { AllowedCommands } from '../../../src/node/shell/allowedCommands.ts';
import { createWorkbench, prepareOnly } from './useTool.ts';

const RULES = ['npm test', 'git status', 'npm run build -- --mode=fast'] as const;
const EVIL = 'touch pwned';
const FOLDER = createWorkbench().files.root ?? '';

function allowing(...lines: readonly string[]) {
  let stored: unknown = lines.map((line) => ({ argv: line.split(' '), folder: FOLDER }));
  return new AllowedCommands({
    get: () => stored,
    set: async (rules: readonly CommandRule[]) => {
      stored = rules;
    },
  });
}

/** What the loop would decide of the call; a call that cannot even be prepared does not run. */
async function decide(command: string, commandRules = allowing(...RULES)): Promise<string> {
  const ports = { ...createWorkbench(), commandRules };
  const prepared = await prepareOnly(ports, 'run_command', { command }).catch(() => null);
  if (!prepared) return 'refused';
  const { approval, grant } = prepared;
  const guarded = !(approval?.mayRemember ?? true);
  return decideApproval({ toolClass: 'run', guarded, trust: 'trusted', mode: 'act', grants: NO_GRANTS, grant }).kind;
}

/** Every place of a line where a text can be put. */
const everywhere = (line: string, text: string) =>
  Array.from({ length: line.length + 1 }, (_, at) => line.slice(0, at) + text + line.slice(at));

const META = [...'\t\n\r\v\f\0;&|<>()$`"\'\\*?[]{}~!#^%', '\u00a0', '\u2003', '\u3000', '\u200b', '\u202e', '\ufeff'];
const MORE = [
  '=',
  ' =',
  ' -x',
  ' --',
  '-',
  '.',
  '/',
  ',',
  '0',
  'x',
  ':',
  '@',
  '+',
  '_',
  ' ~',
  ' .git/config',
  'é',
  'ｔ',
];
const CHAINS = ['; E', ';E', ' && E', ' || E', ' | E', '|&E', ' & E', '&E', '\nE', ' \n E', '\r\nE', ' #\nE', '\\\nE'];
const APPENDED = [
  '$(E)',
  '`E`',
  '<(E)',
  '>(E)',
  `$\{x:-$(E)}`,
  '$((1))',
  '$[1]',
  '$HOME',
  '$@',
  '*',
  '?',
  '[a]',
  '{a,b}',
  '{1..3}',
  '~',
  '~root',
  '=ls',
  '!!',
  '!$',
  '^a^b',
  '%1',
  '%PATH%',
  '!x!',
  "$'\\x3b'",
  '$"x"',
  "''",
  '""',
  "'a b'",
  '\\;',
  '> x',
  '>> x',
  '< x',
  '2>&1',
  '&> x',
  '2> x',
  '<<< x',
  '<<E',
  '>| x',
  '3<> x',
  '1>&2',
  '--',
  '-',
  '-h',
  'x',
  '*(e:E:)',
  '-c core.pager=E',
  '--exec=E',
  '-u',
  '--prefix /tmp',
  '--script-shell=E',
  '@(a|b)',
  '+(a)',
  '\u0000E',
  '\u001b[2K',
  '.git/hooks',
  '.vscode/settings.json',
  '-f.git/config',
  '--file=.vscode/tasks.json',
  '.husky/pre-commit',
].map((more) => ` ${more}`);
const PREFIXED = [
  'X=1 ',
  'PATH=. ',
  'X=$(E) ',
  'GIT_PAGER=E ',
  'LD_PRELOAD=./x.so ',
  'a+=b ',
  'x[0]=1 ',
  '=',
  '\\',
  '"',
  '! ',
  '{ ',
  '( ',
  'sudo ',
  'env ',
  'env X=1 ',
  'command ',
  'builtin ',
  'exec ',
  'eval ',
  'nohup ',
  'time ',
  'timeout 5 ',
  'nice ',
  'xargs ',
  'sh -c ',
  'bash -c ',
  'busybox sh ',
  'setsid ',
  'stdbuf -o0 ',
  'script -c ',
  'watch ',
  'doas ',
  'su -c ',
  'if ',
  'while ',
  'coproc ',
  'nocorrect ',
  'noglob ',
  'function ',
  'trap ',
  'alias ',
  'source ',
  '. ',
  './',
  '/tmp/',
  '../',
  '~/',
  '@',
  'cd .. && ',
  'call ',
  'start ',
  'cmd /c ',
  'powershell -c ',
  '& ',
  ': ',
  'true ',
  'npx ',
  '-',
  '--',
  '> x ',
  '< x ',
  '2>x ',
  '\u200b',
];
const CHANGED = (line: string) => [
  line.toUpperCase(),
  line.replace(' ', ''),
  line.replace(' ', '  -'),
  `"${line}"`,
  `'${line}'`,
  `(${line})`,
  `{ ${line}; }`,
  `$(${line})`,
  `\`${line}\``,
  `${line} ${line}`,
  `${line};`,
  `${line} &`,
  `[[ ${line} ]]`,
  line.split(' ').toReversed().join(' '),
  line.slice(0, -1),
  line.slice(1),
  line.split(' ')[0] ?? '',
  ` ${line}`,
  `${line} `,
  `  ${line}  `,
  line.replaceAll(' ', '   '),
  line.replaceAll(' ', '\t'),
  line.replace('t', "t''"),
  line.replace('t', '\\t'),
  line.replace('t', '[t]'),
  line.replace('t', '$t'),
  line.replace('s', '{s,S}'),
];

const variations = [
  ...new Set(
    RULES.flatMap((line) => [
      ...[...META, ...MORE].flatMap((text) => everywhere(line, text)),
      ...CHAINS.map((chain) => line + chain),
      ...APPENDED.map((more) => line + more),
      ...PREFIXED.map((first) => first + line),
      ...CHANGED(line),
    ]),
  ),
].map((line) => line.replaceAll('E', EVIL));

/** Without what changes neither the program nor its arguments. */
const withoutNothing = (line: string) =>
  line
    .replace(/(?: (?:2>&1|1>&2)|;|'')$/, '')
    .trim()
    .replace(/ +/g, ' ');

const SHELLS = ['/bin/bash', '/bin/zsh', '/bin/dash', '/bin/sh', '/bin/ksh'].filter(existsSync);

describe('variations of an allowed command', { tags: ['long'] }, () => {
  const home = mkdtempSync(join(tmpdir(), 'palimpsest-argv-'));
  afterAll(() => rmSync(home, { recursive: true }));
  for (const name of ['npm', 'git', 'sudo', 'npx']) {
    writeFileSync(join(home, name), `#!/bin/sh\n{ printf '%s\\n' ${name} "$@"; echo --; } >> "$LOG"\n`);
    chmodSync(join(home, name), 0o755);
  }

  test('none passes that would do anything else, in any shell', async () => {
    const passed: string[] = [];
    for (const command of variations) if ((await decide(command)) === 'allow') passed.push(command);

    expect(variations.length).toBeGreaterThan(1_000);
    expect(passed.filter((line) => !RULES.some((rule) => rule === withoutNothing(line)))).toEqual([]);
    expect(passed.length).toBeGreaterThan(RULES.length);

    expect(SHELLS.length).toBeGreaterThan(0);
    for (const [nth, shell] of SHELLS.entries()) {
      const before = readdirSync(home).filter((name) => !name.startsWith('log'));
      for (const [at, command] of passed.entries()) {
        const log = join(home, `log-${nth}-${at}`);
        const env = { PATH: `${home}${delimiter}${process.env.PATH}`, LOG: log };
        execFileSync(shell, ['-c', '--', command], { cwd: home, env, stdio: 'ignore' });
        const rule = RULES.find((each) => each === withoutNothing(command));
        expect({ shell, command, ran: readFileSync(log, 'utf8') }).toEqual({
          shell,
          command,
          ran: `${rule?.split(' ').join('\n')}\n--\n`,
        });
      }
      expect(readdirSync(home).filter((name) => !name.startsWith('log'))).toEqual(before);
    }
  });

  test('whatever can be a rule at all runs as the very words that were shown, in any shell', () => {
    const plain = variations.filter((line) => readPlainCommand(line)?.[0] === 'npm');
    expect(plain.length).toBeGreaterThan(100);
    for (const shell of SHELLS) {
      const log = join(home, 'log-plain');
      const env = { PATH: `${home}${delimiter}${process.env.PATH}`, LOG: log };
      execFileSync(shell, ['-c', '--', plain.join('\n')], { cwd: home, env, stdio: 'ignore' });
      const ran = readFileSync(log, 'utf8');
      rmSync(log);
      expect(ran).toBe(plain.map((line) => `${(readPlainCommand(line) ?? []).join('\n')}\n--\n`).join(''));
    }
  });
});

test.each([
  'sudo npm test',
  'env npm test',
  'sh test.sh',
  '/bin/bash x',
  'BASH.EXE x',
  'eval ls',
  'exec ls',
  'xargs rm',
  '. x',
  'time make',
  'if true',
  'timeout 5 make',
  'X=1 make',
  'cat .git/config',
  'rm -f.vscode/settings.json',
  'tee --x=.husky/a',
  'npm  "test"',
  'a\nb',
  '',
  ' ',
  '-x',
  '=ls',
  ':',
  `ls ${'x'.repeat(300)}`,
  `ls${' x'.repeat(30)}`,
  'cp a,.git/config',
])('%j can never be allowed for longer than once', async (command) => {
  expect(readPlainCommand(command)).toBeNull();
  const rules = allowing(command);
  expect(rules.list).toEqual([]);
  expect(await decide(command, rules)).not.toBe('allow');
});

test.each([
  'npm test',
  'git status',
  'npm run build',
  './gradlew test',
  'cargo test --all',
  'node_modules/.bin/vitest run a.test.ts',
  'python -m pytest tests/a.py::test_b',
  'make -j4',
  'go test ./...',
  'dotnet test',
  'pnpm -r test',
  'tsc --noEmit',
])('%j can be', (command) => {
  expect(readPlainCommand(command)).toEqual(command.split(' '));
});

test('the question shows the words; allowed for good, the command runs unasked in that folder until it is taken back', async () => {
  const rules = allowing();
  const ports = { ...createWorkbench(), commandRules: rules };
  const { approval, grant } = await prepareOnly(ports, 'run_command', { command: ' npm  test' });
  expect(approval).toMatchObject({
    mayRemember: true,
    mayAlways: true,
    why: words('This command is not allowed yet.'),
    detail: { parts: [{ argv: ['npm', 'test'], folder: FOLDER, allowed: false }], cwd: FOLDER },
  });
  await grant?.allowAlways();
  expect(await decide('npm test', rules)).toBe('allow');
  expect(rules.allows({ argv: ['npm', 'test'], folder: `${FOLDER}/other` })).toBe(false);
  const [rule] = rules.list;
  if (rule) await rules.remove(rule);
  expect(await decide('npm test', rules)).toBe('ask');
});

test('a denied class and an untrusted folder beat a rule', async () => {
  const ports = { ...createWorkbench(), commandRules: allowing('npm test') };
  const { grant } = await prepareOnly(ports, 'run_command', { command: 'npm test' });
  const asked = { toolClass: 'run', guarded: false, grant } as const;
  const denied = { ...NO_GRANTS, denied: new Set(['run'] as const) };
  expect(decideApproval({ ...asked, trust: 'trusted', mode: 'act', grants: NO_GRANTS }).kind).toBe('allow');
  expect(decideApproval({ ...asked, trust: 'trusted', mode: 'act', grants: denied }).kind).toBe('refuse');
  expect(decideApproval({ ...asked, trust: 'untrusted', mode: 'act', grants: NO_GRANTS }).kind).toBe('refuse');
});

test.each([
  null,
  'npm test',
  {},
  [null],
  ['npm test'],
  [{ argv: 'npm test', folder: '/w' }],
  [{ argv: ['npm', 1], folder: '/w' }],
  [{ argv: ['npm test'], folder: '/w' }],
  [{ argv: ['npm', ''], folder: '/w' }],
  [{ argv: ['a;b'], folder: '/w' }],
  [{ argv: ['npm'], folder: '' }],
  [{ argv: [], folder: '/w' }],
])('what is stored as %j allows nothing', (stored) => {
  expect(new AllowedCommands({ get: () => stored, set: async () => undefined }).list).toEqual([]);
});
