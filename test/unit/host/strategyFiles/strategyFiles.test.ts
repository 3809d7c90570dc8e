/** A person's strategy files on a real disk, from the setting to a compaction. Only the dialog and the watcher are stood in for. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { StrategyRegistry } from '../../../../src/core/compaction/hosting/registry.ts';
import { FileSettings } from '../../../../src/core/compaction/settings/fileSettings.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { compileStrategyFile } from '../../../../src/node/strategyFiles/loadStrategyFile.ts';
import { StrategyFiles } from '../../../../src/node/strategyFiles/strategyFiles.ts';
import { calls, compactionHarness, says, user } from '../../../support/compactionHarness.ts';

const { signal } = new AbortController();
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pal-strategy-')));
  made.push(folder);
  return folder;
}

/** A strategy that hides every result that it may, and writes `note` to its log. */
const hiding = (note: string) => `
export default {
  needs: ['log'],
  create: ({ log }) => ({
    async compact({ history, hide }) {
      log('info', '${note}');
      return history.map((message) => (message.role === 'tool' ? hide(message) : message));
    },
  }),
};
`;

const declaring = (settings: string) => `
export default {
  needs: ['log', 'settings'],
  settings: { ${settings} },
  create: ({ log, settings }) => ({
    async compact() {
      log('info', [settings().longest, settings().plain].join(' '));
      return null;
    },
  }),
};
`;

/** `answers` are given to the questions, in order; a question without one fails the test. */
function openFiles(paths: readonly string[], answers: readonly boolean[] = [], open: Partial<Opened> = {}) {
  const state: Opened = { paths, trusted: true, folders: [], allowed: [], ...open };
  const registry = new StrategyRegistry();
  const asked: string[] = [];
  const warned: string[] = [];
  const watched = new Map<string, () => void>();
  const files = new StrategyFiles({
    registry,
    paths: () => state.paths,
    workspaceFolders: () => state.folders,
    trusted: () => state.trusted,
    allowed: {
      get: () => state.allowed,
      set: async (hashes) => {
        state.allowed = hashes;
      },
    },
    ask: async (label, { path }) => {
      const answer = answers[asked.length];
      asked.push(`${label} ${path}`);
      if (answer === undefined) throw new Error(`asked once more than expected: ${asked.join(', ')}`);
      return answer;
    },
    watch: (path, changed) => {
      watched.set(path, changed);
      return { dispose: () => watched.delete(path) };
    },
    warn: (fault) => warned.push(inEnglish(fault)),
    log: () => undefined,
  });
  /** `found`, or why not. */
  const use = async (id = 'file/mine', deliberate = false) => {
    const resolved = await registry.resolve(id, deliberate, signal);
    return resolved.kind === 'found' ? 'found' : inEnglish(resolved.reason);
  };
  return { files, registry, state, asked, warned, watched, use };
}

interface Opened {
  paths: readonly string[];
  trusted: boolean;
  folders: readonly string[];
  allowed: readonly string[];
}

const history = [user('first'), calls(['read_file', 'text '.repeat(2_000)]), says('read'), user('second'), says('ok')];

describe('a strategy in a file of one’s own', () => {
  it('is listed, asked about once, loaded, and compacts', { tags: ['K11'] }, async () => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(path, hiding('it ran'));
    const { registry, asked } = openFiles([path], [true]);
    expect(registry.list().at(-1)).toMatchObject({ id: 'file/mine', label: 'mine', file: path });
    expect(asked).toEqual([]);
    const h = await compactionHarness({
      history,
      registry,
      settings: { strategy: 'contributed', contributedStrategy: 'file/mine' },
    });
    expect(await h.compactor.compact({ trigger: 'manual' }, signal)).toMatchObject({ kind: 'compacted' });
    expect(h.journal.entries.at(-1)).toMatchObject({ type: 'compaction', strategy: 'file/mine' });
    await h.compactor.undo();
    await h.compactor.compact({ trigger: 'manual' }, signal);
    expect(asked).toEqual([`mine ${path}`]);
  });

  it('gets the values of the settings that it declares, and its default for what does not fit', {
    tags: ['K11'],
  }, async () => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(
      path,
      declaring('longest: { type: "integer", default: 7, minimum: 3 }, plain: { type: "boolean", default: true }'),
    );
    const said: string[] = [];
    const run = async (fileSettings: Record<string, unknown>) => {
      const { registry } = openFiles([path], [true]);
      const settings = { strategy: 'contributed', contributedStrategy: 'file/mine', fileSettings };
      const h = await compactionHarness({ history, registry, settings });
      await h.compactor.compact({ trigger: 'manual' }, signal);
      said.push(...h.logs);
    };
    await run({ 'mine.longest': 4, 'other.longest': 9 });
    await run({ 'mine.longest': 2, 'mine.plain': false });
    const values = said.filter((text) => text.includes('file/mine: '));
    expect(values).toEqual(['info file/mine: 4 true', 'info file/mine: 7 false']);
  });

  it.each([
    ['"a b": { type: "boolean", default: true }', 'the name of its setting a b is not of letters'],
    ['list: { type: "array", default: [] }', 'its setting list has none of the types'],
    [
      'many: { type: "integer", default: 2, maximum: 1 }',
      'its setting many has no usable default.It must be at most 1.',
    ],
    ['many: { type: "integer" }', 'its setting many has no usable default.It must be a number.'],
    ['keepRecent: { type: "string", default: "" }', 'has the name of one that every strategy has'],
  ])('is refused with the reason when it declares settings badly: %s', { tags: ['K11'] }, async (declared, reason) => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(path, declaring(declared));
    const { use } = openFiles([path], [true]);
    expect((await use()).replace(/\. /g, '.')).toContain(reason);
  });

  it('has what a person set for it checked, once it is loaded', { tags: ['K11'] }, async () => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(path, declaring('longest: { type: "integer", default: 7, minimum: 3 }'));
    const { registry, use } = openFiles([path], [true]);
    const flat = { 'mine.longest': 1, 'mine.shortest': 1, 'gone.x': 1 };
    const faults = () =>
      new FileSettings(flat)
        .findFaults('setting', ['mine'], (id) => registry.get(id))
        .map(({ message }) => inEnglish(message));
    const gone = 'The setting setting names gone.x, but no strategy file is called gone.';
    expect(faults()).toEqual([gone]);
    await use();
    expect(faults()).toEqual([
      'The setting setting cannot be used for mine.longest. It must be at least 3.',
      'The setting setting cannot be used for mine.shortest. The file declares no such setting. It declares these: longest.',
      gone,
    ]);
  });

  it('what was allowed is listed, and taken back: the strategy goes at once and asks again', {
    tags: ['K11'],
  }, async () => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(path, hiding('first'));
    const { files, registry, use, asked, state } = openFiles([path], [true, true, true]);
    expect(await files.consents()).toEqual({ files: [], others: [] });
    expect(await use()).toBe('found');
    writeFileSync(path, hiding('second'));
    expect(await use()).toBe('found');
    const consents = await files.consents();
    expect(consents.files).toMatchObject([{ label: 'mine', path }]);
    expect(consents.others).toHaveLength(1);
    await files.withdraw(consents.others);
    expect(registry.get('file/mine')).not.toBeNull();
    await files.withdraw(consents.files.map(({ hash }) => hash));
    expect([registry.get('file/mine'), state.allowed]).toEqual([null, []]);
    expect(await use()).toBe('found');
    expect(asked).toHaveLength(3);
  });

  it('a file that was saved is loaded again, and asked about again', { tags: ['K11'] }, async () => {
    const path = join(makeFolder(), 'mine.mjs');
    writeFileSync(path, hiding('first'));
    const { registry, use, asked, state } = openFiles([path], [true, true]);
    expect(await use()).toBe('found');
    const first = registry.get('file/mine');
    expect(await use()).toBe('found');
    expect(registry.get('file/mine')).toBe(first);
    writeFileSync(path, hiding('second'));
    expect(await use()).toBe('found');
    expect(registry.get('file/mine')).not.toBe(first);
    // Contents that were allowed before need no second answer.
    writeFileSync(path, hiding('first'));
    expect(await use()).toBe('found');
    expect(asked).toHaveLength(2);
    expect(state.allowed).toHaveLength(2);
  });

  it('what was refused is not loaded, and asked about again only when a person runs it', {
    tags: ['K11'],
  }, async () => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(path, `globalThis.palimpsestLoaded = true;${hiding('x')}`);
    const { use, asked } = openFiles([path], [false, true]);
    expect(await use()).toBe(`its file ${path} was not allowed to be loaded as it is now`);
    expect(await use()).toMatch(/was not allowed/);
    expect('palimpsestLoaded' in globalThis).toBe(false);
    expect(asked).toHaveLength(1);
    expect(await use('file/mine', true)).toBe('found');
    expect('palimpsestLoaded' in globalThis).toBe(true);
    Reflect.deleteProperty(globalThis, 'palimpsestLoaded');
  });

  it('a syntax error is told with its line, and the version before does not run in its place', {
    tags: ['K11'],
  }, async () => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(path, hiding('good'));
    const { use, registry } = openFiles([path], [true]);
    expect(await use()).toBe('found');
    writeFileSync(path, '// one\nexport default {\n  needs: [],\n  create: () => ({ compact( }),\n};\n');
    expect(await use()).toBe(`its file ${path} has a syntax error in line 4: Unexpected token '}'`);
    expect(registry.get('file/mine')).toBeNull();
    const h = await compactionHarness({
      history,
      registry,
      settings: { strategy: 'contributed', contributedStrategy: 'file/mine' },
      summaries: ['notes'],
    });
    await h.compactor.compact({ trigger: 'manual' }, signal);
    expect(h.journal.entries.filter(({ type }) => type === 'note')).toMatchObject([
      { text: expect.stringContaining(`has a syntax error in line 4: Unexpected token '}'`) },
    ]);
    writeFileSync(path, hiding('good'));
    expect(await use()).toBe('found');
  });

  it.each([
    ['throws while it is loaded', '\n\nthrow new Error("no luck");', /failed in line 3 while it was loaded: no luck/],
    ['imports a file beside it', 'import "./other.js";', /imports \.\/other\.js; it must stand alone/],
    ['imports a package', 'import "lodash";', /imports lodash; it must stand alone/],
    ['is a CommonJS module', 'module.exports = {};', /line 1 .*module is not defined/],
    ['exports nothing', 'const a = 1;', /cannot be used: it has no default export/],
    ['exports no factory', 'export default () => null;', /not a factory with needs and create/],
    ['exports needs alone', 'export default { needs: [] };', /not a factory with needs and create/],
  ])('a file that %s is not used, and why is told', { tags: ['K11'] }, async (_what, text, reason) => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(path, text);
    const { use } = openFiles([path], [true]);
    expect(await use()).toMatch(reason);
  });

  it('TypeScript is loaded without its types, and its syntax errors have their line', { tags: ['K11'] }, async () => {
    const path = join(makeFolder(), 'mine.ts');
    const { use } = openFiles([path], [true]);
    writeFileSync(
      path,
      `interface Kept { readonly a: number }\nconst kept: Kept = { a: 1 };\nvoid kept;${hiding('typed')}`,
    );
    expect(await use()).toBe('found');
    writeFileSync(path, 'const a: number = 1;\nconst b: = 2;\nexport default 1;\n');
    expect(await use()).toMatch(/has a syntax error in line 2: /);
    writeFileSync(path, '\n\nenum Kind { A }\nexport default 1;\n');
    expect(await use()).toMatch(/has a syntax error in line 3: .*enum/);
  });

  it('TypeScript is refused in words where Node cannot take its types out', { tags: ['K11'] }, async () => {
    const path = join(makeFolder(), 'mine.ts');
    const file = { path, hash: '', text: 'const a: number = 1;' };
    await expect(compileStrategyFile(file, null)).rejects.toThrow(
      /mine\.ts is TypeScript, which this version of Node \(.+\) cannot read: write it in JavaScript/,
    );
  });

  it('a run under way ends when the file changes', { tags: ['K11'] }, async () => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(
      path,
      'export default { needs: [], create: () => ({ compact: () => { globalThis.palimpsestRuns(); return new Promise(() => {}); } }) };',
    );
    const { registry, watched, files } = openFiles([path], [true]);
    const running = Promise.withResolvers<void>();
    Object.assign(globalThis, { palimpsestRuns: running.resolve });
    const changed: string[] = [];
    files.onDidChange((id) => changed.push(id));
    const h = await compactionHarness({
      history,
      registry,
      settings: { strategy: 'contributed', contributedStrategy: 'file/mine' },
    });
    const compaction = h.compactor.compact({ trigger: 'manual' }, signal);
    await running.promise;
    // Saved as it was: nothing ends.
    watched.get(path)?.();
    writeFileSync(path, hiding('next'));
    watched.get(path)?.();
    expect(await compaction).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('removed or replaced while it ran'),
    });
    expect(changed).toEqual(['file/mine']);
    Reflect.deleteProperty(globalThis, 'palimpsestRuns');
  });

  it('another version is not held to the failures of the one before', { tags: ['K11'] }, async () => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(
      path,
      'export default { needs: [], create: () => ({ compact: async () => { throw new Error("no"); } }) };',
    );
    const { registry, watched } = openFiles([path], [true, true]);
    const h = await compactionHarness({
      history,
      registry,
      settings: { strategy: 'contributed', contributedStrategy: 'file/mine' },
      summaries: ['notes'],
    });
    for (let i = 0; i < 3; i++) await h.compactor.compact({ trigger: 'manual' }, signal);
    writeFileSync(path, hiding('mended'));
    watched.get(path)?.();
    await expect.poll(() => registry.get('file/mine')).toBeNull();
    await h.compactor.compact({ trigger: 'manual' }, signal);
    expect(h.journal.entries.findLast(({ type }) => type === 'compaction')).toMatchObject({ strategy: 'file/mine' });
  });
});

describe('what is never loaded', () => {
  it('anything in Restricted Mode', { tags: ['K11'] }, async () => {
    const path = join(makeFolder(), 'mine.js');
    writeFileSync(path, hiding('x'));
    const { use, state, asked } = openFiles([path], [true], { trusted: false });
    expect(await use('file/mine', true)).toBe('strategies in files are not loaded in Restricted Mode');
    expect(asked).toEqual([]);
    state.trusted = true;
    expect(await use()).toBe('found');
    state.trusted = false;
    expect(await use()).toMatch(/Restricted Mode/);
  });

  it('a file in the open folder, named directly or through a link, by either name of the folder', {
    tags: ['K11'],
  }, async () => {
    const [folder, elsewhere] = [makeFolder(), makeFolder()];
    writeFileSync(join(folder, 'mine.js'), hiding('x'));
    symlinkSync(join(folder, 'mine.js'), join(elsewhere, 'mine.js'));
    symlinkSync(folder, join(elsewhere, 'folder'));
    const paths = [join(folder, 'mine.js'), join(elsewhere, 'mine.js'), join(elsewhere, 'folder/mine.js')];
    for (const path of paths) {
      for (const open of [folder, join(elsewhere, 'folder')]) {
        const { use, asked } = openFiles([path], [], { folders: [open] });
        expect(await use('file/mine', true)).toMatch(/lies in the open folder; move it elsewhere/);
        expect(asked).toEqual([]);
      }
    }
  });

  it('a link is followed, and the question names the real file', { tags: ['K11'] }, async () => {
    const [folder, elsewhere] = [makeFolder(), makeFolder()];
    writeFileSync(join(elsewhere, 'real.js'), hiding('x'));
    symlinkSync(join(elsewhere, 'real.js'), join(folder, 'mine.js'));
    const { use, asked } = openFiles([join(folder, 'mine.js')], [true]);
    expect(await use()).toBe('found');
    expect(asked).toEqual([`mine ${join(elsewhere, 'real.js')}`]);
  });

  it('a huge file, a folder, a pipe, bytes that are no text, a missing file, another kind of file', {
    tags: ['K11'],
  }, async () => {
    const folder = makeFolder();
    const at = (name: string) => join(folder, name);
    writeFileSync(at('huge.js'), `//${'x'.repeat(1 << 20)}`);
    mkdirSync(at('folder.js'));
    execFileSync('mkfifo', [at('pipe.js')]);
    writeFileSync(at('bytes.js'), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(at('data.json'), '{}');
    writeFileSync(at('data.txt'), 'x');
    symlinkSync(at('data.txt'), at('linked.js'));
    const names = ['huge.js', 'folder.js', 'pipe.js', 'bytes.js', 'missing.js', 'data.json', 'linked.js'];
    const { use, asked } = openFiles(names.map(at));
    expect(await use('file/huge')).toMatch(/is longer than 1,024 KB/);
    expect(await use('file/folder')).toMatch(/is not a regular file/);
    expect(await use('file/pipe')).toMatch(/is not a regular file/);
    expect(await use('file/bytes')).toMatch(/is not UTF-8/);
    expect(await use('file/missing')).toMatch(/missing.js is not on the machine where Palimpsest runs/);
    expect(await use('file/data')).toMatch(/data.json ends in none of/);
    expect(await use('file/linked')).toMatch(/data.txt ends in none of/);
    expect(asked).toEqual([]);
  });

  it('a file that the setting does not name, names badly, or names no more', { tags: ['K11'] }, async () => {
    const folder = makeFolder();
    for (const name of ['mine.js', 'mine.mjs', 'my strategy.js']) writeFileSync(join(folder, name), hiding('x'));
    const paths = ['mine.js', 'mine.mjs', 'my strategy.js'].map((name) => join(folder, name));
    const { files, registry, use, state, warned, watched } = openFiles(['mine.js', ...paths], [true]);
    expect(registry.list().filter(({ file }) => file !== undefined)).toHaveLength(1);
    expect(warned).toEqual([
      expect.stringMatching(/contains mine\.js, which is not an absolute path/),
      expect.stringMatching(/lists two files named .*mine\.mjs/),
      expect.stringMatching(/my strategy\.js: name the file with letters/),
    ]);
    expect(await use('file/other')).toMatch(/names no file for it/);
    expect(await use()).toBe('found');
    state.paths = [];
    files.follow();
    expect(registry.get('file/mine')).toBeNull();
    expect(watched.size).toBe(0);
    expect(await use('file/mine', true)).toMatch(/names no file for it/);
  });
});
