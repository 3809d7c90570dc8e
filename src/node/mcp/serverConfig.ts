/**
 * A server as configured in the setting or in a file shared with other programs, resolved to a program to run or an
 * address. An unusable one keeps its name and the reason.
 */

import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { createScanner, parse } from 'jsonc-parser';
import * as z from 'zod';
import { messageOf, UserFacingError } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import { isLoopback } from '../../core/hostPlace.ts';
import { sourceText } from '../../core/instructions/sourceFile.ts';
import { asRecord, DEEPEST, isTextTooDeep, objectOf } from '../../core/json.ts';
import { section, setting } from '../../core/setting.ts';
import { showCommand } from '../../core/tools/text/showHidden.ts';
import { readUrl } from '../../core/urls.ts';
import { type Words, words } from '../../core/words.ts';
import { readBounded } from '../files/checkedFiles.ts';
import { hasCode } from '../files/fileErrors.ts';

export type ServerConfig =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Null: the open folder. */
      readonly cwd: string | null;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export interface ConfiguredServer {
  readonly name: string;
  /** The file in a workspace folder that defines it; null for the person's own setting. */
  readonly file: { readonly path: string; readonly folder: string } | null;
  readonly config: ServerConfig | { readonly kind: 'unusable'; readonly reason: Words };
  /** Disabled in its configuration. */
  readonly disabled: boolean;
  /** Time limit of a call in seconds; null for the default. */
  readonly timeout: number | null;
}

/** The open folders as reported to a server. It runs in the first: that of the file that defines it. */
export function foldersFor({ file }: Pick<ConfiguredServer, 'file'>, open: readonly string[]): readonly string[] {
  return file ? [file.folder, ...open.filter((folder) => folder !== file.folder)] : open;
}

const texts = z.record(z.string().min(1).max(500), z.string().max(50_000));

const fields = {
  type: z
    .enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'])
    .optional()
    .describe('`stdio` for a program, `http` for an address. If not given: as the other fields imply.'),
  command: z.string().min(1).max(5_000).optional().describe('Program to run.'),
  args: z.array(z.string().max(50_000)).max(500).optional().describe('Its arguments.'),
  env: texts
    .optional()
    .describe(
      'Environment variables in addition to those that commands get. `${secret:NAME}` is a secret that you enter once and that is kept in secret storage.',
    ),
  cwd: z.string().min(1).max(5_000).optional().describe('Folder it runs in. If not given: the open folder.'),
  url: z
    .string()
    .min(1)
    .max(5_000)
    .optional()
    .describe('Address of a server that speaks streamable HTTP: https, or http on this machine.'),
  headers: texts
    .optional()
    .describe('Headers of each request, for example `"Authorization": "Bearer ${secret:NAME}"`.'),
  disabled: z.boolean().optional().describe('It is not started.'),
  timeout: z
    .number()
    .min(1)
    .max(86_400)
    .optional()
    .describe('Seconds that a call may take without a sign of progress before it is given up; 120 if not given.'),
};

/** Longest name, in characters. */
const LONGEST_NAME = 80;
const name = z.string().trim().min(1).max(LONGEST_NAME);
const serversSchema = z.record(name, z.strictObject(fields));

/** Other programs have additional fields. */
const foreignSchema = z.object(fields);

/** An entry of the setting, already validated. */
export function readOwnServer(name: string, entry: z.infer<typeof foreignSchema>): ConfiguredServer {
  return { name, file: null, ...readEntry(entry) };
}

export function readForeignServer(name: string, entry: unknown, file: ConfiguredServer['file']): ConfiguredServer {
  const shown = name.trim().slice(0, LONGEST_NAME);
  const checked = foreignSchema.safeParse(entry);
  if (checked.success) {
    const read = readEntry(checked.data);
    const config = read.config.kind === 'unusable' ? read.config : (refuseLong(read.config) ?? read.config);
    return { name: shown, file, ...read, config };
  }
  const [issue] = checked.error.issues;
  const reason = words(
    'Its entry cannot be read: {0}.',
    `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
  );
  return { name: shown, file, config: { kind: 'unusable', reason }, disabled: false, timeout: null };
}

function readEntry(entry: z.infer<typeof foreignSchema>): Pick<ConfiguredServer, 'config' | 'disabled' | 'timeout'> {
  const { disabled = false, timeout = null } = entry;
  return { config: readConfig(entry), disabled, timeout };
}

function readConfig(entry: z.infer<typeof foreignSchema>): ConfiguredServer['config'] {
  const { type, command, args = [], env = {}, cwd = null, url, headers = {} } = entry;
  if (type === 'sse') {
    return unusable(
      words('It uses the transport SSE of earlier versions of MCP. Use its address for streamable HTTP.'),
    );
  }
  const asked = type === undefined ? (url === undefined ? 'stdio' : 'http') : type === 'stdio' ? 'stdio' : 'http';
  if (asked === 'stdio') {
    if (command === undefined) return unusable(words('It names neither a command nor an address.'));
    return { kind: 'stdio', command, args, env, cwd };
  }
  if (url === undefined) return unusable(words('It names no address.'));
  return { kind: 'http', url, headers };
}

/** An invalid file, listed under its own name. */
function unreadable(file: NonNullable<ConfiguredServer['file']>, reason: Words): ConfiguredServer {
  return { name: file.path, file, config: unusable(reason), disabled: false, timeout: null };
}

const unusable = (reason: Words) => ({ kind: 'unusable', reason }) as const;

/** Characters that a person can review before they answer. */
const LONGEST_SHOWN = 3_000;

/** The whole command is shown before it is started; if it does not fit, it cannot be started. */
function refuseLong(config: ServerConfig): ConfiguredServer['config'] | null {
  const { first, folder, given } = showStart(config);
  const length = first.length + folder.length + given.length;
  if (length <= LONGEST_SHOWN) return null;
  return unusable(
    words(
      'What would be started is too long to be shown whole ({0} characters, at most {1}), so you are not asked. Put it into a script and name that, or set the server up in your own settings.',
      formatCount(length),
      formatCount(LONGEST_SHOWN),
    ),
  );
}

/** As it would be typed: the program with its arguments or the address, then its folder, then its variables. */
export function showStart(config: ServerConfig): {
  readonly first: string;
  readonly folder: string;
  readonly given: string;
} {
  const pairs = (given: Readonly<Record<string, string>>) =>
    showCommand(
      Object.entries(given)
        .map(([key, value]) => `${quote(key)}=${quote(value)}`)
        .join(' '),
    );
  if (config.kind === 'http') return { first: showCommand(config.url), folder: '', given: pairs(config.headers) };
  const { command, args, env, cwd } = config;
  return {
    first: showCommand([command, ...args].map(quote).join(' ')),
    folder: cwd === null ? '' : showCommand(quote(cwd)),
    given: pairs(env),
  };
}

const quote = (text: string) => (/^[\w@%+=:,./${}-]+$/.test(text) ? text : JSON.stringify(text));

/** Why nothing may be sent to this address; null when it may. Plain http is not for headers and arguments of calls. */
export function refuseAddress(text: string): Words | null {
  const url = readUrl(text);
  if (!url) return words('Its address is not a URL.');
  const { protocol, hostname, host, username, password } = url;
  if (username || password) return words('Its address carries a password. Use a header for it.');
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return null;
  return words('Its address {0} is neither https nor on this machine.', host || protocol);
}

export function sha256(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Covers everything that decides what runs and what it gets. */
export function hashServer({ name, file, config }: ConfiguredServer): string {
  return sha256(name, file, config);
}

/** For a person: with its folder where several are open. */
export function nameFile({ folder, path }: NonNullable<ConfiguredServer['file']>, open: readonly string[]): string {
  return open.length > 1 ? `${basename(folder)}/${path}` : path;
}

/** The same before and after a change of its configuration. */
export function keyOfServer({ name, file }: Pick<ConfiguredServer, 'name' | 'file'>): string {
  return file === null ? `user/${name}` : `${file.folder}/${file.path}/${name}`;
}

/** Settings of MCP servers. A workspace never defines the servers to start, nor those to import. */
export const MCP = section('mcp', {
  servers: setting(
    serversSchema,
    {},
    'MCP servers whose tools the model gets, by name: programs with `command` and `args`, or addresses with `url`. Write secrets as `${secret:NAME}` in `env` and `headers`. *Palimpsest: MCP Servers…* shows their state. A workspace cannot change this.',
    { scope: 'application', ofThisMachine: true },
  ),
  filesOfFolder: setting(
    z.boolean(),
    true,
    'Also use servers that the folder sets up for other programs (`.mcp.json`, `.vscode/mcp.json`, `.cursor/mcp.json` and the like), after asking once for each server and its contents. Never in Restricted Mode.',
    { scope: 'application' },
  ),
});

/**
 * In order of precedence for a name, with the field that holds the servers, and how many units of its `timeout` are a
 * second.
 */
const FILES = [
  ['.mcp.json', 'mcpServers', 1_000],
  ['.vscode/mcp.json', 'servers', 1_000],
  ['.cursor/mcp.json', 'mcpServers', 1_000],
  ['.roo/mcp.json', 'mcpServers', 1],
  ['.kilocode/mcp.json', 'mcpServers', 1],
  ['.amazonq/mcp.json', 'mcpServers', 1_000],
] as const;

const LARGEST_FILE = 256 * 1024;
const MOST_SERVERS = 50;

/** `folder` is absolute. A missing file defines no servers; an unreadable one is listed with the reason. */
export async function readServerFiles(folder: string): Promise<readonly ConfiguredServer[]> {
  const found = await Promise.all(FILES.map(([path, field, second]) => readOne(folder, path, field, second)));
  return found.flat();
}

async function readOne(
  folder: string,
  path: string,
  field: string,
  second: number,
): Promise<readonly ConfiguredServer[]> {
  const file = { path, folder };
  const read = await readSmall(join(folder, path));
  if (typeof read !== 'string') return read === null ? [] : [unreadable(file, read)];
  if (isTextTooDeep(bracketsOf(read))) {
    return [unreadable(file, words('It is nested more than {0} levels deep.', DEEPEST))];
  }
  // Comments and trailing commas are common in these files.
  const servers = asRecord(asRecord(parse(read, [], { allowTrailingComma: true }))?.[field]) ?? {};
  return Object.entries(servers)
    .slice(0, MOST_SERVERS)
    .filter(([name]) => name.trim() !== '')
    .map(([name, entry]) => readForeignServer(name, inSeconds(entry, second), file));
}

/** A timeout below a second is raised to it. */
function inSeconds(entry: unknown, second: number): unknown {
  const timeout = objectOf(entry).timeout;
  return typeof timeout === 'number' ? { ...objectOf(entry), timeout: Math.max(1, timeout / second) } : entry;
}

/** Its brackets, which determine its depth; those in comments and texts do not count. */
function bracketsOf(text: string): string {
  const scanner = createScanner(text, true);
  const brackets: string[] = [];
  do {
    scanner.scan();
    const token = text.charAt(scanner.getTokenOffset());
    if (scanner.getTokenLength() === 1 && '[]{}'.includes(token)) brackets.push(token);
  } while (scanner.getTokenLength() > 0);
  return brackets.join('');
}

/** The text; null when there is none, otherwise why it is not read. */
async function readSmall(path: string): Promise<string | Words | null> {
  try {
    return sourceText(await readBounded(path, LARGEST_FILE), LARGEST_FILE);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return null;
    return thrown instanceof UserFacingError ? thrown.words : words('It cannot be read: {0}.', messageOf(thrown));
  }
}
