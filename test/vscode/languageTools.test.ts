import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { openLanguage } from '../../src/host/language/openLanguage.ts';

suite('language features in a real editor', () => {
  // In the workspace: the editor notices changes on disk only there.
  const [opened] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(opened);
  const folder = join(opened.uri.fsPath, `language-${process.pid}`);
  const uri = vscode.Uri.file(join(folder, 'notes.txt'));
  const outside = vscode.Uri.file(join(tmpdir(), 'elsewhere.txt'));
  const language = openLanguage([{ name: 'folder', path: folder }]);
  const { signal } = new AbortController();
  const range = new vscode.Range(1, 2, 1, 6);
  const diagnostics = vscode.languages.createDiagnosticCollection('palimpsest-test');
  const selector = { scheme: 'file', pattern: '**/notes.txt' };
  const registered: vscode.Disposable[] = [diagnostics];

  suiteSetup(() => {
    mkdirSync(folder);
    writeFileSync(uri.fsPath, 'first\n  name here\n');
    const { Method, TypeParameter } = vscode.SymbolKind;
    registered.push(
      // As a language extension does: what is wrong is known some time after the file was opened.
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (document.uri.toString() !== uri.toString()) return;
        const wrong = new vscode.Diagnostic(range, 'no such name', vscode.DiagnosticSeverity.Error);
        wrong.source = 'test';
        wrong.code = 7;
        const hint = new vscode.Diagnostic(range, 'a suggestion', vscode.DiagnosticSeverity.Hint);
        setTimeout(() => diagnostics.set(uri, [wrong, hint]), 50);
      }),
      vscode.languages.registerDocumentSymbolProvider(selector, {
        provideDocumentSymbols() {
          const outer = new vscode.DocumentSymbol('outer', '', Method, range, range);
          outer.children.push(new vscode.DocumentSymbol('inner', '', TypeParameter, range, range));
          return [outer];
        },
      }),
      vscode.languages.registerWorkspaceSymbolProvider({
        provideWorkspaceSymbols: (query) =>
          [uri, outside].map(
            (at) => new vscode.SymbolInformation(`${query}Found`, Method, 'box', new vscode.Location(at, range)),
          ),
      }),
      vscode.languages.registerReferenceProvider(selector, {
        provideReferences: (_, position) => [
          new vscode.Location(uri, position),
          new vscode.Location(outside, position),
          new vscode.Location(vscode.Uri.parse('git:/notes.txt'), position),
        ],
      }),
    );
  });
  suiteTeardown(() => {
    for (const each of registered) each.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  test('problems of a file that nobody opened are waited for, and hints left out', async () => {
    const place = { path: 'notes.txt', line: 2, column: 3 };
    const wrong = { ...place, severity: 'error', message: 'no such name', source: 'test 7' };
    assert.deepEqual(await language.problems('notes.txt', signal), { problems: [wrong], reported: true });
    const { problems } = await language.problems(null, signal);
    assert.deepEqual(
      problems.filter(({ source }) => source === 'test 7'),
      [wrong],
    );
  });

  test('symbols of a file are told with what holds them, those of the workspace by name', async () => {
    const place = { path: 'notes.txt', line: 2, column: 3 };
    assert.deepEqual(await language.symbolsIn('notes.txt', signal), [
      { ...place, name: 'outer', kind: 'method', container: '', lastLine: 2 },
      { ...place, name: 'inner', kind: 'type parameter', container: 'outer', lastLine: 2 },
    ]);
    const { found, outside: beyond } = await language.symbolsNamed('zq', signal);
    assert.deepEqual(found, [{ ...place, name: 'zqFound', kind: 'method', container: 'box' }]);
    assert.ok(beyond >= 1);
  });

  test('a change is made, and what the extensions then find is waited for', async () => {
    const later = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document.uri.toString() !== uri.toString() || contentChanges.length === 0) return;
      const worse = new vscode.Diagnostic(range, 'now it is worse', vscode.DiagnosticSeverity.Warning);
      setTimeout(() => diagnostics.set(uri, [...(diagnostics.get(uri) ?? []), worse]), 50);
    });
    try {
      const change = async () => writeFileSync(uri.fsPath, 'first\n  other here\n');
      const around = await language.problemsAround('notes.txt', change, signal);
      const messages = (all: readonly { readonly message: string }[] | null = []) => all?.map(({ message }) => message);
      assert.deepEqual(messages(around?.before), ['no such name']);
      assert.deepEqual(messages(around?.after), ['no such name', 'now it is worse']);
    } finally {
      later.dispose();
    }
  });

  test('a file that no tab shows gets one behind, until extensions have reported on it', async () => {
    const shown = vscode.Uri.file(join(folder, 'shown.txt'));
    writeFileSync(shown.fsPath, 'text\n');
    const showing = () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === shown.toString());
    const front = await vscode.window.showTextDocument(vscode.Uri.file(join(opened.uri.fsPath, 'README.md')));
    // As extensions do that look only at what a person sees.
    const looking = vscode.window.tabGroups.onDidChangeTabs(() => {
      if (showing().length === 0) return;
      diagnostics.set(shown, [new vscode.Diagnostic(range, 'seen in a tab', vscode.DiagnosticSeverity.Error)]);
    });
    try {
      const { problems, reported } = await language.problems('shown.txt', signal);
      assert.deepEqual([problems.map(({ message }) => message), reported], [['seen in a tab'], true]);
      assert.equal(showing().length, 0);
      assert.equal(vscode.window.activeTextEditor?.document, front.document);
    } finally {
      looking.dispose();
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  });

  test('a file that no extension reports on is told as such', async () => {
    writeFileSync(join(folder, 'nobody.txt'), 'text\n');
    assert.deepEqual(await language.problems('nobody.txt', signal), { problems: [], reported: false });
  });

  test('a file that no extension knows is changed without a wait for problems', async () => {
    const plain = join(folder, 'plain.unknown');
    const change = async () => writeFileSync(plain, 'made');
    assert.equal(await language.problemsAround('plain.unknown', change, signal), null);
    assert.equal(readFileSync(plain, 'utf8'), 'made');
    const broken = async () => Promise.reject(new Error('the disk is full'));
    await assert.rejects(language.problemsAround('notes.txt', broken, signal), /the disk is full/);
  });

  test('references outside of the workspace are counted', async () => {
    const place = { path: 'notes.txt', line: 2, column: 3 };
    assert.deepEqual(await language.references(place, signal), { found: [place], outside: 2 });
  });
});
