/**
 * Where tests find recorded sessions for checks besides the generated ones: the folder that `PALIMPSEST_SESSIONS`
 * names, else `../shared/sessions` beside the checkout. They are optional: without them, tests use what the project
 * generates.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ROOT } from '../../../scripts/paths.ts';

/** Paths of all recorded sessions (`*.jsonl.gz`), smallest first; none when there is no folder. */
export function findRecordedSessions(): string[] {
  const folder = process.env.PALIMPSEST_SESSIONS ?? join(ROOT, '../shared/sessions');
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder).flatMap((name) => (name.endsWith('.jsonl.gz') ? [join(folder, name)] : []));
  return paths.sort((a, b) => statSync(a).size - statSync(b).size);
}

/** The text of a recorded session or of the facts beside it. */
export function readRecording(path: string): string {
  return gunzipSync(readFileSync(path)).toString('utf8');
}
