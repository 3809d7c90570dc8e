/**
 * OpenCode's database of sessions (since its version 1.2), read as `opencode export` would write it. Node reads databases
 * itself since 22.13; where it cannot, the person is told how to export. The file is opened for reading only.
 */

import { UserFacingError } from '../../../core/errors.ts';
import { isObject, parseObject } from '../../../core/json.ts';
import { words } from '../../../core/words.ts';

export interface DatabaseSession {
  readonly id: string;
  readonly title: string;
  /** The folder it worked in. */
  readonly folder: string;
  /** Milliseconds since the epoch of its last change. */
  readonly time: number;
}

type Database = InstanceType<typeof import('node:sqlite').DatabaseSync>;

const MOST_SESSIONS = 10_000;
const WAIT_MS = 2_000;

/** Newest first, without those of subagents. */
export async function listOpenCodeSessions(path: string): Promise<DatabaseSession[]> {
  return withDatabase(path, (database) => {
    const rows = database
      .prepare(
        'SELECT id, title, directory, time_updated AS time FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC LIMIT ?',
      )
      .all(MOST_SESSIONS);
    return rows.map(({ id, title, directory, time }) => ({
      id: String(id),
      title: String(title ?? ''),
      folder: String(directory ?? ''),
      time: Number(time) || 0,
    }));
  });
}

/** The session as JSON text, at most `most` characters. `id` may be left out where there is only one. */
export async function readOpenCodeSession(path: string, id: string | undefined, most: number): Promise<string> {
  const wanted = id ?? (await onlySession(path));
  return withDatabase(path, (database) => {
    const of = (text: string) => database.prepare(text);
    const size = of(
      'SELECT (SELECT coalesce(sum(length(data)), 0) FROM message WHERE session_id = ?1) + (SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = ?1) AS size',
    ).get(wanted);
    if (Number(size?.size) > most)
      throw new UserFacingError(words('unpacked it is larger than {0} bytes, which is the most that is read.', most));
    const parts = new Map<string, object[]>();
    for (const { id: part, message, data } of of(
      'SELECT id, message_id AS message, data FROM part WHERE session_id = ? ORDER BY message_id, id',
    ).all(wanted)) {
      const key = String(message);
      const of = parts.get(key) ?? [];
      of.push({ ...parseObject(String(data)), id: String(part) });
      parts.set(key, of);
    }
    const messages = of('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id')
      .all(wanted)
      .map(({ id: message, data }) => ({
        info: { ...parseObject(String(data)), id: String(message) },
        parts: parts.get(String(message)) ?? [],
      }));
    const { title } = of('SELECT title FROM session WHERE id = ?').get(wanted) ?? {};
    return JSON.stringify({ info: { id: wanted, title: String(title ?? '') }, messages });
  });
}

async function onlySession(path: string): Promise<string> {
  const sessions = await listOpenCodeSessions(path);
  const [first] = sessions;
  if (!first) throw new UserFacingError(words('it is empty.'));
  if (sessions.length > 1) throw severalSessions(sessions.map(({ id }) => id));
  return first.id;
}

const MOST_NAMED = 5;

export function severalSessions(ids: readonly string[]): UserFacingError {
  const named = `${ids.slice(0, MOST_NAMED).join(', ')}${ids.length > MOST_NAMED ? ', …' : ''}`;
  return new UserFacingError(words('it holds {0} sessions. Name one of them: {1}.', ids.length, named));
}

const TABLES = ['session', 'message', 'part'];

async function withDatabase<T>(path: string, read: (database: Database) => T): Promise<T> {
  const sqlite = await import('node:sqlite').catch(() => null);
  if (!sqlite)
    throw new UserFacingError(
      words(
        'it is a database of sessions, which this version of Node cannot read (22.13 or later is needed). Run “opencode export” in a terminal and import the file that it prints to.',
      ),
    );
  const database = new sqlite.DatabaseSync(path, { readOnly: true });
  try {
    database.exec(`PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA busy_timeout = ${WAIT_MS};`);
    // A view or a virtual table may compute without end: only plain tables are read.
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
      .all()
      .map(({ name }) => name);
    if (!TABLES.every((table) => tables.includes(table)))
      throw new UserFacingError(words('it is a database, but not one of OpenCode’s sessions.'));
    return read(database);
  } catch (thrown) {
    if (isObject(thrown) && !(thrown instanceof UserFacingError) && thrown.code === 'ERR_SQLITE_ERROR')
      throw new UserFacingError(words('it is a database, but not one of OpenCode’s sessions.'), thrown);
    throw thrown;
  } finally {
    database.close();
  }
}
