/**
 * The editor's decoding and encoding, according to its settings and open documents. The encoding of a file is only
 * guessed here: callers verify that it reproduces the file's bytes. Also changes the text of an open document.
 */

import { realpathSync } from 'node:fs';
import { EOL } from 'node:os';
import { join, relative } from 'node:path';
import * as vscode from 'vscode';
import { readEditorConfig } from '../../node/files/editorConfig.ts';
import { isInside } from '../../node/files/inside.ts';
import type { NamedFolder } from '../../node/files/nameFolders.ts';
import type { HostText } from '../../node/files/workspaceFiles.ts';

/** Encodings that the editor guesses, in search order: several encodings can yield the same text. */
const GUESSED = [
  'utf8',
  'windows1252',
  'gbk',
  'gb18030',
  'cp950',
  'big5hkscs',
  'shiftjis',
  'eucjp',
  'euckr',
  'windows1251',
  'koi8r',
  'iso88595',
  'cp866',
  'windows1250',
  'iso88592',
  'windows1253',
  'iso88597',
  'windows1255',
  'iso88598',
  'windows1254',
  'windows1257',
  'windows1256',
  'windows874',
  'macroman',
  'iso885915',
  'iso88591',
  'cp437',
  'cp850',
];

export function openEditorText(folders: readonly NamedFolder[]): HostText {
  const roots = folders.map(({ path }) => ({ path, real: realpathSync.native(path) }));
  // Folder settings are looked up by the editor's own paths.
  const uriOf = (real: string): vscode.Uri => {
    const root = roots.find((each) => isInside(real, each.real));
    return vscode.Uri.file(root ? join(root.path, relative(root.real, real)) : real);
  };
  const settingsOf = (real: string) => vscode.workspace.getConfiguration('files', uriOf(real));
  // Editors based on an older VS Code have neither.
  const decodes = typeof vscode.workspace.decode === 'function' && typeof vscode.workspace.encode === 'function';
  const decode = async (bytes: Uint8Array, encoding: string) => vscode.workspace.decode(bytes, { encoding });
  return {
    decode,
    encode: async (text, encoding) => vscode.workspace.encode(text, { encoding }),

    async likely(real, bytes) {
      const settings = settingsOf(real);
      const set = encodingIn(settings);
      if (!decodes) return ['utf8'];
      const uri = uriOf(real);
      const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
      if (open) return [open.encoding, set, 'utf8'];
      const depends =
        settings.get('autoGuessEncoding') === true || (settings.inspect('encoding')?.languageIds ?? []).length > 0;
      if (!depends || bytes.every((byte) => byte < 0x80)) return [set, 'utf8'];
      const text = await vscode.workspace.decode(bytes, { uri });
      for (const name of new Set([set, ...GUESSED])) {
        if ((await decode(bytes, name)) === text) return [name, set, 'utf8'];
      }
      return [set, 'utf8'];
    },

    async styleOfNew(real) {
      const settings = settingsOf(real);
      const eol = settings.get<string>('eol');
      const root = roots.find((each) => isInside(real, each.real));
      const configured = root ? await readEditorConfig(real, root.real) : {};
      const set = decodes ? encodingIn(settings) : 'utf8';
      const isWide = set.startsWith('utf16');
      return {
        encoding: set === 'utf8bom' ? 'utf8' : set,
        bom: set === 'utf8bom' || isWide,
        lineEnd: eol === '\n' || eol === '\r\n' ? eol : EOL === '\r\n' ? '\r\n' : '\n',
        ...configured,
      };
    },

    searchEncoding(folder) {
      const set = encodingIn(settingsOf(folder));
      return decodes && !set.startsWith('utf') ? labelOf(set) : null;
    },
  };
}

const encodingIn = (settings: vscode.WorkspaceConfiguration): string => {
  const set: unknown = settings.get('encoding');
  return typeof set === 'string' ? set : 'utf8';
};

/** The web standard's name for an editor encoding; null if it has none. */
export function labelOf(encoding: string): string | null {
  const label =
    LABELS.get(encoding) ?? encoding.replace(/^(windows|koi8)(?=.)/u, '$1-').replace(/^iso8859/u, 'iso-8859-');
  try {
    return new TextDecoder(label).encoding;
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return null;
  }
}

const LABELS: ReadonlyMap<string, string> = new Map([
  ['shiftjis', 'shift_jis'],
  ['eucjp', 'euc-jp'],
  ['euckr', 'euc-kr'],
  ['cp950', 'big5'],
  ['big5hkscs', 'big5'],
  ['cp866', 'ibm866'],
  ['macroman', 'macintosh'],
  ['iso885911', 'windows-874'],
]);

/** Changes an open document, but only in the differing range, so that cursors, folds and marks elsewhere stay. */
export function replaceChanged(edit: vscode.WorkspaceEdit, document: vscode.TextDocument, text: string): void {
  const before = document.getText();
  const from = commonStart(before, text);
  let same = 0;
  const most = Math.min(before.length, text.length) - from;
  while (same < most && before[before.length - 1 - same] === text[text.length - 1 - same]) same++;
  const range = new vscode.Range(document.positionAt(from), document.positionAt(before.length - same));
  edit.replace(document.uri, range, text.slice(from, text.length - same));
}

export function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  // Not between the two characters of a CRLF.
  return one[at - 1] === '\r' ? at - 1 : at;
}
