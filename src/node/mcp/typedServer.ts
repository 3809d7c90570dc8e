/**
 * An MCP server as a person types or pastes it: a command line, an address, or the JSON of any client. Pure. Invariant: a
 * value under the name of a secret leaves the entry, and goes to the secret storage.
 */

import { type ParseError, parse } from 'jsonc-parser';
import { asRecord, asText, isTooDeep, listOf, objectOf } from '../../core/json.ts';
import { readUrl } from '../../core/urls.ts';
import { type Words, words } from '../../core/words.ts';
import { isSecretName } from '../shell/commandEnvironment.ts';
import { readForeignServer, refuseAddress } from './serverConfig.ts';

/** As in the setting. */
type ServerEntry =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type NamedServer = { readonly name: string; readonly entry: ServerEntry };

type Typed =
  | { readonly kind: 'one'; readonly suggested: string; readonly entry: ServerEntry }
  | { readonly kind: 'pasted'; readonly servers: readonly NamedServer[] }
  | { readonly kind: 'unreadable'; readonly reason: Words };

const LONGEST = 100_000;
const MOST_PASTED = 20;

export function readTypedServer(typed: string): Typed {
  const text = typed.trim();
  if (text.length > LONGEST) return unreadable(words('It is too long.'));
  if (/^(?:\{|"[^"]*"\s*:)/.test(text)) return readPasted(text);
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? readUrl(text) : null;
  if (url) {
    const refusal = refuseAddress(text);
    return refusal
      ? unreadable(refusal)
      : { kind: 'one', suggested: nameOfHost(url.hostname), entry: { url: text, headers: {} } };
  }
  const parts = splitCommand(text);
  if (!parts) return unreadable(words('A quote is not closed.'));
  const at = parts.findIndex((part) => !/^[A-Za-z_]\w*=/.test(part));
  const [command, ...args] = at < 0 ? [] : parts.slice(at);
  if (command === undefined) return unreadable(words('It names neither a command nor an address.'));
  const env = Object.fromEntries(parts.slice(0, at).map(splitPair));
  return { kind: 'one', suggested: nameOfCommand(command, args), entry: { command, args, env } };
}

const unreadable = (reason: Words): Typed => ({ kind: 'unreadable', reason });

/** Quotes hold a part together; a backslash is a letter, as in paths of Windows. Null for an open quote. */
function splitCommand(text: string): string[] | null {
  const parts: string[] = [];
  let part: string | null = null;
  let quote = '';
  for (const char of text) {
    if (quote !== '') {
      if (char === quote) quote = '';
      else part += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      part ??= '';
    } else if (/\s/.test(char)) {
      if (part !== null) parts.push(part);
      part = null;
    } else part = (part ?? '') + char;
  }
  if (part !== null) parts.push(part);
  return quote === '' ? parts : null;
}

function splitPair(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** In `server-git/dist/index.js` only the first names the server. */
const SAYS_NOTHING = /^(?:index|main|cli|server|dist|build|out|lib|src|bin|\.{1,2})$/i;

/** `npx -y @modelcontextprotocol/server-filesystem .` is `filesystem`. */
function nameOfCommand(command: string, args: readonly string[]): string {
  const base = (path: string) => {
    const names = path.split(/[\\/]/).map((part) => part.replace(/\.(?:exe|cmd|[cm]?js|ts|py)$/i, ''));
    return names.findLast((name) => name !== '' && !SAYS_NOTHING.test(name)) ?? names.at(-1) ?? '';
  };
  const runs = /^(?:npx|bunx|uvx|pipx|uv|node|bun|deno|python3?|docker|podman|pnpm|yarn)$/i.test(base(command));
  const named = args.filter((arg) => !arg.startsWith('-') && !/^(?:run|exec|dlx|x|tool)$/.test(arg));
  const whole = runs ? (named.find((arg) => /mcp|server/i.test(arg)) ?? named[0] ?? command) : command;
  const short = base(whole)
    .replace(/(.)[@:].*$/, '$1')
    .replace(/^(?:mcp-server-|server-|mcp-)|(?:-mcp-server|-server|-mcp)$/gi, '');
  return short || base(command);
}

/** `mcp.linear.app` is `linear`. */
function nameOfHost(host: string): string {
  const labels = host.split('.').filter((label) => !/^(?:mcp|api|www)$/.test(label));
  return /^[\d.]+$|:/.test(host) ? host : (labels.at(-2) ?? labels[0] ?? host);
}

/** Where clients keep their servers. */
const HOLDERS = [['mcpServers'], ['servers'], ['mcp', 'servers'], ['mcp'], ['context_servers']];

function readPasted(text: string): Typed {
  const errors: ParseError[] = [];
  const whole = text.startsWith('{') ? text : `{${text.replace(/,\s*$/, '')}}`;
  const json: unknown = parse(whole, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !asRecord(json) || isTooDeep(json)) return unreadable(words('The JSON is not complete.'));
  const listed = HOLDERS.map((path) => path.reduce<unknown>((value, key) => objectOf(value)[key], json)).find((each) =>
    Object.values(objectOf(each)).some((entry) => asRecord(entry) !== null),
  );
  const single = normalise(json);
  const entries = listed === undefined && single ? [['', json]] : Object.entries(objectOf(listed ?? json));
  const servers: NamedServer[] = [];
  for (const [name, entry] of entries.slice(0, MOST_PASTED) as [string, unknown][]) {
    const read = normalise(entry);
    if (!read) return unreadable(words('{0} names neither a command nor an address.', name || '{…}'));
    const { config } = readForeignServer(name || 'x', isEarlier(entry) ? { ...read, type: 'sse' } : read, null);
    if (config.kind === 'unusable') return unreadable(config.reason);
    servers.push({ name: name.trim() || nameOf(read), entry: read });
  }
  return servers.length > 0 ? { kind: 'pasted', servers } : unreadable(words('The JSON does not contain a server.'));
}

const isEarlier = (entry: unknown) => objectOf(entry).type === 'sse';

const nameOf = (entry: ServerEntry): string =>
  'url' in entry ? nameOfHost(readUrl(entry.url)?.hostname ?? entry.url) : nameOfCommand(entry.command, entry.args);

/** The fields of other clients under our names; null for something else. */
function normalise(entry: unknown): ServerEntry | null {
  const { command, args, env, environment, cwd, url, serverUrl, httpUrl, headers } = objectOf(entry);
  const address = [url, httpUrl, serverUrl].find((each) => typeof each === 'string' && each !== '');
  if (typeof address === 'string') return { url: address, headers: textsOf(headers) };
  const inner = objectOf(command);
  // A list, or an object, in which others keep the program with its arguments.
  const line = Array.isArray(command) ? command : [inner.path ?? command, ...listOf(inner.args ?? args)];
  const [program, ...given] = line.map(asText);
  if (!program) return null;
  const folder = asText(cwd);
  return {
    command: program,
    args: given,
    env: textsOf(inner.env ?? env ?? environment),
    ...(folder === '' ? {} : { cwd: folder }),
  };
}

const textsOf = (record: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(objectOf(record)).map(([key, value]) => [key, String(value)]));

/** Variables or headers as typed: `NAME=value`, or `NAME` alone for a secret that is asked for once; between commas. */
export function withVariables({ name, entry }: NamedServer, typed: string): NamedServer {
  const pairs = typed
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(splitPair);
  const values = Object.fromEntries(
    pairs.map(([key, value]) => [key, value === '' ? asked(name, key, 'url' in entry) : value]),
  );
  return 'url' in entry
    ? { name, entry: { ...entry, headers: { ...entry.headers, ...values } } }
    : { name, entry: { ...entry, env: { ...entry.env, ...values } } };
}

/** `NAME=` before a command is a secret that is asked for once. */
export function withAsked(server: NamedServer): NamedServer {
  const { entry } = server;
  if ('url' in entry) return server;
  return withVariables(
    server,
    Object.keys(entry.env)
      .filter((key) => entry.env[key] === '')
      .join(','),
  );
}

/** Names that no server can be given. */
export function refuseVariables(typed: string): Words | null {
  const bad = typed
    .split(',')
    .map((part) => splitPair(part)[0])
    .find((key) => key !== '' && !/^[A-Za-z_][\w-]*$/.test(key));
  return bad === undefined ? null : words('{0} is not a name.', bad);
}

const placeOf = (name: string, key: string) => `${name}.${key}`.replace(/[^\w.-]/g, '_').slice(-100);

const asked = (name: string, key: string, isHeader: boolean) =>
  `${isHeader && /^authorization$/i.test(key) ? 'Bearer ' : ''}\${secret:${placeOf(name, key)}}`;

/** The entry with its secrets taken out, and these by name. */
export function takeSecrets({ name, entry }: NamedServer): {
  readonly server: NamedServer;
  readonly secrets: Readonly<Record<string, string>>;
} {
  const secrets: Record<string, string> = {};
  const take = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        if (
          value === '' ||
          value.includes('${') ||
          !(isSecretName(key.replaceAll('-', '_')) || /^authorization$/i.test(key))
        )
          return [key, value];
        const [, scheme = '', secret = ''] = /^(Bearer\s+)?(.*)$/is.exec(value) ?? [];
        secrets[placeOf(name, key)] = secret;
        return [key, `${scheme}\${secret:${placeOf(name, key)}}`];
      }),
    );
  const kept = 'url' in entry ? { ...entry, headers: take(entry.headers) } : { ...entry, env: take(entry.env) };
  return { server: { name, entry: kept }, secrets };
}
