/**
 * Names whose content configures the agent, the editor, version control or a build machine. Writing one can widen the
 * agent's own rights, so a person is asked every time. Any spelling that a file system could take for one of them counts
 * as that name.
 */

/** Folders: everything below them is guarded too. */
const FOLDERS: ReadonlySet<string> = new Set([
  // Version control, editors, build machines.
  ...['.git', '.hg', '.svn', '.jj', '.husky', '.githooks'],
  ...['.vscode', '.vscode-test', '.vs', '.idea', '.fleet', '.zed', '.devcontainer'],
  ...['.github', '.gitlab', '.gitea', '.forgejo', '.circleci', '.buildkite', '.woodpecker', '.azure-pipelines', '.ci'],
  ...['.teamcity', '.semaphore', '.azuredevops', '.tekton', '.harness'],
  // Agents.
  ...[
    '.palimpsest',
    '.agents',
    '.claude',
    '.cursor',
    '.codex',
    '.gemini',
    '.windsurf',
    '.roo',
    '.cline',
    '.clinerules',
  ],
  ...['.continue', '.kiro', '.amazonq', '.junie', '.augment', '.opencode', '.aider', '.mcp', '.trae', '.qwen'],
  // Build tools that run what their configuration names; keys, where the home folder is the workspace.
  ...['.yarn', '.cargo', '.mvn', '.direnv', '.ssh', '.gnupg', '.aws', '.kube', '.docker'],
]);

const FILES: ReadonlySet<string> = new Set([
  ...['.gitattributes', '.gitmodules', '.gitconfig', '.huskyrc', '.overcommit.yml'],
  ...['.devcontainer.json', '.travis.yml', 'azure-pipelines.yml', 'azure-pipelines.yaml', 'bitbucket-pipelines.yml'],
  ...['appveyor.yml', '.appveyor.yml', '.drone.yml', '.woodpecker.yml', 'cloudbuild.yaml', 'buildspec.yml'],
  ...['.cirrus.yml', '.build.yml', 'codemagic.yaml', 'bitrise.yml'],
  ...['agents.md', 'agents.override.md', 'agent.md', 'claude.md', 'claude.local.md', 'gemini.md', 'skill.md'],
  ...['qwen.md', 'crush.md', 'warp.md', '.rules', '.cursorrules', '.windsurfrules', '.roomodes', '.goosehints'],
  ...['.aider.conf.yml', 'opencode.json', 'opencode.jsonc', '.mcp.json', 'mcp.json'],
  ...['.envrc', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', '.bazelrc', '.editorconfig', '.pypirc', '.netrc'],
  ...[
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.profile',
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
  ],
  // Editors and tool switchers that take commands from the folder they are used in.
  ...['.vimrc', '.exrc', '.nvimrc', '.nvim.lua', '.dir-locals.el', '.mise.toml', 'mise.toml'],
]);

const PREFIXES = [
  ...['.gitlab-ci', '.clinerules', '.roorules', '.claude.', '.mcp.', 'jenkinsfile'],
  ...['lefthook', '.lefthook', '.lintstagedrc', '.simple-git-hooks', '.pre-commit'],
];
const SUFFIXES = ['.code-workspace'];

/**
 * The spelling under which a file system that ignores case, width, trailing dots and spaces, streams (`name::$DATA`)
 * or invisible characters would find the name.
 */
function foldName(name: string): string {
  const visible = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const folded = visible.toLowerCase().toUpperCase().toLowerCase();
  return folded.replace(/:.*$/su, '').replace(/(?<![. ])[. ]+$/u, '');
}

/** Short names under which Windows knows longer ones, `.git` and its like included: `GIT~1`. */
export const SHORT_NAME = /^[^.]{1,6}~[0-9]{1,6}(?:\.[^.]{0,3})?$/u;

/** `path` is workspace-relative; both kinds of slashes part names. */
export function isGuarded(path: string): boolean {
  return path.split(/[/\\]/u).some((segment) => {
    const name = foldName(segment);
    return (
      FOLDERS.has(name) ||
      FILES.has(name) ||
      PREFIXES.some((prefix) => name.startsWith(prefix)) ||
      SUFFIXES.some((suffix) => name.endsWith(suffix)) ||
      SHORT_NAME.test(name)
    );
  });
}
