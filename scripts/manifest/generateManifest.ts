/**
 * The generated files, made from the tables in `src`: `package.json` with what it contributes, its texts in each
 * language, and the tables of settings in the documentation. It only reads: the caller writes or compares.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import { contributeCommands } from './commands.ts';
import { describeConfiguration, listRestricted } from './describeSettings.ts';
import { ManifestWords } from './manifestWords.ts';
import { PRODUCT_WORDS } from './productWords.ts';
import { fillSettingTables } from './settingTables.ts';
import { addStrategyRows } from './strategyRows.ts';
import { contributeWalkthrough } from './walkthrough.ts';

/** Contents by path below the repository. */
export function generateManifest(): ReadonlyMap<string, string> {
  const words = new ManifestWords();
  const manifest = composeManifest(words);
  return new Map([
    ['package.json', toText(manifest)],
    ['package.nls.json', toText(words.english)],
    ['package.nls.zh-cn.json', toText(words.translate(readJson('l10n/bundle.l10n.zh-cn.json')))],
    ['docs/strategies.md', addStrategyRows(fillSettingTables(readText('docs/strategies.md')))],
  ]);
}

/** The English sentences that `package.json` refers to. */
export function listManifestSentences(): ReadonlySet<string> {
  const words = new ManifestWords();
  composeManifest(words);
  return words.sentences;
}

function composeManifest(words: ManifestWords): unknown {
  const manifest = readJson('package.json');
  for (const [key, text] of Object.entries(PRODUCT_WORDS)) words.say(key, text);
  Object.assign(manifest.contributes, contributeCommands(words));
  manifest.contributes.walkthroughs = contributeWalkthrough(words);
  manifest.contributes.configuration = describeConfiguration(words);
  manifest.capabilities.untrustedWorkspaces.restrictedConfigurations = listRestricted();
  return manifest;
}

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const readJson = (path: string) => JSON.parse(readText(path));

const toText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
