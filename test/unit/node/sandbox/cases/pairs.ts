/**
 * What one command cannot do alone: two at the same time, of which one changes names while the host looks at them for the
 * other; names that the person linked; and what an editor finds while a command runs and after its end.
 */

import type { Escape } from '../escape.ts';

/** Runs until the other command has ended. */
const until = (body: string) => `n=0; until [ -e enough ] || [ $((n+=1)) -gt 20000 ]; do ${body}; done`;
/** A folder with a repository in it, and in turns the folder and a link to somewhere else by that name. */
const swapping = (target: string, made = 'd/projects/open/.git') =>
  `mkdir -p ${made}; : > ready; ${until(`mv -T d d2; ln -s ${target} d; rm -f d; mv -T d2 d`)}`;
const READ = 'for n in $(seq 20); do cat d/.ssh/id_ed25519 "$HOME/.ssh/id_ed25519"; done';
const WRITE = 'for n in $(seq 20); do echo evil > d/projects/other/main.js; echo evil > ../other/main.js; done';

/** What git's part of an editor does as soon as it sees a repository. */
const LOOK = 'git status >/dev/null 2>&1 || :';
const EVIL_GIT =
  'git init -q evil; git -C evil config core.fsmonitor "echo x > $SRV/data.txt; false"; mv evil/.git .git || cp -r evil/.git .';

interface Pair extends Pick<Escape, 'before' | 'meanwhile' | 'beside' | 'after' | 'watched'> {
  readonly name: string;
  readonly sign: Escape['sign'];
  readonly script: string;
}

const pairs: readonly Pair[] = [
  {
    name: 'a folder becomes a link to the home, to read',
    sign: 'secret',
    beside: swapping('../../../host'),
    script: READ,
  },
  {
    name: 'a folder becomes a link to the home, to write',
    sign: 'changed',
    beside: swapping('../../../host'),
    script: WRITE,
  },
  {
    name: 'a folder becomes an absolute link to the home',
    sign: 'secret',
    beside: swapping('"$HOME"'),
    script: READ,
  },
  {
    name: 'a folder becomes a link to the root',
    sign: 'secret',
    beside: swapping('/', 'd/$HOME/.ssh'.replace('$HOME', '"$HOME"')),
    script: READ,
  },
  {
    name: 'two folders take turns with a link',
    sign: 'changed',
    beside: `mkdir -p d/.vscode e/.vscode; : > ready; ${until('mv -T d x; mv -T e d; mv -T x e; ln -s ../../.. l; mv -T l d/l; rm -f d/l e/l l')}`,
    script: WRITE,
  },
  {
    name: 'a guarded name of before is moved while another command begins',
    sign: 'changed',
    beside: `: > ready; ${until('mv -T src/packages/one src/packages/two; mv -T src/packages/two src/packages/one')}`,
    script:
      'for n in $(seq 20); do echo evil > src/packages/one/.vscode/settings.json; echo evil > src/packages/two/.vscode/settings.json; done',
  },
  {
    name: 'covers go while another command still runs',
    sign: 'changed',
    beside: `: > ready; ${until('sleep 0.02')}; sleep 0.3; mkdir -p .claude && echo evil > .claude/settings.json`,
    script: 'true',
  },
  {
    name: 'a cover is removed from outside its own command',
    sign: 'changed',
    beside: `: > ready; ${until('rmdir .husky .claude .mcp.json; sleep 0.01')}`,
    script: 'for n in $(seq 20); do mkdir -p .husky && echo evil > .husky/pre-commit; sleep 0.02; done',
  },
  ...['.claude', '.husky', '.cursor', '.github', '.mcp.json', 'CLAUDE.md'].map(
    (name): Pair => ({
      name: `${name} is made where it was absent`,
      sign: 'changed',
      script: `mkdir -p ${name} && echo evil > ${name}/x; echo evil > ${name}; mkdir y; echo evil > y/x; mv -T y ${name}; ln -s y ${name}`,
    }),
  ),
  {
    name: 'a whole repository is put where there was none',
    sign: 'changed',
    before: 'rm -rf .git',
    script: EVIL_GIT,
    after: LOOK,
  },
  {
    name: 'a repository is there for a moment, while an editor looks',
    sign: 'changed',
    before: 'rm -rf .git',
    script: `${EVIL_GIT}; : > ready; ${until('sleep 0.02')}; rm -rf .git evil`,
    meanwhile: LOOK,
  },
  {
    name: 'settings are there for a moment, while an editor looks',
    sign: 'changed',
    before: 'rm -rf .vscode',
    watched: ['seen'],
    script: `mkdir -p .vscode; echo evil > .vscode/tasks.json; : > ready; ${until('sleep 0.02')}; rm -rf .vscode/tasks.json`,
    meanwhile: 'if grep -q evil .vscode/tasks.json; then touch seen; fi',
  },
  {
    name: 'a repository by a file that names another folder',
    sign: 'changed',
    before: 'rm -rf .git',
    script: `${EVIL_GIT}; rm -rf evil/.git; git init -q evil; git -C evil config core.fsmonitor "echo x > $SRV/data.txt; false"; echo "gitdir: evil/.git" > .git`,
    after: LOOK,
  },
  {
    name: 'the folder that settings are linked to',
    sign: 'changed',
    before: 'rm -rf .vscode; mkdir ide; echo "{}" > ide/settings.json; ln -s ide .vscode',
    watched: ['ide/settings.json', 'ide/tasks.json'],
    script: 'echo evil > ide/settings.json; echo evil > ide/tasks.json',
  },
  {
    name: 'the file that instructions are linked to',
    sign: 'changed',
    before: 'mkdir docs; echo kind > docs/guide.md; ln -s docs/guide.md CLAUDE.md',
    watched: ['docs/guide.md'],
    script: 'echo evil > docs/guide.md',
  },
  {
    name: 'the folder above what instructions are linked to is replaced',
    sign: 'changed',
    before: 'mkdir docs; echo kind > docs/guide.md; ln -s docs/guide.md CLAUDE.md',
    watched: ['docs/guide.md'],
    script: 'mv docs other; mkdir docs; echo evil > docs/guide.md',
  },
  {
    name: 'the file that a deep link of instructions leads to',
    sign: 'changed',
    before: 'mkdir -p docs; echo kind > docs/deep.md; ln -s ../../../docs/deep.md src/packages/one/CLAUDE.md',
    watched: ['docs/deep.md'],
    script: 'echo evil > docs/deep.md',
  },
  {
    name: 'what a dangling link of settings leads to',
    sign: 'changed',
    before: 'rm -rf .vscode; ln -s ide .vscode',
    watched: ['ide', 'ide/tasks.json'],
    script: 'mkdir ide; echo evil > ide/tasks.json',
  },
  {
    name: 'a link that the host might put back, beside a link to the home',
    sign: 'changed',
    before: 'mkdir d; ln -s ../README.md d/.zshenv',
    script: 'rm -f d/.zshenv; ln -s ../README.md d/.zshenv; ln -s ../.. e; echo evil > e/.zshenv',
  },
  {
    name: 'settings in a folder without the right to write, after the end',
    sign: 'changed',
    script: 'mkdir -p d/.vscode; echo evil > d/.vscode/tasks.json; chmod 555 d',
  },
  {
    name: 'settings in a folder that nobody may enter, after the end',
    sign: 'changed',
    script: 'mkdir -p d/.vscode; echo evil > d/.vscode/tasks.json; chmod 000 d',
    after: 'chmod 755 d',
  },
  {
    name: 'a repository deep in the folder, after the end',
    sign: 'changed',
    script: 'git init -q src/deep/evil',
  },
  {
    name: 'a folder that git takes for a repository, after the end',
    sign: 'changed',
    script: 'git init -q --bare src/evil',
  },
  {
    name: 'a guarded file by another name that it has, after the end',
    sign: 'changed',
    before: 'ln AGENTS.md notes.md',
    script: 'echo evil >> notes.md',
  },
  {
    name: 'two commands make settings together, after the end',
    sign: 'changed',
    beside: `mkdir d; : > ready; until [ -e d/half ] || [ -e enough ]; do sleep 0.01; done; mv -T d/half d/.vscode; ${until('sleep 0.02')}`,
    script:
      'mkdir d/half; echo evil > d/half/tasks.json; for n in $(seq 100); do [ -e d/.vscode ] && break; sleep 0.02; done',
  },
];

export const PAIRS: readonly Escape[] = pairs.map((each) => ({ from: null, ...each }));
