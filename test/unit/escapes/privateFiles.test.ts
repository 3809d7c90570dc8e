/**
 * Commands of the list that only read, with all that makes them read a file with secrets. Each is run first by a real
 * shell, where it does show the secret; then it is asked about. What leaves such files alone runs unasked.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { findOnPath } from '../../../src/node/files/findRipgrep.ts';
import { whyAsked } from '../../support/readingQuestion.ts';
import { createTemporaryFolder } from '../node/files/temporaryFolder.ts';

const home = createTemporaryFolder();
const root = join(home, 'work');
const bin = globSync('node_modules/@vscode/ripgrep-*/bin', { cwd: ROOT }).map((each) => join(ROOT, each));
const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
const environment = {
  PATH: [...bin, process.env.PATH].join(delimiter),
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  ...identity,
};
const options = {
  folders: [root],
  denied: [],
  environment,
  git: () => findOnPath('git', { path: process.env.PATH ?? '', workspaceFolders: [] }),
};
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: join(root, folder), env: environment, stdio: 'pipe' }).toString();

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

let blob = '';

beforeAll(() => {
  for (const folder of ['near', 'ignore', 'rgignore', 'gitignore', 'above/sub', 'exclude', 'tree', 'harmless', 'two']) {
    write(`${folder}/app.ts`, 'TOKEN\n');
    write(`${folder}/.env`, 'TOKEN=SECRET\n');
  }
  write('near/.credentials.json', '{"TOKEN": "SECRET"}\n');
  write('near/.aws/config', 'TOKEN=SECRET\n');
  write('ignore/.ignore', '# all but\n!.env\n');
  write('rgignore/.rgignore', '!.e*\n');
  write('ignore/.env', 'TOKEN=ANOTHER SECRET\n');
  write('above/.ignore', '!sub/**\n');
  write('harmless/.gitignore', 'dist\n!.env.example\n!.vscode/settings.json\n!src/*.ts\n');
  for (const folder of ['gitignore', 'exclude', 'harmless', 'apart']) {
    mkdirSync(join(root, folder), { recursive: true });
    git(folder, 'init', '-q');
  }
  write('gitignore/.gitignore', '.env*\n!.env\n');
  write('exclude/.git/info/exclude', '!/.env\n');
  git('apart', 'commit', '-q', '--allow-empty', '-m', 'first');
  git('apart', 'worktree', 'add', '-q', '-f', '../tree/top');
  write('tree/top/.env', 'TOKEN=SECRET\n');
  write('apart/.git/info/exclude', '!.env\n');
  // A repository with a key that git knows, and one beside it.
  write('keys/server.pem', 'TOKEN=SECRET\n');
  write('keys/app.ts', 'TOKEN\n');
  git('keys', 'init', '-q', '-b', 'main');
  git('keys', 'add', '.');
  git('keys', 'commit', '-qm', 'first');
  blob = git('keys', 'rev-parse', '--short', 'HEAD:server.pem').trim();
  write('keys/server.pem', 'TOKEN=SECRET \n');
  write('plain/app.ts', 'TOKEN\n');
  git('plain', 'init', '-q', '-b', 'main');
  git('plain', 'add', '.');
  git('plain', 'commit', '-qm', 'first');
  write('plain/.env', 'TOKEN=SECRET\n');
  write('plain/app.ts', 'TOKEN two\n');
  git('plain', 'stash', 'push', '-q', '--include-untracked');
  write('plain/app.ts', 'TOKEN three\n');
  write('links/app.ts', 'TOKEN\n');
  symlinkSync('../near/.env', join(root, 'links/notes'));
  write('links-too/notes', 'TOKEN\n');
});

const SHOW = [
  "rg -g '*' TOKEN near",
  'rg -g .env TOKEN near',
  "rg TOKEN near -g'*'",
  "rg -ng '*' TOKEN near",
  'rg --glob .env TOKEN near',
  'rg --glob=.env TOKEN near',
  'rg --iglob .ENV TOKEN near',
  'rg --iglob=.ENV TOKEN near',
  "rg -g '.e*' TOKEN near",
  "rg -g '.e?v' TOKEN near",
  "rg -g '.*' TOKEN near",
  "rg -g '**' TOKEN near",
  "rg -g '**/.env' TOKEN near",
  "rg -g '/near/.env' TOKEN near",
  "rg -g 'near/**' TOKEN near",
  "rg -g '{.env,x}' TOKEN near",
  "rg -g '{near/.env,x}' TOKEN near",
  "rg -g '[.]env' TOKEN near",
  "rg -g '\\.env' TOKEN near",
  "rg -g '!*.md' -g '.env' TOKEN near",
  "rg -g '*' -g '!*.ts' TOKEN near",
  "rg -g '.aws' -g config TOKEN near",
  "cd near && rg -g '*' TOKEN",
  "cd near && rg -g '*' TOKEN .",
  "cd near && rg -g '.env' -e TOKEN",
  'rg --hidden TOKEN near',
  'rg -t sh TOKEN near',
  'rg -tsh TOKEN near',
  'rg --type sh TOKEN near',
  'rg --type=all TOKEN near',
  'rg -t json TOKEN near',
  'rg -t ts -t json TOKEN near',
  'rg TOKEN',
  'rg TOKEN ignore',
  'rg TOKEN rgignore',
  'rg TOKEN gitignore',
  'rg TOKEN above/sub',
  'rg TOKEN exclude',
  'rg TOKEN tree',
  'cd tree/top && rg TOKEN',
  'grep -r TOKEN near',
  'grep -rh --include=.env TOKEN near',
  'diff near ignore',
  'diff -y near two',
  'diff links links-too',
  'cat near/.e*',
  'head near/.env',
  'cd keys && git grep TOKEN',
  'cd keys && git diff',
  'cd keys && git diff --stat -U1',
  'cd keys && git diff --stat --unified=1',
  'cd keys && git diff --check',
  'cd keys && git show HEAD',
  'cd keys && git log -p -1',
  'cd keys && git show BLOB',
  'cd keys && git show --stat BLOB',
  'cd keys && git show -s BLOB',
  'cd keys && git cat-file -p BLOB',
  'cd keys && git cat-file blob BLOB',
  'cd keys && git cat-file -p HEAD:server.pem',
  'cd plain && git stash show -p -u',
  'cd plain && git diff ../near ../ignore',
  'cd plain && git diff ../links/app.ts ../near/.env',
];

const LEAVE_ALONE = [
  'rg TOKEN near',
  "rg -g '*.ts' TOKEN near",
  "rg -g '*.{ts,tsx}' TOKEN near",
  "rg -g '!*.md' TOKEN near",
  "rg -g 'near/**/*.ts' TOKEN near",
  "cd two && rg -n TOKEN -g '*.ts' -g '*.tsx'",
  'rg -t ts TOKEN near',
  'cd ignore && rg -t ts TOKEN',
  'rg -tpy -tts TOKEN near',
  'rg -T sh TOKEN near',
  'rg --files -g .env near',
  "rg -g '*' TOKEN near/app.ts",
  'rg TOKEN harmless',
  "cd harmless && rg TOKEN -g '*.ts'",
  'diff near/app.ts two/app.ts',
  'cd keys && git diff --stat',
  'cd keys && git show --stat HEAD',
  'cd keys && git log --oneline --stat',
  'cd keys && git cat-file -t HEAD',
  'cd plain && git diff',
  'cd plain && git stash show -p',
  'cd plain && git diff HEAD -- app.ts',
  'cd plain && git show HEAD:app.ts',
];

const able = process.platform !== 'win32' && bin.length > 0;
const run = (line: string) =>
  spawnSync('bash', ['-c', line], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).stdout.toString();

describe.runIf(able)('a file with secrets', () => {
  test.each(SHOW)('%j would show it, and asks', async (written) => {
    const line = written.replace('BLOB', blob);
    expect(run(line)).toContain('SECRET');
    expect(await whyAsked(options, line)).toMatch(
      /^(?:It may show secrets: |It reads the files of a folder: |It names a place outside its repository: |This command is not allowed yet\.$|Not every command of this line is allowed yet\.$)/u,
    );
  });

  test.each(LEAVE_ALONE)('%j leaves it alone, and runs unasked', async (line) => {
    expect(run(line)).not.toContain('SECRET');
    expect(await whyAsked(options, line)).toBe('runs');
  });

  test('a folder that no tool may touch is not searched either', async () => {
    expect(await whyAsked({ ...options, denied: [join(root, 'links')] }, "rg -g '*.ts' TOKEN")).toBe(
      'It may show secrets: links',
    );
  });
});
