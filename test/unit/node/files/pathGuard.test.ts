import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ToolError } from '../../../../src/core/errors.ts';
import type { ToolOutcome } from '../../../../src/core/tools/tool.ts';
import { createMemoryGit } from '../../../support/ports/memoryGit.ts';
import { createMemoryLanguage } from '../../../support/ports/memoryLanguage.ts';
import { createWorkbench, useTool } from '../../tools/useTool.ts';
import { createTemporaryFolder, openFolder } from './temporaryFolder.ts';

const top = createTemporaryFolder();
const root = join(top, 'ws');
const outside = join(top, 'outside');

beforeAll(() => {
  for (const folder of ['ws/src/deep', 'ws/.git', 'ws/.vscode', 'ws/sessions', 'outside/dir', 'ws-evil']) {
    mkdirSync(join(top, folder), { recursive: true });
  }
  for (const file of ['ws/src/a.ts', 'ws/.git/config', 'ws/sessions/1.jsonl', 'outside/secret', 'ws-evil/secret']) {
    writeFileSync(join(top, file), file);
  }
  const links: [string, string][] = [
    [join(outside, 'secret'), 'ws/link-to-secret'],
    [outside, 'ws/link-to-outside'],
    ['../outside/dir', 'ws/src/relative-link'],
    ['/', 'ws/link-to-top'],
    ['link-to-outside', 'ws/link-to-link'],
    ['nowhere', 'ws/dangling'],
    [join(outside, 'new-file'), 'ws/dangling-out'],
    ['circle-b', 'ws/circle-a'],
    ['circle-a', 'ws/circle-b'],
    ['.git', 'ws/innocent'],
    ['../.vscode', 'ws/src/innocent'],
    ['.git/config', 'ws/notes.txt'],
    ['src/a.ts', 'ws/inner-link'],
    ['sessions', 'ws/data'],
  ];
  for (const [target, at] of links) symlinkSync(target, join(top, at));
});

const open = () => openFolder(root, { denied: [join(root, 'sessions')] });

/** Ways to say one thing: as it is, below a folder, and through one that is taken back. */
const around = (paths: readonly string[]) =>
  paths.flatMap((path) => [path, `./${path}`, `src/${path}`, `src/deep/../${path}`]);

const CLIMBING = [
  '..',
  '../',
  '../..',
  '../outside/secret',
  'src/../../outside/secret',
  './../outside',
  'src/deep/../../../outside',
  'a/b/c/../../../../outside/secret',
  '../ws-evil/secret',
  '../ws/../outside/secret',
  '//../outside',
  '../../../../etc',
  '../../../../../../../../../../../../etc/passwd',
  'src/./.././../outside/secret',
  'x/../../ws-evil',
  '..//outside',
  'src//..//..//outside',
  './/..//outside/secret',
  '../.',
  '.././',
  '../..//',
  '../ws-evil',
  '../wsx',
  '../w',
].flatMap((path) => [path, `./${path}`, `src/deep/../../${path}`]);
const ABSOLUTE = [
  '/',
  '//',
  '/etc/passwd',
  '/etc',
  '/proc/self/environ',
  '/dev/null',
  '/dev/stdin',
  '/root',
  '/tmp',
  '/var/run',
  '//server/share',
  '///etc/passwd',
  '/./etc/passwd',
  '/../etc/passwd',
  '/proc/self/fd/0',
  '/proc/self/cwd/src',
  outside,
  join(outside, 'secret'),
  `${root}-evil`,
  `${root}-evil/secret`,
  `${root}/..`,
  `${root}/../outside/secret`,
  `${root}/src/../../outside`,
  `${root}x`,
  `${root}/./../ws-evil/secret`,
  top,
];
const BACKSLASHES = around([
  '..\\outside',
  '\\',
  'src\\a.ts',
  '.\\src',
  'a\\..\\..\\outside\\secret',
  '\\\\server\\share',
  '\\\\?\\C:\\x',
  'C:\\Windows',
  '..\\',
  'src/..\\..',
  '\\\\.\\PhysicalDrive0',
  '.git\\config',
]);
const OTHER_NAMES = around([
  'a.ts::$DATA',
  '.git::$INDEX_ALLOCATION/config',
  'a.ts:hidden',
  'C:x',
  'C:/x',
  'c:',
  'file:///etc/passwd',
  ':',
  '.git.',
  '.git ',
  '.git. .',
  '.git/config.',
  '.vscode /x',
  '.vscode./x',
  'a.ts ',
  'a.ts.',
  '...',
  '....',
  'x/... /y',
  'GIT~1',
  'git~1/config',
  'VSCODE~1',
  'PROGRA~1/x',
  'A~1.TS',
  'SETTIN~1.JSO',
  'abcdef~12.txt',
  '~1'.padStart(3, 'a'),
]);
const UNSEEN = [
  '\0',
  '\n',
  '\r',
  '\t',
  '\u001B',
  '\u0007',
  '\u007F',
  '\u0085',
  '\u009B',
  '\u00AD',
  '\u061C',
  '\u200B',
  '\u200C',
  '\u200D',
  '\u200E',
  '\u200F',
  '\u2028',
  '\u2029',
  '\u202A',
  '\u202B',
  '\u202C',
  '\u202D',
  '\u202E',
  '\u2060',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\uFE0F',
  '\uFEFF',
  '\uFFFA',
  '\uD800',
  '\uDC00',
  '\u{E0001}',
  '\u{E0041}',
  '\u{E007F}',
  '\u{E0100}',
  '\u3164',
  '\u115F',
  '\u180E',
].flatMap((point) => [
  `${point}a.ts`,
  `src/a${point}.ts`,
  `.g${point}it/config`,
  `src/a.ts${point}`,
  `src/${point}/a.ts`,
]);
const LINKS = [
  'link-to-secret',
  'link-to-outside',
  'link-to-outside/secret',
  'link-to-outside/new',
  'link-to-outside/a/b/c',
  'src/relative-link',
  'src/relative-link/x',
  'link-to-top/etc/passwd',
  'link-to-top',
  'link-to-link/secret',
  'link-to-link/dir/x',
  'dangling',
  'dangling/x',
  'dangling-out',
  'circle-a',
  'circle-b/x',
  'src/../link-to-secret',
  './link-to-outside/secret',
  'src/deep/../../link-to-top/etc',
  'src/a.ts/x',
  'dangling-out/x',
  'circle-a/circle-b',
].flatMap((path) => [path, `src/../${path}`]);
const OURS = [
  'sessions',
  'sessions/1.jsonl',
  'sessions/new',
  'data',
  'data/1.jsonl',
  'data/new/x',
  'src/../sessions/x',
];
const ODD = ['', '~', '~/x', '~/.ssh/id_rsa', 'x'.repeat(5000), 'x'.repeat(256), `src/${'é'.repeat(200)}`];

const REFUSED = [CLIMBING, ABSOLUTE, BACKSLASHES, OTHER_NAMES, UNSEEN, LINKS, OURS, ODD].flat();

/** The other tools that take a path, with what they need beside it. */
const PATH_TOOLS: readonly (readonly [name: string, input: object])[] = [
  ['read_file', {}],
  ['list_files', {}],
  ['search_text', { pattern: 'secret' }],
  ['find_files', { glob: '*' }],
  ['write_file', { content: 'planted' }],
  ['read_problems', {}],
  ['find_symbols', {}],
  ['find_references', { symbol: 'a' }],
  ['git_changes', {}],
];

describe('paths outside of the workspace', () => {
  test('there are enough of them', () => {
    expect(new Set(REFUSED).size).toBeGreaterThan(500);
  });

  test('every one is refused by every call, with a reason for the model', { tags: ['long'] }, async () => {
    const files = await open();
    const bytes = new TextEncoder().encode('planted');
    const query = { pattern: 'secret', regex: false };
    const passed: string[] = [];
    const [language, git] = [createMemoryLanguage(), createMemoryGit({})];
    const ports = { ...createWorkbench(), files, language, git };
    const refused = ({ text, isError }: ToolOutcome) => (isError ? new ToolError(text) : text);
    for (const path of REFUSED) {
      const calls = [
        () => files.resolve(path),
        () => files.read(path),
        () => files.write(path, bytes),
        () => files.list(path),
        () => files.remove(path, path),
        () => files.move({ path, real: path }, { path: 'src/moved', real: join(root, 'src/moved') }),
        () => files.move({ path: 'src/a.ts', real: join(root, 'src/a.ts') }, { path, real: path }),
        () => useTool(ports, 'delete_file', { path }).then(refused),
        () => useTool(ports, 'move_file', { path, new_path: 'src/moved' }).then(refused),
        () => useTool(ports, 'move_file', { path: 'src/a.ts', new_path: path }).then(refused),
        () => useTool(ports, 'edit_file', { path, edits: [{ old_string: 'a', new_string: 'b' }] }).then(refused),
        ...PATH_TOOLS.map(
          ([name, input]) =>
            () =>
              useTool(ports, name, { ...input, path }).then(refused),
        ),
        () => files.search({ ...query, path }, 10, new AbortController().signal),
      ];
      for (const [index, call] of calls.entries()) {
        const result = await call().catch((thrown: unknown) => thrown);
        if (!(result instanceof ToolError)) passed.push(`${JSON.stringify(path)} call ${index}: ${String(result)}`);
      }
    }
    expect(passed).toEqual([]);
    expect([language.asked, git.asked]).toEqual([[], []]);
  });

  test('and nothing was changed there', () => {
    expect(readdirSync(outside).sort()).toEqual(['dir', 'secret']);
    expect(readdirSync(join(outside, 'dir'))).toEqual([]);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('outside/secret');
    expect(readdirSync(join(root, 'sessions'))).toEqual(['1.jsonl']);
    expect(readdirSync(join(root, 'src'))).not.toContain('moved');
    expect(existsSync(join(root, 'src/a.ts'))).toBe(true);
    expect(readdirSync(top).sort()).toEqual(['outside', 'ws', 'ws-evil']);
  });

  test.each([
    ['../x', 'The path "../x" is refused: it lies outside of the workspace folder.'],
    ['src\\a.ts', 'The path "src\\a.ts" is refused: it holds a backslash; write it with forward slashes.'],
    ['a\u202Eb', 'The path "a⟨U+202E⟩b" is refused: it holds a character that cannot be seen; write it without.'],
    ['link-to-secret', `link-to-secret leads outside of the workspace folder (to ${join(outside, 'secret')}).`],
    ['dangling', 'dangling goes through a link that leads nowhere.'],
    ['circle-a', 'circle-a is a link that leads in a circle.'],
    ['src/a.ts/x', 'src/a.ts/x cannot be: a name before it is a file, not a folder.'],
    ['data', "data lies where sessions or the editor's own data are kept, which tools do not touch."],
  ])('%j names its reason', async (path, message) => {
    const files = await open();
    await expect(files.resolve(path)).rejects.toThrow(new ToolError(message));
  });
});

describe('paths inside', () => {
  test.each([
    ['src/a.ts', 'src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts', 'src/a.ts'],
    ['src/deep/../a.ts', 'src/a.ts', 'src/a.ts'],
    ['src/', 'src', 'src'],
    ['.', '.', ''],
    ['./', '.', ''],
    [join(root, 'src/a.ts'), 'src/a.ts', 'src/a.ts'],
    [root, '.', ''],
    ['inner-link', 'inner-link', 'src/a.ts'],
    ['new/folder/file.ts', 'new/folder/file.ts', 'new/folder/file.ts'],
    ['..hidden', '..hidden', '..hidden'],
    ['src/..x/y', 'src/..x/y', 'src/..x/y'],
    ['a~b', 'a~b', 'a~b'],
    ['backup~', 'backup~', 'backup~'],
    ['console.ts', 'console.ts', 'console.ts'],
    ['naïve ☃ 漢字.ts', 'naïve ☃ 漢字.ts', 'naïve ☃ 漢字.ts'],
    ['-rf', '-rf', '-rf'],
    ['$(x)', '$(x)', '$(x)'],
  ])('%j', async (path, shown, real) => {
    const files = await open();
    const facts = await files.resolve(path);
    expect({ shown: facts.shown, real: facts.real }).toEqual({ shown, real: join(root, real) });
  });

  test('through a root that is itself a link, by either name', async () => {
    const link = join(top, 'ws-evil', 'alias');
    symlinkSync(root, link);
    const files = await openFolder(link);
    const real = join(root, 'src/a.ts');
    for (const path of ['src/a.ts', join(link, 'src/a.ts'), real]) {
      expect(await files.resolve(path)).toMatchObject({ shown: 'src/a.ts', real, exists: true });
    }
  });

  test('with several folders the first segment chooses one', async () => {
    const folders = [
      { name: 'ws', path: root },
      { name: 'other', path: join(top, 'ws-evil') },
    ];
    const files = await openFolder(root, { folders });
    expect(await files.resolve('other/secret')).toMatchObject({ shown: 'other/secret', exists: true });
    expect(await files.resolve('ws/src/a.ts')).toMatchObject({ shown: 'ws/src/a.ts', exists: true });
    expect(await files.resolve('src/a.ts')).toMatchObject({ shown: 'ws/src/a.ts', exists: true });
    await expect(files.resolve('other/../../outside/secret')).rejects.toThrow(ToolError);
  });

  test.each([
    ['innocent/config', true],
    ['innocent/hooks/post-checkout', true],
    ['src/innocent/settings.json', true],
    ['notes.txt', true],
    ['.git/config', true],
    ['src/a.ts', false],
    ['inner-link', false],
  ])('%s is guarded by its name or by where it leads: %s', async (path, guarded) => {
    const files = await open();
    expect((await files.resolve(path)).guarded).toBe(guarded);
  });
});

test('without a folder every call is refused', async () => {
  const files = await openFolder(root, { folders: [] });
  expect(files.root).toBeNull();
  await expect(files.resolve('a')).rejects.toThrow('No folder is open');
});

describe('a folder that git takes for a repository, though it is not called .git', () => {
  const bare = join(root, 'vendor');
  const guardedIn = async (paths: readonly string[]) => {
    const files = await open();
    const facts = await Promise.all(paths.map((path) => files.resolve(path)));
    return facts.filter(({ guarded }) => guarded).map(({ shown }) => shown);
  };
  const PARTS = ['vendor/HEAD', 'vendor/config', 'vendor/objects', 'vendor/refs', 'vendor/commondir'];
  const INSIDE = [
    'vendor/objects/keep',
    'vendor/refs/keep',
    'vendor/hooks/x',
    'vendor/info/attributes',
    'vendor/a/b.ts',
  ];

  test('asks for each of its parts before there is one', async () => {
    expect(await guardedIn([...PARTS, ...INSIDE, 'vendor/lib.ts'])).toEqual(PARTS);
  });

  test('asks for everything below it once it has a HEAD', async () => {
    mkdirSync(bare);
    writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
    expect(await guardedIn([...PARTS, ...INSIDE, 'src/a.ts'])).toEqual([...PARTS, ...INSIDE]);
  });

  test('a folder called head is none', async () => {
    mkdirSync(join(root, 'site/HEAD'), { recursive: true });
    expect(await guardedIn(['site/index.ts', 'site/HEAD/title.ts'])).toEqual([]);
  });
});

test('only a link below the workspace folder counts as one, in whichever folder', async () => {
  const folders = [
    { name: 'ws', path: root },
    { name: 'other', path: join(top, 'ws-evil') },
  ];
  const files = await openFolder(root, { folders });
  const linked = async (path: string) => (await files.resolve(path)).linked;
  expect(await Promise.all(['ws/src/a.ts', 'other/secret', 'ws/inner-link'].map(linked))).toEqual([false, false, true]);
});

test('what a guarded link leads to is guarded', async () => {
  const folder = join(createTemporaryFolder(), 'linked');
  for (const path of ['ide', 'docs', '.github', 'src/one']) mkdirSync(join(folder, path), { recursive: true });
  for (const name of ['guide', 'copilot', 'deep', 'free']) writeFileSync(join(folder, `docs/${name}.md`), '');
  const links = [
    ['ide', '.vscode'],
    ['docs/guide.md', 'CLAUDE.md'],
    ['../docs/copilot.md', '.github/copilot-instructions.md'],
    ['../docs/deep.md', 'docs/AGENTS.md'],
    ['docs/free.md', 'README.md'],
  ] as const;
  for (const [target, path] of links) symlinkSync(target, join(folder, path));
  const files = await openFolder(folder);
  const guarded = async (path: string) => (await files.resolve(path)).guarded;
  const asked = ['ide/tasks.json', 'docs/guide.md', 'docs/copilot.md', 'docs/deep.md', 'docs/free.md', 'src/one/a.ts'];
  expect(await Promise.all(asked.map(guarded))).toEqual([true, true, true, true, false, false]);
});
