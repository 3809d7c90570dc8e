/**
 * The packages of others that the product carries, read from the bundle's own list of files. Invariant: two versions of one
 * package are two entries, each with the licence in its own folder.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import type { Bundled } from './buildProduct.ts';

export interface BundledPackage {
  /** Below the repository, as in the lock file: `node_modules/a/node_modules/b`. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
  /** The package's license text, and its author's copyright where it has no such file. */
  readonly text: string;
}

/** Copied into dist/ rather than bundled: the font and its stylesheet. */
const COPIED = ['node_modules/@vscode/codicons'];

/** Licences under which something may be given on within a product under the MIT licence. */
const USABLE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'Unlicense',
];

/** In order of their folders. `copied`: packages whose files lie beside the bundle. */
export function foldersOf({ inputs }: Bundled, copied: readonly string[] = COPIED): readonly string[] {
  const folders = inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? []);
  return [...new Set([...folders, ...copied])].sort();
}

/** Throws where a package names no licence, one that cannot be used, or one without a text. */
export async function describePackage(folder: string, root = ROOT): Promise<BundledPackage> {
  const { name, version, license, author } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${name} ${version} names no licence`);
  if (!isUsable(license))
    throw new Error(`${name} ${version} has the licence ${license}, which the package cannot carry`);
  const files = (await readdir(join(root, folder))).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(root, folder, file), 'utf8')));
  const text = texts.map((each) => each.replaceAll('\r\n', '\n').trim()).join('\n\n') || standardText(license, author);
  if (text === undefined) throw new Error(`${name} ${version} has no text of its licence ${license}`);
  return { folder, name, version, licence: license, text };
}

/** `A OR B` needs one that can be used, `A AND B` both. */
function isUsable(expression: string): boolean {
  const parts = expression.replace(/^\((.*)\)$/, '$1');
  if (parts.includes(' AND ')) return parts.split(' AND ').every(isUsable);
  return parts.split(' OR ').some((each) => USABLE.includes(each));
}

/** Some packages name the MIT licence and forget its text, which has to go along. */
function standardText(licence: string, author: unknown): string | undefined {
  const holder = typeof author === 'string' ? author : (author as { name?: string } | undefined)?.name;
  return licence === 'MIT' && holder !== undefined ? `Copyright (c) ${holder}\n\n${MIT}` : undefined;
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;
