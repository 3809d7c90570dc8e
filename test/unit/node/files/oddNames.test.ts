import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { beforeEach, describe, expect, test } from 'vitest';
import { ChangeList, sinceMoment } from '../../../../src/core/checkpoints/changeList.ts';
import { FileKeeper } from '../../../../src/core/checkpoints/fileKeeper.ts';
import { previewRestore, restoreFiles } from '../../../../src/core/checkpoints/restoreFiles.ts';
import { ToolError } from '../../../../src/core/errors.ts';
import { locateMention } from '../../../../src/core/mentions/locateMention.ts';
import { findMentions, writePathMention } from '../../../../src/core/mentions/mention.ts';
import { readMention } from '../../../../src/core/mentions/readMention.ts';
import { openCheckpointFiles } from '../../../../src/node/files/checkpointFiles.ts';
import { nameFolders } from '../../../../src/node/files/nameFolders.ts';
import { nodeDisk, type PathDisk } from '../../../../src/node/files/pathDisk.ts';
import { memoryBlobs, memoryJournal } from '../../../support/ports/memoryStore.ts';
import { testCrypto } from '../../../support/ports/nodeCrypto.ts';
import { testClock } from '../../../support/ports/testClock.ts';
import { createWorkbench, useTool } from '../../tools/useTool.ts';
import { createTemporaryFolder, openFolder } from './temporaryFolder.ts';

/** Names that a file may have on Linux. */
const NAMES = [
  '\u2764\uFE0F list.md',
  '\u2699\uFE0F app',
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467} family.md',
  '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}.md',
  '1\uFE0F\u20E3 first.md',
  '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645.md',
  '\u0915\u094D\u200D\u0937.md',
  'a\u200Bb.md',
  '\u200E\u05D0\u05D1.md',
  'x\u202Etxt.md',
  '\u2066iso\u2069.md',
  'soft\u00ADhyphen.md',
  '\uFEFFmark.md',
  'word\u2060joiner.md',
  'filler\u3164.md',
  'braille\u2800.md',
  'line\u2028.md',
  'private\uE000.md',
  'Foo::Bar.md',
  '10:30 notes.md',
  'a.ts:12',
  ':',
  'C:',
  'http:',
  'backup~1',
  'GIT~2.txt',
  'old~1.md',
  'a\\b.md',
  '\\',
  'C:\\x.md',
  'dot.',
  'dots..',
  '...',
  'blank ',
  ' blank',
  ' ',
  '   ',
  '\u00A0',
  'no\u00A0break.md',
  'Screenshot at 10.00\u202FAM.png.md',
  '\u3000wide.md',
  'break\n.md',
  '\n',
  'two\n\nbreaks',
  'tab\t.md',
  '\r',
  'bell\u0007.md',
  'escape\u001B[31m.md',
  '-rf',
  '--help',
  '-',
  '~',
  'cafe\u0301.md',
  'caf\u00E9.md',
  '\u1100\u1161\u11A8.md',
  'con',
  'aux.c',
  'nul.txt',
  `${'n'.repeat(252)}.md`,
  '\u6F22'.repeat(85),
  'a`b`c.md',
  'quote".md',
  "it's.md",
  '$(x) `y` & z;.md',
  '*?[a].md',
  '#hash.md',
  '@at.md',
  'lines.md:3-4',
  'name#symbol',
  '{a,b}.md',
  '!not.md',
  '%41.md',
  '\u27E8U+202E\u27E9.md',
  'shown\u23CE.md',
  'problems',
  'session:x',
  'a:b:c.md',
];

const top = createTemporaryFolder();
const root = join(top, 'ws');
beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
});

async function open(path = root) {
  const files = await openFolder(path, { ripgrep: async () => rgPath });
  const { journal } = await memoryJournal();
  const moment = (await journal.append({ type: 'checkpoint', id: 0, label: '', toldModel: false })).seq;
  const folders = [{ name: 'ws', path }];
  const ports = {
    journal,
    files: await openCheckpointFiles({ files, folders, onSave: () => () => undefined }),
    blobs: memoryBlobs(),
    crypto: testCrypto(),
    clock: testClock(),
  };
  const tools = { ...createWorkbench(), files };
  const keeper = new FileKeeper(ports);
  return {
    files,
    ports,
    moment,
    use: async (name: string, input: object) => {
      const { text, isError } = await useTool(tools, name, input);
      if (isError) throw new Error(text);
      return text;
    },
    command: async (change: () => void) => {
      await keeper.before({ toolCallId: 'run', toolClass: 'run', changes: [] });
      change();
      await keeper.after('run');
    },
    mention: async (path: string) => {
      const [mention] = findMentions(`Look at ${writePathMention(path)} please`);
      if (!mention) throw new Error('no mention');
      const found = await locateMention(mention, { files }, {});
      if (found.kind !== 'found') throw new Error(found.kind);
      const signal = new AbortController().signal;
      return (await readMention(found.thing, { maxTokens: 1000, ports: tools, sources: {}, signal })).text;
    },
    changed: async () => {
      const list = new ChangeList(sinceMoment(moment, ports), ports);
      return (await list.list()).changed.map(({ path }) => path);
    },
    restore: async () => restoreFiles((await previewRestore(moment, ports)).steps, new Set(), ports),
  };
}

/** What a list shows of one entry. */
const listed = (text: string) => text.replace(/\/$/u, '');

describe.skipIf(process.platform !== 'linux').each(NAMES)('a file named %j', (name) => {
  test('is read, edited, searched and mentioned', async () => {
    writeFileSync(join(root, name), 'needle one\n');
    const { use, mention } = await open();
    expect(await use('read_file', { path: name })).toContain('needle one');
    const shown = listed(await use('list_files', {}));
    expect(await use('read_file', { path: shown })).toContain('needle one');
    expect(await use('find_files', { glob: '*' })).toBe(shown);
    expect(await use('search_text', { pattern: 'needle' })).toBe(`${shown}:1: needle one`);
    expect(await use('search_text', { pattern: 'needle', path: shown })).toBe(`${shown}:1: needle one`);
    await use('edit_file', { path: shown, edits: [{ old_string: 'one', new_string: 'two' }] });
    expect(readFileSync(join(root, name), 'utf8')).toBe('needle two\n');
    expect(await mention(name)).toContain('needle two');
  });

  test('is kept before a command, reviewed and restored, and so is a file in a folder of the name', async () => {
    for (const folder of ['deep', `in/${name}`]) mkdirSync(join(root, folder), { recursive: true });
    const paths = [name, `deep/${name}`, `in/${name}/a.md`];
    for (const path of paths) writeFileSync(join(root, path), `held in ${path}`);
    const { command, changed, restore } = await open();
    await command(() => {
      for (const path of paths) rmSync(join(root, path));
    });
    expect((await changed()).sort()).toEqual([...paths].sort());
    expect(await restore()).toMatchObject({ skipped: [] });
    for (const path of paths) expect(readFileSync(join(root, path), 'utf8')).toBe(`held in ${path}`);
  });

  test('is the name of an open folder', async () => {
    const folder = join(root, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.md'), 'needle\n');
    const { use, command, restore, files } = await open(folder);
    expect(await use('read_file', { path: 'a.md' })).toContain('needle');
    expect(await use('read_file', { path: join(folder, 'a.md') })).toContain('needle');
    expect(await use('search_text', { pattern: 'needle' })).toBe('a.md:1: needle');
    await use('write_file', { path: 'b.md', content: 'b' });
    await command(() => rmSync(join(folder, 'a.md')));
    expect(await restore()).toMatchObject({ skipped: [] });
    expect(readdirSync(folder)).toEqual(['a.md', 'b.md']);
    expect(await files.shownOf(join(folder, 'a.md'))).toBe('a.md');
    expect(existsSync(join(root, 'b.md'))).toBe(false);
  });
});

describe('what is not there under exactly the name', () => {
  const refused = (path: string) =>
    open().then(({ files }) =>
      files.resolve(path).then(
        ({ shown }) => shown,
        (thrown: unknown) => (thrown instanceof ToolError ? 'refused' : String(thrown)),
      ),
    );

  const made = [
    '\u2764\uFE0F list.md',
    '\u2699\uFE0F app',
    '\u{1F468}\u200D\u{1F469}\u200D\u{1F467} family.md',
    '1\uFE0F\u20E3 first.md',
    '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645.md',
    '\u0915\u094D\u200D\u0937.md',
    'Foo::Bar.md',
    '10:30 notes.md',
    'session:x',
  ];
  test.each(made)('a model makes %j, as its script or the system has it', async (name) => {
    for (const path of [name, `${name} d/a.md`, `src/${name}`]) {
      const { use } = await open();
      await use('write_file', { path, content: 'x' });
      expect(await use('read_file', { path })).toContain('x');
      expect(readFileSync(join(root, path), 'utf8')).toBe('x');
    }
  });

  test.each([
    ['\u2764\uFE0F.md', '\u2764.md'],
    ['\u0645\u06CC\u200C\u062E.md', '\u0645\u06CC\u062E.md'],
    ['\u0645\u06CC\u200C\u062E.md', '\u0645\u06CC\u200D\u062E.md'],
    ['\u0915\u094D\u200D\u0937.md', '\u0915\u094D\u0937.md'],
    ['a.md:x', 'a.md'],
    ['A:x', 'a'],
    ['.git::x', 'b'],
  ])('a model makes no %j beside %j', async (name, there) => {
    writeFileSync(join(root, there), 'x');
    expect(await refused(name)).toBe('refused');
    expect(readdirSync(root)).toEqual([there]);
  });

  test.each([
    '\u3000',
    '\u3000\u3000',
    'src/\u3000/a.md',
    '\u00A0',
    '\u2003',
    '\u2800',
    '\u3164',
    ' ',
    ' a.md',
    '\u3000a.md',
    'a.md\u3000',
    'a.md\u00A0',
  ])('a model makes no %j, with a blank where none is seen', async (name) => {
    expect(await refused(name)).toBe('refused');
    expect(readdirSync(root)).toEqual([]);
  });

  test.each([
    'a\u200Cb.md',
    'a\u200D\u0645.md',
    '\u0645\u200C.md',
    '\u0645\u200C\u200C\u0645.md',
    'a\uFE0F.md',
    '1\uFE0F.md',
    '\u2764\uFE0F\uFE0F.md',
    '\u2764\u200D.md',
    '\u0645\u200C\u062E\u202E.md',
    'a:$DATA',
    'a::$INDEX_ALLOCATION',
    'x.md:7',
    'D:x',
    'a:b.',
  ])('a model makes no %j, whose characters belong to no spelling', async (name) => {
    expect(await refused(name)).toBe('refused');
  });

  const odd = (name: string) => /[\p{Cc}\p{Cf}\p{Variation_Selector}:\\]|[. ]$|~\d/u.test(name) && !made.includes(name);
  test.each(NAMES.filter(odd))('a model makes no %j, nor anything below it', async (name) => {
    expect(await Promise.all([refused(name), refused(`${name}/a.md`), refused(`src/${name}`)])).toEqual([
      'refused',
      'refused',
      'refused',
    ]);
  });

  test('a character that cannot be seen makes no other file of a name', async () => {
    writeFileSync(join(root, 'a\u200Bb.md'), 'x');
    writeFileSync(join(root, '\u2764\uFE0F.md'), 'x');
    expect(await Promise.all(['a\u200Cb.md', 'a\u200B\u200Bb.md', '\u2764\uFE0E.md'].map(refused))).toEqual(
      Array(3).fill('refused'),
    );
    expect(await refused('ab.md')).toBe('ab.md');
    expect(await refused('a\u27E8U+200B\u27E9b.md')).toBe('a\u200Bb.md');
    expect(await refused('a\u27E8U+200C\u27E9b.md')).toBe('refused');
  });

  test('a spelling that two names have is none', async () => {
    for (const name of ['break\n.md', 'break\u23CE.md']) writeFileSync(join(root, name), name);
    expect(await refused('break\u23CE.md')).toBe('break\u23CE.md');
    expect(await refused('break\n.md')).toBe('break\n.md');
    writeFileSync(join(root, 'cafe\u0301\u200B'), 'x');
    writeFileSync(join(root, 'caf\u00E9\u200B'), 'x');
    expect(await refused('cafe\u0301\u200B')).toBe('cafe\u0301\u200B');
    expect(await refused('caf\u00E9\u27E8U+200B\u27E9')).toBe('refused');
  });

  test('a name that `..` takes back is still judged, also in an absolute path', async () => {
    mkdirSync(join(root, 'x\u202E'));
    writeFileSync(join(root, 'a.md'), 'x');
    expect(await Promise.all(['x\u202E/../a.md', `${root}/x\u202E/../a.md`].map(refused))).toEqual([
      'refused',
      'refused',
    ]);
  });
});

describe('the door for what the product keeps', () => {
  const failing = async (path: string, disk?: PathDisk) => {
    const files = await openFolder(root, disk ? { disk } : {});
    return files.exact.write(path, new TextEncoder().encode('x')).then(
      () => 'written',
      (thrown: unknown) => (thrown instanceof ToolError ? 'refused' : String(thrown)),
    );
  };

  test.each(['../x', 'a/../../x', '/etc/x', '', 'a//b', './a', 'a/.', '..', 'a\0b'])(
    'does not take %j, which nothing that is kept is called',
    async (path) => expect(await failing(path)).toBe('refused'),
  );

  test('ends at the folder, at links that leave it, and at the product’s own data', async () => {
    mkdirSync(join(top, 'outside'), { recursive: true });
    mkdirSync(join(root, 'own'));
    symlinkSync(join(top, 'outside'), join(root, 'out'));
    const files = await openFolder(root, { denied: [join(root, 'own')] });
    for (const path of ['out/x', 'own/x']) {
      await expect(files.exact.write(path, new Uint8Array()), path).rejects.toThrow(ToolError);
    }
    expect([readdirSync(join(top, 'outside')), readdirSync(join(root, 'own'))]).toEqual([[], []]);
  });

  test('leaves a file alone that the disk finds under a name of its own making', async () => {
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, 'a.md'), 'x');
    // As on disks of Windows under Linux.
    const meant: Readonly<Record<string, string>> = { 'GIT~1': '.git', '.git.': '.git', 'a.md ': 'a.md' };
    const find = (path: string) => {
      const names = path.slice(root.length + 1).split('/');
      return join(root, ...names.map((name) => meant[name] ?? name));
    };
    const disk: PathDisk = { ...nodeDisk, lstat: (path) => nodeDisk.lstat(find(path)) };
    expect(await Promise.all(['GIT~1/config', '.git./config', 'a.md '].map((path) => failing(path, disk)))).toEqual(
      Array(3).fill('refused'),
    );
    expect(readdirSync(root).sort()).toEqual(['.git', 'a.md']);
  });

  test('finds each of two names that differ in form alone', async () => {
    const [composed, parts] = ['caf\u00E9.md', 'cafe\u0301.md'];
    writeFileSync(join(root, parts), 'parts');
    const files = await openFolder(root);
    expect(await files.exact.resolve(composed)).toMatchObject({ exists: false, shown: composed });
    await files.exact.write(composed, new TextEncoder().encode('composed'));
    expect([parts, composed].map((name) => readFileSync(join(root, name), 'utf8'))).toEqual(['parts', 'composed']);
  });
});

test('several open folders with odd names are told apart, raw and as they are shown', async () => {
  const given = ['\u2699\uFE0F app', '\u0645\u06CC\u200C\u062E', 'c d '].map((name) => ({
    name,
    path: join(root, name),
  }));
  for (const { path } of given) {
    mkdirSync(path);
    writeFileSync(join(path, 'a.md'), path);
  }
  const folders = nameFolders(given);
  const files = await openFolder(root, { folders });
  const listed = await useTool({ ...createWorkbench(), files }, 'list_files', { depth: 1 });
  for (const [nth, { name, path }] of folders.entries()) {
    for (const written of [name, listed.text.split('\n')[nth]?.slice(0, -1)]) {
      expect(new TextDecoder().decode(await files.read(`${written}/a.md`))).toBe(path);
    }
    expect((await files.exact.resolve(`${name}/a.md`)).real).toBe(join(path, 'a.md'));
  }
});
