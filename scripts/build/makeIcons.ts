/** The icon font of the webview and its style sheet, with the icons that its scripts can name. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import subsetFont from 'subset-font';
import { ROOT } from '../paths.ts';

/** A rule of the style sheet that gives an icon its character: its name, then the character's number in hexadecimal. */
const RULE = /^\.codicon-([a-z0-9-]+):before \{ content: "\\([0-9a-f]+)" \}\n/gm;

/** Scripts of the webview write the names whole, or behind `codicon-`. */
const NAME = /[a-z0-9]+(?:-[a-z0-9]+)*/g;

export interface Icons {
  /** The style sheet, which names the font as `codicon.ttf` beside it. */
  readonly style: string;
  readonly font: Uint8Array;
}

/** @param scripts Texts of the bundled scripts in which names of icons are looked for. */
export async function makeIcons(scripts: readonly string[]): Promise<Icons> {
  const from = join(ROOT, 'node_modules/@vscode/codicons/dist');
  const [style, font] = await Promise.all([
    readFile(join(from, 'codicon.css'), 'utf8'),
    readFile(join(from, 'codicon.ttf')),
  ]);
  const named = new Set(scripts.flatMap((text) => text.match(NAME) ?? []));
  let characters = '';
  const kept = style.replaceAll(RULE, (rule, name: string, code: string) => {
    if (!named.has(name) && !named.has(`codicon-${name}`)) return '';
    characters += String.fromCodePoint(Number.parseInt(code, 16));
    return rule;
  });
  if (!characters) throw new Error(`${from}/codicon.css has no rules of the form that is read here`);
  return { style: kept, font: await subsetFont(font, characters, { targetFormat: 'truetype' }) };
}
