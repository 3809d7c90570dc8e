/** Paths by the kind of thing that they configure, and ordinary paths that look like them. */

const paths = (text: string): string[] => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
const words = (text: string): string[] => text.trim().split(/\s+/u);

export const CONFIGURES: Readonly<Record<string, readonly string[]>> = {
  'version control': words(`
    .git .git/config .git/hooks/pre-commit sub/.git .git/info/attributes .hg/hgrc .hgrc .hgsub .svn/entries .jj/repo/config.toml
    .bzr/branch/branch.conf _darcs/prefs/defaults .sl/config .pijul/config CVS/Root CVSROOT/loginfo .fslckout _FOSSIL_
    .repo/manifest.xml .gitattributes docs/.gitattributes .gitmodules .gitconfig .gitconfig.local .gitconfig-work .lfsconfig
    .gitreview .git-credentials .arcconfig .arclint .fossil-settings/clean-glob .config/git/config .config/git/attributes
    .config/jj/config.toml .config/hg/hgrc`),
  'a repository without a name': words(`
    HEAD config objects refs sub/HEAD deep/er/config a/objects a/refs a/refs/heads/main a/refs/tags/v1 a/objects/info/packs
    a/objects/pack/x.idx a/objects/ab/cdef a/packed-refs a/commondir a/gitdir a/config.worktree git/config`),
  hooks: words(`
    .husky/pre-commit .huskyrc .huskyrc.json .husky.yml .githooks/pre-push .git-hooks/commit-msg githooks/pre-push git-hooks/x
    scripts/pre-commit scripts/pre-commit.sh hooks/post-checkout hooks/post-merge hooks/commit-msg hooks/pre-receive
    tools/prepare-commit-msg hooks/fsmonitor-watchman hooks/post-rewrite hooks/reference-transaction hooks/post-index-change
    hooks/pre-rebase hooks/pre-auto-gc .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml pre-commit.toml
    prek.toml lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook.yml lefthook-local.yml .lefthook-local.yml
    .lefthook/pre-commit/x .lefthookrc .overcommit.yml overcommit.yml .simple-git-hooks.json .simple-git-hooks.cjs
    simple-git-hooks.js .lintstagedrc .lintstagedrc.json .lintstagedrc.mjs lint-staged.config.js lint-staged.config.mjs
    .nano-staged.json nano-staged.js captainhook.json .captainhook/x grumphp.yml grumphp.yml.dist .rusty-hook.toml
    .cargo-husky/hooks/pre-commit hk.pkl`),
  agents: words(`
    AGENTS.md AGENT.md AGENTS.override.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md CRUSH.md WARP.md CODEX.md SKILL.md
    skills/pdf/SKILL.md copilot-instructions.md CODEBUDDY.md IFLOW.md KIMI.md GROK.md REPLIT.md DEVIN.md CLINE.md ROO.md
    OPENCODE.md JUNIE.md CONVENTIONS.md KIRO.md TRAE.md AIDER.md .rules .cursorrules .windsurfrules .clinerules .clinerules-code .clinerules/a.md .roorules
    .roorules-architect .kilocoderules .kilocoderules-code .kilocodemodes .kilocodeignore .kilocode/rules/a.md .roomodes
    .rooignore .roo/mcp.json .goosehints .goose/config.yaml .goosehints.local .traerules .augmentrules .rovodevrules .airules
    .cursorignore .cursorindexingignore .cursor/mcp.json .cursor/rules/x.mdc rules/x.mdc .claude/settings.json
    .claude/settings.local.json .claude/commands/a.md .claude.json .claudeignore .claude-plugin/plugin.json .claude-code/x
    .codex/config.toml .codexignore .gemini/settings.json .geminiignore .qwen/settings.json .qwenignore .windsurf/rules/a.md
    .codeium/x .codeiumignore .aider.conf.yml .aider.model.settings.yml .aiderignore .aider/x .continue/config.json
    .continuerc.json .continueignore .continuerules .kiro/steering/a.md .kiro/hooks/a.kiro.hook .amazonq/rules/a.md
    .aws-q/x/.amazonq/mcp.json .junie/guidelines.md .aiignore .aiexclude .aiassistant/rules/a.md .ai/mcp/mcp.json .augment/rules/a.md
    .augment-guidelines .augmentignore .opencode/agent/a.md opencode.json opencode.jsonc .opencode.json .trae/rules/project_rules.md
    .mcp.json mcp.json mcp.jsonc .mcp/servers.json mcp-config.json mcp_settings.json cline_mcp_settings.json mcp-servers.json
    claude_desktop_config.json .crush.json crush.json .agents/skills/a/SKILL.md .agent/rules/a.md .agentrules .palimpsest/strategies/a.mjs
    .factory/droids/a.md .openhands/microagents/repo.md .openhands_instructions .devin/x .sourcegraph/x .cody/ignore .codyrules
    .tabnine/x .tabnine.yaml .coderabbit.yaml .coderabbit.yml coderabbit.yaml .greptile/x greptile.json .sourcery.yaml .sweep.yaml
    .ellipsis/x .pr_agent.toml .qodo/x .zencoder/rules/a.md .qoder/rules/a.md .lingma/rules/a.md .codebuddy/x .comate/x
    .iflow/settings.json .kimi/x .rovodev/config.yml .ruler/ruler.toml .rulesync/rules/a.md .serena/project.yml .specstory/x
    .bmad-core/x .taskmaster/config.json .firebender/x .pearai/x .plandex/x .plandex-v2/x .supermaven/x .supermavenignore
    .copilot/x .copilotignore .warp/workflows/a.yaml .warpindexingignore .zed/settings.json .void/x .aide/x .mux/x .amp/settings.json
    .ampcode/x .pi/agent/a.md .neovate/config.json .antigravity/rules/a.md .gptme/x .mentat/x .bito/x .refact/x .tabby/config.toml
    a.instructions.md x/y.prompt.md a.chatmode.md planner.agent.md gemini-extension.json qwen-extension.json claude-settings.json
    codex-config.toml .instructions/a.md .prompts/a.md`),
  'build machines': words(`
    .github/workflows/ci.yml .github/actions/a/action.yml .github/copilot-instructions.md .gitlab-ci.yml .gitlab-ci.yaml
    .gitlab-ci/jobs.yml .gitlab/ci/a.yml .gitea/workflows/a.yml .forgejo/workflows/a.yml .circleci/config.yml circle.yml .travis.yml
    .travis.yaml azure-pipelines.yml azure-pipelines.yaml azure-pipelines-release.yml azure-pipeline.yml .azure-pipelines/a.yml
    .azuredevops/a.yml bitbucket-pipelines.yml bitbucket-pipelines.yaml appveyor.yml .appveyor.yml appveyor-qt.yml .drone.yml
    .drone.yaml .drone.star .drone.jsonnet .drone/a.yml .woodpecker.yml .woodpecker.yaml .woodpecker/a.yml cloudbuild.yaml
    cloudbuild.json cloudbuild-test.yaml cloudbuild.prod.yaml buildspec.yml buildspec.yaml buildspec.json buildspec-prod.yml
    buildspec_test.yaml .cirrus.yml .cirrus.star .build.yml .builds/alpine.yml codemagic.yaml bitrise.yml wercker.yml shippable.yml
    .semaphore/semaphore.yml .semaphoreci/x codeship-services.yml codeship-steps.yml .buddy/a.yml buddy.yml .buildkite/pipeline.yml
    buildkite.yml Jenkinsfile Jenkinsfile.release Jenkinsfile-nightly jenkinsfile.groovy Dangerfile dangerfile.ts .teamcity/settings.kts
    .tekton/a.yaml .harness/a.yaml .ci/run.sh .scrutinizer.yml .codefresh/codefresh.yml codefresh.yml renovate.json renovate.json5
    .renovaterc .renovaterc.json .renovate.json dependabot.yml .dependabot/config.yml .mergify.yml .mergify/config.yml .kodiak.toml
    bors.toml .codecov.yml .gitpod.yml .gitpod.yaml .gitpod.Dockerfile .gp/x .devcontainer/devcontainer.json .devcontainer.json
    devcontainer.json .codesandbox/tasks.json .idx/dev.nix .replit replit.nix .stackblitzrc netlify.toml vercel.json amplify.yml
    appspec.yml heroku.yml render.yaml fly.toml railway.json now.json .releaserc .appcircle/x .concourse/x
    azure-pipelines/build.yml .taskcluster.yml taskcluster/kinds/a.yml zuul.yaml .zuul.yaml zuul.d/jobs.yaml .zuul.d/jobs.yaml
    screwdriver.yaml .screwdriver.yml .prow.yaml prow.yaml .prow/jobs.yaml Procfile Procfile.dev app.yaml app.yml .do/app.yaml
    Earthfile dagger.json .dagger/main.go skaffold.yaml .skaffold/x werf.yaml werf-giterminism.yaml .werf/a.tmpl .platform.app.yaml
    platform.app.yaml .platform/services.yaml .upsun/config.yaml .rwx/ci.yml rwx.yml .mint/ci.yml .vela.yml .goreleaser.yaml
    goreleaser.yml wrangler.toml wrangler.jsonc nixpacks.toml serverless.yml okteto.yml garden.yml .lagoon.yml .deepsource.toml
    .jenkins/a.groovy .pipelines/a.yml .vsts-ci.yml captain-definition apphosting.yaml`),
  editors: words(`
    .vscode/tasks.json .vscode/settings.json .vscode-insiders/x .vscode-server/x .vscode-oss/x .vscodium/x .vs/tasks.vs.json
    .idea/workspace.xml .fleet/run.json .theia/tasks.json .theia/settings.json .atom/init.coffee .nova/Tasks/a.json .lapce/run.toml
    .helix/languages.toml .kakrc .micro/init.lua my.code-workspace a.code-profile p.sublime-project p.sublime-build
    p.sublime-workspace .run/a.run.xml a.run.xml p.ipr .project .classpath .settings/x.prefs .externalToolBuilders/a.launch
    nbproject/project.properties .editorconfig .vimrc .vimrc.local .gvimrc _vimrc _gvimrc .lvimrc .local-vimrc .ideavimrc .exrc
    .nvimrc .nvim.lua .nvim/init.lua .vim/vimrc .vimspector.json .nlsp-settings/a.json .neoconf.json .lazy.lua .luarc.json .emacs
    .emacs.d/init.el .dir-locals.el .dir-locals-2.el .spacemacs .doom.d/init.el coc-settings.json .nanorc .metals-rc/.metalsrc`),
  'shells and interpreters': words(`
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bashrc.d/a .profile .zshrc .zshenv .zprofile .zlogin .zlogout
    .zshrc.local .kshrc .mkshrc .cshrc .tcshrc .login .logout .aliases .functions .exports .oh-my-zsh/custom/a.zsh .p10k.zsh
    .config/fish/config.fish config.fish fish_variables .config/nushell/config.nu .config/powershell/profile.ps1 profile.ps1
    Microsoft.PowerShell_profile.ps1 Microsoft.VSCode_profile.ps1 .inputrc .screenrc .tmux.conf .tmux/a .curlrc _curlrc .wgetrc
    .gdbinit .lldbinit .gdbearlyinit .pdbrc .irbrc .pryrc .byebugrc .rdbgrc .ghci .iex.exs .Rprofile .Renviron .pythonrc .pythonrc.py
    .psqlrc .sqliterc .mongorc.js .mongoshrc.js .my.cnf .mailrc .xinitrc .xprofile .xsession .Xresources .pam_environment .forward
    .rhosts .crontab crontab .local/bin/git .local/share/applications/a.desktop .config/autostart/a.desktop .config/systemd/user/a.service
    Library/LaunchAgents/a.plist usercustomize.py lib/sitecustomize.py lib/a.pth .envrc .envrc.local .direnv/x .mise.toml mise.toml
    mise.local.toml .mise/config.toml .tool-versions .autoenv.zsh .asdfrc devbox.json/.devbox/x devenv.nix .devenv/x
    rust-toolchain.toml rust-toolchain .prototools .config/mise.toml`),
  'package managers and keys': words(`
    .npmrc packages/a/.npmrc .yarnrc .yarnrc.yml .yarn/releases/yarn.cjs .yarn/plugins/a.cjs .pnpmfile.cjs pnpmfile.js .pnpmfile.mjs
    pnpm-workspace.yaml bunfig.toml .bunfig.toml pip.conf pip.ini .pip/pip.conf .pydistutils.cfg .condarc .gemrc .bundle/config
    nuget.config NuGet.Config uv.toml poetry.toml gradle/wrapper/gradle-wrapper.properties .mvn/jvm.config .mvn/wrapper/maven-wrapper.properties
    .gradle/init.gradle .jvmopts .sbtopts .cargo/config.toml .bazelrc .bazelrc.user .bazeliskrc .buckconfig .buckconfig.local
    .terraformrc .pypirc .netrc _netrc .pgpass .vault-token .ssh/config .ssh/authorized_keys .gnupg/gpg.conf .aws/config .kube/config
    .docker/config.json .azure/x .password-store/x`),
};

export const ORDINARY: readonly string[] = [
  ...words(`
    . src/a.ts src/index.tsx src/app.vue src/main.rs src/lib.rs src/main.go src/Main.java src/app.py src/app.rb src/App.swift
    src/app.kt src/app.cs src/app.cpp src/app.h src/app.ex src/app.erl src/app.hs src/app.clj src/app.scala src/app.php src/app.lua
    README.md README CHANGELOG.md LICENSE CONTRIBUTING.md SECURITY.md CODE_OF_CONDUCT.md TODO.md NOTES.md docs/index.md
    docs/agents.mdx myAGENTS.md docs/agents/overview.md docs/cursor.md docs/configuration.md docs/hooks.md docs/ci.md docs/git.md
    package.json package-lock.json yarn.lock pnpm-lock.yaml bun.lockb tsconfig.json tsconfig.base.json jsconfig.json vite.config.ts
    vitest.config.ts webpack.config.js rollup.config.mjs esbuild.config.mjs next.config.js nuxt.config.ts svelte.config.js astro.config.mjs
    tailwind.config.js postcss.config.js babel.config.js jest.config.js playwright.config.ts cypress.config.ts eslint.config.js
    prettier.config.js biome.json deno.json turbo.json nx.json lerna.json rush.json angular.json ionic.config.json
    Makefile GNUmakefile makefile.am CMakeLists.txt meson.build BUILD BUILD.bazel WORKSPACE MODULE.bazel SConstruct Rakefile Gemfile
    Gemfile.lock Justfile Taskfile.yml Dockerfile Dockerfile.dev docker-compose.yml compose.yaml Vagrantfile Tiltfile
    Cargo.toml Cargo.lock build.rs go.mod go.sum pom.xml build.gradle build.gradle.kts settings.gradle gradle.properties build.sbt
    pyproject.toml setup.py setup.cfg requirements.txt Pipfile Pipfile.lock tox.ini noxfile.py pytest.ini conftest.py mix.exs rebar.config
    composer.json composer.lock Package.swift Podfile pubspec.yaml shadow-cljs.edn deps.edn project.clj stack.yaml flake.nix default.nix
    shell.nix main.tf variables.tf terraform.tfvars ansible.cfg playbook.yml Chart.yaml values.yaml kustomization.yaml deployment.yaml
    .gitignore .gitkeep .gitmessage .git-blame-ignore-revs .mailmap .dockerignore .npmignore .vscodeignore .eslintignore .prettierignore
    .stylelintignore .hgignore .bzrignore .cvsignore .gcloudignore .helmignore .nojekyll .htaccess .env .env.local .env.example
    .eslintrc .eslintrc.json .eslintrc.cjs .prettierrc .prettierrc.yaml .babelrc .babelrc.js .stylelintrc .stylelintrc.json .swcrc .nycrc
    .mocharc.yml .browserslistrc .nvmrc .node-version .python-version .ruby-version .java-version .terraform-version .jshintrc .tslintrc
    .htmlhintrc .markdownlintrc .commitlintrc.json .pylintrc .coveragerc .flake8 .rubocop.yml .clang-format .clang-tidy .rustfmt.toml
    rustfmt.toml clippy.toml .golangci.yml .yamllint .markdownlint.json .cspell.json .editor .watchmanconfig .storybook/main.ts
    .changeset/a.md .well-known/security.txt .next/a.js .nuxt/a.js .cache/x .tmp/x .venv/x .tox/x .eggs/x .coverage .DS_Store
    .src/a.ts .arch/x .gitx/y .githubx/y .vscodex/y .ideas/a.md .gitlabs/x`),
  ...words(`
    config/routes.rb config/database.yml config/index.ts src/config/index.ts src/config.ts config.json config.yaml config.toml config.py
    app/config.js objects/player.ts src/objects/cube.py src/refs/useRef.ts refs/index.md src/head.tsx head.html header.html src/heads/a.ts
    public/index.html a.git a.git.md git/log.ts src/git/commit.ts vscode/settings.json github/x gitlab/client.ts hg/x.py svn/client.c
    cargo/config.toml ssh/x aws/client.ts kube/a.go docker/entrypoint.sh src/mvn/a.ts husky/dog.md idea/x.md cursor/move.ts claude/client.ts
    src/claude.ts src/gemini.ts src/copilot.py src/agents/planner.ts src/agent.ts agents/base.py agents.py agents.json agent.proto
    src/mcp/server.ts mcp.ts mcp_server.py src/mcp-client.ts mcp.md cursor.ts cursor.md cursor.css warp.cpp warp.glsl docs/warp.mdx crush.wav
    goose.png rules rules.ts rules.json src/rules/index.ts firewall.rules skills.ts skills.json skill.ts prompts.ts prompts/system.md
    prompt.md instructions.md instructions.txt hooks/useState.ts src/hooks/index.ts hooks.py pre-commit.md commit.ts update post-update.ts
    drone.ts drone.py drone.json travis.py circle.svg circle.ts circle.json jenkins.md jenkins/Dockerfile buildspec.ts cloudbuild.go
    pipelines/index.ts pipeline.ts pipeline.yaml azure.ts appveyor.md netlify/functions/a.ts vercel.ts render.ts render.json fly.ts fly.json
    renovate.md dependabot.md mergify.md devcontainer.md docs/devcontainer-guide.md workspace.ts code-workspace x.workspace project.json
    project.ts classpath.ts settings.json settings.py settings/base.py bashrc zshrc.md src/bash/lexer.c bash.ts profile.ts profile.md
    profile.tsx src/profile/index.ts login.tsx login.html src/login/a.ts logout.ts aliases.ts functions/a.ts exports.ts vimrc src/vim/a.ts
    emacs.md nvim.md gdbinit init.ts init.sql src/init.lua __init__.py npmrc yarn.ts yarn/a.md pnpm.md cargo.md bazel.md gradle/libs.versions.toml
    pip.py pip.md nuget.md uv.lock poetry.lock poetry.md mise.md envrc env.ts src/env.sh env.d.ts tool-versions.md rust-toolchain.md
    conventions.ts docs/naming-conventions.md app.ts app.json app.yaml.md platform.ts platform/linux.c zuul.ts prow.go dagger.go mint.ts
    screwdriver.md skaffold.go garden.ts vela.ts earthfile.md procfile.ts serverless.ts hound.py
    x~1234567 a~b.ts src/search.ts src/arc.ts _search.scss _src/a _arc.scss _variables.scss _app.tsx _document.tsx _index.md
    .githubby local/x src/local/a.ts appdata.ts autostart.ts crontab.md cron.ts netrc.ts model.pt weights.bin path.py site.py
    test/fixtures/a.json test/data/commit-msg.txt docs/pre-push.md data/refs.bib data/objects.csv data/heads.tsv src/worktree.ts`),
  ...paths(`
    notes with spaces.md
    src/a b/c.ts
    文档/说明.md`),
];
