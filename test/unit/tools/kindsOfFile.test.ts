import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { beforeEach, describe, expect, test } from 'vitest';
import { FileKeeper } from '../../../src/core/checkpoints/fileKeeper.ts';
import { previewRestore, restoreFiles } from '../../../src/core/checkpoints/restoreFiles.ts';
import { fitBlock } from '../../../src/core/codeBlocks/fitBlock.ts';
import { wordsOf } from '../../../src/core/errors.ts';
import { encodeAs, readForChange } from '../../../src/core/tools/builtIn/prepareChange.ts';
import { inLanguage } from '../../../src/core/words.ts';
import { openCheckpointFiles } from '../../../src/node/files/checkpointFiles.ts';
import { memoryBlobs, memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { createStandInText, standInEncode } from '../../support/ports/standInText.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { createTemporaryFolder, openFolder } from '../node/files/temporaryFolder.ts';
import { createWorkbench, useTool } from './useTool.ts';

interface Kind {
  readonly what: string;
  readonly encoding: string;
  /** As the encoding can write them. */
  readonly letters: string;
  readonly bom?: boolean;
  /** What each line ends with; of the last one, whether it does. */
  readonly ends?: readonly string[];
  /** Those that `write_file` gives a whole text; by default the first. */
  readonly wholeEnd?: string;
  readonly unfinished?: boolean;
  readonly wide?: 'little' | 'big';
  /** ripgrep takes it for no text. */
  readonly unsearched?: boolean;
}

const utf8 = (what: string, rest: Partial<Kind> = {}): Kind => ({
  what,
  encoding: 'utf8',
  letters: 'é漢字😀',
  ...rest,
});
const wide = (what: string, rest: Partial<Kind>): Kind => ({ what, encoding: 'wide', letters: 'é漢字😀', ...rest });

const KINDS: readonly Kind[] = [
  utf8('UTF-8 with LF'),
  utf8('UTF-8 with CRLF', { ends: ['\r\n'] }),
  utf8('UTF-8 with CR alone', { ends: ['\r'] }),
  utf8('UTF-8 with CR alone, unfinished', { ends: ['\r'], unfinished: true }),
  utf8('UTF-8 with LF and some CRLF', { ends: ['\n', '\r\n', '\n', '\n', '\r\n'] }),
  utf8('UTF-8 with CRLF and some LF', { ends: ['\r\n', '\r\n', '\n', '\r\n', '\n'], wholeEnd: '\r\n' }),
  utf8('UTF-8, unfinished', { unfinished: true }),
  utf8('UTF-8 with CRLF, unfinished', { ends: ['\r\n'], unfinished: true }),
  utf8('UTF-8 with a mark', { bom: true }),
  utf8('UTF-8 with a mark and CRLF', { bom: true, ends: ['\r\n'] }),
  utf8('UTF-8 in parts of letters', { letters: 'e\u0301 o\u0308' }),
  utf8('UTF-8 of no letter but ASCII', { letters: 'plain' }),
  wide('UTF-16 LE with a mark', { wide: 'little', bom: true }),
  wide('UTF-16 LE with a mark and CRLF', { wide: 'little', bom: true, ends: ['\r\n'] }),
  wide('UTF-16 BE with a mark', { wide: 'big', bom: true, ends: ['\r\n'], unfinished: true }),
  wide('UTF-16 LE without a mark', { wide: 'little', letters: 'é', unsearched: true }),
  wide('UTF-16 BE without a mark', { wide: 'big', letters: 'é', unsearched: true }),
  { what: 'GBK', encoding: 'gbk', letters: '中文编码' },
  { what: 'GBK with CRLF', encoding: 'gbk', letters: '中文编码', ends: ['\r\n'], unfinished: true },
  { what: 'GB 18030', encoding: 'gb18030', letters: '中文编码' },
  { what: 'Big5', encoding: 'cp950', letters: '繁體中文' },
  { what: 'Big5 with a backslash in a letter', encoding: 'cp950', letters: '功許', ends: ['\r\n'] },
  { what: 'Shift-JIS', encoding: 'shiftjis', letters: '日本語カナ' },
  { what: 'Shift-JIS with a backslash in a letter', encoding: 'shiftjis', letters: '表ソ', ends: ['\r\n'] },
  { what: 'EUC-JP', encoding: 'eucjp', letters: '日本語' },
  { what: 'EUC-KR', encoding: 'euckr', letters: '한국어' },
  { what: 'Latin-1', encoding: 'iso88591', letters: 'café ñ ß' },
  { what: 'Latin-1 with CR alone', encoding: 'iso88591', letters: 'café ñ ß', ends: ['\r'] },
  { what: 'Windows 1252', encoding: 'windows1252', letters: '“naïve” €' },
  { what: 'Windows 1251', encoding: 'windows1251', letters: 'кириллица' },
  { what: 'KOI8-R', encoding: 'koi8r', letters: 'кириллица' },
  { what: 'Windows 1250', encoding: 'windows1250', letters: 'žluťoučký' },
  { what: 'ISO 8859-2', encoding: 'iso88592', letters: 'žluťoučký', ends: ['\r\n'] },
  { what: 'Windows 1253', encoding: 'windows1253', letters: 'ελληνικά' },
];

const top = createTemporaryFolder();
const root = join(top, 'ws');
const at = join(root, 'file.txt');
beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
});

const linesOf = ({ letters }: Kind) => ['alpha', `beta ${letters}`, 'gamma', `delta ${letters} end`, 'omega'];

const endOf = ({ ends = ['\n'] }: Kind, nth: number) => ends[nth % ends.length] ?? '\n';

function encodeKind({ encoding, wide: order, bom }: Kind, text: string): Uint8Array {
  const whole = bom ? `\uFEFF${text}` : text;
  if (order === undefined) return standInEncode(whole, encoding);
  const bytes = Buffer.from(whole, 'utf16le');
  return Uint8Array.from(order === 'little' ? bytes : bytes.swap16());
}

/** Each line with the end that it has in a file of this kind. */
const textOf = (kind: Kind, lines: readonly string[]) =>
  lines.map((line, nth) => line + (kind.unfinished && nth === lines.length - 1 ? '' : endOf(kind, nth))).join('');

async function open(kind: Kind) {
  const bytes = encodeKind(kind, textOf(kind, linesOf(kind)));
  writeFileSync(at, bytes);
  const set = kind.encoding === 'wide' ? 'utf8' : kind.encoding;
  const files = await openFolder(root, { ripgrep: async () => rgPath, text: createStandInText(set) });
  const use = async (name: string, input: object) => {
    const { text, isError } = await useTool({ ...createWorkbench(), files }, name, input);
    if (isError) throw new Error(text);
    return text;
  };
  return { files, bytes, use, onDisk: () => Uint8Array.from(readFileSync(at)) };
}

test('there are at least thirty kinds', () => {
  expect(new Set(KINDS.map(({ what }) => what)).size).toBe(KINDS.length);
  expect(KINDS.length).toBeGreaterThanOrEqual(30);
});

describe.each(KINDS.map((kind) => [kind.what, kind] as const))('%s', { tags: ['long'] }, (_, kind) => {
  const lines = linesOf(kind);

  test('is read', async () => {
    const { use } = await open(kind);
    const [head, ...rest] = (await use('read_file', { path: 'file.txt' })).split('\n');
    expect(head).toContain('file.txt: lines 1-5 of 5');
    expect(rest).toEqual(lines);
    expect(await use('read_file', { path: 'file.txt', offset: 4, limit: 1 })).toContain(`\n${lines[3]}`);
  });

  test('is searched, and the lines are those that are read', async () => {
    const { use } = await open(kind);
    const found = await use('search_text', { pattern: kind.letters });
    const text = `file.txt:2: ${lines[1]}\nfile.txt:4: ${lines[3]}`;
    expect(found).toBe(kind.unsearched ? `Nothing matches "${kind.letters}".` : text);
    if (!kind.unsearched) expect(await use('search_text', { pattern: 'gam+a', regex: true })).toBe('file.txt:3: gamma');
  });

  test('is edited in one place', async () => {
    const { use, onDisk } = await open(kind);
    const edits = [{ old_string: 'gamma', new_string: `gamma ${kind.letters}` }];
    await use('edit_file', { path: 'file.txt', edits });
    expect(onDisk()).toEqual(encodeKind(kind, textOf(kind, lines.with(2, `gamma ${kind.letters}`))));
  });

  test('is edited in several places, over lines', async () => {
    const { use, onDisk } = await open(kind);
    await use('edit_file', {
      path: 'file.txt',
      edits: [
        { old_string: `${lines[1]}\ngamma`, new_string: `beta\n${kind.letters}` },
        { old_string: 'omega', new_string: `last ${kind.letters}` },
      ],
    });
    const after = ['alpha', 'beta', kind.letters, lines[3] ?? '', `last ${kind.letters}`];
    const exact = encodeKind(kind, textOf(kind, after));
    // Within what is replaced, line ends become alike.
    const [first = '\n'] = [endOf(kind, 1)];
    const mixed = kind.ends !== undefined && kind.ends.length > 1;
    expect(onDisk()).toEqual(
      mixed ? encodeKind(kind, textOf(kind, after).replace(/beta\r?\n/u, `beta${first}`)) : exact,
    );
  });

  test('is written as a whole', async () => {
    const { use, onDisk } = await open(kind);
    await use('write_file', { path: 'file.txt', content: `one\n${kind.letters}\nthree` });
    const end = kind.wholeEnd ?? endOf(kind, 0);
    expect(onDisk()).toEqual(encodeKind(kind, `one${end}${kind.letters}${end}three`));
  });

  test('takes a block of an answer', async () => {
    const { files, onDisk } = await open(kind);
    const before = await readForChange('file.txt', files);
    if (!before.decoded) throw new Error('it is there');
    const fit = fitBlock(before.decoded.text, `@@ @@\n-gamma\n+applied ${kind.letters}\n`, 'diff');
    if (fit.kind !== 'fits') throw new Error(JSON.stringify(fit));
    await files.write('file.txt', await encodeAs(fit.text, before.decoded, 'file.txt', files));
    expect(onDisk()).toEqual(encodeKind(kind, textOf(kind, lines.with(2, `applied ${kind.letters}`))));
  });

  test('is restored byte for byte', async () => {
    const { files, bytes, use, onDisk } = await open(kind);
    const { journal } = await memoryJournal();
    const ports = {
      journal,
      blobs: memoryBlobs(),
      crypto: testCrypto(),
      files: await openCheckpointFiles({ files, folders: [{ name: 'ws', path: root }], onSave: () => () => {} }),
    };
    const keeper = new FileKeeper({ ...ports, clock: testClock() });
    await keeper.before({ toolCallId: 'c', toolClass: 'write', changes: ['file.txt'] });
    await use('edit_file', { path: 'file.txt', edits: [{ old_string: 'alpha', new_string: 'changed' }] });
    await keeper.after('c');
    expect(onDisk()).not.toEqual(bytes);
    const { steps } = await previewRestore(0, ports);
    expect((await restoreFiles(steps, new Set(), ports)).restored).toEqual(['file.txt']);
    expect(onDisk()).toEqual(bytes);
  });
});

describe('what an encoding cannot hold', () => {
  const latin = { what: 'Latin-1', encoding: 'iso88591', letters: 'café' };

  test('is refused before the question, by name', async () => {
    const { use, bytes, onDisk } = await open(latin);
    const edits = [{ old_string: 'gamma', new_string: '漢字 →' }];
    await expect(use('edit_file', { path: 'file.txt', edits })).rejects.toThrow(
      'file.txt is written in iso88591. The text holds “漢”, “字”, “→”, which iso88591 has no bytes for. Nothing was written.',
    );
    await expect(use('write_file', { path: 'file.txt', content: 'a→b\n' })).rejects.toThrow('“→”');
    expect(onDisk()).toEqual(bytes);
  });

  test('and what else keeps a file from being changed are told to a person in their language', async () => {
    const chinese: Readonly<Record<string, string>> = JSON.parse(readFileSync('l10n/bundle.l10n.zh-cn.json', 'utf8'));
    const inChinese = (thrown: unknown) =>
      inLanguage(wordsOf(thrown), (text, ...values) =>
        (chinese[text] ?? text).replace(/\{(\d)\}/gu, (_, nth) => String(values[nth])),
      );
    const { files } = await open(latin);
    const style = { encoding: 'iso88591', bom: false, lineEnd: '\n' } as const;
    const told = (doing: Promise<unknown>) => doing.then(() => '', inChinese);
    expect(await told(encodeAs('a→b', style, 'file.txt', files))).toBe(
      'file.txt 以 iso88591 编码写成。文本含有 “→”，iso88591 无法表示。未写入任何内容。',
    );
    writeFileSync(at, Uint8Array.from([1, 0, 2]));
    expect(await told(readForChange('file.txt', files))).toBe(
      'file.txt 无法作为文本更改：它含有 NUL 字节，因此不是文本。',
    );
  });

  test('bytes that are no text of it are shown with substitutes, and never edited', async () => {
    const { use } = await open({ ...latin, encoding: 'shiftjis', letters: '日本' });
    const bytes = Uint8Array.from([0x61, 0x0a, 0x81, 0x20, 0xfd, 0x0a]);
    writeFileSync(at, bytes);
    expect(await use('read_file', { path: 'file.txt' })).toContain('not valid UTF-8: U+FFFD stands for bad bytes');
    const edits = [{ old_string: 'a', new_string: 'b' }];
    await expect(use('edit_file', { path: 'file.txt', edits })).rejects.toThrow(
      'is not valid UTF-8; changing it as text would damage it. Nor is it, byte for byte, in an encoding that is set for it',
    );
    expect(Uint8Array.from(readFileSync(at))).toEqual(bytes);
  });
});

describe('a file that an editor holds unsaved in another encoding', () => {
  /** What is typed is saved in the encoding, with line ends made alike and a blank taken from line ends. */
  async function edit(typed: string, encoding: string, onDisk: Uint8Array) {
    writeFileSync(at, onDisk);
    const held: { text: string | null } = { text: typed };
    const unsaved = {
      text: () => held.text,
      encoding: () => encoding,
      replace: async (_: string, text: string) => {
        held.text = null;
        writeFileSync(at, standInEncode(text.replaceAll('\r\n', '\n').replace(/ +$/gmu, ''), encoding));
      },
    };
    return openFolder(root, { unsaved, text: createStandInText(encoding) });
  }
  const latin = (text: string) => standInEncode(text, 'iso88591');

  test('is read as it would be saved', async () => {
    const files = await edit('café bar\n', 'iso88591', latin('café\n'));
    expect(await files.read('file.txt')).toEqual(latin('café bar\n'));
  });

  test('gets exactly the bytes that are written', async () => {
    for (const text of ['été\r\nmixed\n', 'blank \n']) {
      const files = await edit('café bar\n', 'iso88591', latin('café\n'));
      await files.write('file.txt', latin(text));
      expect(Uint8Array.from(readFileSync(at))).toEqual(latin(text));
    }
  });

  test('gets back bytes that are no text at all', async () => {
    const files = await edit('typed\n', 'utf8', new TextEncoder().encode('a\n'));
    const bytes = Uint8Array.from([0xe9, 0, 0xff, 0x0a]);
    await files.write('file.txt', bytes);
    expect(Uint8Array.from(readFileSync(at))).toEqual(bytes);
  });

  test('is not taken for text where the editor reads it in a wrong one', async () => {
    const files = await edit('typed\n', 'shiftjis', Uint8Array.from([0x81, 0x20, 0xfd, 0x0a]));
    await expect(files.read('file.txt')).rejects.toThrow('is unsaved in an editor that reads it in shiftjis');
  });
});
