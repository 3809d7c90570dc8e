/** Finds recorded sessions in a folder and reads them. Without a folder, sessions are generated. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { messageOf } from '../../src/core/errors.ts';
import { recognise } from '../../src/core/sessions/recognise.ts';
import { newImportReport } from '../../src/core/sessions/recorded.ts';
import { readStored } from '../../src/host/lab/replayStored.ts';
import { nodeCrypto } from '../../src/host/storage/disk/fileBlobStore.ts';
import { importFile } from '../../src/host/storage/sessions/importFile.ts';
import { JOURNAL, SessionStore } from '../../src/host/storage/sessions/sessionStore.ts';
import { type RecordedSession, readSession } from '../../src/lab/session.ts';
import { generateCodingSession } from '../../test/support/sessions/generateCodingSession.ts';
import { ROOT } from '../paths.ts';

/** Where a session comes from, as plain data that can be sent to a worker. */
export type SessionSource =
  | { readonly kind: 'file'; readonly name: string; readonly path: string; readonly size: number }
  | { readonly kind: 'generated'; readonly name: string; readonly seed: number; readonly size: number };

const MESSAGES = /(?<!\.meta)\.jsonl?(\.gz)?$/;
const GENERATED = 8;
const GENERATED_MESSAGES = 400;

/** The given folder, else `PALIMPSEST_SESSIONS`, else `../shared/sessions` beside the checkout, else null. */
export function findSessionFolder(asked: string | undefined): string | null {
  const folder = asked ?? process.env.PALIMPSEST_SESSIONS;
  if (folder !== undefined) return folder;
  const beside = join(ROOT, '..', 'shared', 'sessions');
  return existsSync(beside) ? beside : null;
}

/** Sources by name. Throws when the folder has no sessions. */
export function listSessions(folder: string | null): SessionSource[] {
  if (folder === null) {
    return Array.from({ length: GENERATED }, (_, i) => ({
      kind: 'generated',
      name: `generated-${i + 1}`,
      seed: i + 1,
      size: GENERATED_MESSAGES,
    }));
  }
  const files = listFiles(folder)
    .filter((file) => MESSAGES.test(file))
    .sort();
  if (files.length === 0) throw new Error(`There is no session (*.jsonl, *.json, or either with .gz) in ${folder}.`);
  return files.map((file) => {
    const path = join(folder, file);
    return { kind: 'file', name: file.replace(MESSAGES, ''), path, size: statSync(path).size };
  });
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new Error(
      `The folder of sessions ${folder} cannot be read (${messageOf(cause)}): name another by --sessions.`,
      {
        cause,
      },
    );
  }
}

/** Throws an `Error` that names the session and what is wrong with it. */
export async function loadSession(source: SessionSource): Promise<RecordedSession> {
  if (source.kind === 'generated') {
    const messages = generateCodingSession({ seed: source.seed, messages: source.size });
    return { name: source.name, messages, compactions: [] };
  }
  const meta = ['.meta.json.gz', '.meta.json']
    .map((ending) => source.path.replace(MESSAGES, ending))
    .find((path) => existsSync(path));
  const text = readText(source.path);
  const format = recognise(text)?.format ?? 'normal';
  if (format !== 'normal') return loadForeign(source.name, source.path);
  return readSession(source.name, text, meta === undefined ? null : readText(meta));
}

/** Another program's recording, imported as the product imports it. */
async function loadForeign(name: string, path: string): Promise<RecordedSession> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-lab-'));
  try {
    const ports = { clock: { now: () => 0 }, crypto: nodeCrypto };
    const store = new SessionStore({ folder, workspace: null, engine: 'palimpsest/lab', ...ports });
    const { signal } = new AbortController();
    const id = await importFile({ store, path, report: newImportReport(), signal });
    if (id === null) throw new Error(`${path}: no message in it can be read`);
    return await readStored({ id, title: name, path: join(store.folderOf(id), JOURNAL), size: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  if (!path.endsWith('.gz')) return new TextDecoder().decode(bytes);
  try {
    return new TextDecoder().decode(gunzipSync(bytes));
  } catch (cause) {
    throw new Error(`${path}: cannot be unpacked (${messageOf(cause)})`, { cause });
  }
}
