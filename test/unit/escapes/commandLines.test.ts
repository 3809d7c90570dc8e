/**
 * Lines that run without a question, and lines that look like them and must not. The workspace, its repository and the
 * shells are real. Every line that runs unasked is run: it may change nothing and start nothing but what it names.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decideApproval, NO_GRANTS } from '../../../src/core/tools/approvals.ts';
import { readLine } from '../../../src/core/tools/commands/readLine.ts';
import type { ToolPorts } from '../../../src/core/tools/tool.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { openCommandDisk } from '../../../src/node/files/commandDisk.ts';
import { findOnPath } from '../../../src/node/files/findRipgrep.ts';
import { AllowedCommands } from '../../../src/node/shell/allowedCommands.ts';
import { createTemporaryFolder, openFolder } from '../node/files/temporaryFolder.ts';
import { createWorkbench, prepareOnly } from '../tools/useTool.ts';

const home = createTemporaryFolder();
const root = join(home, 'work');
const environment = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, env: environment });

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function createPorts(
  allowed: readonly (readonly string[])[],
  reading: boolean,
  shell: { posix: boolean } = { posix: true },
): ToolPorts & { rules: AllowedCommands } {
  let stored: unknown = [...(reading ? [{ reading: true }] : []), ...allowed.map((argv) => ({ argv, folder: root }))];
  const rules = new AllowedCommands({
    get: () => stored,
    set: async (next) => {
      stored = next;
    },
  });
  const bench = createWorkbench();
  return {
    ...bench,
    files,
    shell: { ...bench.shell, posix: () => shell.posix },
    commandRules: rules,
    commandDisk: openCommandDisk({
      folders: [root],
      denied: [],
      environment,
      git: () => findOnPath('git', { path: process.env.PATH ?? '', workspaceFolders: [] }),
      system: { platform: process.platform, environment, exists: existsSync },
    }),
    rules,
  };
}

async function decide(ports: ToolPorts, command: string): Promise<{ readonly kind: string; readonly why: string }> {
  const prepared = await prepareOnly(ports, 'run_command', { command }).catch(() => null);
  if (!prepared) return { kind: 'refused', why: '' };
  const { approval, grant } = prepared;
  const guarded = !(approval?.mayRemember ?? true);
  const asked = { toolClass: 'run', guarded, trust: 'trusted', mode: 'act', grants: NO_GRANTS, grant } as const;
  return { kind: decideApproval(asked).kind, why: inEnglish(approval?.why ?? []) };
}

let files: ToolPorts['files'];
const TEST = ['npm', 'test'] as const;

beforeAll(async () => {
  write('src/a.txt', 'one two\nthree\n');
  write('src/b.txt', 'two\n');
  write('package.json', '{"name": "x"}\n');
  write('sub/inner/c.txt', 'c\n');
  write('options/-n', 'words\n');
  write('README.md', 'words\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  write('src/a.txt', 'one two\nfour\n');
  write('private/.env', 'TOKEN=1\n');
  write('private/id_rsa', 'key\n');
  writeFileSync(join(home, 'outside.txt'), 'outside\n');
  mkdirSync(join(home, 'elsewhere'));
  symlinkSync(join(home, 'outside.txt'), join(root, 'src/link.txt'));
  symlinkSync(join(home, 'elsewhere'), join(root, 'away'));
  symlinkSync(join(root, 'private/.env'), join(root, 'notes.txt'));
  files = await openFolder(root);
});

const QUIET = [
  'git status',
  'git status --short --branch',
  'git status -sb && git diff --stat',
  'git diff',
  'git diff HEAD -- src/a.txt',
  'git diff --cached --name-only',
  'git log --oneline -5',
  'git log -n 3 --stat -- src',
  'git --no-pager log --format="%h %s" -3',
  'git show HEAD:src/a.txt',
  'git show HEAD~0 --stat',
  'git -C sub log -1',
  'git branch -a -vv',
  'git branch --show-current',
  'git rev-parse --abbrev-ref HEAD',
  'git ls-files src',
  'git blame -L 1,2 src/b.txt',
  'git stash list',
  'git remote -v',
  'git tag --list',
  'git grep -n two',
  'ls',
  'ls -la src',
  'ls -la src | head -5',
  'pwd',
  'cat src/a.txt',
  'cat src/a.txt src/b.txt | wc -l',
  "sed -n '1,2p' src/a.txt",
  'sed -n 1,1p README.md && cat package.json',
  'head -n 2 src/a.txt; tail -1 src/b.txt',
  'grep -rn "two" src/b.txt',
  "grep -n 'on[e]' src/a.txt | sort -u | head -3",
  'grep -rn --include="*.txt" two sub',
  'cat src/a.txt | grep -v one',
  'nl -ba src/a.txt | sed -n 1,1p',
  'wc -l src/a.txt src/b.txt 2>/dev/null',
  'find sub -name "*.txt" -type f',
  "find . -maxdepth 1 -not -name '.*' | sort",
  'which git',
  'echo "--- done ---"',
  'ls src 2>&1 | tail -n 20',
  'ls nothing 2>/dev/null || echo none',
  'cd sub && ls',
  'cd sub/inner && cat c.txt && cd .. && pwd',
  './nowhere 2>/dev/null || true'.slice(-4),
  'test -f package.json && echo yes',
  'diff src/a.txt src/b.txt',
  "awk '{print $1}' src/a.txt",
  "jq -r '.name' package.json",
  'date +%Y',
  'npm test',
  'npm test 2>&1 | tail -20',
  'git diff --stat && npm test',
  'npm test && git status --short',
  'git status\nls src\n',
  '# what differs\ngit diff --stat\n# and the tests\nnpm test',
  'npm test # all\nls src',
  'npm test && \\\n  ls src',
  'cat src/?.txt',
  'ls sub/*',
  'cat sub/**/c.txt',
  'wc -l s*/b.txt | sort',
  'head -n 1 src/[ab].txt'.replace('[ab]', '?'),
  'grep -n two src/b.* README.m?',
  'grep -rn --include=*.txt two sub',
  'ls -la nothing* 2>/dev/null || echo none',
  'ls src \\\n  sub',
  'ls -l src | awk \'/txt/ {print $9, "found"}\'',
];

const LOUD = [
  // Quoting and expansion.
  'npm test; touch pwned',
  'npm test && touch pwned',
  'npm test || touch pwned',
  'npm test & touch pwned',
  'npm test | tee pwned',
  'npm test |& tail',
  'npm test\ntouch pwned',
  'npm test $(touch pwned)',
  'npm test `touch pwned`',
  'npm test "$(touch pwned)"',
  'npm test "`touch pwned`"',
  'npm test <(touch pwned)',
  'npm test >(touch pwned)',
  'npm test > pwned',
  'npm test >> pwned',
  'npm test 2> pwned',
  'npm test &> pwned',
  'npm test >| pwned',
  'npm test 3<> pwned',
  'npm test > /dev/null/../../tmp/pwned',
  'npm test >/dev/nullx',
  'npm test <<EOF\n$(touch pwned)\nEOF',
  'npm test <<< "$(touch pwned)"',
  'cat <<EOF | sh\ntouch pwned\nEOF',
  'npm test # harmless\ntouch pwned',
  'npm test #harmless; ls\n./evil',
  'npm test#x',
  'npm test \\\n# x\ntouch pwned',
  'awk \'{print $1 > "pwned"}\' src/a.txt',
  'awk \'/a/ {system("touch pwned")}\' src/a.txt',
  'awk \'{"touch pwned" | getline}\' src/a.txt',
  `npm test $${'{x:-$(touch pwned)}'}`,
  'npm test $((1))',
  'npm $1 test',
  'npm te\\\nst',
  'npm te\\st',
  "npm $'te\\x73t'",
  'npm $"test"',
  'X=1 npm test',
  'PATH=. npm test',
  'BASH_ENV=./evil.sh npm test',
  'env npm test',
  'alias ls="touch pwned"; ls',
  'ls() { touch pwned; }; ls',
  'function ls { touch pwned; }; ls',
  'export PATH=.; ls',
  'eval "ls"',
  'exec ls',
  'command ls -la /',
  '! npm test',
  'time npm test',
  '(npm test)',
  '{ npm test; }',
  'if true; then npm test; fi',
  'for i in 1; do npm test; done',
  'while false; do ls; done',
  '[[ -f package.json ]] && ls',
  'ls *',
  'cat src/*',
  'cat */x',
  'cat away/*',
  'cat ../*',
  'ls .*',
  'cat private/*',
  'cat private/.e*',
  'grep -h TOKEN private/*',
  'grep -rn TOKEN priv*',
  'cd options && cat *',
  'cd s* && ls',
  'sed -n * src/a.txt',
  'awk -F : *',
  'grep * src/a.txt',
  'sort -k src/? src/a.txt',
  'git diff -- src/*.txt',
  'echo *',
  'npm test *',
  'npm tes?',
  'cat src/a.txt | head *',
  'cat src/[ab].txt',
  'cat src/+(a).txt',
  'cat {src,private}/a.txt',
  'ls ~',
  'cat ~/outside.txt',
  'echo $HOME',
  'ls --color=$(touch pwned)',
  '"ls" src',
  "l's' src",
  '\\ls src',
  'l\u0455 src',
  'ls\u00a0src',
  'ls \u202esrc',
  'ls\u200b src',
  'ls；touch pwned',
  'ls ＆＆ touch pwned'.replace('ls ', 'npm '),
  // A command of the list with what makes it write, start something, or lead away.
  'git log --output=pwned',
  'git log --outp=pwned',
  'git diff --output pwned',
  'git diff --ext-diff',
  'git diff --textconv',
  'git diff -Opwned',
  'git diff --no-index /etc/passwd /dev/null',
  'git diff /etc/passwd /dev/null',
  'git show --show-signature',
  'git log --format=%G?',
  'git log --format="%h %GS"',
  'git -c core.pager="touch pwned" log',
  'git -c core.fsmonitor=./evil status',
  'git --exec-path=. status',
  'git --git-dir=/tmp/evil status',
  'git -C .. status',
  'git -C away status',
  'git -p log',
  'git branch new',
  'git branch -D main',
  'git branch -m other',
  'git tag v1',
  'git stash',
  'git stash -p list',
  'git stash drop',
  'git remote add x y',
  'git remote -v update',
  'git reflog expire --all',
  'git worktree add ../x',
  'git grep -O two',
  'git grep --open-files-in-pager=touch two',
  'git grep --no-index two /etc',
  'git config core.pager evil',
  'git checkout .',
  'git commit -m x',
  'git fetch',
  'git cat-file --textconv HEAD:src/a.txt',
  'git rev-parse --parseopt',
  'git archive HEAD -o pwned',
  'git bundle create pwned HEAD',
  'git format-patch -1',
  'git evil',
  'git diff --stat | tee pwned',
  'git show HEAD:private/.env',
  'rg --pre ./evil two',
  'rg --pre=./evil two',
  'rg --hostname-bin ./evil two',
  'rg -z two',
  'rg --search-zip two',
  'rg -uuu two',
  'rg --hidden TOKEN .',
  'rg -L two',
  'rg -f private/id_rsa src',
  'find . -delete',
  'find . -exec touch pwned +',
  "find . -name x -execdir touch '{}' +",
  'find . -ok rm +',
  'find . -fprint pwned',
  'find . -fprintf pwned x',
  'find . -fls pwned',
  'find -L . -name x',
  'find / -name passwd',
  'find .. -name x',
  'sort src/a.txt -o pwned',
  'sort --output=pwned src/a.txt',
  'sort --outp pwned src/a.txt',
  'sort -uo pwned src/a.txt',
  'sort --compress-program=./evil src/a.txt',
  'sort -T . src/a.txt',
  'sort --files0-from=private/id_rsa',
  'uniq src/a.txt pwned',
  'wc --files0-from=private/id_rsa',
  'sed -n w\\ pwned src/a.txt',
  "sed -n '1,2w pwned' src/a.txt",
  "sed -n '1e touch pwned' src/a.txt",
  "sed -i 's/a/b/' src/a.txt",
  'sed -ni 1,2p src/a.txt',
  'sed -n 1,2p -i src/a.txt',
  "sed 's/a/b/e' src/a.txt",
  'awk \'BEGIN{system("touch pwned")}\'',
  'awk \'{print > "pwned"}\' src/a.txt',
  'awk \'{print $1 | "sh"}\' src/a.txt',
  'awk -f src/a.txt',
  'tree -o pwned',
  'tail -f src/a.txt',
  'tail --follow=name src/a.txt',
  'date -s 2000-01-01',
  "jq -n 'env'",
  "jq -n '$ENV'",
  'jq \'import "x" as $d; .\' package.json',
  'jq -f src/a.txt package.json',
  "printf -v PATH '%s' .",
  'file -C -m src/a.txt',
  'file -z src/a.txt',
  'grep -f private/id_rsa src/a.txt',
  'grep -R two src',
  'grep -rn TOKEN .',
  'grep -rn TOKEN private',
  'git grep --untracked TOKEN',
  'git grep --no-exclude-standard TOKEN',
  'rg -. TOKEN',
  'rg -u TOKEN',
  'rg --no-ignore TOKEN',
  'rg --no-ignore-vcs TOKEN',
  'rg --ignore-file README.md TOKEN',
  "rg --type-add 'x:*' -t x TOKEN private",
  'grep -d recurse TOKEN private',
  'xxd private/.env',
  'base64 private/.env',
  'od -c private/.env',
  'strings private/.env',
  'less private/.env',
  'git stash show --include-untracked',
  'git show --stat HEAD:private/.env',
  'git diff ../outside.txt ../elsewhere',
  // Paths.
  'cat /etc/passwd',
  'cat ../outside.txt',
  'cat src/link.txt',
  'cat away/x',
  'cat away/../outside.txt',
  'cat src/../../outside.txt',
  'cat private/.env',
  'cat notes.txt',
  'head private/id_rsa',
  'cat .git/config',
  'cat src/a.txt private/id_rsa',
  'ls ..',
  'ls /',
  'wc -c /etc/passwd',
  'diff src/a.txt /etc/passwd',
  'cd .. && ls',
  'cd / && ls',
  'cd away && ls',
  'cd && ls',
  'cd - && ls',
  'cd private && cat .env',
  'cd nothing && npm test',
  'npm test || cd sub; npm test',
  'cd sub | ls',
  'cd sub && npm test',
  'cd sub; git status; cd ..; npm test',
  // Programs that run what they are given to read.
  'cat src/a.txt | npm test',
  'cat src/a.txt | sh',
  'cat src/a.txt | xargs rm',
  'echo "touch pwned" | bash',
  'ls | node',
  'npm test | less',
  'npm test | tail -f',
  'npm test | sort -o pwned',
  'npm test | grep -f private/id_rsa',
  'npm test | head -n 1 src/link.txt',
  // Not the allowed words.
  'npm tests',
  'npm test -- --update',
  'NPM test',
  './npm test',
  'npx test',
];

describe.skipIf(process.platform === 'win32')('a line of commands', () => {
  test.each(QUIET)('%j runs unasked', async (command) => {
    expect(await decide(createPorts([TEST], true), command)).toEqual({ kind: 'allow', why: '' });
  });

  test('there are more than 80 lines that look harmless and are not', () => {
    expect(new Set(LOUD).size).toBeGreaterThan(80);
  });

  test.each(LOUD)('%j asks', async (command) => {
    expect((await decide(createPorts([TEST], true), command)).kind).not.toBe('allow');
  });

  test('without the list, only what was allowed and what shortens its output runs unasked', async () => {
    const ports = createPorts([TEST], false);
    const quiet: string[] = [];
    for (const command of QUIET) if ((await decide(ports, command)).kind === 'allow') quiet.push(command);
    expect(quiet).toEqual(['npm test', 'npm test 2>&1 | tail -20']);
  });

  test('in a shell of another family, only plain words that were allowed run unasked', async () => {
    const ports = createPorts([TEST], true, { posix: false });
    const quiet: string[] = [];
    for (const command of [...QUIET, ...LOUD]) if ((await decide(ports, command)).kind === 'allow') quiet.push(command);
    expect(quiet).toEqual(['npm test']);
  });

  test('what runs unasked changes no file and starts no other program', () => {
    const bin = join(home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho tested\n', { mode: 0o755 });
    const env = { ...environment, PATH: `${bin}${delimiter}${process.env.PATH}`, GIT_OPTIONAL_LOCKS: '0' };
    const before = stateOf(home);
    for (const command of QUIET) {
      const answer = (() => {
        try {
          execFileSync('bash', ['-c', '--', command], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
          return 0;
        } catch (thrown) {
          return (thrown as { status: number }).status;
        }
      })();
      // 1: nothing was found, or files differ.
      expect([0, 1], command).toContain(answer);
    }
    expect(stateOf(home)).toEqual(before);
  });

  test('a line is allowed for good by its parts, each of which then counts in other lines', async () => {
    const ports = createPorts([], false);
    const line = 'npm run lint && npm test 2>&1 | tail -5';
    const first = await prepareOnly(ports, 'run_command', { command: line });
    expect(first.approval).toMatchObject({
      mayAlways: true,
      detail: { parts: [{ allowed: false }, { allowed: false }, { allowed: true }] },
    });
    expect(inEnglish(first.approval?.why ?? [])).toBe('Not every command of this line is allowed yet.');
    await first.grant?.allowAlways();
    expect(ports.rules.list.map(({ argv }) => argv.join(' '))).toEqual(['npm run lint', 'npm test']);
    for (const command of [line, 'npm test', 'npm test; npm run lint'])
      expect((await decide(ports, command)).kind).toBe('allow');
    const [, tests] = ports.rules.list;
    if (tests) await ports.rules.remove(tests);
    expect(await decide(ports, line)).toEqual({ kind: 'ask', why: 'Not every command of this line is allowed yet.' });
  });

  test.each([
    [
      'git commit -m one',
      [
        "git commit -m 'two $HOME\n\nmore'",
        `git commit -m "$(cat <<'EOF'\nfix: a\n\nBy <a@b.c>\nEOF\n)"`,
        'git commit -m .git/config',
      ],
      [
        'git commit -m two --amend',
        'git commit --amend -m two',
        'git commit -m -m two',
        'git commit -m --amend',
        'git commit -m two -- src/a.txt',
        'git commit -m',
        'git commit -m "$(cat src/a.txt)"',
        `git commit -m "$(cat <<EOF\n$HOME\nEOF\n)"`,
        `git commit -m "$(cat <<'EOF'\n) ; touch pwned #\nEOF\n)"`,
        `git commit -m "$(cat <<'EOF'\nit's\nEOF\n)"`,
        `git commit -m "$(cat <<'EOF'\nx\nEOF\ntouch pwned\n)"`,
        `git commit -m "$(cat <<'EOF' | sh\ntouch pwned\nEOF\n)"`,
        'cd sub && git commit -m one',
      ],
    ],
    [
      'git add src/a.txt',
      ['git add src/b.txt README.md', 'git add ./sub/inner/c.txt'],
      ['git add .', 'git add ./', 'git add -A', 'git add -f src/b.txt', 'git add ../x', 'git add /etc/passwd']
        .concat(['git add private/.env', 'git add .vscode/settings.json', 'git add :/', "git add 'src/*'"])
        .concat(['git add src/*', 'git add src/a.txt --chmod=+x', 'git add sub/../../x']),
    ],
    [
      'go test ./sub -run TestOne -v',
      ['go test ./src ./sub/inner -run TestTwo -v'],
      ['go test ./sub -run TestOne -v -exec ./evil', 'go test ./sub -exec ./evil -v', 'go test -o ./x ./sub'],
    ],
    ['go test -v ./sub', ['go test -v ./...'], ['go test -exec ./sub', 'go test ./sub -v']],
    [
      "npx vitest run sub/a.test.ts -t 'one'",
      ["npx vitest run src/b.test.ts -t 'two three'"],
      ['npx vitest run -c ./x'],
    ],
  ])('%j allowed for good leaves its texts and files open, and nothing else', async (line, quiet, loud) => {
    const ports = createPorts([], false);
    const { grant, approval } = await prepareOnly(ports, 'run_command', { command: line });
    expect(approval?.detail).toMatchObject({ parts: [{ allowed: false, always: expect.anything() }] });
    await grant?.allowAlways();
    expect((await decide(ports, line)).kind).toBe('allow');
    const ran: string[] = [];
    for (const each of [...quiet, ...loud]) if ((await decide(ports, each)).kind === 'allow') ran.push(each);
    expect(ran).toEqual(quiet);
  });

  test('a permission from before is still exactly its words', async () => {
    const ports = createPorts([['git', 'commit', '-m', 'one']], false);
    expect((await decide(ports, 'git commit -m one')).kind).toBe('allow');
    expect((await decide(ports, 'git commit -m two')).kind).toBe('ask');
  });

  test('a stored permission that leaves open what no rule does is ignored', () => {
    const ANY = '\u0000';
    expect(createPorts([['rm', ANY], ['git', ANY], ['git', 'push', ANY], [ANY]], false).rules.list).toEqual([]);
    expect(createPorts([['git', 'commit', '-m', ANY]], false).rules.list).toHaveLength(1);
  });

  test('the list is offered where it would do, allowed in one answer, and taken back', async () => {
    const ports = createPorts([], false);
    const asked = await prepareOnly(ports, 'run_command', { command: 'git status && ls' });
    expect(asked.approval?.detail).toMatchObject({ reads: true });
    await asked.grant?.allowReading?.();
    expect((await decide(ports, 'git log -3 | head')).kind).toBe('allow');
    expect(ports.rules.list).toEqual([]);
    await ports.rules.allowReading(false);
    expect((await decide(ports, 'git log -3 | head')).kind).toBe('ask');
    const writes = await prepareOnly(ports, 'run_command', { command: 'git status && touch x' });
    expect(writes.approval?.detail).not.toMatchObject({ reads: true });
    expect(writes.grant?.allowReading).toBeUndefined();
  });

  test.each([
    ['npm publish', 'This command is not allowed yet.'],
    ['echo $(id)', 'It cannot be read with certainty: command substitution.'],
    ['cat <(id)', 'It cannot be read with certainty: process substitution.'],
    ['npm test > log', 'It cannot be read with certainty: a redirection to or from a file.'],
    ['cat /etc/passwd', 'It reads outside the open folders: /etc/passwd'],
    ['cat private/.env', 'It may show secrets: private/.env'],
    ['sudo ls', 'It can be allowed only once: sudo ls'],
    ['cat src/a.txt | node', 'node would read what another command writes.'],
  ])('%j says why it is asked', async (command, why) => {
    expect((await decide(createPorts([TEST], true), command)).why).toBe(why);
  });
});

/** Names and contents of everything below, without times. */
function stateOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const facts = lstatSync(path);
      if (facts.isSymbolicLink()) return `${name} → ${readlinkSync(path)}`;
      return facts.isFile() ? `${name} ${createHash('sha256').update(readFileSync(path)).digest('hex')}` : name;
    });
}

describe.skipIf(process.platform === 'win32')('the grammar and real shells', () => {
  const WORDS = [
    'a',
    '-x',
    'a=b',
    'a:b@c',
    'HEAD^',
    'HEAD~2',
    'a,b+c',
    '%H',
    '1.2',
    './x',
    "'a b'",
    '"a b"',
    '"a\\|b"',
    '"\\.x"',
    "'$HOME'",
    "'`id`'",
    "'*'",
    "'!x'",
    '"{a,b}"',
    '"*"',
    '"~"',
    '--x="a b"',
    "-g'!*.ts'",
    "'\\n'",
    '"a;b"',
    "'#'",
    '"é"',
    "'a\nb'",
    '"a\n\nb"',
    `"$(cat <<'EOF'\nfix: a\n\n# <b@c> {d} [e] *\nEOF\n)"`,
  ];
  const JOINS = [' && ', ' || ', '; ', ' | ', '\n', ';\n', ' &&\n', ' 2>&1 | ', ' 2>/dev/null; ', ' > /dev/null && '];
  const SHELLS = ['/bin/bash', '/bin/dash', '/bin/zsh', '/bin/ksh'].filter(existsSync);

  test('a line that is read runs exactly the programs and arguments that were read', { tags: ['long'] }, () => {
    const bin = join(home, 'argv');
    mkdirSync(bin);
    writeFileSync(join(bin, 'one'), '#!/bin/sh\n{ printf "%s\\n" one "$@"; echo --; } >> "$LOG"\n', { mode: 0o755 });
    const lines = WORDS.flatMap((word, at) =>
      JOINS.map(
        (join, nth) =>
          `one ${word} ${WORDS[(at * 7 + nth) % WORDS.length]}${join}one ${WORDS[(at + nth * 3) % WORDS.length]}`,
      ),
    );
    const read = lines.map((line) => ({ line, known: readLine(line) }));
    expect(read.filter(({ known }) => known.kind === 'unclear').map(({ line }) => line)).toEqual([]);
    expect(SHELLS.length).toBeGreaterThan(0);
    for (const shell of SHELLS) {
      const log = join(home, `log-${shell.replaceAll('/', '-')}`);
      const env = { PATH: `${bin}${delimiter}${process.env.PATH}`, LOG: log };
      // What `||` and a pipe would leave out or mix is run by itself.
      for (const { line, known } of read) {
        if (known.kind === 'unclear' || line.includes('|')) continue;
        writeFileSync(log, '');
        execFileSync(shell, ['-c', '--', line], { cwd: home, env, stdio: 'ignore' });
        expect({ shell, line, ran: readFileSync(log, 'utf8') }).toEqual({
          shell,
          line,
          ran: known.parts.map(({ argv }) => `${argv.join('\n')}\n--\n`).join(''),
        });
      }
    }
  });
});
