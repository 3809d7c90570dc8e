/**
 * Names whose content configures an agent, an editor, version control, a shell or a build machine. Writing one can run
 * code or widen the agent's rights, so a person is asked every time. Names are matched in families, and any spelling
 * that a file system could take for one of them counts as that name.
 */

/** A possible continuation of a name: another word, or an extension. */
const MORE = '(?:[-_.].*)?';
const DATA = '\\.(?:ya?ml|jsonc?|json5|jsonnet|toml|star|kdl|ini|cfg|conf|xml|pkl|dist)';

const oneOf = (...lists: readonly string[]) => lists.join(' ').trim().split(/\s+/u).join('|');
const family = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'su');

const AGENTS = oneOf(
  'agents? ai aiassistant aide aider amazonq amp ampcode antigravity aone augment bito blackbox bolt claude cline',
  'codebuddy codegeex codeium coderabbit codewhisperer codex codium cody comate continue copilot crush cursor devin',
  'ellipsis factory firebender forge gemini goose gptme greptile grok iflow junie kilo kilocode kimi kiro kode lingma',
  'lovable marscode mcp mentat mux neovate openhands opencode openhands_instructions palimpsest pearai pi plandex pochi',
  'pr_agent qodo qoder qwen refact roo rovodev ruler rulesync serena skills sourcegraph sourcery supermaven superclaude',
  'swe-agent sweep tabby tabnine taskmaster trae void warp windsurf zed zencoder',
);
/** Files that an agent reads as instructions, in any folder. */
const ORDERS = oneOf(
  'agents? aider antigravity augment claude cline codebuddy codex conventions copilot-instructions crush devin gemini goose',
  'grok iflow junie kilocode kimi kiro opencode qwen replit roo rovodev skill trae warp windsurf',
);
const MACHINES = oneOf(
  'appcircle appveyor azure-pipelines? bitbucket-pipelines? bitrise buddy buildkite buildspec circle circleci cirrus',
  'cloudbuild codecov codefresh codemagic codeship-services codeship-steps concourse dependabot drone earthly-ci',
  'gitlab-ci gitpod harness kodiak mergify pipelines renovate scrutinizer semaphore semaphoreci shippable teamcity',
  'tekton travis wercker woodpecker taskcluster zuul screwdriver prow skaffold werf werf-giterminism vela cloudbees',
  'platform platform\\.app upsun rwx mint dagger garden okteto lagoon goreleaser deepsource jenkins vsts(?:-ci)? hound',
);
const HOOKS = oneOf(
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit',
  'pre-rebase post-checkout post-merge pre-push pre-receive post-receive post-update proc-receive push-to-checkout',
  'reference-transaction pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change',
);
/** Their configuration belongs to the project's code, like a makefile; every other `.…rc` configures a tool. */
const CHECKERS = oneOf(
  'babel browserslist c8 commitlint coverage cspell cz depcheck doc8 dprint es eslint flake8 graphql htmlhint htmllint',
  'istanbul jscs jshint jsbeautify lighthouse lockfilelint markdownlint mdl mocha ncu nvm nyc oxlint parcel perltidy',
  'postcss prettier pylint remark rubocop sasslint semistandard size-limit spectral stylelint swc syncpack tap terser',
  'textlint tslint typedoc versionlens version watchman xo yamllint',
);

/** Version control: programs act on such a folder as soon as it is there, wherever it lies. */
const VERSION_CONTROL = family(
  `\\.(?:git|hg|svn|jj|bzr|sl|pijul|repo|fslckout)|_fossil_|_darcs|cvs|cvsroot|\\.fossil${MORE}`,
);
/** Folders and files of agents: their hooks run, and their servers start, wherever an agent works. */
const OF_AGENTS = [
  `\\.(?:${AGENTS})(?:[-_.].*|(?:rules|modes|ignore|indexingignore|exclude|include|hints|prompts?|config|mcp).*)?`,
  `\\.(?:${AGENTS})-?code|\\.(?:claude|cursor|codex|gemini|windsurf|aider|cline|kilocode|copilot|qwen|mcp|roo).*`,
].map(family);
/** Names by which git accepts a folder as a repository, and those of its parts. */
const OF_REPOSITORY = family('head|commondir|gitdir|config|config\\.worktree|packed-refs|objects|refs|worktrees');

const OTHERS: readonly RegExp[] = [
  // Version control's own files, and its hooks.
  `\\.(?:gitattributes|gitmodules|gitconfig|gitinclude|lfsconfig|gitreview|git-credentials|hgsub|arcconfig|arclint)${MORE}`,
  `\\.?git-?hooks|${HOOKS}|(?:${HOOKS})\\.(?:sh|bash|py|rb|ps1|bat|cmd|exe)`,
  `\\.?(?:lefthook|simple-git-hooks|lint-staged|nano-staged)${MORE}|\\.(?:husky|pre-commit|overcommit|lintstaged)${MORE}`,
  `\\.?(?:captainhook|grumphp|rusty-hook|overcommit|pre-commit|prek|yorkie|hk)(?:${DATA})+|\\.(?:captainhook|cargo-husky)`,
  // Agents.
  `\\.[^.]*(?:rules|modes|hints)${MORE}|\\.(?:instructions|prompts|specstory|bmad-core)`,
  `(?:${ORDERS})(?:\\.(?:local|override|private|user|project))?\\.(?:md|mdc|markdown|txt)`,
  '.*\\.(?:instructions|prompt|chatmode|agent|skill)\\.md|.*\\.mdc',
  `(?:${AGENTS})(?:[-_.](?:config|settings|servers|extension|plugin|permissions|hooks))+(?:${DATA})`,
  `(?:mcp|claude|codex|gemini|opencode|crush|cline|aider|copilot|qwen|kilocode|goose|coderabbit|greptile)(?:${DATA})`,
  `[a-z0-9-]*_?(?:mcp|desktop)[-_](?:config|settings|servers)(?:${DATA})`,
  // Build machines.
  `\\.(?:github|gitlab|gitea|forgejo|azuredevops|ci|gp|codesandbox|idx|builds?|tekton|nx-ci)`,
  `\\.(?:${MACHINES})${MORE}|(?:${MACHINES})${MORE}\\.(?:ya?ml|star)`,
  `(?:appveyor|buildspec|cloudbuild|renovate|dependabot|azure-pipelines?)${MORE}(?:${DATA})|buildspec`,
  `jenkinsfile.*|dangerfile${MORE}|\\.build\\.ya?ml|bors\\.toml|\\.replit|replit\\.nix`,
  `(?:appspec|amplify|netlify|vercel|heroku|railway|wrangler|apphosting|nixpacks|railpack|serverless)(?:${DATA})`,
  'now\\.json|render\\.ya?ml|fly\\.toml|app\\.ya?ml|dagger\\.json|procfile(?:\\.(?!(?:[cm]?[jt]sx?|py|rb|go|md)$).*)?|earthfile|captain-definition',
  'azure-pipelines?|taskcluster|zuul\\.d|\\.zuul\\.d|\\.pipelines|\\.depot|\\.do',
  `\\.devcontainer${MORE}|devcontainer${DATA}`,
  // Editors.
  `\\.(?:vscode|vscode-[a-z]+(?:-[a-z]+)?|vscodium|vs|idea|fleet|theia|atom|nova|lapce|helix|kak|micro|brackets\\.json)`,
  `\\.(?:settings|project|classpath|cproject|factorypath|externaltoolbuilders|nbproject|run)|nbproject`,
  '.*\\.(?:code-workspace|code-profile|sublime-(?:project|workspace|build|settings|commands|keymap)|ipr|iws|run\\.xml)',
  `\\.(?:editorconfig|n?vim|exrc|nvim\\.lua|vimspector\\.json|projections\\.json|nlsp-settings|neoconf\\.json|lazy\\.lua)`,
  `\\.(?:emacs|dir-locals|spacemacs|doom)${MORE}|\\.emacs.*|\\.dir-locals.*|dir-locals\\.el|coc-settings\\.json`,
  // Shells, debuggers, interpreters and files that run automatically from a home folder.
  `\\.(?!(?:s|${CHECKERS})rc)[a-z0-9_-]*rc${MORE}|_(?:g?vim|ideavim|curl|net)rc`,
  `\\.(?:bash|zsh|fish|ksh|csh|tcsh|profile|login|logout|zlogin|zlogout|zprofile|zshenv|kshenv)(?:[-_.].*|_.*)?`,
  `\\.(?:aliases|functions|exports|env\\.sh|oh-my-(?:zsh|bash)|p10k\\.zsh|zim|zinit|antigen|autoenv(?:\\.zsh)?)`,
  '(?:.*[._])?profile\\.ps1|config\\.fish|fish_variables|\\.[a-z]*init|\\.gdbearlyinit|\\.ghci|\\.iex\\.exs',
  `\\.(?:rprofile|renviron|pythonstartup|tmux|tmux\\.conf|my\\.cnf|xprofile|xsession|xresources|xinitrc|pam_environment)`,
  `\\.(?:forward|rhosts|shosts|crontab|config|local|launchagents)|launchagents|launchdaemons|autostart|crontab`,
  'start menu|application support|appdata|(?:site|user)customize\\.py|.*\\.pth',
  `\\.(?:direnv|envrc|mise|tool-versions|asdf|devbox|devenv|flox|proto|volta)${MORE}|mise(?:\\.[a-z]+)*\\.toml`,
  'devenv\\.(?:nix|yaml)|rust-toolchain(?:\\.toml)?|\\.prototools|pkgx\\.yaml|\\.pkgx\\.yaml|hermit\\.hcl',
  // Package managers and build tools that run or fetch what their configuration names.
  `\\.(?:yarn|cargo|mvn|gradle|bundle|sbt|npm|pnpm-store|nuget|pip|condarc|gem|m2|composer|bazelisk)`,
  '\\.?pnpmfile\\.[cm]?js|pnpm-workspace\\.yaml|bunfig\\.toml|\\.bunfig\\.toml|pip\\.(?:conf|ini)|\\.pydistutils\\.cfg',
  'nuget\\.config|uv\\.toml|poetry\\.toml|gradle-wrapper\\.(?:properties|jar)|maven-wrapper\\.(?:properties|jar)',
  '\\.jvmopts|\\.sbtopts|jvm\\.config|maven\\.config|\\.buckconfig.*',
  '\\.pgpass|\\.vault-token',
  // Keys, where the home folder is the workspace.
  `\\.(?:ssh|gnupg|pki|aws|azure|gcloud|kube|docker|podman|terraform\\.d|password-store|vercel|netlify|fly|ollama)`,
].map(family);

/** Below a folder of this name, these names belong to a repository. */
const REPOSITORY = /(?:^|\/)(?:refs\/(?:heads|tags|remotes|notes|replace)|objects\/(?:info|pack|[0-9a-f]{2}))(?:\/|$)/u;

/**
 * The spelling under which a file system that ignores case, width, trailing dots and spaces, streams (`name::$DATA`) or
 * invisible characters would find the name.
 */
function foldName(name: string): string {
  const visible = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const folded = visible.toLowerCase().toUpperCase().toLowerCase();
  return folded.replace(/:.*$/su, '').replace(/(?<![. ])[. ]+$/u, '');
}

/** Short names by which Windows knows longer ones, including `.git`: `GIT~1`. */
export const SHORT_NAME = /^[^.]{1,6}~[0-9]{1,6}(?:\.[^.]{0,3})?$/u;

/** The file that git requires in a repository. */
export const REPOSITORY_HEAD = 'HEAD';

/** Ordinary as a folder, guarded as a file. */
const ONLY_FILES: ReadonlySet<string> = new Set(['config', 'objects', 'refs', 'head']);

/** `path` is workspace-relative; both kinds of slashes separate names. */
export function isGuarded(path: string): boolean {
  const names = path.split(/[/\\]/u).map(foldName);
  const last = names.findLastIndex((name) => name !== '');
  return (
    REPOSITORY.test(names.join('/')) ||
    names.some((name, at) => {
      if (SHORT_NAME.test(name)) return true;
      if (at < last && ONLY_FILES.has(name)) return false;
      return VERSION_CONTROL.test(name) || OF_REPOSITORY.test(name) || isConfiguration(name);
    })
  );
}

const isOfAgent = (folded: string) => folded === '.vscode' || OF_AGENTS.some((each) => each.test(folded));
const isConfiguration = (folded: string) => isOfAgent(folded) || OTHERS.some((each) => each.test(folded));

/** Where an entry lies: in the project's own folders, in one that builds fill, or in what git takes for a repository. */
export type GuardedPlace = 'project' | 'output' | 'repository';

/**
 * Whether an entry of a folder is guarded by its own name, given where it lies. In folders that builds and package
 * managers fill, only what programs act upon anywhere counts: version control, and folders of agents and the editor.
 */
export function isGuardedEntry(name: string, place: GuardedPlace): boolean {
  const folded = foldName(name);
  if (VERSION_CONTROL.test(folded)) return true;
  switch (place) {
    case 'output':
      return isOfAgent(folded);
    case 'repository':
      return OF_REPOSITORY.test(folded) || IN_REPOSITORY.has(folded) || isConfiguration(folded);
    case 'project':
      return SHORT_NAME.test(folded) || isConfiguration(folded);
  }
}

/** Also read by git where they lie in a repository. */
const IN_REPOSITORY: ReadonlySet<string> = new Set(['hooks', 'info', 'logs', 'modules']);

/** Folders that builds and package managers fill, by usual names. */
const OUTPUT = new RegExp(
  `^(?:${oneOf(
    'build dist out target vendor coverage site-packages bower_components pods deriveddata __pycache__ _build _site',
    'venv \\.venv \\.tox \\.nox \\.eggs \\.next \\.nuxt \\.output \\.svelte-kit \\.turbo \\.cache \\.parcel-cache \\.angular',
    '\\.gradle \\.build \\.dart_tool \\.terraform \\.serverless \\.npm \\.pnpm-store \\.m2 \\.nuget \\.gem \\.composer',
    '\\.stack-work dist-newstyle elm-stuff cmake-build-.* storybook-static \\.docusaurus \\.mypy_cache \\.pytest_cache',
    '\\.ruff_cache \\.nyc_output \\.wrangler \\.expo',
  )})$`,
  'su',
);

/** A folder that builds or package managers fill. */
export const isOutputFolder = (name: string): boolean => OUTPUT.test(foldName(name));

/** Whether a folder's entries together make git take it for a repository. */
export function looksLikeRepository(
  entries: readonly { readonly name: string; readonly isFolder: boolean }[],
): boolean {
  const has = (wanted: string, isFolder: boolean) =>
    entries.some((entry) => entry.isFolder === isFolder && foldName(entry.name) === wanted);
  return has('head', false) && (has('commondir', false) || (has('objects', true) && has('refs', true)));
}

/** A word of a command names a guarded file, also after an option's letter or name: `-f.git/config`, `--file=.vscode/settings.json`. */
export function namesGuarded(word: string): boolean {
  const parts = [word, ...word.split(/[=:,@+]/), word.replace(/^-+[A-Za-z]/, ''), word.replace(/^-+/, '')];
  return parts.some((part) => part !== '' && isGuarded(part));
}
