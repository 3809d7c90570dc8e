/** Sessions to replay in a checkout: recorded ones where there are some, else generated ones in a folder of their own. */

import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCodingSession } from '../../src/lab/generateCodingSession.ts';
import { ROOT } from '../paths.ts';

const GENERATED = 8;
const MESSAGES = 400;

/** `PALIMPSEST_SESSIONS`, else `../shared/sessions` beside the checkout, else null. */
export function findSessionFolder(): string | null {
  const folder = process.env.PALIMPSEST_SESSIONS;
  if (folder !== undefined) return folder;
  const beside = join(ROOT, '..', 'shared', 'sessions');
  return existsSync(beside) ? beside : null;
}

/** A new folder of sessions, the same ones each time. The caller removes it. */
export function generateFolder(count = GENERATED, messages = MESSAGES): string {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-generated-'));
  for (let seed = 1; seed <= count; seed++) {
    const lines = generateCodingSession({ seed, messages }).map((message) => `${JSON.stringify(message)}\n`);
    writeFileSync(join(folder, `generated-${seed}.jsonl`), lines.join(''));
  }
  return folder;
}
