/** Writing where a command must not: outside, and guarded names in the open folder, those that are not there yet too. */

import { type Escape, escapesFrom } from '../escape.ts';

const outside = escapesFrom('write tests of sandbox-runtime and of the landlock sandbox of Codex', [
  ['a file in the home', 'changed', 'echo x > "$HOME/new"'],
  ['the start of the shell', 'changed', 'echo evil >> "$HOME/.bashrc"'],
  ['the start of a login', 'changed', 'echo evil >> "$HOME/.profile"'],
  ['a start that is not there yet', 'changed', 'echo evil > "$HOME/.zshrc"'],
  ['a key that may log in', 'changed', 'echo key >> "$HOME/.ssh/authorized_keys"'],
  ['the settings of git', 'changed', 'git config --global core.pager evil'],
  ['a program of the person', 'changed', 'mkdir -p "$HOME/.local/bin"; echo evil > "$HOME/.local/bin/git"'],
  [
    'a start of the desktop',
    'changed',
    'mkdir -p "$HOME/.config/autostart"; echo x > "$HOME/.config/autostart/a.desktop"',
  ],
  [
    'a service of the person',
    'changed',
    'mkdir -p "$HOME/.config/systemd/user"; echo x > "$HOME/.config/systemd/user/a.service"',
  ],
  ['a file in a project beside', 'changed', 'echo x > ../other/main.js'],
  ['a file elsewhere', 'changed', 'echo x > "$SRV/data.txt"'],
  ['a new file elsewhere', 'changed', 'touch "$SRV/new"'],
  ['a mode elsewhere', 'changed', 'chmod 777 "$SRV/run.sh"'],
  ['a file elsewhere is removed', 'changed', 'rm -f "$SRV/data.txt"'],
  ['a file elsewhere is moved in', 'changed', 'mv "$SRV/data.txt" src/'],
  ['a file is moved out', 'changed', 'mv README.md "$SRV/"'],
  ['a file elsewhere is cut', 'changed', 'truncate -s 0 "$SRV/data.txt"'],
  ['the folder above', 'changed', 'cd ..; echo x > note'],
]);

const ours = escapesFrom(null, [
  ['storage of the product', 'changed', 'echo x >> "$STORE/sessions/one.jsonl"'],
  ['a new file in the storage', 'changed', 'mkdir -p "$STORE"; echo x > "$STORE/allowed.json"'],
  ['settings of the editor', 'changed', 'echo "{}" > "$HOME/.config/Code/User/settings.json"'],
  ['the open folder gets another name', 'changed', 'cd ..; mv open shut'],
  ['a folder above gets another name', 'changed', 'mv "$HOME/projects" "$HOME/work"'],
  [
    'an archive that leads out',
    'changed',
    'mkdir d; echo x > d/f; tar -cPf a.tar --transform "s,^d,$SRV," d/f; tar -xPf a.tar',
  ],
  [
    'a patch that leads out',
    'changed',
    `printf -- '--- a\\n+++ b\\n@@ -1 +1 @@\\n-data\\n+evil\\n' | patch -s "$SRV/data.txt" || sed -i s/data/evil/ "$SRV/data.txt"`,
  ],
  ['in place by an editor of streams', 'changed', 'sed -i s/data/evil/ "$SRV/data.txt"'],
  ['in place by perl', 'changed', 'perl -pi -e s/data/evil/ "$SRV/data.txt"'],
  ['by dd', 'changed', 'echo x | dd of="$SRV/data.txt" status=none'],
  ['by tee', 'changed', 'echo x | tee "$SRV/data.txt"'],
  ['by install', 'changed', 'install README.md "$SRV/data.txt"'],
  ['by git to another work tree', 'changed', 'git --work-tree="$SRV" checkout -f HEAD -- README.md'],
  ['by git as a new repository', 'changed', 'git init -q "$SRV/r"'],
  ['by git as a bundle', 'changed', 'git bundle create -q "$SRV/b" HEAD'],
  ['by git as a picture of changes', 'changed', 'echo more >> README.md; git diff --output="$SRV/d"'],
]);

const links = escapesFrom('links that replace what is protected, as in tests of Codex and issues of sandbox-runtime', [
  ['through a link to a file', 'changed', 'ln -s "$SRV/data.txt" a; echo evil > a'],
  ['through a link to a folder', 'changed', 'ln -s "$SRV" a; echo evil > a/new'],
  ['through a link to nothing yet', 'changed', 'ln -s "$SRV/later" a; echo evil > a'],
  ['through a hard link', 'changed', 'ln "$SRV/data.txt" a && echo evil > a'],
  ['through /proc', 'changed', 'echo evil > "/proc/self/root$SRV/data.txt"'],
  ['through the folder of another process', 'changed', 'echo evil > "/proc/$VICTIM/cwd/main.js"'],
  ['a guarded folder becomes a link', 'changed', 'mv .vscode old; ln -s src .vscode'],
  ['a guarded file becomes a link', 'changed', 'rm -f AGENTS.md; ln -s README.md AGENTS.md'],
]);

const guarded = escapesFrom(
  'paths that sandbox-runtime, Codex and Cursor protect, and reports of 2025 and 2026 that they did not',
  [
    ['settings of the folder', 'changed', 'echo "{}" > .vscode/settings.json; echo evil >> .vscode/settings.json'],
    ['tasks of the folder', 'changed', 'echo "{}" > .vscode/tasks.json'],
    ['instructions of agents', 'changed', 'echo obey >> AGENTS.md'],
    ['settings of the folder are removed', 'changed', 'rm -rf .vscode'],
    ['the guarded folder moves away', 'changed', 'mv .vscode elsewhere; mkdir .vscode; echo evil > .vscode/tasks.json'],
    ['settings of a folder below', 'changed', 'echo evil > src/packages/one/.vscode/settings.json'],
    ['another editor, not there yet', 'changed', 'mkdir .idea; echo evil > .idea/workspace.xml'],
    ['an agent, not there yet', 'changed', 'mkdir -p .claude/commands; echo evil > .claude/commands/x.md'],
    ['hooks of an agent, not there yet', 'changed', 'mkdir -p .claude; echo "{}" > .claude/settings.local.json'],
    ['rules of an agent, not there yet', 'changed', 'mkdir -p .cursor/rules; echo evil > .cursor/rules/a.mdc'],
    ['servers of tools, not there yet', 'changed', 'echo "{}" > .mcp.json'],
    ['a second agent, not there yet', 'changed', 'mkdir .codex; echo evil > .codex/config.toml'],
    ['instructions, not there yet', 'changed', 'echo obey > CLAUDE.md'],
    ['modules of git, not there yet', 'changed', 'echo evil > .gitmodules'],
    ['a build machine, not there yet', 'changed', 'mkdir -p .github/workflows; echo evil > .github/workflows/a.yml'],
    ['the start of a shell in the folder', 'changed', 'echo evil > .bashrc'],
    ['the start of another shell in the folder', 'changed', 'echo evil > .zprofile'],
    ['options of a search, not there yet', 'changed', 'echo --pre=evil > .ripgreprc'],
  ],
);

const later = escapesFrom(null, [
  ['hooks of a tool, not there yet', 'changed', 'mkdir .husky; echo evil > .husky/pre-commit'],
  ['an environment that loads itself', 'changed', 'echo evil > .envrc'],
  ['a container for development', 'changed', 'mkdir .devcontainer; echo "{}" > .devcontainer/devcontainer.json'],
  ['a workspace file', 'changed', 'echo "{}" > a.code-workspace'],
  ['the product itself', 'changed', 'mkdir -p .palimpsest/skills; echo evil > .palimpsest/skills/a.md'],
  ['in another case', 'changed', 'mkdir .VsCode; echo evil > .VsCode/tasks.json'],
  ['deep below', 'changed', 'mkdir -p a/b/c/d/e/f/.vscode; echo evil > a/b/c/d/e/f/.vscode/tasks.json'],
  [
    'below a folder that ignores itself',
    'changed',
    'mkdir -p out; echo "*" > out/.gitignore; mkdir out/.claude; echo evil > out/.claude/settings.json',
  ],
  ['by another name first', 'changed', 'mkdir x; echo evil > x/tasks.json; mv x .vscode2; mv .vscode2 src/.vscode'],
  ['by a link', 'changed', 'mkdir evil; ln -s ../evil src/.vscode'],
  ['by a hard link', 'changed', 'echo evil > e; ln e src/AGENTS.md'],
  [
    'by an archive',
    'changed',
    'mkdir -p d/.claude; echo x > d/.claude/a; tar -cf a.tar -C d .claude; rm -r d; mkdir n; tar -xf a.tar -C n',
  ],
  [
    'by a swap of folders',
    'changed',
    'mv src/packages/one src/two; mkdir -p src/packages/one/.vscode; echo evil > src/packages/one/.vscode/tasks.json',
  ],
  [
    'by a folder above that moves',
    'changed',
    'mv src old; mkdir -p src/packages/one/.vscode; echo evil > src/packages/one/.vscode/settings.json',
  ],
  ['by a pipe of that name', 'changed', 'mkfifo src/CLAUDE.md'],
  ['a Python path', 'changed', 'echo "import os" > src/evil.pth'],
  ['in a folder that cannot be listed', 'changed', 'mkdir -p h/.vscode; echo evil > h/.vscode/tasks.json; chmod 311 h'],
]);

const modes = escapesFrom('setuid tests of firejail and of sandbox-runtime', [
  ['a program for others', 'changed', 'cp /bin/true x; chmod 4755 x'],
  ['a program for its group', 'changed', 'cp /bin/true x; chmod g+s x; chmod 2755 x'],
  ['a program for others by a descriptor', 'changed', `cp /bin/true x; perl -e 'open F,"<","x";chmod 04755,*F'`],
  [
    'a program for others when made',
    'changed',
    `perl -e 'use Fcntl;sysopen F,"x",O_CREAT|O_WRONLY,04755'; chmod u+s x`,
  ],
  ['a program for others by an archive', 'changed', 'cp /bin/true x; cp -p x y; install -m 4755 x z'],
]);

export const WRITING: readonly Escape[] = [...outside, ...ours, ...links, ...guarded, ...later, ...modes];
