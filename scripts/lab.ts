/** `npm run lab`: the program of `palimpsest-lab`, on the recorded sessions of the checkout unless others are named. */

import { rmSync } from 'node:fs';
import { runCommand } from '../src/cli/command.ts';
import { findSessionFolder, generateFolder } from './lab/recordedFolder.ts';

const given = process.argv.slice(2);
const folder = findSessionFolder();
const generated = folder === null ? generateFolder() : null;
try {
  process.exitCode = await runCommand(given, { folder: folder ?? generated });
} finally {
  if (generated !== null) rmSync(generated, { recursive: true, force: true });
}
