/**
 * `npm run manifest`: writes what the tables of settings and commands say into `package.json`, its texts in each
 * language, and the documentation. `--check` writes nothing and fails when a file is not what the tables say. Texts without a
 * Chinese sentence are a warning.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeTranslations, findTranslations } from './manifest/findTranslations.ts';
import { generateManifest } from './manifest/generateManifest.ts';
import { ROOT } from './paths.ts';

const check = process.argv.includes('--check');
for (const [path, content] of generateManifest()) {
  const file = join(ROOT, path);
  if (readFileSync(file, 'utf8') === content) continue;
  if (check) {
    console.error(`manifest: ${path} is not what the tables say: run npm run manifest`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, content);
    console.log(`manifest: ${path} written`);
  }
}

for (const line of describeTranslations(findTranslations())) console.warn(`warning: ${line}`);
