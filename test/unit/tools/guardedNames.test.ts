import { describe, expect, test } from 'vitest';
import { decideApproval } from '../../../src/core/tools/approvals.ts';
import { isGuarded } from '../../../src/core/tools/guardedNames.ts';
import { CONFIGURES, ORDINARY } from './guardedCorpus.ts';
import { createWorkbench, prepareOnly } from './useTool.ts';

const FOLDERS = [
  '.git',
  '.vscode',
  '.husky',
  '.idea',
  '.devcontainer',
  '.github',
  '.gitlab',
  '.circleci',
  '.claude',
  '.cursor',
  '.roo',
  '.clinerules',
  '.codex',
  '.gemini',
  '.windsurf',
  '.agents',
  '.palimpsest',
  '.hg',
  '.svn',
  '.kiro',
  '.cargo',
  '.mvn',
  '.ssh',
  '.teamcity',
  '.trae',
  '.lefthook',
];
const FILES = [
  '.gitattributes',
  '.gitmodules',
  '.gitlab-ci.yml',
  '.travis.yml',
  'azure-pipelines.yml',
  'Jenkinsfile',
  'AGENTS.md',
  'CLAUDE.md',
  'GEMINI.md',
  'SKILL.md',
  '.cursorrules',
  '.windsurfrules',
  '.clinerules-code',
  '.mcp.json',
  'mcp.json',
  '.npmrc',
  '.envrc',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  '.devcontainer.json',
  'my.code-workspace',
  '.bashrc',
  '.zshenv',
  '.roomodes',
  '.vimrc',
  '.netrc',
  'mise.toml',
  '.cirrus.yml',
  'lefthook-local.yml',
  '.lintstagedrc.json',
  'Jenkinsfile.release',
  '.simple-git-hooks.json',
];
const GUARDED = [
  ...FOLDERS.flatMap((folder) => [folder, `${folder}/x`, `sub/${folder}/deep/x.json`]),
  ...FILES.flatMap((file) => [file, `sub/${file}`]),
  ...Object.values(CONFIGURES).flat(),
];

/** Other spellings under which some file system finds the same name. */
const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
  'as it is': (path) => path,
  'in capitals': (path) => path.toUpperCase(),
  'with a capital here and there': (path) =>
    path.replace(/[a-z]/g, (letter, at: number) => (at % 2 ? letter : letter.toUpperCase())),
  'with the long s': (path) => path.replaceAll('s', 'ſ'),
  'with the Kelvin sign': (path) => path.replaceAll('k', '\u212A'),
  'with the dotless i': (path) => path.replaceAll('i', 'ı'),
  'in full width': (path) =>
    path.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
  'with something unseen': (path) => path.replace(/([a-z])/, '$1\u200C'),
  'with backslashes': (path) => path.replaceAll('/', '\\'),
  'with trailing dots and spaces': (path) =>
    path
      .split('/')
      .map((name) => `${name}. .`)
      .join('/'),
  'with a stream': (path) =>
    path
      .split('/')
      .map((name) => `${name}::$INDEX_ALLOCATION`)
      .join('/'),
};

describe('guarded names', () => {
  test.each(Object.entries(SPELLINGS))('%s', (_, spell) => {
    expect(GUARDED.map(spell).filter((path) => !isGuarded(path))).toEqual([]);
  });

  test.each(['GIT~1', 'git~1/hooks/x', 'a/VSCODE~1/x', 'SETTIN~1.JSO'])('the short name %s', (path) => {
    expect(isGuarded(path)).toBe(true);
  });

  test.each([
    'src/a.ts',
    'README.md',
    'vscode/settings.json',
    '.gitignore',
    'docs/agents.mdx',
    'myAGENTS.md',
    '.',
    'package.json',
    '.env',
    'workspace.ts',
    'code-workspace',
    'x~1234567',
    'a.git',
    '.gitx/y',
    'github/x',
    'cargo/config.toml',
    'ssh/x',
    'Cargo.toml',
    'pom.xml',
    'rules',
    'docs/warp.mdx',
    'src/mvn/a.ts',
  ])('%s is an ordinary name', (path) => {
    expect(isGuarded(path)).toBe(false);
  });

  test.each(Object.entries(CONFIGURES))('what configures %s is guarded, in any folder', (_, paths) => {
    expect(paths.flatMap((path) => [path, `a/${path}`]).filter((path) => !isGuarded(path))).toEqual([]);
  });

  test('what only looks like it is ordinary', () => {
    expect(ORDINARY.filter(isGuarded)).toEqual([]);
  });

  test('the corpora are large and hold each path once', () => {
    const guarded = Object.values(CONFIGURES).flat();
    expect([guarded, ORDINARY].map((all) => new Set(all).size)).toEqual([guarded.length, ORDINARY.length]);
    expect(Math.min(guarded.length, ORDINARY.length)).toBeGreaterThan(250);
  });

  const NAMES = [
    '.vscode/tasks.json',
    '.VSCODE/settings.json',
    '.git/hooks/pre-commit',
    '.Git/config',
    '.gitattributes',
    '.GitModules',
    '.husky/pre-push',
    '.idea/x.xml',
    '.devcontainer/devcontainer.json',
    'x.Code-Workspace',
    '.github/workflows/ci.yml',
    'Agents.md',
    'claude.MD',
    '.MCP.json',
    'deep/down/.CURSOR/rules/x.mdc',
  ];
  const calls = NAMES.flatMap((path) => [
    { tool: 'write_file', what: 'create', path, before: {}, input: { path, content: 'x' } },
    { tool: 'write_file', what: 'replace', path, before: { [path]: 'old' }, input: { path, content: 'x' } },
    {
      tool: 'edit_file',
      what: 'edit',
      path,
      before: { [path]: 'old' },
      input: { path, old_string: 'old', new_string: 'x' },
    },
    {
      tool: 'edit_file',
      what: 'edit several places of',
      path,
      before: { [path]: 'old\nolder' },
      input: {
        path,
        edits: [
          { old_string: 'old\n', new_string: 'x\n' },
          { old_string: 'older', new_string: 'y' },
        ],
      },
    },
    { tool: 'delete_file', what: 'delete', path, before: { [path]: 'old' }, input: { path } },
    { tool: 'move_file', what: 'move away', path, before: { [path]: 'old' }, input: { path, new_path: 'plain.txt' } },
    {
      tool: 'move_file',
      what: 'move to',
      path,
      before: { 'plain.txt': 'planted' },
      input: { path: 'plain.txt', new_path: path },
    },
  ]);

  test.each(calls)('$what $path by $tool asks, though all writes are allowed for the session', async (call) => {
    const { approval } = await prepareOnly(createWorkbench(call.before), call.tool, call.input);
    expect(
      decideApproval({
        toolClass: 'write',
        guarded: !approval?.mayRemember,
        trust: 'trusted',
        mode: 'act',
        grants: { allowed: new Set(['read', 'write', 'run']), denied: new Set(), named: new Map() },
      }),
    ).toEqual({ kind: 'ask' });
  });
});
